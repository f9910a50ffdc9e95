/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a function that many call takes long, or one of its callers calls it too often. */
#ifndef SCOPE_RANK_CALLER_H
#define SCOPE_RANK_CALLER_H

#include "rank/rank.h"

/*
 * The judge's caller of scope_evidence_tree_attribute(); user: struct scope_same_cause. A loop leaves its own time: where what
 * a caller holds grew because it calls more often, its own running time grew along with that of its callee; where
 * the callee takes longer, it did not. So the nearest caller, between from and node, is named in place of node if
 *
 * - what it calls on the way there is called by others as well: a tenth of its time in usual units, at least, is
 *   spent there for callers of another name. What one function alone calls is part of that function's work, and the
 *   more exact answer;
 * - its own part of what runs below it is at least half as large as in usual units; or, where those say nothing of
 *   it, 2 % of it. Five stacks of it are needed.
 *
 * What sleeps is not asked. *ret_node: node itself, if no caller is named.
 */
int scope_rank_caller(void *user, uint32_t from, uint32_t node, uint32_t *ret_node);

#endif
