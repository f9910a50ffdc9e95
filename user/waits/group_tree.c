// SPDX-License-Identifier: GPL-2.0-only
/* A tree by thread group: from the group that waits, through the groups it waits for, down to the cause. */
#include "waits/group_tree.h"

#include <stdlib.h>

#include "base/grow.h"
#include "timeline/class.h"

int scope_waits_tree_init(struct scope_waits_tree *tree)
{
	*tree = (struct scope_waits_tree){ 0 };
	tree->recent = calloc(SCOPE_WAITS_RECENT, sizeof(*tree->recent));
	if (!tree->recent || scope_grow(&tree->node, &tree->capacity, 1, sizeof(*tree->node))) {
		scope_waits_tree_free(tree);
		return -ENOMEM;
	}
	tree->node[0] = (struct scope_waits_node){ 0 };
	tree->count = 1;
	return 0;
}

void scope_waits_tree_free(struct scope_waits_tree *tree)
{
	free(tree->node);
	free(tree->recent);
	*tree = (struct scope_waits_tree){ 0 };
}

static bool is_same(const struct scope_waits_node *a, const struct scope_waits_node *b)
{
	return a->ends == b->ends && a->class == b->class &&
	       (a->ends ? a->end == b->end && a->peer == b->peer : a->group == b->group);
}

static size_t place_of(uint32_t parent, const struct scope_waits_node *like)
{
	uint64_t mixed = (uint64_t)parent << 32 ^ (uint64_t)like->class << 24 ^ (uint64_t)like->end << 16;

	mixed ^= like->ends ? like->peer ^ 1u << 31 : like->group;
	return mixed * 0x9e3779b97f4a7c15ull >> 50 & (SCOPE_WAITS_RECENT - 1);
}

/* The child of that kind, created if it is missing; the parent if there is no room. */
static uint32_t child_of(struct scope_waits_tree *tree, uint32_t parent, const struct scope_waits_node *like)
{
	uint32_t *recent = &tree->recent[place_of(parent, like)], at = *recent;

	if (at && tree->node[at].parent == parent && is_same(&tree->node[at], like))
		return at;
	for (at = tree->node[parent].child; at; at = tree->node[at].sibling)
		if (is_same(&tree->node[at], like)) {
			*recent = at;
			return at;
		}
	if (tree->count >= SCOPE_WAITS_NODES ||
	    scope_grow(&tree->node, &tree->capacity, tree->count + 1, sizeof(*tree->node)))
		return parent;
	at = (uint32_t)tree->count++;
	tree->node[at] = *like;
	tree->node[at].parent = parent;
	tree->node[at].sibling = tree->node[parent].child;
	tree->node[parent].child = at;
	*recent = at;
	return at;
}

uint32_t scope_waits_tree_group(struct scope_waits_tree *tree, uint32_t group)
{
	return child_of(tree, 0, &(struct scope_waits_node){ .group = group });
}

uint32_t scope_waits_tree_follow(struct scope_waits_tree *tree, uint32_t node, uint8_t class, uint16_t nr,
				 uint32_t group)
{
	const struct scope_waits_node like = { .group = group, .class = class, .nr = nr };

	/* Those below the root are the groups that wait: no sleep led to them. */
	for (uint32_t at = node; tree->node[at].parent; at = tree->node[at].parent)
		if (is_same(&tree->node[at], &like))
			return at;
	return child_of(tree, node, &like);
}

/* Weighted: R. S. Boyer, J. S. Moore, "MJRTY: A Fast Majority Vote Algorithm". */
static void vote(struct scope_waits_node *node, uint64_t other, double ns)
{
	if (node->other == other) {
		node->vote_ns += ns;
		node->other_ns += ns;
	} else if (node->vote_ns >= ns) {
		node->vote_ns -= ns;
	} else {
		node->other = other;
		node->vote_ns = ns - node->vote_ns;
		node->other_ns = ns;
	}
}

uint64_t scope_waits_tree_other(const struct scope_waits_node *node)
{
	if (node->peer)
		return node->peer;
	return 2 * node->other_ns >= node->ns ? node->other : 0;
}

/* 0: it is no wait for a peer that is known, or the node has as many of others as are kept. */
static uint64_t peer_of(const struct scope_waits_tree *tree, uint32_t node, enum scope_end end, uint8_t class,
			uint64_t other)
{
	unsigned others = 0;

	if (end != SCOPE_END_OUTSIDE || class != SCOPE_WAIT_NETWORK || !other)
		return 0;
	for (uint32_t at = tree->node[node].child; at; at = tree->node[at].sibling) {
		if (tree->node[at].peer == other)
			return other;
		others += tree->node[at].peer != 0;
	}
	return others < SCOPE_WAITS_PEERS ? other : 0;
}

void scope_waits_tree_end(struct scope_waits_tree *tree, uint32_t node, enum scope_end end, uint8_t class,
			  uint64_t other, double ns, uint64_t count)
{
	uint32_t at = child_of(tree, node,
			       &(struct scope_waits_node){
				       .ends = true,
				       .end = (uint8_t)end,
				       .class = class,
				       .group = tree->node[node].group,
				       .peer = peer_of(tree, node, end, class, other),
			       });

	if (at && (end == SCOPE_END_QUEUE || end == SCOPE_END_PROCESS || end == SCOPE_END_OUTSIDE))
		vote(&tree->node[at], other, ns);
	for (; at; at = tree->node[at].parent) {
		tree->node[at].ns += ns;
		tree->node[at].count += count;
	}
	tree->node[0].ns += ns;
}
