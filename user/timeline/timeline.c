// SPDX-License-Identifier: GPL-2.0-only
/* Turns the events of a trace into states, calls and waits of its threads. */
#include "timeline/sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <scope/control.h>

#include "timeline/lost_events.h"
#include "timeline/stalls.h"
#include "trace/feed.h"
#include "trace/lock_word.h"

int scope_timeline_create(const struct scope_trace *trace, struct scope_timeline **ret_timeline)
{
	struct scope_timeline *timeline = calloc(1, sizeof(*timeline));
	int err;

	if (!timeline)
		return -ENOMEM;
	err = scope_timeline_threads_create(&timeline->threads);
	if (!err)
		err = scope_timeline_fds_create(trace, &timeline->fds);
	if (err) {
		scope_timeline_destroy(timeline);
		return err;
	}
	timeline->trace = trace;
	timeline->past.next_ns = UINT64_MAX;
	if (scope_trace_window_from(trace))
		scope_timeline_past_at(&timeline->past, scope_trace_window_from(trace));
	scope_trace_fds(trace, &timeline->fds_known);
	timeline->begin_ns = scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0);
	*ret_timeline = timeline;
	return 0;
}

void scope_timeline_destroy(struct scope_timeline *timeline)
{
	if (!timeline)
		return;
	scope_timeline_threads_destroy(timeline->threads);
	scope_timeline_fds_destroy(timeline->fds);
	scope_timeline_past_free(&timeline->past);
	scope_timeline_cpus_free(&timeline->cpus);
	free(timeline);
}

/* Zeros after a name: names are compared with all their bytes. */
static void set_plain(struct scope_thread *thread, const char *plain)
{
	memset(thread->comm, 0, sizeof(thread->comm));
	scope_plain_put(thread->comm, sizeof(thread->comm), plain, strlen(plain), SCOPE_PLAIN_SENTENCE);
}

static void set_comm(struct scope_thread *thread, const char comm[SCOPE_COMM_BYTES])
{
	char plain[SCOPE_PLAIN_COMM_BYTES];

	set_plain(thread, scope_plain_comm(plain, comm));
}

/* For a trace that begins in the middle, where no STATE and no FORK names the thread. */
static void name_thread(const struct scope_timeline *timeline, struct scope_thread *thread)
{
	size_t rows;
	const struct scope_trace_thread *row = scope_trace_threads(timeline->trace, &rows);

	thread->rows_seen = rows;
	while (rows--) {
		if (row[rows].tid != thread->tid)
			continue;
		thread->tgid = row[rows].tgid;
		set_plain(thread, row[rows].comm);
		return;
	}
}

/* A new thread begins its account now. */
long scope_timeline_add_thread(struct scope_timeline *timeline, uint32_t tid, uint64_t now_ns)
{
	size_t before = scope_timeline_threads_count(timeline->threads);
	long index = scope_timeline_threads_get(timeline->threads, tid);
	struct scope_thread *thread;

	if (index >= 0 && (size_t)index == before) {
		thread = scope_timeline_threads_at(timeline->threads, index);
		thread->first_ns = thread->since_ns = thread->stay_ns = now_ns;
		name_thread(timeline, thread);
	}
	return index;
}

/* The name comes with the event by which the thread appeared, so rows do not matter. */
static void name_at_once(struct scope_thread *thread, const struct scope_event *event)
{
	if (thread->first_ns == event->time_ns)
		thread->rows_seen = SIZE_MAX;
}

/* Sets the state of a thread of which nothing is known yet. */
static int place_thread(const struct scope_listener *run, struct scope_thread *thread, const struct scope_event *event)
{
	const struct scope_record_state *record = event->state.record;
	const uint64_t since_ns = record->since_ns ? record->since_ns : event->time_ns;
	bool disk = record->state == SCOPE_STATE_DISK || record->flags & SCOPE_STATE_IOWAIT;
	int err = scope_timeline_end_stay(run, thread, event->time_ns);

	if (err)
		return err;
	if (record->nr != SCOPE_NR_NONE) {
		thread->open.nr = scope_syscall_native((uint8_t)record->abi, record->nr);
		thread->open.role = scope_timeline_call_role(thread->open.nr);
		thread->open.args = SCOPE_ARG_MAX;
		thread->open.enter_ns = since_ns;
		memcpy(thread->open.arg, record->arg, sizeof(thread->open.arg));
	}
	if (record->flags & SCOPE_STATE_ON_CPU) {
		thread->run = SCOPE_RUN_RUNNING;
		thread->cpu = event->cpu;
	} else if (record->state == SCOPE_STATE_RUNNABLE) {
		thread->run = SCOPE_RUN_QUEUED;
		thread->queue_ns = event->time_ns;
	} else {
		thread->run = SCOPE_RUN_BLOCKED;
		thread->disk = disk;
		thread->iowait = record->flags & SCOPE_STATE_IOWAIT;
		thread->wait = scope_timeline_open_class(run->timeline, thread, disk);
		thread->block_ns = since_ns;
	}
	return 0;
}

