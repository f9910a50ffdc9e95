// SPDX-License-Identifier: GPL-2.0-only
/* Single linkage: the minimum spanning tree, grown from one point. */
#include <stdlib.h>
#include <errno.h>

#include "cluster/chain.h"

/*
 * A link as one number that is in the order of the tie rule: distance, lower point, higher point.
 * Fewer than 2^28 points leave 8 bits for the distance.
 */
static uint64_t link_of(uint8_t distance, uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;

	return (uint64_t)distance << 56 | (uint64_t)low << 28 | high;
}

/* Prim: best[k] is the best link to the tree of point[k], one of the @left not in it. */
static int span(const uint8_t *distances, uint32_t m, struct scope_merge *merges)
{
	uint64_t *best = malloc(m * sizeof(*best));
	uint32_t *point = malloc(m * sizeof(*point));
	uint32_t left = m - 1, added = 0;

	if (!best || !point) {
		free(point);
		free(best);
		return -ENOMEM;
	}
	for (uint32_t k = 0; k < left; k++) {
		best[k] = UINT64_MAX;
		point[k] = k + 1;
	}
	for (; left; left--) {
		const uint8_t *row = distances + added * scope_linkage_stride(m);
		uint64_t least = UINT64_MAX;
		uint32_t at = 0;

		for (uint32_t k = 0; k < left; k++) {
			uint64_t link = link_of(row[point[k]], added, point[k]);

			best[k] = link < best[k] ? link : best[k];
			at = best[k] < least ? k : at;
			least = best[k] < least ? best[k] : least;
		}
		merges[m - 1 - left] = (struct scope_merge){
			.left = least >> 28 & ((1u << 28) - 1),
			.right = least & ((1u << 28) - 1),
			.height = least >> 56,
		};
		added = point[at];
		point[at] = point[left - 1];
		best[at] = best[left - 1];
	}
	free(point);
	free(best);
	return 0;
}

int scope_linkage_single(const uint8_t *distances, uint32_t m, const uint64_t *multiplicity,
			 struct scope_merge **ret_merges)
{
	struct scope_merge *merges;
	int err = scope_chain_prepare(m, multiplicity, &merges);

	if (err)
		return err;
	if (m > 1)
		err = span(distances, m, merges);
	return scope_chain_finish(err, merges, m, multiplicity, ret_merges);
}
