// SPDX-License-Identifier: GPL-2.0-only
/* Single linkage: the minimum spanning tree, grown from one point. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "cluster/chain.h"

#define BLOCK 64     /* no rule */
#define FROM_BITS 24 /* no rule: bits of a point's number: a matrix with more points does not fit into memory */
#define FROM_MASK ((1u << FROM_BITS) - 1)

/*
 * Prim's algorithm. The best link of each point to the tree is one number: its distance, then the point of the tree.
 * For one point this is the order of the tie rule, because a smaller partner makes a smaller pair.
 */
struct tree {
	uint32_t *link;
	uint32_t *inside; /* all bits set for points of the tree, and after the last point */
	uint32_t *least;  /* the least link of each block */
	uint32_t blocks;
};

/* Replaces links of a block by links to the point `added`, whose distances are @row, if these are better. */
SCOPE_CLONES static uint32_t add_links(uint32_t *restrict link, const uint32_t *restrict inside,
				       const uint8_t *restrict row, uint32_t added)
{
	uint32_t least = UINT32_MAX;

	for (int i = 0; i < BLOCK; i++) {
		const uint32_t to = ((uint32_t)row[i] << FROM_BITS | added) | inside[i];

		link[i] = to < link[i] ? to : link[i];
	}
	for (int i = 0; i < BLOCK; i++)
		least = link[i] < least ? link[i] : least;
	return least;
}

static struct scope_merge merge_of(uint32_t link, uint32_t point)
{
	const uint32_t from = link & FROM_MASK;

	return (struct scope_merge){ from < point ? from : point, from < point ? point : from, link >> FROM_BITS, 0 };
}

/*
 * Finds, of all links that leave the tree, the one that is first by the tie rule. Returns its point outside of the
 * tree.
 */
static uint32_t find_best(const struct tree *tree, struct scope_merge *ret_best)
{
	uint32_t distance = UINT32_MAX, point = 0;

	for (uint32_t b = 0; b < tree->blocks; b++)
		distance = tree->least[b] < distance ? tree->least[b] : distance;
	distance >>= FROM_BITS;
	*ret_best = (struct scope_merge){ UINT32_MAX, UINT32_MAX, distance, 0 };
	for (uint32_t b = 0; b < tree->blocks; b++) {
		if (tree->least[b] >> FROM_BITS != distance)
			continue;
		for (uint32_t k = b * BLOCK; k < (b + 1) * BLOCK; k++) {
			const struct scope_merge merge = merge_of(tree->link[k], k);

			if (tree->link[k] >> FROM_BITS == distance && !tree->inside[k] &&
			    scope_cluster_chain_compare(&merge, ret_best) < 0) {
				*ret_best = merge;
				point = k;
			}
		}
	}
	return point;
}

static void grow(const struct tree *tree, const uint8_t *distances, uint32_t m, struct scope_merge *merges)
{
	const size_t stride = scope_cluster_linkage_stride(m);
	uint32_t added = 0;

	for (uint32_t done = 0; done + 1 < m; done++) {
		const uint8_t *row = distances + added * stride;

		tree->inside[added] = tree->link[added] = UINT32_MAX;
		for (uint32_t b = 0; b < tree->blocks; b++)
			tree->least[b] =
				add_links(tree->link + b * BLOCK, tree->inside + b * BLOCK, row + b * BLOCK, added);
		added = find_best(tree, &merges[done]);
	}
}

static int span(const uint8_t *distances, uint32_t m, struct scope_merge *merges)
{
	const size_t stride = scope_cluster_linkage_stride(m);
	uint32_t *room = malloc(3 * stride * sizeof(*room));
	const struct tree tree = { room, room + stride, room + 2 * stride, stride / BLOCK };

	if (!room)
		return -ENOMEM;
	memset(tree.link, UINT8_MAX, stride * sizeof(*room));
	memset(tree.inside, 0, m * sizeof(*room));
	memset(tree.inside + m, UINT8_MAX, (stride - m) * sizeof(*room));
	grow(&tree, distances, m, merges);
	free(room);
	return 0;
}

int scope_cluster_linkage_single(const uint8_t *distances, uint32_t m, const uint64_t *multiplicity,
				 struct scope_merge **ret_merges)
{
	struct scope_merge *merges;
	int err = scope_cluster_chain_prepare(m, multiplicity, &merges);

	if (err)
		return err;
	if (m > 1)
		err = span(distances, m, merges);
	return scope_cluster_chain_finish(err, merges, m, multiplicity, ret_merges);
}