/* A call that began in the window has only the configured arguments; this record has all. */
static void complete_arguments(struct scope_thread *thread, const struct scope_record_state *record)
{
	if (thread->run != SCOPE_RUN_BLOCKED || record->nr != thread->open.nr || record->nr == SCOPE_NR_NONE)
		return;
	thread->open.args = SCOPE_ARG_MAX;
	memcpy(thread->open.arg, record->arg, sizeof(thread->open.arg));
}

/*
 * At the start of a window: the thread's state. At its end: the kernel's count of its CPU time; and
 * its state, if it did not run in the whole window and the window began in the middle of the
 * session.
 */
static int handle_state(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	const struct scope_record_state *record = event->state.record;
	struct scope_thread *thread = scope_timeline_threads_at(run->timeline->threads, index);
	int err = 0;

	set_comm(thread, record->comm);
	thread->tgid = record->tgid;
	name_at_once(thread, event);
	scope_timeline_thread_account(thread, event->time_ns);
	if (record->flags & SCOPE_STATE_AT_STOP) {
		thread->stop_run_ns = record->run_ns;
		thread->stopped = true;
		thread->stopped_ns = record->flags & SCOPE_STATE_ON_CPU ? 0 : record->since_ns;
		complete_arguments(thread, record);
	} else if (thread->run == SCOPE_RUN_UNKNOWN) {
		thread->start_run_ns = record->run_ns;
	}
	if (thread->run == SCOPE_RUN_UNKNOWN)
		err = place_thread(run, thread, event);
	if (err)
		return err;
	return run->ops->state ? run->ops->state(run->user, index, event) : 0;
}

/* The tid belongs to another thread from here on, or a thread that had left the trace comes back. */
static void forget_ended(struct scope_timeline *timeline, uint32_t tid)
{
	long index = scope_timeline_threads_find(timeline->threads, tid);

	if (index >= 0 && scope_timeline_threads_at(timeline->threads, index)->run == SCOPE_RUN_ENDED)
		scope_timeline_threads_forget(timeline->threads, tid);
}

static int handle_fork(const struct scope_listener *run, const struct scope_event *event)
{
	struct scope_thread *thread;
	int err;
	long index, parent = scope_timeline_threads_find(run->timeline->threads, event->fork.parent_tid);
	const uint32_t parent_tgid = parent < 0 ? 0 : scope_timeline_threads_at(run->timeline->threads, parent)->tgid;

	if (parent_tgid && parent_tgid != event->fork.tgid &&
	    scope_timeline_fds_fork(run->timeline->fds, parent_tgid, event->fork.tgid))
		return -ENOMEM;
	forget_ended(run->timeline, event->tid);
	index = scope_timeline_thread(run->timeline, event->tid, event->time_ns);
	if (index < 0)
		return index;
	thread = scope_timeline_threads_at(run->timeline->threads, index);
	thread->tgid = event->fork.tgid;
	if (parent_tgid && parent_tgid != event->fork.tgid) {
		const struct scope_thread *from = scope_timeline_threads_at(run->timeline->threads, parent);

		thread->ancestor = from->ancestor ? from->ancestor : parent_tgid;
	}
	set_comm(thread, event->fork.comm);
	name_at_once(thread, event);
	thread->is_new = thread->first_ns == event->time_ns;
	if (thread->run != SCOPE_RUN_UNKNOWN)
		return 0;
	err = scope_timeline_end_stay(run, thread, event->time_ns);
	thread->run = SCOPE_RUN_QUEUED;
	thread->queue_ns = event->time_ns;
	return err;
}

static int handle_exec(const struct scope_listener *run, const struct scope_event *event)
{
	long index;
	struct scope_thread *thread;
	int err = scope_timeline_threads_rename(run->timeline->threads, event->exec.old_tid, event->tid);

	if (err)
		return err;
	index = scope_timeline_thread(run->timeline, event->tid, event->time_ns);
	if (index < 0)
		return index;
	thread = scope_timeline_threads_at(run->timeline->threads, index);
	thread->tgid = event->exec.tgid;
	thread->ancestor = 0;
	set_comm(thread, event->exec.comm);
	return 0;
}

