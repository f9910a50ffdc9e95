/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes how long a request of a given size usually takes, where sizes explain how long requests take.
 *
 * A large request is no bug, and a small one that takes as long as a large one may be. So a unit is compared with units
 * that read and write as many bytes: with a line through the medians of bins. A bin has an eighth of the examples that
 * are no smaller, so rare large units have bins as well.
 *
 * A bug that only larger requests have looks like an effect of size. So what is usual for a size is at most STEEPER
 * times what the line of all units (anomaly/explain.h) gives for it.
 */
#ifndef SCOPE_ANOMALY_SIZE_H
#define SCOPE_ANOMALY_SIZE_H

#include "anomaly/explain.h"

/* The units of a bin. */
struct scope_size_knot {
	double bytes, ns; /* medians */
	double scale_ns;  /* one standard deviation of the bulk around the line through the medians */
};

#define SCOPE_SIZE_GUESS_TIMES 2 /* a unit takes this many times a guess at least to be slow */

struct scope_size_baseline {
	struct scope_size_knot *knot; /* bytes ascending; 2 or more */
	size_t knots;
	double base_ns, rate_ns; /* of most units: the highest line they are compatible with */
	double share;		 /* of the variance that sizes explain */
};

/* What is usual for one size. */
struct scope_size_usual {
	double ns, scale_ns;
	bool beyond; /* more than BEYOND_TIMES the size of the last bin: a guess */
};

/*
 * Sorts the examples. scale_min_ns: smaller scales do not count. *ret_baseline: NULL if sizes hardly differ, or explain
 * too little. 0 or -ENOMEM; the caller destroys.
 */
int scope_anomaly_size_fit(struct scope_example *example, size_t count, double scale_min_ns,
			   struct scope_size_baseline **ret_baseline);
struct scope_size_usual scope_anomaly_size_usual(const struct scope_size_baseline *baseline, double bytes);
void scope_anomaly_size_destroy(struct scope_size_baseline *baseline); /* NULL is fine */

#endif
