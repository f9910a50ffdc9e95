/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides if a function with many callers takes long itself, or if one of its callers calls it too often. */
#ifndef SCOPE_RANK_CALLER_H
#define SCOPE_RANK_CALLER_H

#include "rank/rank.h"

/*
 * The judge's caller of scope_evidence_tree_attribute(); user: struct scope_same_cause. *ret_node: the nearest caller
 * between from and node that calls its callee too often, by the rule of docs/methods.md, section 6 ("A caller that calls
 * too often"); node itself, if there is none.
 */
int scope_rank_caller(void *user, uint32_t from, uint32_t node, uint32_t *ret_node);

#endif
