/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exact sums over time of what threads did: a listener of the one pass over a trace, and values from units.
 *
 * Methods: docs/metrics.md.
 */
#ifndef SCOPE_METRICS_METRICS_H
#define SCOPE_METRICS_METRICS_H

#include <stdbool.h>

#include "base/sketch.h"
#include "metrics/objects.h"
#include "metrics/time_series.h"
#include "trace/host_row.h"
#include "unit/distribution.h"
#include "unit/log.h"

#define SCOPE_METRICS_STEP_NS 1000000000ull  /* no rule */
#define SCOPE_METRICS_STEP_MIN_NS 1000000ull /* no rule */
#define SCOPE_METRICS_KINDS_MAX 64	     /* no rule: kinds of units that are distinguished */
#define SCOPE_METRICS_DECADES 9		     /* no rule: up to 1 us, 10 us, … 10 s, and more than that */

struct scope_metrics_options {
	uint64_t step_ns; /* 0: SCOPE_METRICS_STEP_NS */
	bool objects;	  /* keep series by object as well */
	bool kinds;	  /* keep series by kind of work as well */
	size_t rows_max;  /* of each store; 0: SCOPE_METRICS_ROWS */
};

/* Units of one group and one set of calls. */
struct scope_metric_kind {
	uint32_t group, vector; /* group UINT32_MAX: all kinds beyond SCOPE_METRICS_KINDS_MAX */
};

/* Quantiles of the latency of the units that ended in a step, ns. */
struct scope_metric_quantiles {
	float p50, p95, p99;
};

/* Latencies of the units of one series over time. It takes the memory of one sketch and of the steps. */
struct scope_metric_latency {
	struct scope_sketch now, all; /* now: of the step `at`; all: of the window */
	size_t at;
	struct scope_metric_quantiles *step;
	size_t steps, capacity;
};

struct scope_metrics {
	struct scope_metrics_options options;
	struct scope_metric_store thread; /* see scope_metrics_series() */
	struct scope_metric_store object; /* if requested; same index as objects.object */
	struct scope_metric_objects objects;
	struct scope_metric_store kind; /* same index as kinds; a unit's time is added to the step of its end */
	struct scope_metric_kind kinds[SCOPE_METRICS_KINDS_MAX + 1];
	size_t kind_count;
	uint8_t kind_recent[SCOPE_METRICS_KINDS_MAX]; /* cache of the last lookups, by a hash of group and vector */
	struct scope_metric_latency *kind_latency;    /* by kind: SCOPE_METRICS_KINDS_MAX + 1 of them */
	struct scope_metric_latency *group_latency;   /* by group */
	size_t groups;
	uint64_t device[2][SCOPE_METRICS_DECADES];     /* block requests by time in the queue, on the device */
	uint8_t io[SCOPE_SYSCALL_MAX][SCOPE_FD_KINDS]; /* the family of descriptors, of a read or write by that call */
	const struct scope_timeline *timeline;	       /* that of the pass; valid only during the pass */
	uint64_t begin_ns, end_ns;		       /* of the window */
	struct scope_host_row *host;		       /* by time */
	size_t host_rows;
	char pressure_of[128]; /* the control group whose pressure they have; "": of the whole host */
	uint64_t block_events;
	bool counters, stalls, interrupts; /* the trace has them */
	uint64_t blind_futexes;		   /* futex calls whose operation is not in the trace */
	uint64_t late_units;		   /* whose latency is counted in a later step than the one of their end */
	int err;			   /* -ENOMEM of a function that could not return it */
	bool units;			   /* scope_metrics_take_units() was called */
	struct scope_log_place taken;	   /* units up to there are added */
	uint64_t taken_step_ns;		   /* the step of latencies; 0: no unit was added */
};

/*
 * The series of a thread, by its index: its own, or the one that all later threads share.
 */
static inline size_t scope_metrics_series(const struct scope_metrics *metrics, size_t thread)
{
	const size_t last = metrics->thread.rows_max / 2 - 1;

	return thread < last ? thread : last;
}

/* 0 or -ENOMEM; the caller destroys. */
int scope_metrics_create(const struct scope_metrics_options *options, struct scope_metrics **ret_metrics);
void scope_metrics_destroy(struct scope_metrics *metrics); /* NULL is fine */

/* Sets up a listener for these metrics, which must outlive the pass. */
struct scope_pass_listener scope_metrics_listener(struct scope_metrics *metrics);

/* Undoes the two functions below, except for the sums by thread. */
void scope_metrics_forget_units(struct scope_metrics *metrics);

/*
 * Call it after the pass: adds units and sleeps from its log, by thread, group and kind. Those that
 * scope_metrics_take_units_until() added are not added again. 0 or -errno.
 */
int scope_metrics_take_units(struct scope_metrics *metrics, const struct scope_distributions *distributions,
			     const struct scope_groups *groups);

/*
 * During the pass: adds the units logged before that place, with the groups that are known now. If the step of
 * latencies doubles later, the higher quantiles of the two steps are kept.
 */
int scope_metrics_take_units_until(struct scope_metrics *metrics, const struct scope_distributions *distributions,
				   const struct scope_groups *groups, const struct scope_log_place *until);

/* Steps of a store until the window's end; the last one may be shorter. 1 at least. */
size_t scope_metrics_steps(const struct scope_metrics *metrics, const struct scope_metric_store *store);

#endif
