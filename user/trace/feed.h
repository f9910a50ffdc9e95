/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes the events of a trace to a function. */
#ifndef SCOPE_TRACE_FEED_H
#define SCOPE_TRACE_FEED_H

#include "trace/trace.h"

/* Takes the next `count` events, 1 or more. If it returns another value than 0, the feed ends. */
typedef int scope_trace_feeder(void *user, const struct scope_event *const *event, size_t count);

/*
 * Passes the next `most` events, or all if there are fewer: 1 if the trace may have more, 0 at its
 * end, -errno, or what the feeder returned.
 */
int scope_trace_feed(struct scope_trace *trace, uint64_t most, scope_trace_feeder *feeder, void *user);

/* Passes all events. 0, -errno, or what the feeder returned. */
int scope_trace_feed_all(struct scope_trace *trace, scope_trace_feeder *feeder, void *user);

#endif
