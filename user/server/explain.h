/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds what explains how long requests take: the bytes they read and write, or the calls they make.
 *
 * time = base + rate × feature, by the median of slopes between units that are half of the sample apart in order of the
 * feature (H. Theil, "A Rank-invariant Method of Linear and Polynomial Regression Analysis", 1950, the incomplete
 * method): neither slow requests nor the largest ones decide it alone.
 */
#ifndef SCOPE_SERVER_EXPLAIN_H
#define SCOPE_SERVER_EXPLAIN_H

#include "unit/distribution.h"

enum scope_feature {
	SCOPE_FEATURE_BYTES, /* read and written */
	SCOPE_FEATURE_CALLS, /* system calls, all kinds */
	SCOPE_FEATURES,
};

/* The values of a unit. */
struct scope_example {
	double ns;			/* on a CPU and asleep */
	double feature[SCOPE_FEATURES]; /* bytes; calls */
};

/* One feature that explains the time of a group's units. */
struct scope_explained {
	uint32_t group;
	uint8_t by;	    /* enum scope_feature */
	uint64_t units;	    /* of the group */
	double share;	    /* of the variance: 0 to 1, without the 1 % of units that fit least */
	double correlation; /* of ranks, Spearman's */
	double rate_ns;	    /* for each byte, or call */
	double base_ns;	    /* for every feature */
};

struct scope_explanations {
	struct scope_explained *one; /* by group */
	size_t count;
};

/*
 * The feature that explains most of the time of the examples; group and units are left alone. Sorts
 * them. Returns true if any explains enough to be reported.
 */
bool scope_server_explain(struct scope_example *example, size_t count, struct scope_explained *ret_explained);

/* From distributions after their end. 0 or -errno; the caller destroys. */
int scope_server_explanations_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
				     struct scope_explanations **ret_explanations);
void scope_server_explanations_destroy(struct scope_explanations *explanations); /* NULL is fine */

#endif