static int handle_end(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	struct scope_thread *thread = scope_timeline_threads_at(run->timeline->threads, index);
	int err = 0;

	scope_timeline_thread_account(thread, event->time_ns);
	err = scope_timeline_report_wait(run, thread);
	if (!err)
		err = scope_timeline_end_stay(run, thread, event->time_ns);
	if (!err)
		err = scope_timeline_stall_leave(run, thread, event->time_ns);
	if (!err && run->ops->end)
		err = run->ops->end(run->user, index, event->time_ns);
	thread = scope_timeline_threads_at(run->timeline->threads, index);
	thread->run = SCOPE_RUN_ENDED;
	thread->open.nr = SCOPE_NR_NONE;
	scope_timeline_waker_queue_free(&thread->waker_queue); /* it wakes nobody any more */
	return err;
}

int scope_timeline_mark(struct scope_timeline *timeline, uint64_t now_ns, uint64_t events)
{
	struct scope_losses *losses = &timeline->losses;
	struct scope_past *past = &timeline->past;

	if (now_ns >= losses->next_ns)
		scope_timeline_losses_mark(losses, now_ns, events);
	if (now_ns >= past->next_ns && scope_timeline_past_note(past, timeline->threads, now_ns))
		return -ENOMEM;
	timeline->mark_ns = losses->next_ns < past->next_ns ? losses->next_ns : past->next_ns;
	return 0;
}

static void handle_comm(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	struct scope_thread *thread = scope_timeline_threads_at(run->timeline->threads, index);

	set_comm(thread, event->comm.comm);
}

static int handle_stack(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	struct scope_thread *thread = scope_timeline_threads_at(run->timeline->threads, index);
	int err;

	if (event->stack.reason == SCOPE_STACK_SNAPSHOT || event->stack.reason == SCOPE_STACK_TASKS)
		return run->ops->snapshot ? run->ops->snapshot(run->user, index, event) : 0;
	thread->account.probe_ns += event->stack.cost_ns;
	if (event->stack.reason == SCOPE_STACK_SAMPLE && scope_timeline_thread_is_away(thread)) {
		err = scope_timeline_come_unrecorded(run, event->tid, event->cpu, event->time_ns);
		if (err)
			return err;
	}
	/* A stack after a probe belongs to no call, and was not taken by a timer. */
	if (event->stack.reason > SCOPE_STACK_SAMPLE)
		return 0;
	return run->ops->stack ? run->ops->stack(run->user, index, event) : 0;
}

static int handle_block(const struct scope_listener *run, const struct scope_event *event)
{
	long index;

	scope_timeline_devices_take(&run->timeline->devices, event);
	if (!run->ops->block)
		return 0;
	index = scope_timeline_threads_find(run->timeline->threads, event->tid);
	return run->ops->block(run->user, index < 0 ? UINT32_MAX : (uint32_t)index, event);
}

static int handle_counted(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	run->timeline->kinds_seen |= event->kind == SCOPE_EVENT_COUNTERS ? SCOPE_EVENTS_COUNTERS
									 : SCOPE_EVENTS_INTERRUPT;
	return run->ops->counted ? run->ops->counted(run->user, index, event) : 0;
}

static int handle_peer(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	const struct scope_thread *thread = scope_timeline_threads_at(run->timeline->threads, index);
	struct scope_fds *fds = run->timeline->fds;
	int err = 0;

	/* It is about to sleep in the call, whose return would show what the descriptor is. */
	if (thread->open.nr == SYS_connect)
		err = scope_timeline_fds_set(fds, thread->tgid, event->peer.fd, SCOPE_FD_CONNECTED);
	if (!err)
		err = scope_timeline_fds_peer(fds, thread->tgid, event);
	return err || !run->ops->peer ? err : run->ops->peer(run->user, index, event);
}

/* What the memory of a lock names as its owner, as the thread goes to sleep for it. */
static void note_owner(struct scope_thread *thread, const struct scope_event *event)
{
	const struct scope_open_call *open = &thread->open;

	_Static_assert(SCOPE_FUTEX_BYTES == SCOPE_FUTEX_MEMORY_BYTES, "the owner is found in as many bytes");
	thread->owner_tid = open->role == SCOPE_CALL_FUTEX && scope_timeline_futex_is_lock(open->args, open->arg)
				    ? scope_trace_lock_owner(event->futex.memory)
				    : 0;
}

/* The events that may come between plain calls. Every other event ends plain calls. */
static bool leaves_plain(uint8_t kind)
{
	return kind == SCOPE_EVENT_STACK || kind == SCOPE_EVENT_COMM || kind == SCOPE_EVENT_COUNTERS ||
	       kind == SCOPE_EVENT_STALL || kind == SCOPE_EVENT_HARDIRQ || kind == SCOPE_EVENT_SOFTIRQ ||
	       kind == SCOPE_EVENT_REQUEST || kind == SCOPE_EVENT_PEER;
}

