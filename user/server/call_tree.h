/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call tree of a thread, as counts of its stacks by node, and groups of threads with like trees.
 *
 * The distance of two trees is half of the sum over nodes of the difference of their shares: 0 for equal ones, 1 for two
 * without a common node. It sees weights, unlike the tree edit distance that Ditto uses (Liang et al., ASPLOS 2023, section
 * 4.3). Two threads that do the same differ by chance, the more the fewer stacks they have. So the distance that decides is
 * less by twice what is expected of two samples of both trees together. Groups are made by average linkage, cut at
 * SCOPE_CALL_TREE_CUT.
 */
#ifndef SCOPE_SERVER_CALL_TREE_H
#define SCOPE_SERVER_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_CALL_TREE_CUT 0.2
#define SCOPE_CALL_TREES_MAX 4096u /* no rule: of more a part is grouped, and the others join it */

struct scope_call_count {
	uint32_t node, count;
};

/* A zeroed struct is an empty tree. */
struct scope_call_tree {
	struct scope_call_count *node; /* by node, ascending, once scope_server_call_tree_sort() was called */
	size_t nodes, capacity;
	uint32_t stacks; /* the sum of counts */
};

int scope_server_call_tree_add(struct scope_call_tree *tree, uint32_t node); /* 0 or -ENOMEM */
/* Puts nodes in order; equal ones become one. */
void scope_server_call_tree_sort(struct scope_call_tree *tree);
void scope_server_call_tree_free(struct scope_call_tree *tree);

/* The distance, less what chance makes; 0 to 1. Both trees are sorted and not empty. */
double scope_server_call_tree_apart(const struct scope_call_tree *a, const struct scope_call_tree *b);

/* ret_label: room for count labels, from 0 on in the order of each group's first tree. 0 or -ENOMEM. */
int scope_server_call_tree_groups(const struct scope_call_tree *const *tree, size_t count, uint32_t *ret_label,
				  uint32_t *ret_groups);

#endif
