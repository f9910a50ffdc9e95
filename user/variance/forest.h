/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypotheses about each path of a kind: its requests vary, or all of them take long, and in which edge.
 *
 * After VAIF (Toslali et al., SoCC 2021): a path whose latency varies by more than a limit is unpredictable; a path
 * whose mean is above a percentile of its kind is consistently slow. The edges of the first are ordered by their share
 * of the variance, those of the second by their share of the latency.
 */
#ifndef SCOPE_VARIANCE_FOREST_H
#define SCOPE_VARIANCE_FOREST_H

#include "variance/variance.h"

struct scope_forest_limits {
	double cv;   /* standard deviation over mean: above it a path is unpredictable */
	double slow; /* quantile of the kind's latencies: above it a path's mean is consistently slow */
};

extern const struct scope_forest_limits scope_variance_forest_defaults;

enum scope_forest_state {
	SCOPE_FOREST_FEW, /* too few requests for a result */
	SCOPE_FOREST_EVEN,
	SCOPE_FOREST_UNPREDICTABLE,
	SCOPE_FOREST_SLOW, /* consistently */
};

#define SCOPE_FOREST_REQUESTS_MIN 4 /* with fewer a path is not judged (VAIF) */

/* limits->slow as a latency of the kind, ns. */
double scope_variance_slow_ns(const struct scope_variance_kind *kind, const struct scope_forest_limits *limits);
enum scope_forest_state scope_variance_judge(const struct scope_variance_kind *kind,
					     const struct scope_variance_path *path,
					     const struct scope_forest_limits *limits);
/*
 * The edge to examine next: the one with the largest share, which is *ret_share. NULL: the path has few requests, or
 * is neither unpredictable nor slow.
 */
const struct scope_edge_sums *scope_variance_suspect(const struct scope_variance_path *path,
						     enum scope_forest_state state, double *ret_share);
/* Where a request belongs: its path, and the hypothesis about it. */
struct scope_forest_place {
	const struct scope_variance_kind *kind; /* NULL: it has too few requests */
	const struct scope_variance_path *path; /* NULL: none */
	size_t number;				/* of the path, from 1 on */
	enum scope_forest_state state;
	const struct scope_edge_sums *suspect; /* as scope_variance_suspect() */
	double share;
};

struct scope_forest_place scope_variance_place(const struct scope_variance *variance,
					       const struct scope_variance_request *request,
					       const struct scope_forest_limits *limits);
/* Time of a request in the edge, less the mean of its path, ns. */
double scope_variance_excess(const struct scope_variance_path *path, const struct scope_unit_edge *edge);

#endif
