/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares how long the same calls take at two times. A machine that became slower, or busier, slows all of them; a program that
 * has more to do does not.
 */
#ifndef SCOPE_ANALYSIS_PACE_H
#define SCOPE_ANALYSIS_PACE_H

#include "trace/trace.h"

struct scope_pace_time {
	struct scope_trace *trace;
	uint64_t from_ns, to_ns; /* calls that return then, in the clock of the trace */
};

/*
 * *ret_times: how many times as long calls take in `here` as in `before`, by the medians of those with the same number, of which the
 * weighted median counts (weights: calls). Only calls count in which the thread did not leave its processor. 0: too few are in both. Reads each
 * trace once, from its begin. 0 or -errno.
 */
int scope_analysis_pace_compare(const struct scope_pace_time *before, const struct scope_pace_time *here,
				double *ret_times);

#endif
