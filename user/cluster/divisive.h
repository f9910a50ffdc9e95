/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Splits the points of a pack from the top, until no cluster is wider than the cut.
 *
 * After PerfScope (cluster.h), which starts from one cluster and splits around medoids those whose
 * diameter exceeds 4. How it chooses what to split around is not published; here:
 *   1. the point farthest from the cluster's medoid, and the point farthest from that one; where
 *      these two are within the cut but others are not, the two that are farthest apart
 *   2. every point goes to the nearer of the two
 *   3. the two are replaced by the medoids of their sides, and step 2 repeated, until nothing
 *      changes, at most 20 times
 * The first in order of several equal ones is taken, in each step.
 */
#ifndef SCOPE_CLUSTER_DIVISIVE_H
#define SCOPE_CLUSTER_DIVISIVE_H

#include "cluster/packed.h"

/*
 * Splits @m points of the pack, given in ascending order. @labels: @m elements, filled with 0 to *@ret_count - 1, in
 * the order of each cluster's smallest point. A split usually takes O(m); O(m^2) for clusters about as wide as the cut.
 * -ENOMEM.
 */
int scope_cluster_divisive_run(const struct scope_pack *pack, const uint32_t *points, uint32_t m, double cut,
			       uint32_t *labels, uint32_t *ret_count);

#endif
