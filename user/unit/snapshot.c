// SPDX-License-Identifier: GPL-2.0-only
/* Gives snapshots of threads to the sink: of one that runs at once, of one that sleeps when its sleep is known. */
#include "unit/snapshot.h"

#include <errno.h>
#include <stdlib.h>

#include "interpreter/interpreter.h"
#include "unit/log.h"
#include "unit/held_request.h"

/*
 * True if the thread ran as the snapshot was taken, or was preempted in the time that it stands for: often by the process that takes
 * snapshots. It is where it was then, and what it waited for a CPU since is taken from that time.
 */
static bool ran(const struct scope_thread *thread, struct scope_logged_stack *snapshot)
{
	const uint64_t queued_ns = snapshot->time_ns - thread->queue_ns;

	if (thread->run == SCOPE_RUN_RUNNING)
		return true;
	if (thread->run != SCOPE_RUN_QUEUED || !thread->preempted || queued_ns >= snapshot->since_ns)
		return false;
	snapshot->since_ns -= queued_ns;
	return true;
}

int scope_unit_open_snapshot(void *user, uint32_t index, const struct scope_event *event)
{
	struct scope_unit_builder *builder = user;
	const struct scope_timeline *timeline = builder->run->timeline;
	const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, index);
	const struct scope_unit_stack stack = { .thread = index, .nr = SCOPE_NR_NONE };
	struct scope_logged_stack snapshot;
	struct scope_open_unit *open_unit;

	if (!scope_unit_open_has(builder, index))
		return -ENOMEM;
	open_unit = &builder->open_unit[index];
	if (!builder->sink.snapshot || !event->stack.ips)
		return 0;
	snapshot = scope_unit_logged_stack(&stack, timeline->trace, event, thread->tgid);
	if (snapshot.reason == SCOPE_STACK_TASKS) {
		/* Those of an interpreter go on in the thread of their loop. */
		if (event->stack.ip[0] < SCOPE_INTERPRETED_BASE)
			scope_unit_held_note_tasks(builder, thread->tgid);
		return builder->sink.snapshot(builder->sink.user, &snapshot);
	}
	if (ran(thread, &snapshot))
		return builder->sink.snapshot(builder->sink.user, &snapshot);
	/* A thread that waits for a CPU is in no call, and did not run. */
	if (thread->run != SCOPE_RUN_BLOCKED)
		return 0;
	if (!open_unit->snapshot)
		open_unit->snapshot = malloc(sizeof(*open_unit->snapshot));
	if (!open_unit->snapshot)
		return -ENOMEM;
	*open_unit->snapshot = snapshot;
	return 0;
}

/*
 * CPython's threads wait for its lock in slices of 5 ms, and may find it free after the last one: nobody woke them. Which function
 * they are in does not matter to that.
 */
#define INTERPRETER_SLICE_NS 6000000

static bool is_slice(const struct scope_wait *wait)
{
	return wait->class == SCOPE_WAIT_FUTEX && !wait->woken && !wait->waker_tid &&
	       wait->wake_ns - wait->begin_ns < INTERPRETER_SLICE_NS;
}

int scope_unit_snapshot_wait(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			     const struct scope_wait *wait)
{
	struct scope_logged_stack *snapshot = open_unit->snapshot;

	if (!snapshot || snapshot->time_ns < wait->begin_ns || snapshot->time_ns > wait->end_ns || is_slice(wait))
		return 0;
	snapshot->stack = (struct scope_unit_stack){
		.thread = wait->thread,
		.propagated = wait->waker != SCOPE_WAIT_NO_THREAD || (wait->woken && !wait->waker_tid),
		.nr = wait->nr,
		.class = wait->class,
		.enter_ns = wait->begin_ns,
		.exit_ns = wait->end_ns,
		.wake_ns = wait->wake_ns,
		.slept_ns = wait->wake_ns - wait->begin_ns - wait->waker_queue_ns,
	};
	return snapshot->stack.slept_ns ? builder->sink.snapshot(builder->sink.user, snapshot) : 0;
}

int scope_unit_snapshot_end(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			    const struct scope_thread *thread)
{
	struct scope_logged_stack *snapshot = open_unit->snapshot;

	if (!snapshot || thread->run != SCOPE_RUN_BLOCKED || snapshot->time_ns < thread->block_ns)
		return 0;
	snapshot->stack = (struct scope_unit_stack){
		.thread = thread->index,
		.stopped_stack = true,
		.nr = thread->open.nr,
		.enter_ns = thread->block_ns,
	};
	return builder->sink.snapshot(builder->sink.user, snapshot);
}
