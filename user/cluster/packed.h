/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The distinct vectors of a set in canonical order, reduced to the bits in which they differ.
 *
 * A bit that is the same in every vector adds nothing to a distance. A server uses some tens of syscalls, so 16 words
 * become one or two.
 */
#ifndef SCOPE_CLUSTER_PACKED_H
#define SCOPE_CLUSTER_PACKED_H

#include <stdint.h>

#include "cluster/linkage.h"
#include "cluster/vector.h"

struct scope_pack {
	uint32_t count;	  /* vectors; points 0 to count - 1, canonical order */
	uint32_t words;	  /* per vector, at least 1 */
	uint64_t *bits;	  /* count * words */
	uint64_t *weight; /* multiplicity per point */
	uint32_t *id;	  /* id in the set per point */
};

/* Packs @set; the caller destroys the pack. -ENOMEM. */
int scope_cluster_pack_create(const struct scope_vector_set *set, struct scope_pack **ret_pack);

/* Takes NULL. */
void scope_cluster_pack_destroy(struct scope_pack *pack);

/* Manhattan distance of points @a and @b: that of their vectors. */
uint32_t scope_cluster_pack_distance(const struct scope_pack *pack, uint32_t a, uint32_t b);

/*
 * Fills the matrix (linkage.h) of the @m points @points. A distance above SCOPE_LINKAGE_FAR is stored as
 * SCOPE_LINKAGE_FAR. -ENOMEM.
 */
int scope_cluster_pack_matrix(const struct scope_pack *pack, const uint32_t *points, uint32_t m, uint8_t *distances);

/*
 * Bits of the @m points @points as values of 0 and 1, one row of scope_cluster_linkage_stride(m) for each of
 * the pack->words * 64 dimensions (linkage.h).
 */
void scope_cluster_pack_unfold(const struct scope_pack *pack, const uint32_t *points, uint32_t m, double *values);

/*
 * Finds the medoid of @n >= 1 points given in ascending order: the member with the least sum of distances to all units
 * of the others; the first if there are several. *@ret_sum is that sum. This takes O(n) for each bit, because the sum
 * of Manhattan distances of 0/1 vectors is a sum over their bits of the number of units that differ in it.
 */
void scope_cluster_pack_medoid(const struct scope_pack *pack, const uint32_t *points, uint32_t n, uint32_t *ret_point,
			       uint64_t *ret_sum);

#endif
