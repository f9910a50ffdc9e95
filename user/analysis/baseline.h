/* SPDX-License-Identifier: GPL-2.0-only */
/* Another trace of the same program and its distributions, with which analyses compare their units and metrics. */
#ifndef SCOPE_ANALYSIS_BASELINE_H
#define SCOPE_ANALYSIS_BASELINE_H

#include "analysis/meter.h"
#include "metrics/change.h"

struct scope_baseline {
	struct scope_trace *trace;
	struct scope_metered metered;
	double seconds; /* length of its window */
	/*
	 * The listener to the pass over the trace that is compared with this one, for
	 * scope_analysis_baseline_changes().
	 */
	struct scope_metrics *here;
	struct scope_pass_listener listener;
	struct scope_listeners listeners;
};

/* Owns the trace from here on, and closes it also on failure. 0 or -errno. */
int scope_analysis_baseline_create(struct scope_trace *trace, struct scope_baseline **ret_baseline);
void scope_analysis_baseline_destroy(struct scope_baseline *baseline); /* NULL is fine */

/*
 * What changed by group since the baseline, in a trace whose pass had the listeners: from from_ns on, or 0. 0 or
 * -errno; the caller frees.
 */
int scope_analysis_baseline_changes(const struct scope_baseline *baseline, const struct scope_found_units *found,
				    uint64_t from_ns, struct scope_metric_changes *ret_changes);

#endif
