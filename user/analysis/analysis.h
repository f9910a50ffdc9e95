/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the whole analysis, from an opened trace to a ranking. */
#ifndef SCOPE_ANALYSIS_ANALYSIS_H
#define SCOPE_ANALYSIS_ANALYSIS_H

#include "analysis/meter.h"
#include "analysis/baseline.h"
#include "analysis/growth.h"
#include "analysis/stream.h"
#include "rank/rank.h"
#include "server/balance.h"
#include "server/stages.h"
#include "variance/variance.h"
#include "waits/locks.h"
#include "waits/paths.h"
#include "waits/waits.h"
#include "waits/work_time.h"

struct scope_analysis_options {
	struct scope_detect_options detect;
	struct scope_rank_options rank;
	uint64_t keep_units; /* see evidence/keep.h */
	/*
	 * NULL, or the stream that followed the trace while it was written, which now reads to its
	 * end. Must outlive the analysis. settled_ns: UINT64_MAX, or for a trace that is still
	 * being written the time up to which it is complete.
	 */
	struct scope_stream *stream;
	uint64_t settled_ns;
	/*
	 * NULL, or the listeners to the one pass over the trace: those of the baseline show what changed since. The
	 * stream, if there is one, must have the same listeners (scope_analysis_stream_listen()).
	 */
	const struct scope_listeners *listeners;
	uint64_t from_ns; /* 0, or the time from which on units count: the report is of what came after it */
	const char *
		thread; /* NULL, or the threads whose units count: a number, a name, or the begin of names and a star */
	size_t slowest; /* requests whose paths are followed, SCOPE_PATHS_MAX at most */
	size_t why;	/* with variance: 0, or the edges of that one of the slowest are kept, which slowest includes */
	bool variance;	/* where latencies vary: one more pass over the trace */
	bool over_time; /* what groups of threads did over time: one more pass */
	bool libraries_stay; /* those in the system's folders are never the program's, whatever the stacks name */
	bool no_stacks;	     /* leave the trace's stacks aside */
	const struct scope_signatures *signatures; /* NULL: none; must outlive the analysis */
	struct scope_baseline *baseline;	   /* NULL, or what to compare units with; must outlive the analysis */
	struct scope_symbol_options symbols;	   /* root: "/proc/PID/root" of the target, or none */
};

struct scope_analysis {
	struct scope_trace *trace;	    /* the caller's */
	struct scope_detect_options detect; /* the settings used, as is rank */
	struct scope_rank_options rank;
	struct scope_found_units found;
	struct scope_detection *detection;
	struct scope_kept *kept;
	const char *thread; /* of the options; NULL: all */
	unsigned why;	    /* of the options */
	bool folders; /* libraries in the system's folders count as the program's: few stacks name another function */
	uint64_t since_ns;		    /* 0, or the time before which the same trace is the baseline */
	struct scope_growth growth;	    /* last_ns 0: units do not take longer and longer */
	double pace;			    /* where units take longer as a whole: see analysis/pace.h; 0: not known */
	struct scope_distributions *before; /* of that time; NULL: none */
	struct scope_reference *reference;  /* of the baseline; NULL without one, as the next two */
	struct scope_kept *reference_kept;
	struct scope_symbols *reference_symbols;
	struct scope_metric_changes *changes; /* since the baseline, by group; NULL: not looked for */
	const struct scope_units *units;      /* of kept */
	struct scope_hang *hangs;
	size_t hang_count;
	struct scope_freezes freezes;
	struct scope_symbols *symbols;
	struct scope_evidence *evidence;	   /* by stacks */
	struct scope_evidence *second;		   /* by signatures, NULL without any */
	const struct scope_signatures *signatures; /* of the options */
	struct scope_outside outside;		   /* borrows from the trace */
	struct scope_waits *waits;
	struct scope_locks *locks;
	struct scope_work_times *work;
	struct scope_balance *balance;
	struct scope_server *server;
	struct scope_paths *paths;	 /* NULL: nobody asked for them */
	struct scope_variance *variance; /* NULL: the same, or the trace is still being written */
	struct scope_metered metered;	 /* over time; empty: nobody asked for it */
	struct scope_ranking *ranking;
};

/* Defaults for all settings, root "". */
void scope_analysis_options_init(struct scope_analysis_options *options);

/*
 * 0 or -errno; -ESRCH: the trace has no thread as the options name it. The analysis borrows the trace, which must
 * outlive it. If the trace has a window (scope_trace_set_window()), the units that ended in it count. If nothing is
 * found in the whole window without a baseline, and units take longer from some time on (analysis/change_point.h),
 * these units are compared with the time before it. If that finds something, it is the result. A part of a trace is
 * compared with the time before the part in the same way.
 */
int scope_analysis_run(struct scope_trace *trace, const struct scope_analysis_options *options,
		       struct scope_analysis **ret_analysis);
void scope_analysis_destroy(struct scope_analysis *analysis);

#endif
