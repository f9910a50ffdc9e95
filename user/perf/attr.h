/* SPDX-License-Identifier: GPL-2.0-only */
/* The attributes of each perf event of a session: tracepoint, sample, stack, filter. */
#ifndef SCOPE_PERF_ATTR_H
#define SCOPE_PERF_ATTR_H

#include <linux/perf_event.h>

#include "perf/events.h"

/* Looks up the tracepoints and the layout of their fields in tracefs. 0, or -errno with the remedy. */
int scope_perf_attr_find(struct scope_perf_events *events, struct scope_error *error);

/* The event that owns the ring: it has no samples; if `tasks` is set, it reports the begin, end and names of tasks. */
struct perf_event_attr scope_perf_attr_owner(bool tasks);

/* After scope_perf_attr_find(), with the layout's stacks chosen. */
struct perf_event_attr scope_perf_attr_of(const struct scope_perf_events *events, enum scope_perf_kind kind,
					  const struct scope_capture_options *options);

/*
 * The filter by threads, and by calls if the selection (NULL: none) names some. Returns false, with text unchanged, if
 * events of that kind have no filter.
 */
bool scope_perf_attr_filter(const struct scope_perf_events *events, enum scope_perf_kind kind,
			    const struct scope_perf_coverage *cover, enum scope_perf_age age,
			    const struct scope_selection *selection, char text[SCOPE_PERF_FILTER_BYTES]);

/* The name of the tracepoint in tracefs, "sched/sched_switch"; NULL for kinds that are timers. */
const char *scope_perf_attr_tracepoint(enum scope_perf_kind kind);

#endif
