/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds the units of a trace that is being written to metrics, a while after they ended. */
#ifndef SCOPE_ANALYSIS_SETTLED_UNITS_H
#define SCOPE_ANALYSIS_SETTLED_UNITS_H

#include "analysis/stream.h"
#include "metrics/metrics.h"

/* Zeroed at first. */
struct scope_settled_units {
	struct scope_log_place place; /* units before that place are added next … */
	uint64_t noted_ns;	      /* … a while after this … */
	unsigned restarts;	      /* … if the stream did not start again */
};

/*
 * Call it after advance. now_ns: all events before that time are in the file. The metrics must listen to the stream. After it
 * finished, scope_metrics_take_units() adds the rest: sums are those of a pass, but for sleeps of which it turned out later
 * that they were in a request, or not. 0 or -errno.
 */
int scope_analysis_settle_units(struct scope_settled_units *settled, struct scope_stream *stream,
				struct scope_metrics *metrics, uint64_t now_ns);

#endif
