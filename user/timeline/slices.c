// SPDX-License-Identifier: GPL-2.0-only
/* Waits in slices: a thread waits for a lock or an event with a time-out, repeatedly until it comes. */
#include "timeline/slices.h"

/* The running after a slice that still counts as waiting. */
static uint64_t limit_of(const struct scope_wait *slice)
{
	const uint64_t part_ns = (slice->wake_ns - slice->begin_ns) / SCOPE_SLICES_RUN;

	return part_ns > SCOPE_FALSE_WAKEUP_NS ? part_ns : SCOPE_FALSE_WAKEUP_NS;
}

bool scope_timeline_slices_held(const struct scope_threads *threads, const struct scope_thread *thread)
{
	const long index = thread->waker_tid ? scope_timeline_threads_find(threads, thread->waker_tid) : -1;
	const struct scope_thread *waker;

	if (index < 0)
		return false;
	waker = scope_timeline_threads_at((struct scope_threads *)threads, (size_t)index);
	return waker != thread && waker->tgid == thread->tgid && waker->run != SCOPE_RUN_BLOCKED &&
	       waker->first_ns < thread->slices.begin_ns && waker->held.end_ns <= thread->slices.begin_ns;
}

void scope_timeline_slices_return(struct scope_thread *thread, int64_t ret)
{
	const struct scope_open_call *call = &thread->open;
	const struct scope_wait *last = &thread->held;
	struct scope_slices *slices = &thread->slices;
	const bool slept = last->class == SCOPE_WAIT_FUTEX && last->nr == call->nr &&
			   thread->held_enter_ns == call->enter_ns;

	if (!call->args)
		return;
	if (slept && ret == -ETIMEDOUT) {
		*slices = (struct scope_slices){
			.begin_ns = last->first_ns ? last->first_ns : last->begin_ns,
			.object = call->arg[0],
			.run_ns = thread->account.run_ns,
			.limit_ns = limit_of(last),
		};
	} else if (scope_timeline_wait_same_object(call->nr, call->arg[0], slices->object) ||
		   (slept && last->first_ns)) {
		/* It has got what it waited for, or passes it on. */
		slices->begin_ns = 0;
	}
}
