// SPDX-License-Identifier: GPL-2.0-only
/* Adds the kernel's counts of threads, and the time that memory and interrupts took from them. */
#include "metrics/counted.h"

#include "metrics/accumulate.h"

int scope_metrics_add_counted(struct scope_metrics *metrics, uint32_t thread, enum scope_metric metric,
			      uint64_t time_ns, uint64_t value)
{
	int err = value ? scope_metrics_meet(metrics, thread) : 0;

	return err || !value ? err
			     : scope_metrics_store_add(&metrics->thread, scope_metrics_series(metrics, thread), metric,
						       time_ns, value);
}

int scope_metrics_take_stall(void *user, uint32_t thread, uint8_t kind, uint64_t begin_ns, uint64_t end_ns)
{
	static const enum scope_metric metric[SCOPE_STALL_KINDS] = {
		[SCOPE_STALL_RECLAIM] = SCOPE_METRIC_RECLAIM_TIME,
		[SCOPE_STALL_GROUP] = SCOPE_METRIC_GROUP_RECLAIM_TIME,
		[SCOPE_STALL_COMPACT] = SCOPE_METRIC_COMPACTION_TIME,
		[SCOPE_STALL_PAGE] = SCOPE_METRIC_PAGE_WAIT_TIME,
	};
	struct scope_metrics *metrics = user;
	int err = scope_metrics_meet(metrics, thread);

	return err ? err
		   : scope_metrics_store_spread(&metrics->thread, scope_metrics_series(metrics, thread), metric[kind],
						begin_ns, end_ns);
}

static int take_interrupt(struct scope_metrics *metrics, uint32_t thread, const struct scope_event *event)
{
	const enum scope_metric metric = event->kind == SCOPE_EVENT_HARDIRQ ? SCOPE_METRIC_HARDIRQ_TIME
									    : SCOPE_METRIC_SOFTIRQ_TIME;
	const uint64_t ns = event->interrupt.ns;
	int err = scope_metrics_add_counted(metrics, thread, SCOPE_METRIC_INTERRUPTS, event->time_ns, 1);

	return err ? err
		   : scope_metrics_store_spread(&metrics->thread, scope_metrics_series(metrics, thread), metric,
						event->time_ns > ns ? event->time_ns - ns : 0, event->time_ns);
}

/* The counts belong to the step in which the thread left its CPU, or in which they were read. */
int scope_metrics_take_counted(void *user, uint32_t thread, const struct scope_event *event)
{
	struct scope_metrics *metrics = user;
	const struct {
		enum scope_metric metric;
		uint64_t value;
	} count[] = {
		{ SCOPE_METRIC_MINOR_FAULTS, event->counters.minor_faults },
		{ SCOPE_METRIC_MAJOR_FAULTS, event->counters.major_faults },
		{ SCOPE_METRIC_STORAGE_READ_BYTES, event->counters.read_bytes },
		{ SCOPE_METRIC_STORAGE_WRITTEN_BYTES, event->counters.written_bytes },
		{ SCOPE_METRIC_SWAPIN_TIME, event->counters.swapin_ns + event->counters.thrashing_ns },
	};
	int err = 0;

	if (event->kind != SCOPE_EVENT_COUNTERS)
		return take_interrupt(metrics, thread, event);
	for (size_t i = 0; !err && i < sizeof(count) / sizeof(*count); i++)
		err = scope_metrics_add_counted(metrics, thread, count[i].metric, event->time_ns, count[i].value);
	return err;
}
