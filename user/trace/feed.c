// SPDX-License-Identifier: GPL-2.0-only
/* Passes the events of a trace to a function. */
#include "trace/feed.h"

int scope_trace_feed(struct scope_trace *trace, uint64_t most, scope_trace_feeder *feeder, void *user)
{
	const struct scope_event *event[SCOPE_TRACE_TAKE];

	while (most) {
		int more = scope_trace_take(trace, event, scope_trace_some(most)), err;

		if (more <= 0)
			return more;
		err = feeder(user, event, (size_t)more);
		if (err)
			return err;
		most -= (uint64_t)more;
	}
	return 1;
}

int scope_trace_feed_all(struct scope_trace *trace, scope_trace_feeder *feeder, void *user)
{
	int err = scope_trace_rewind(trace);

	return err ? err : scope_trace_feed(trace, UINT64_MAX, feeder, user);
}
