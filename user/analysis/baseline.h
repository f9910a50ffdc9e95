/* SPDX-License-Identifier: GPL-2.0-only */
/* Another trace of the same program, surveyed, for analyses to compare their units with. */
#ifndef SCOPE_ANALYSIS_BASELINE_H
#define SCOPE_ANALYSIS_BASELINE_H

#include "analysis/single_pass.h"

struct scope_baseline {
	struct scope_trace *trace;
	struct scope_found_units found;
	double seconds; /* length of its window */
};

/* Takes the trace over, which it closes on failure as well. 0 or -errno. */
int scope_analysis_baseline_create(struct scope_trace *trace, struct scope_baseline **ret_baseline);
void scope_analysis_baseline_destroy(struct scope_baseline *baseline); /* NULL is fine */

#endif
