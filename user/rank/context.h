/* SPDX-License-Identifier: GPL-2.0-only */
/* Narrows what a function is named for to one of its callers' ways. */
#ifndef SCOPE_RANK_CONTEXT_H
#define SCOPE_RANK_CONTEXT_H

#include "evidence/tree.h"

/*
 * Lets function answer for the nodes from node downwards alone: it is named no more for those it is reached at by
 * other ways. *ret_excess_ns: the excess at those that it keeps. *ret_was: who was named before, malloc'd, for
 * scope_rank_context_restore(); NULL where it was named for no others, and nothing changed. 0 or -ENOMEM.
 */
int scope_rank_context_narrow(const struct scope_tree *tree, const struct scope_function *function, uint32_t node,
			      struct scope_attribution *attribution, double *ret_excess_ns,
			      struct scope_owner **ret_was);
/* Takes it back, and frees was. */
void scope_rank_context_restore(struct scope_attribution *attribution, struct scope_owner *was);

#endif
