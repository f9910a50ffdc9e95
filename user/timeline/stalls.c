// SPDX-License-Identifier: GPL-2.0-only
/* Handles the time that threads spend making room in memory, or waiting for a page. */
#include "timeline/stalls.h"

#include <scope/control.h>

bool scope_timeline_records(const struct scope_timeline *timeline, uint32_t events)
{
	const uint64_t said = scope_trace_meta_number(timeline->trace, SCOPE_META_EVENTS, 0);

	return (timeline->kinds_seen | said) & events;
}

static int end_stall(const struct scope_listener *run, const struct scope_thread *thread, uint8_t kind,
		     uint64_t begin_ns, uint64_t end_ns)
{
	if (end_ns <= begin_ns)
		return 0;
	run->timeline->stall_ns[kind] += (double)(end_ns - begin_ns);
	return run->ops->stall ? run->ops->stall(run->user, thread->index, kind, begin_ns, end_ns) : 0;
}

/* Sleeps within reclaim or compaction are a part of these. */
int scope_timeline_end_memstall(const struct scope_listener *run, struct scope_thread *thread, uint64_t begin_ns,
				uint64_t end_ns)
{
	thread->memstall = false;
	run->timeline->kinds_seen |= SCOPE_EVENTS_STALL;
	return thread->run == SCOPE_RUN_BLOCKED && !thread->stall
		       ? end_stall(run, thread, SCOPE_STALL_PAGE, begin_ns, end_ns)
		       : 0;
}

int scope_timeline_stall_leave(const struct scope_listener *run, struct scope_thread *thread, uint64_t now_ns)
{
	const uint8_t stall = thread->stall;

	thread->stall = 0;
	return stall ? end_stall(run, thread, stall - 1, thread->stall_ns, now_ns) : 0;
}

int scope_timeline_stall_take(const struct scope_listener *run, struct scope_thread *thread,
			      const struct scope_event *event)
{
	run->timeline->kinds_seen |= SCOPE_EVENTS_STALL;
	if (event->stall.kind > SCOPE_STALL_COMPACT)
		return 0; /* of a newer Scope */
	if (event->flags & SCOPE_STALL_END) {
		/* The begin of one that was under way as tracing began is not known. */
		if (thread->stall != event->stall.kind + 1)
			thread->stall = 0;
		return scope_timeline_stall_leave(run, thread, event->time_ns);
	}
	thread->stall = event->stall.kind + 1;
	thread->stall_ns = event->time_ns;
	return 0;
}
