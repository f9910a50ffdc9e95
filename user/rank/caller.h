/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides if a function with many callers takes long itself, or if one of its callers calls it too often. */
#ifndef SCOPE_RANK_CALLER_H
#define SCOPE_RANK_CALLER_H

#include "rank/rank.h"

/*
 * The judge's caller of scope_evidence_tree_attribute(); user: struct scope_same_cause. A loop has
 * some running time of its own. If the caller calls more often, that time grew along with the
 * callee's time; if the callee takes longer, it did not. So the nearest caller, between from and
 * node, is named instead of node if
 *
 * - its callee on the way there has other callers: at least a tenth of the callee's time in usual
 *   units is for callers of another name. A function with one caller is part of that caller's work,
 *   and naming it is more exact;
 * - its own part of the running time below it is at least half as large as in usual units; or, if
 *   those have no samples of it, 2 %. Five stacks of its own part are needed.
 *
 * Sleeping time is not considered. *ret_node: node itself, if no caller is named.
 */
int scope_rank_caller(void *user, uint32_t from, uint32_t node, uint32_t *ret_node);

#endif
