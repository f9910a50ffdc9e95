// SPDX-License-Identifier: GPL-2.0-only
/* Handles events that are missing: how many, when, and what is no longer known of the threads. */
#include "timeline/lost_events.h"

#include "timeline/stalls.h"

static void note_loss(struct scope_timeline *timeline, const struct scope_event *event)
{
	struct scope_loss loss = {
		.from_ns = event->lost.from_ns,
		.until_ns = event->time_ns,
		.count = event->lost.count,
		.unknown = !event->lost.count,
	};

	if (loss.from_ns < timeline->begin_ns)
		loss.from_ns = timeline->begin_ns;
	if (loss.from_ns > loss.until_ns)
		loss.from_ns = loss.until_ns;
	timeline->lost += loss.count;
	scope_timeline_losses_add(&timeline->losses, &loss);
}

int scope_timeline_handle_lost(const struct scope_listener *run, const struct scope_event *event)
{
	struct scope_threads *threads = run->timeline->threads;
	int err = 0;

	note_loss(run->timeline, event);
	for (size_t i = 0; !err && i < scope_timeline_threads_count(threads); i++) {
		struct scope_thread *thread = scope_timeline_threads_at(threads, i);

		if (thread->run == SCOPE_RUN_ENDED)
			continue;
		thread->plain = 0;
		scope_timeline_thread_account(thread, event->time_ns);
		err = scope_timeline_report_wait(run, thread);
		if (!err && run->ops->lost)
			err = run->ops->lost(run->user, i, event->time_ns);
		thread->lost = true;
		thread->early = false;
		thread->slices.begin_ns = 0;
		if (!err)
			err = scope_timeline_stall_leave(run, thread,
							 event->time_ns); /* its end may be among what was lost */
		thread->queue_ns = event->time_ns;			  /* it may have run since it was queued */
		thread->waker_queue.count = 0;
		if (thread->run != SCOPE_RUN_RUNNING || thread->cpu != event->cpu)
			continue;
		if (!err)
			err = scope_timeline_end_stay(run, thread, event->time_ns);
		thread->run = SCOPE_RUN_UNKNOWN;
	}
	return err;
}

void scope_timeline_lost_unplaced(struct scope_timeline *timeline)
{
	const struct scope_trace *trace = timeline->trace;
	const struct scope_loss loss = {
		.from_ns = timeline->begin_ns,
		.until_ns = timeline->end_ns,
		.count = scope_timeline_lost(timeline) - timeline->lost,
	};

	if (loss.count && !scope_trace_meta_number(trace, SCOPE_META_CONTINUES, 0))
		scope_timeline_losses_add(&timeline->losses, &loss);
}

uint64_t scope_timeline_lost(const struct scope_timeline *timeline)
{
	/* The kernel counted up to the end of the recording. */
	const uint64_t counted = scope_trace_window_to(timeline->trace) == UINT64_MAX
					 ? scope_trace_meta_number(timeline->trace, SCOPE_META_LOST, 0)
					 : 0;

	return timeline->lost > counted ? timeline->lost : counted;
}
