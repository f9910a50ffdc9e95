/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Agglomerative clustering of m points, given all their distances.
 *
 * Distances come condensed: the rows of the upper triangle one after the other, m * (m - 1) / 2
 * values, pair (i, j) with i < j at scope_linkage_pair(m, i, j). Points may stand for several
 * equal observations: their multiplicities are the initial cluster sizes.
 *
 * Ties are the rule between 0/1 vectors, and the tree depends on how they are broken. The rule:
 *   complete, average	of the closest pairs of clusters, the pair with the smallest index goes
 *			first, a cluster's index being that of its smallest point; the lower index
 *			of the pair is compared first, then the higher one.
 *   single		of the closest pairs of points that join two clusters, the one with the
 *			smallest (i, j), i < j, goes first.
 * Sort the points by something of their own before numbering them, and the tree no longer
 * depends on the order they came in.
 */
#ifndef SCOPE_CLUSTER_LINKAGE_H
#define SCOPE_CLUSTER_LINKAGE_H

#include <stddef.h>
#include <stdint.h>

enum scope_linkage {
	SCOPE_LINKAGE_COMPLETE,		/* greatest distance between members */
	SCOPE_LINKAGE_AVERAGE,		/* mean distance between members (UPGMA) */
	SCOPE_LINKAGE_SINGLE,		/* smallest distance between members */
	SCOPE_LINKAGE_COUNT
};

/*
 * One merge, by SciPy's convention: nodes 0 to m - 1 are the points, merge k makes node m + k,
 * left < right. Merges are sorted by height, so a node is made before it is merged.
 */
struct scope_merge {
	uint32_t left;
	uint32_t right;
	double height;			/* distance between the two, by the linkage */
	uint64_t size;			/* observations in the new node */
};

/* Position of pair (i, j), i < j < m, in a condensed matrix. */
static inline size_t scope_linkage_pair(uint32_t m, uint32_t i, uint32_t j)
{
	return (size_t)i * (2 * (size_t)m - i - 1) / 2 + (j - i - 1);
}

/* The linkage's name ("complete"), or NULL for a number that is none. */
const char *scope_linkage_name(enum scope_linkage linkage);

/*
 * Clusters @m points under @linkage. @distances is condensed; complete linkage works in place
 * and leaves it overwritten, average takes 8 more bytes per pair, single only reads.
 * @multiplicity holds @m counts of at least 1, or is NULL for all 1.
 * *@ret_merges: m - 1 merges (none for m of 0 or 1), for the caller to free().
 * O(m^2) time: nearest-neighbour chain for complete and average linkage, which are reducible
 * (F. Murtagh, "A survey of recent advances in hierarchical clustering algorithms", The Computer
 * Journal 26(4), 1983); minimum spanning tree for single (J. Gower, G. Ross, "Minimum spanning
 * trees and single linkage cluster analysis", Applied Statistics 18(1), 1969; R. Prim, 1957).
 * With average linkage heights are exact, and ties are seen as ties, while the product of two
 * cluster sizes and the greatest distance stays below 2^53; beyond, to rounding.
 * -EINVAL (unknown linkage, multiplicity 0), -ENOMEM.
 */
int scope_linkage_run(enum scope_linkage linkage, uint8_t *distances, uint32_t m,
		      const uint64_t *multiplicity, struct scope_merge **ret_merges);

/*
 * Average linkage of distances that are no small integers: as scope_linkage_run(), in place.
 * -EINVAL also for a distance that is negative or not finite.
 */
int scope_linkage_run_average(double *distances, uint32_t m, const uint64_t *multiplicity,
			      struct scope_merge **ret_merges);

/*
 * Cuts the tree: points are together when joined by merges of a height of at most @cut.
 * @labels: room for @m labels, filled with 0 to *@ret_count - 1, numbered in the order of each
 * cluster's smallest point. -ENOMEM.
 */
int scope_linkage_cut(const struct scope_merge *merges, uint32_t m, double cut, uint32_t *labels,
		      uint32_t *ret_count);

#endif
