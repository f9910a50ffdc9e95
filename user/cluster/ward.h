/* SPDX-License-Identifier: GPL-2.0-only */
/* Clusters vectors by how often their units make each call, with Ward's linkage. */
#ifndef SCOPE_CLUSTER_WARD_H
#define SCOPE_CLUSTER_WARD_H

#include "cluster/vector.h"

/*
 * How often units of one vector made a call, on a logarithmic scale: 1 for once. Only for Ward's
 * linkage.
 */
struct scope_levels {
	/* For a bit set in the vector @id. 0 or -ENOMEM. */
	int (*level)(const void *user, uint32_t id, uint32_t bit, double *ret_level);
	const void *user;
};

/*
 * Clusters the @m vectors of @set that @ids names, in this order: each is a point with the level of
 * each bit as a coordinate (1 where @levels is NULL), 0 if the bit is not set. The tree is cut
 * into the largest clusters in which the squares of all Euclidean distances are at most @cut.
 * @labels as from scope_cluster_linkage_cut(). Errors of levels->level(), -ENOMEM.
 */
int scope_cluster_ward_run(const struct scope_vector_set *set, const struct scope_levels *levels, const uint32_t *ids,
			   uint32_t m, double cut, uint32_t *labels, uint32_t *ret_count);

#endif
