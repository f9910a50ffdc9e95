/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits the nodes that a function is named for to one call path. */
#ifndef SCOPE_RANK_CONTEXT_H
#define SCOPE_RANK_CONTEXT_H

#include "evidence/tree.h"

/*
 * Names function only for `node` and the nodes below it, and not for its nodes on other call paths.
 * *ret_excess_ns: the excess at the nodes that it keeps. *ret_was: the functions named before,
 * malloc'd, for scope_rank_context_restore(); NULL if it was named for no other nodes, and nothing
 * changed. 0 or -ENOMEM.
 */
int scope_rank_context_narrow(const struct scope_tree *tree, const struct scope_function *function, uint32_t node,
			      struct scope_attribution *attribution, double *ret_excess_ns,
			      struct scope_owner **ret_was);
/* Restores `was`, and frees it. */
void scope_rank_context_restore(struct scope_attribution *attribution, struct scope_owner *was);

#endif
