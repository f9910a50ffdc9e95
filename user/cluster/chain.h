/* SPDX-License-Identifier: GPL-2.0-only */
/* The nearest-neighbour chain, and what every tree needs before and after. Only for linkages. */
#ifndef SCOPE_CLUSTER_CHAIN_H
#define SCOPE_CLUSTER_CHAIN_H

#include "cluster/linkage.h"

/*
 * Clusters not merged yet, by the linkage. A cluster lives in the slot of its smallest point, so
 * slots are in the order of the tie rule: for a given cluster, the lowest slot of several nearest
 * ones is the one the rule asks for. That makes the order of cluster pairs strict and keeps it
 * reducible (a merged pair is never closer to a third than the closer of the two was), which is
 * what makes the chain arrive at the greedy tree on tied distances as well.
 */
struct scope_chain_clusters {
	void *state;
	/* The nearest to @slot, the lowest of several. */
	uint32_t (*nearest)(void *state, uint32_t slot, double *ret_height);
	/* Merges slot @gone into slot @kept, the smaller of the two. */
	void (*join)(void *state, uint32_t kept, uint32_t gone);
};

/*
 * Follows nearest neighbours until two are each other's, merges these, goes on from where it was.
 * @merges: m - 1 places; they name slots, in the order of merging. -ENOMEM.
 */
int scope_cluster_chain_follow(const struct scope_chain_clusters *clusters, uint32_t m, struct scope_merge *merges);

/* Room for the merges of @m points, for the caller to free(), once the arguments hold. */
int scope_cluster_chain_prepare(uint32_t m, const uint64_t *multiplicity, struct scope_merge **ret_merges);

/*
 * Sorts merges that name one point of either side, names nodes and counts members; returns them, or
 * frees them if there was an error before or is one now. Returns that error, or 0.
 */
int scope_cluster_chain_finish(int err, struct scope_merge *merges, uint32_t m, const uint64_t *multiplicity,
			       struct scope_merge **ret_merges);

/* Order by height, then by the points named. */
int scope_cluster_chain_compare(const void *a, const void *b);

#endif
