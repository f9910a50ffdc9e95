/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree by thread group: from the group that waits, through the groups it waits for, down to the
 * cause.
 *
 * If a group is waited for in the same kind of sleep as a node above it, that node is used again,
 * so a chain of any length has a place. Memory is bounded by SCOPE_WAITS_NODES: time for which
 * there is no node stays with the node above.
 */
#ifndef SCOPE_WAITS_GROUP_TREE_H
#define SCOPE_WAITS_GROUP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waits/cascade.h"

#define SCOPE_WAITS_NODES 20000
#define SCOPE_WAITS_PEERS 16 /* no rule: of one node, with nodes of their own; the others are one */

struct scope_waits_node {
	uint32_t parent, child, sibling; /* 0: none; node 0 is the root */
	uint32_t group;
	bool ends;	/* a part of the parent's time by its final cause */
	uint8_t end;	/* with ends: enum scope_end */
	uint8_t class;	/* enum scope_wait_class: of the sleep that leads to this node */
	uint16_t nr;	/* the call of the first such sleep, or SCOPE_NR_NONE */
	uint64_t count; /* number of waits; with ends: number of parts */
	double ns;	/* with all nodes below it */
	uint64_t peer; /* with ends, for a network peer: the descriptor, one node each; 0: not known, or one more than are kept */
	/*
	 * With ends: the untraced thread, or the descriptor of a peer or a file, to which most of the time belongs, by a vote, and
	 * its time.
	 */
	uint64_t other;
	double vote_ns, other_ns;
};

#define SCOPE_WAITS_RECENT 16384 /* no rule: a power of two */

struct scope_waits_tree {
	struct scope_waits_node *node; /* 0: the root */
	size_t count, capacity;
	uint32_t *recent; /* cache of the last look-ups of children, by a hash: with 1,000 groups a node has as many */
};

int scope_waits_tree_init(struct scope_waits_tree *tree);
void scope_waits_tree_free(struct scope_waits_tree *tree);
/* The node below the root of a group that waits. Node 0: there is no room. */
uint32_t scope_waits_tree_group(struct scope_waits_tree *tree, uint32_t group);
/*
 * The node for a sleep of that class that leads to a group: a child of the node, or one of its ancestors, or the node
 * itself.
 */
uint32_t scope_waits_tree_follow(struct scope_waits_tree *tree, uint32_t node, uint8_t class, uint16_t nr,
				 uint32_t group);
/*
 * Adds time with its cause to the node, and to all nodes above. other: tid of struct scope_part; or of a wait for a peer or a disk
 * the process in the upper half and fd in the lower one.
 */
void scope_waits_tree_end(struct scope_waits_tree *tree, uint32_t node, enum scope_end end, uint8_t class,
			  uint64_t other, double ns, uint64_t count);
/* The one to which half or more of that end's time belongs, or the node's peer; 0: none. */
uint64_t scope_waits_tree_other(const struct scope_waits_node *node);

#endif
