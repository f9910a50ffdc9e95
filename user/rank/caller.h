/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides if a function with many callers takes long itself, or if one of its callers makes it work too much. */
#ifndef SCOPE_RANK_CALLER_H
#define SCOPE_RANK_CALLER_H

#include "rank/rank.h"

/*
 * The judge's caller of scope_evidence_tree_attribute(); user: struct scope_same_cause. *ret_node: the caller, from or below it,
 * that makes a function which others call do more of what it always does, by the rule of docs/methods.md,
 * section 6 ("A caller that makes its helper work too much"); node itself, if there is none. 0, -ENOMEM.
 */
int scope_rank_caller(void *user, uint32_t from, uint32_t node, uint32_t *ret_node);

#endif
