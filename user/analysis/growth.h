/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds units that take longer and longer through the whole window: a list that nobody empties, a file that is read from its
 * begin each time. None stands out, and no time parts slow ones from the others (analysis/change_point.h).
 */
#ifndef SCOPE_ANALYSIS_GROWTH_H
#define SCOPE_ANALYSIS_GROWTH_H

#include "anomaly/detect.h"
#include "unit/distribution.h"

#define SCOPE_GROWTH_PARTS 10 /* no rule: of the window, equally long */

struct scope_growth {
	double first_ns, last_ns; /* what a unit takes at the begin and at the end of the window; 0: nothing grows */
	double excess_ns;	  /* of all its units, over first_ns */
	uint64_t before_ns, since_ns; /* the ends of its first and second third, in the clock of the trace */
};

/* The units of one population in one part of the window. */
struct scope_growth_part {
	uint64_t units;
	double median_ns;
};

/*
 * By the test of Mann and Kendall on the medians (M. G. Kendall, "Rank Correlation Methods", 1948; H. B. Mann, "Nonparametric Tests
 * Against Trend", Econometrica 13(3), 1945), which must be beyond chance, and by the medians of the first three and of the last three
 * parts. Where there are more units at the end than at the begin, the load grows, which may explain it. last_ns is 0 if they do not
 * grow; before_ns and since_ns are 0.
 */
struct scope_growth scope_analysis_growth_judge(const struct scope_growth_part part[SCOPE_GROWTH_PARTS]);

/* The population whose growth takes the most time. Reads the log. 0 or -errno. */
int scope_analysis_growth_find(const struct scope_distributions *distributions, const struct scope_groups *groups,
			       const struct scope_detection *detection, struct scope_growth *ret_growth);

#endif
