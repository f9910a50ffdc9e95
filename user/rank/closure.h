/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions without a name of their own, which are written inside another one. */
#ifndef SCOPE_RANK_CLOSURE_H
#define SCOPE_RANK_CLOSURE_H

#include "rank/rank.h"

/*
 * The function, below from or from itself, that a node's function is written in, if that one is its nearest caller: what sorts a list calls
 * the library, which calls the comparison. node itself if its function is no closure, or was called by another one.
 */
uint32_t scope_rank_closure_of(const struct scope_tree *tree, uint32_t from, uint32_t node);

#endif
