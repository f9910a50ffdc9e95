/* SPDX-License-Identifier: GPL-2.0-only */
/* Clusters vectors by how often their units make each call, with Ward's linkage. */
#ifndef SCOPE_CLUSTER_WARD_H
#define SCOPE_CLUSTER_WARD_H

#include "cluster/vector.h"

/* How often units with one vector made a call, on a logarithmic scale: 1 means once. Only for Ward's linkage. */
struct scope_levels {
	/* Gets the level of a bit that is set in the vector @id. 0 or -ENOMEM. */
	int (*level)(const void *user, uint32_t id, uint32_t bit, double *ret_level);
	const void *user;
};

/*
 * Clusters the @m vectors of @set with the numbers @ids, in this order. Each is a point; its coordinates are the levels
 * of its bits (1 if @levels is NULL), 0 if a bit is not set. The tree is cut into the largest clusters in which the
 * squares of all Euclidean distances are at most @cut. @labels: see scope_cluster_linkage_cut(). Errors of
 * levels->level(), -ENOMEM.
 */
int scope_cluster_ward_run(const struct scope_vector_set *set, const struct scope_levels *levels, const uint32_t *ids,
			   uint32_t m, double cut, uint32_t *labels, uint32_t *ret_count);

#endif