int scope_timeline_handle_rare(const struct scope_listener *run, const struct scope_event *event)
{
	long index;

	if (event->kind == SCOPE_EVENT_LOST)
		return scope_timeline_handle_lost(run, event);
	/* 0 means any thread that is not traced; these have no account. */
	if (!event->tid)
		return 0;
	if (event->kind == SCOPE_EVENT_FORK)
		return handle_fork(run, event);
	if (event->kind == SCOPE_EVENT_EXEC)
		return handle_exec(run, event);
	/* A request may complete long after its thread has ended, so it does not change the thread's state. */
	if (event->kind == SCOPE_EVENT_BLOCK_ISSUE || event->kind == SCOPE_EVENT_BLOCK_DONE)
		return handle_block(run, event);
	if (event->kind == SCOPE_EVENT_PROBE || event->kind == SCOPE_EVENT_DELAY)
		return 0;
	if (event->kind == SCOPE_EVENT_STATE && !(event->state.record->flags & SCOPE_STATE_AT_STOP))
		forget_ended(run->timeline, event->tid);
	index = (leaves_plain(event->kind) ? scope_timeline_index : scope_timeline_thread)(run->timeline, event->tid,
											   event->time_ns);
	if (index < 0)
		return index;
	switch (event->kind) {
	case SCOPE_EVENT_THREAD_EXIT:
		return handle_end(run, index, event);
	case SCOPE_EVENT_STATE:
		return handle_state(run, index, event);
	case SCOPE_EVENT_STACK:
		return handle_stack(run, index, event);
	case SCOPE_EVENT_COMM:
		handle_comm(run, index, event);
		return 0;
	case SCOPE_EVENT_STALL:
		return scope_timeline_stall_take(run, scope_timeline_threads_at(run->timeline->threads, index), event);
	case SCOPE_EVENT_COUNTERS:
	case SCOPE_EVENT_HARDIRQ:
	case SCOPE_EVENT_SOFTIRQ:
		return handle_counted(run, index, event);
	case SCOPE_EVENT_REQUEST:
		return event->request.kind && run->ops->request
			       ? run->ops->request(run->user, (uint32_t)index, event->request.kind)
			       : 0;
	case SCOPE_EVENT_PEER:
		return handle_peer(run, (uint32_t)index, event);
	case SCOPE_EVENT_FUTEX:
		note_owner(scope_timeline_threads_at(run->timeline->threads, index), event);
		return 0;
	}
	return 0;
}

int scope_timeline_finish(struct scope_timeline *timeline, const struct scope_timeline_ops *ops, void *user)
{
	const struct scope_listener run = { timeline, ops, user };
	int err = 0;

	timeline->end_ns = scope_trace_meta_number(timeline->trace, SCOPE_META_END, 0);
	if (timeline->end_ns > scope_trace_window_to(timeline->trace))
		timeline->end_ns = scope_trace_window_to(timeline->trace);
	if (timeline->last_ns > timeline->end_ns)
		timeline->end_ns = timeline->last_ns;
	scope_timeline_losses_end(&timeline->losses, timeline->last_ns, timeline->events);
	scope_timeline_lost_unplaced(timeline);
	for (size_t i = 0; !err && i < scope_timeline_threads_count(timeline->threads); i++) {
		struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, i);

		scope_timeline_thread_account(thread, timeline->end_ns);
		err = scope_timeline_report_wait(&run, thread);
		if (!err)
			err = scope_timeline_end_stay(&run, thread, timeline->end_ns);
		if (!err)
			err = scope_timeline_stall_leave(&run, thread, timeline->end_ns);
	}
	return err ? err : scope_timeline_fds_find_listeners(timeline->fds, timeline->trace);
}

bool scope_timeline_holds(const struct scope_timeline *timeline)
{
	size_t rows, fds;
	const struct scope_trace_thread *row = scope_trace_threads(timeline->trace, &rows);

	scope_trace_fds(timeline->trace, &fds);
	if (fds != timeline->fds_known)
		return false;
	for (size_t i = 0; i < scope_timeline_threads_count(timeline->threads); i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, i);

		for (size_t j = thread->rows_seen; j < rows; j++)
			if (row[j].tid == thread->tid)
				return false;
	}
	return true;
}

struct run {
	struct scope_timeline *timeline;
	const struct scope_timeline_ops *ops;
	void *user;
};

static int take(void *user, const struct scope_event *const *event, size_t count)
{
	const struct run *run = user;

	return scope_timeline_take(run->timeline, event, count, run->ops, run->user);
}

int scope_timeline_run(struct scope_timeline *timeline, struct scope_trace *trace, const struct scope_timeline_ops *ops,
		       void *user)
{
	struct run run = { timeline, ops, user };
	int err = scope_trace_feed_all(trace, take, &run);

	return err ? err : scope_timeline_finish(timeline, ops, user);
}
