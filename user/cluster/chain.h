/* SPDX-License-Identifier: GPL-2.0-only */
/* The nearest-neighbour chain, and the steps before and after it that every tree needs. Only for linkages. */
#ifndef SCOPE_CLUSTER_CHAIN_H
#define SCOPE_CLUSTER_CHAIN_H

#include "cluster/linkage.h"

/*
 * Clusters that are not merged yet. A cluster is in the slot of its smallest point, so slots are in the order of the
 * tie rule: if several clusters are nearest, the rule takes the lowest slot. So the order of cluster pairs is strict
 * and stays reducible (a merged pair is never closer to a third cluster than the closer of the two was). This is why
 * the chain finds the greedy tree for tied distances, too.
 */
struct scope_chain_clusters {
	void *state;
	/* The slot nearest to @slot; the lowest if there are several. */
	uint32_t (*nearest)(void *state, uint32_t slot, double *ret_height);
	/* Merges slot @gone into slot @kept, the smaller of the two. */
	void (*join)(void *state, uint32_t kept, uint32_t gone);
};

/*
 * Follows nearest neighbours until two are each other's nearest, merges these, and continues from the rest of the
 * chain. @merges: m - 1 elements, which name slots, in the order of merging. -ENOMEM.
 */
int scope_cluster_chain_follow(const struct scope_chain_clusters *clusters, uint32_t m, struct scope_merge *merges);

/* Checks the arguments and allocates the merges of @m points; the caller frees them. */
int scope_cluster_chain_prepare(uint32_t m, const uint64_t *multiplicity, struct scope_merge **ret_merges);

/*
 * Makes of merges that name one point of each side the final ones: sorts them, names nodes and counts members. Gives
 * them to the caller, or frees them if err is set or an error occurs. Returns that error, or 0.
 */
int scope_cluster_chain_finish(int err, struct scope_merge *merges, uint32_t m, const uint64_t *multiplicity,
			       struct scope_merge **ret_merges);

/* Orders by height, then by the points that are named. */
int scope_cluster_chain_compare(const void *a, const void *b);

#endif
