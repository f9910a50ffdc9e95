/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the caller whose loop runs a function that cannot take long by itself. */
#ifndef SCOPE_RANK_LOOPING_H
#define SCOPE_RANK_LOOPING_H

#include "rank/rank.h"

/*
 * *ret_node: the caller, below from, that makes the calls of node's function, by the rule of docs/methods.md, section 6 ("Code
 * without a loop"); node itself if that may take long by itself, or no loop is known. 0, -ENOMEM.
 */
int scope_rank_looping(const struct scope_rank_input *input, uint32_t from, uint32_t node, uint32_t *ret_node);

#endif
