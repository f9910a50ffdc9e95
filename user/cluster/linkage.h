/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Agglomerative clustering of m points.
 *
 * Complete and single linkage read a square matrix of distances of one byte each: row i begins at i *
 * scope_cluster_linkage_stride(m), and both halves are filled. Average and Ward linkage read the points themselves. A
 * point may represent several equal observations: the multiplicities are the initial cluster sizes.
 *
 * Ties are the rule between 0/1 vectors, and the tree depends on how they are broken. The rule:
 *   single		of the closest pairs of points that join two clusters, the one with the
 *			smallest (i, j), i < j, goes first.
 *   all others		of the closest pairs of clusters, the pair with the smallest index goes
 *			first, a cluster's index being that of its smallest point; the lower index
 *			of the pair is compared first, then the higher one.
 * If the points are sorted by a property of their own before they are numbered, the tree does not depend on
 * the order in which they came.
 */
#ifndef SCOPE_CLUSTER_LINKAGE_H
#define SCOPE_CLUSTER_LINKAGE_H

#include <stddef.h>
#include <stdint.h>

/* Divisive splitting (divisive.h) makes no tree; it is listed only for its name. */
enum scope_linkage {
	SCOPE_LINKAGE_COMPLETE, /* greatest distance between members */
	SCOPE_LINKAGE_AVERAGE,	/* mean distance between members (UPGMA) */
	SCOPE_LINKAGE_SINGLE,	/* smallest distance between members */
	SCOPE_LINKAGE_WARD,	/* growth of the sum of squares, as sqrt(2 * growth) */
	SCOPE_LINKAGE_DIVISIVE,
	SCOPE_LINKAGE_COUNT
};

/*
 * One merge, by SciPy's convention: nodes 0 to m - 1 are the points, merge k makes node m + k,
 * left < right. Merges are sorted by height, so a node is made before it is merged.
 */
struct scope_merge {
	uint32_t left;
	uint32_t right;
	double height; /* distance between the two, by the linkage */
	uint64_t size; /* observations in the new node */
};

/* In the matrix: a distance above any cut. Larger distances need not be distinguished. */
#define SCOPE_LINKAGE_FAR (UINT8_MAX - 1)

/* Number of values from one row of a matrix to the next, and from one dimension of points to the next. */
static inline size_t scope_cluster_linkage_stride(uint32_t m)
{
	return ((size_t)m + 63) / 64 * 64;
}

/* Position of pair (i, j), i < j < m, in a condensed matrix: the rows of the upper triangle. */
static inline size_t scope_cluster_linkage_pair(uint32_t m, uint32_t i, uint32_t j)
{
	return (size_t)i * (2 * (size_t)m - i - 1) / 2 + (j - i - 1);
}

/* The linkage's name ("complete"), or NULL for a number of no linkage. */
const char *scope_cluster_linkage_name(enum scope_linkage linkage);

/* The linkage of this name. -EINVAL if there is none. */
int scope_cluster_linkage_find(const char *name, enum scope_linkage *ret_linkage);

/*
 * All functions below: @multiplicity has @m counts of at least 1, or is NULL for all 1. *@ret_merges: m - 1 merges
 * (none for m of 0 or 1), which the caller frees. They take O(m^2) time; those that read points take this for each
 * dimension that is not 0, and 12 bytes for each value. -EINVAL (multiplicity 0, m of 2^24 or more), -ENOMEM.
 *
 * The nearest-neighbour chain is used for complete, average and Ward linkage, which are reducible (F. Murtagh,
 * The Computer Journal 26(4), 1983, pages 354 to 359); the minimum
 * spanning tree single linkage (J. Gower, G. Ross, "Minimum spanning trees and single linkage cluster analysis",
 * Applied Statistics 18(1), 1969; R. Prim, 1957).
 */

/*
 * @distances: m rows of scope_cluster_linkage_stride(m) bytes, of 0 to SCOPE_LINKAGE_FAR; the diagonal and
 * the values after column m are not read. Complete linkage overwrites it, single linkage only reads.
 */
int scope_cluster_linkage_complete(uint8_t *distances, uint32_t m, const uint64_t *multiplicity,
				   struct scope_merge **ret_merges);
int scope_cluster_linkage_single(const uint8_t *distances, uint32_t m, const uint64_t *multiplicity,
				 struct scope_merge **ret_merges);

/*
 * @points: @dimensions rows of scope_cluster_linkage_stride(m) values, value j that of point j.
 *
 * Average linkage takes values of 0 and 1, and the Manhattan distance. Heights are exact, and ties
 * are seen as ties, while the product of two cluster sizes and the dimensions stays below 2^53;
 * beyond, to rounding.
 * Ward's linkage takes finite values, and the Euclidean distance (J. Ward, "Hierarchical grouping
 * to optimize an objective function", Journal of the American Statistical Association 58, 1963).
 * Heights are to rounding.
 */
int scope_cluster_linkage_average(const double *points, uint32_t dimensions, uint32_t m, const uint64_t *multiplicity,
				  struct scope_merge **ret_merges);
int scope_cluster_linkage_ward(const double *points, uint32_t dimensions, uint32_t m, const uint64_t *multiplicity,
			       struct scope_merge **ret_merges);

/*
 * Cuts the tree: points are in one cluster if they are joined by merges whose @width is at most @cut. @width has m - 1
 * values that do not fall on the way up; NULL: the heights. @labels: @m elements, filled with 0 to *@ret_count - 1, in
 * the order of each cluster's smallest point. -ENOMEM.
 */
int scope_cluster_linkage_cut(const struct scope_merge *merges, uint32_t m, const double *width, double cut,
			      uint32_t *labels, uint32_t *ret_count);

#endif
