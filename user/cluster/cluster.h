/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups the distinct vectors of execution units into clusters of similar ones.
 *
 * Distance is the number of syscalls that one unit made and the other did not (Manhattan on 0/1
 * vectors). The published cut is a diameter of 4 (D. Dean et al., "PerfScope: Practical Online
 * Server Performance Bug Inference in Production Cloud Computing Infrastructures", SoCC 2014);
 * complete linkage cut at height 4 guarantees it, and so does splitting from the top.
 *
 * The result depends on the vectors, their multiplicities and the options alone: ids and the order
 * of adding do not matter, except that results name vectors by their id.
 */
#ifndef SCOPE_CLUSTER_CLUSTER_H
#define SCOPE_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/linkage.h"
#include "cluster/vector.h"
#include "cluster/ward.h"

struct scope_cluster_options {
	enum scope_linkage linkage;
	double cut;	     /* 0 or more, below 254; see scope_cluster_run() */
	uint32_t max_points; /* most distinct vectors clustered as a whole, at least 1 */
	uint64_t seed;	     /* for the sample that is taken of more than max_points */
};

/*
 * Peak memory: max_points^2 bytes with complete and single linkage; with average and Ward's linkage some 20 bytes for
 * each point and each bit in which vectors differ.
 */
#define SCOPE_CLUSTER_CUT 4	      /* the published diameter */
#define SCOPE_CLUSTER_POINTS_MAX 8000 /* distinct vectors; of a larger number a sample is clustered */
#define SCOPE_CLUSTER_OPTIONS_DEFAULT                                                                                  \
	{                                                                                                              \
		.linkage = SCOPE_LINKAGE_COMPLETE, .cut = SCOPE_CLUSTER_CUT, .max_points = SCOPE_CLUSTER_POINTS_MAX,   \
		.seed = 1                                                                                              \
	}

struct scope_clustering;

/*
 * Clusters the vectors of @set. The caller destroys *@ret_clustering; the set is not needed any more. The cut bounds:
 * for complete linkage and divisive splitting the diameter; for average and single linkage the height of merges; for
 * Ward's linkage the diameter as the greatest square of a Euclidean distance between @levels, which is the Manhattan
 * distance if all levels are 1. @levels NULL: all are 1. With more than max_points distinct vectors a seeded uniform
 * sample of max_points is clustered. The others join, in canonical order, the cluster whose medoid is nearest and
 * within the cut (the lower one of several), or begin a new one. Diameters may then be up to twice the cut. Clusters
 * are numbered by units, most first, then by the canonical order of their medoids. Of several equally good medoids the
 * first in canonical order is taken. Medoids and diameters are those of the 0/1 vectors, with every linkage. -EINVAL
 * for options out of range, -ENOMEM.
 */
int scope_cluster_run(const struct scope_vector_set *set, const struct scope_levels *levels,
		      const struct scope_cluster_options *options, struct scope_clustering **ret_clustering);

/* Takes NULL. */
void scope_cluster_destroy(struct scope_clustering *clustering);

/* Number of clusters. */
uint32_t scope_cluster_count(const struct scope_clustering *clustering);

/* Index of the cluster of the vector that had this id in the set when it was clustered. */
uint32_t scope_cluster_label(const struct scope_clustering *clustering, uint32_t vector_id);

/* True if there were too many distinct vectors, so that a sample was clustered. */
bool scope_cluster_sampled(const struct scope_clustering *clustering);

#endif
