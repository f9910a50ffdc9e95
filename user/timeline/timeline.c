// SPDX-License-Identifier: GPL-2.0-only
/* Turns the events of a trace into what its threads did. */
#include "timeline/take.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int scope_timeline_create(const struct scope_trace *trace, struct scope_timeline **ret_timeline)
{
	struct scope_timeline *timeline = calloc(1, sizeof(*timeline));
	int err;

	if (!timeline)
		return -ENOMEM;
	err = scope_threads_create(&timeline->threads);
	if (!err)
		err = scope_fds_create(trace, &timeline->fds);
	if (err) {
		scope_timeline_destroy(timeline);
		return err;
	}
	timeline->trace = trace;
	scope_trace_fds(trace, &timeline->fds_known);
	timeline->begin_ns = scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0);
	*ret_timeline = timeline;
	return 0;
}

void scope_timeline_destroy(struct scope_timeline *timeline)
{
	if (!timeline)
		return;
	scope_threads_destroy(timeline->threads);
	scope_fds_destroy(timeline->fds);
	free(timeline);
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
		strncpy(thread->comm, row[rows].comm, sizeof(thread->comm) - 1);
		return;
	}
}

/* A new thread begins its account now. */
long scope_timeline_meet(struct scope_timeline *timeline, uint32_t tid, uint64_t now_ns)
{
	size_t before = scope_threads_count(timeline->threads);
	long index = scope_threads_get(timeline->threads, tid);
	struct scope_thread *thread;

	if (index >= 0 && (size_t)index == before) {
		thread = scope_threads_at(timeline->threads, index);
		thread->first_ns = thread->since_ns = now_ns;
		name_thread(timeline, thread);
	}
	return index;
}

/* A name by the very event that the thread appeared with: no row can have a say. */
static void name_at_once(struct scope_thread *thread, const struct scope_event *event)
{
	if (thread->first_ns == event->time_ns)
		thread->rows_seen = SIZE_MAX;
}

int scope_timeline_end_wait(struct scope_listener run, struct scope_thread *thread)
{
	struct scope_wait wait = thread->held;
	long waker;

	thread->holding = false;
	waker = wait.waker_tid ? scope_threads_find(run.timeline->threads, wait.waker_tid) : -1;
	wait.waker = waker >= 0 && waker != (long)wait.thread ? (int32_t)waker : SCOPE_WAIT_NO_THREAD;
	return run.ops->wait ? run.ops->wait(run.user, &wait) : 0;
}

/* Asleep again so soon, in the same call: it was woken for nothing. */
static bool falsely_woken(const struct scope_thread *thread)
{
	return thread->holding && thread->open.nr != SCOPE_NR_NONE &&
	       thread->open.enter_ns == thread->held_enter_ns &&
	       thread->account.run_ns - thread->held_run_ns < SCOPE_FALSE_WAKEUP_NS;
}

static enum scope_wait_class open_class(struct scope_timeline *timeline,
					const struct scope_thread *thread, bool disk)
{
	const struct scope_open_call *open = &thread->open;
	enum scope_fd_kind kind = SCOPE_FD_UNKNOWN;

	if (scope_call_role_of(open->nr, open->args, open->arg[0]) == SCOPE_CALL_SLEEP)
		return SCOPE_WAIT_TIMER;
	if (thread->open.nr != SCOPE_NR_NONE && thread->open.args)
		kind = scope_fds_kind(timeline->fds, thread->tgid, (int32_t)thread->open.arg[0]);
	return scope_wait_classify(thread->open.nr, kind, disk);
}

static int switch_out(const struct scope_listener *run, const struct scope_event *event)
{
	long index = scope_timeline_thread(run->timeline, event->sched.prev_tid, event->time_ns);
	struct scope_thread *thread;
	bool queued = event->sched.prev_state == SCOPE_STATE_RUNNABLE || event->sched.preempted;
	int err = 0;

	if (index < 0)
		return index;
	thread = scope_threads_at(run->timeline->threads, index);
	scope_thread_account(thread, event->time_ns);
	if (thread->run == SCOPE_RUN_ENDED)
		return 0;
	if (queued || !falsely_woken(thread))
		err = scope_timeline_tell_wait(*run, thread);
	if (err)
		return err;
	thread->wake_ns = 0;
	thread->waker_tid = 0;
	thread->starved_ns = 0;
	if (queued) {
		thread->run = SCOPE_RUN_QUEUED;
		thread->queue_ns = event->time_ns;
		thread->early = false;
	} else {
		bool disk = event->sched.iowait || event->sched.prev_state == SCOPE_STATE_DISK;

		thread->run = SCOPE_RUN_BLOCKED;
		thread->wait = open_class(run->timeline, thread, disk);
		thread->block_ns = event->time_ns;
	}
	return run->ops->leave ? run->ops->leave(run->user, index, event->time_ns) : 0;
}

/*
 * It sleeps, nobody woke it since, and now it runs: it was woken as it left its CPU. The kernel tells of
 * a waking first and of the switch a little later, from another CPU. All this time it was runnable.
 */
static void waken_early(struct scope_thread *thread)
{
	thread->run = SCOPE_RUN_QUEUED;
	thread->wake_ns = thread->queue_ns = thread->block_ns;
	thread->waker_tid = thread->early_tid;
}

static int switch_in(const struct scope_listener *run, const struct scope_event *event)
{
	long index = scope_timeline_thread(run->timeline, event->sched.next_tid, event->time_ns);
	struct scope_thread *thread;
	struct scope_wait wait;
	bool waited;

	if (index < 0)
		return index;
	thread = scope_threads_at(run->timeline->threads, index);
	if (thread->run == SCOPE_RUN_ENDED)
		return 0;
	if (thread->run == SCOPE_RUN_BLOCKED && thread->early)
		waken_early(thread);
	thread->early = false;
	scope_thread_account(thread, event->time_ns);
	if (thread->run == SCOPE_RUN_QUEUED &&
	    scope_starved_add(&thread->starved, thread->queue_ns, event->time_ns))
		return -ENOMEM;
	waited = thread->block_ns && thread->run != SCOPE_RUN_UNKNOWN;
	wait = (struct scope_wait){
		.thread = index,
		.waker_tid = thread->waker_tid,
		.nr = thread->open.nr,
		.class = thread->wait,
		.lock = thread->wait == SCOPE_WAIT_FUTEX && thread->open.args >= 2 &&
			scope_futex_is_lock(thread->open.arg[1]),
		.object = thread->open.args ? thread->open.arg[0] : 0,
		.begin_ns = thread->holding ? thread->held.begin_ns : thread->block_ns,
		.wake_ns = thread->wake_ns ? thread->wake_ns : event->time_ns,
		.end_ns = event->time_ns,
		.starved_ns = thread->starved_ns + (thread->holding ? thread->held.starved_ns : 0),
	};
	thread->run = SCOPE_RUN_RUNNING;
	thread->cpu = event->cpu;
	thread->block_ns = 0;
	if (!waited)
		return 0;
	run->timeline->false_wakeups += thread->holding;
	thread->holding = true;
	thread->held = wait;
	thread->held_run_ns = thread->account.run_ns;
	thread->held_enter_ns = thread->open.enter_ns;
	return 0;
}

static int handle_switch(const struct scope_listener *run, const struct scope_event *event)
{
	int err = 0;

	if (event->sched.prev_tid)
		err = switch_out(run, event);
	if (!err && event->sched.next_tid)
		err = switch_in(run, event);
	return err;
}

/*
 * Of the sleep that a traced thread ends now, the part in which that one waited for a CPU. Who sleeps
 * for a time of its own waits for nobody.
 */
static int pass_starved(struct scope_threads *threads, struct scope_thread *thread)
{
	long waker = thread->waker_tid ? scope_threads_find(threads, thread->waker_tid) : -1;
	const struct scope_thread *other;
	int err;

	if (waker < 0 || thread->wait == SCOPE_WAIT_TIMER)
		return 0;
	other = scope_threads_at(threads, waker);
	if (other == thread)
		return 0;
	err = scope_starved_pass(&thread->starved, &other->starved, thread->block_ns,
				 thread->wake_ns, &thread->starved_ns);
	thread->account.starved_ns += thread->starved_ns;
	return err;
}

static int handle_waking(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	struct scope_thread *thread = scope_threads_at(run->timeline->threads, index);

	if (thread->run == SCOPE_RUN_RUNNING) {
		thread->early = true;
		thread->early_tid = event->waking.waker_tid;
	}
	if (thread->run != SCOPE_RUN_BLOCKED)
		return 0;
	thread->early = false;
	scope_thread_account(thread, event->time_ns);
	thread->run = SCOPE_RUN_QUEUED;
	thread->wake_ns = thread->queue_ns = event->time_ns;
	thread->waker_tid = event->waking.waker_tid;
	return pass_starved(run->timeline->threads, thread);
}

/* Where a thread of which nothing is known yet stands. */
static void place_thread(const struct scope_listener *run, struct scope_thread *thread,
			 const struct scope_event *event)
{
	const struct scope_record_state *record = event->state.record;
	const uint64_t since_ns = record->since_ns ? record->since_ns : event->time_ns;
	bool disk = record->state == SCOPE_STATE_DISK || record->flags & SCOPE_STATE_IOWAIT;

	if (record->nr != SCOPE_NR_NONE) {
		thread->open.nr = scope_syscall_native((uint8_t)record->abi, record->nr);
		thread->open.role = scope_call_role(thread->open.nr);
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
		thread->wait = open_class(run->timeline, thread, disk);
		thread->block_ns = since_ns;
	}
}

/* A call that began in the window has as many arguments as were asked for; here are all. */
static void complete_arguments(struct scope_thread *thread, const struct scope_record_state *record)
{
	if (thread->run != SCOPE_RUN_BLOCKED || record->nr != thread->open.nr ||
	    record->nr == SCOPE_NR_NONE)
		return;
	thread->open.args = SCOPE_ARG_MAX;
	memcpy(thread->open.arg, record->arg, sizeof(thread->open.arg));
}

/*
 * At the start of a window: where the thread stands. At its end: the kernel's own CPU time; and where
 * it stands, if it stood still all the time and the window began in the middle of the session.
 */
static int handle_state(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	const struct scope_record_state *record = event->state.record;
	struct scope_thread *thread = scope_threads_at(run->timeline->threads, index);

	memcpy(thread->comm, record->comm, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
	thread->tgid = record->tgid;
	name_at_once(thread, event);
	scope_thread_account(thread, event->time_ns);
	if (record->flags & SCOPE_STATE_AT_STOP) {
		thread->stop_run_ns = record->run_ns;
		thread->stopped = true;
		complete_arguments(thread, record);
	} else if (thread->run == SCOPE_RUN_UNKNOWN) {
		thread->start_run_ns = record->run_ns;
	}
	if (thread->run == SCOPE_RUN_UNKNOWN)
		place_thread(run, thread, event);
	return run->ops->state ? run->ops->state(run->user, index, event) : 0;
}

/* The number means another thread from here on, or one that had left the trace comes back. */
static void forget_ended(struct scope_timeline *timeline, uint32_t tid)
{
	long index = scope_threads_find(timeline->threads, tid);

	if (index >= 0 && scope_threads_at(timeline->threads, index)->run == SCOPE_RUN_ENDED)
		scope_threads_forget(timeline->threads, tid);
}

static int handle_fork(const struct scope_listener *run, const struct scope_event *event)
{
	struct scope_thread *thread;
	long index;

	forget_ended(run->timeline, event->tid);
	index = scope_timeline_thread(run->timeline, event->tid, event->time_ns);
	if (index < 0)
		return index;
	thread = scope_threads_at(run->timeline->threads, index);
	thread->tgid = event->fork.tgid;
	memcpy(thread->comm, event->fork.comm, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
	name_at_once(thread, event);
	thread->born = thread->first_ns == event->time_ns;
	if (thread->run == SCOPE_RUN_UNKNOWN) {
		thread->run = SCOPE_RUN_QUEUED;
		thread->queue_ns = event->time_ns;
	}
	return 0;
}

static int handle_exec(const struct scope_listener *run, const struct scope_event *event)
{
	long index;
	struct scope_thread *thread;
	int err = scope_threads_rename(run->timeline->threads, event->exec.old_tid, event->tid);

	if (err)
		return err;
	index = scope_timeline_thread(run->timeline, event->tid, event->time_ns);
	if (index < 0)
		return index;
	thread = scope_threads_at(run->timeline->threads, index);
	thread->tgid = event->exec.tgid;
	memcpy(thread->comm, event->exec.comm, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
	return 0;
}

static int handle_end(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	struct scope_thread *thread = scope_threads_at(run->timeline->threads, index);
	int err = 0;

	scope_thread_account(thread, event->time_ns);
	err = scope_timeline_tell_wait(*run, thread);
	if (!err && run->ops->end)
		err = run->ops->end(run->user, index, event->time_ns);
	thread = scope_threads_at(run->timeline->threads, index);
	thread->run = SCOPE_RUN_ENDED;
	thread->open.nr = SCOPE_NR_NONE;
	scope_starved_free(&thread->starved); /* it wakes nobody any more */
	return err;
}

/*
 * Events of one CPU are missing. Any thread may have passed over it meanwhile, so nothing that was
 * open on any thread can be trusted to still be so.
 */
static int handle_lost(const struct scope_listener *run, const struct scope_event *event)
{
	struct scope_threads *threads = run->timeline->threads;
	int err = 0;

	run->timeline->lost += event->lost.count;
	for (size_t i = 0; !err && i < scope_threads_count(threads); i++) {
		struct scope_thread *thread = scope_threads_at(threads, i);

		if (thread->run == SCOPE_RUN_ENDED)
			continue;
		scope_thread_account(thread, event->time_ns);
		err = scope_timeline_tell_wait(*run, thread);
		if (!err && run->ops->lost)
			err = run->ops->lost(run->user, i, event->time_ns);
		thread->lost = true;
		thread->early = false;
		thread->queue_ns = event->time_ns; /* it may have run since it was queued */
		thread->starved.count = 0;
		if (thread->run == SCOPE_RUN_RUNNING && thread->cpu == event->cpu)
			thread->run = SCOPE_RUN_UNKNOWN;
	}
	return err;
}

static void handle_comm(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	struct scope_thread *thread = scope_threads_at(run->timeline->threads, index);

	memcpy(thread->comm, event->comm.comm, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
}

static int handle_stack(const struct scope_listener *run, uint32_t index, const struct scope_event *event)
{
	scope_threads_at(run->timeline->threads, index)->account.probe_ns += event->stack.cost_ns;
	/* One behind a probe belongs to no call, and was taken by no timer. */
	if (event->stack.reason > SCOPE_STACK_SAMPLE)
		return 0;
	return run->ops->stack ? run->ops->stack(run->user, index, event) : 0;
}

int scope_timeline_handle(struct scope_listener run, const struct scope_event *event)
{
	long index;

	if (event->kind == SCOPE_EVENT_SWITCH)
		return handle_switch(&run, event);
	if (event->kind == SCOPE_EVENT_LOST)
		return handle_lost(&run, event);
	if (event->kind == SCOPE_EVENT_FORK)
		return handle_fork(&run, event);
	if (event->kind == SCOPE_EVENT_EXEC)
		return handle_exec(&run, event);
	/* A request may be done long after its thread: these say nothing of what that does. */
	if (!event->tid || event->kind == SCOPE_EVENT_BLOCK_ISSUE ||
	    event->kind == SCOPE_EVENT_BLOCK_DONE || event->kind == SCOPE_EVENT_PROBE ||
	    event->kind == SCOPE_EVENT_DELAY)
		return 0;
	if (event->kind == SCOPE_EVENT_STATE &&
	    !(event->state.record->flags & SCOPE_STATE_AT_STOP))
		forget_ended(run.timeline, event->tid);
	index = scope_timeline_thread(run.timeline, event->tid, event->time_ns);
	if (index < 0)
		return index;
	switch (event->kind) {
	case SCOPE_EVENT_WAKING:
		return handle_waking(&run, index, event);
	case SCOPE_EVENT_THREAD_EXIT:
		return handle_end(&run, index, event);
	case SCOPE_EVENT_STATE:
		return handle_state(&run, index, event);
	case SCOPE_EVENT_STACK:
		return handle_stack(&run, index, event);
	case SCOPE_EVENT_COMM:
		handle_comm(&run, index, event);
		return 0;
	}
	return 0;
}

int scope_timeline_feed(struct scope_timeline *timeline, const struct scope_event *event,
			const struct scope_timeline_ops *ops, void *user)
{
	return scope_timeline_take(timeline, event, ops, user);
}

int scope_timeline_finish(struct scope_timeline *timeline, const struct scope_timeline_ops *ops,
			  void *user)
{
	const struct scope_listener run = {timeline, ops, user};
	int err = 0;

	timeline->end_ns = scope_trace_meta_number(timeline->trace, SCOPE_META_END, 0);
	if (timeline->last_ns > timeline->end_ns)
		timeline->end_ns = timeline->last_ns;
	for (size_t i = 0; !err && i < scope_threads_count(timeline->threads); i++) {
		struct scope_thread *thread = scope_threads_at(timeline->threads, i);

		scope_thread_account(thread, timeline->end_ns);
		err = scope_timeline_tell_wait(run, thread);
	}
	return err;
}

bool scope_timeline_holds(const struct scope_timeline *timeline)
{
	size_t rows, fds;
	const struct scope_trace_thread *row = scope_trace_threads(timeline->trace, &rows);

	scope_trace_fds(timeline->trace, &fds);
	if (fds != timeline->fds_known)
		return false;
	for (size_t i = 0; i < scope_threads_count(timeline->threads); i++) {
		const struct scope_thread *thread = scope_threads_at(timeline->threads, i);

		for (size_t j = thread->rows_seen; j < rows; j++)
			if (row[j].tid == thread->tid)
				return false;
	}
	return true;
}

int scope_timeline_run(struct scope_timeline *timeline, struct scope_trace *trace,
		       const struct scope_timeline_ops *ops, void *user)
{
	struct scope_event event;
	int more, err = scope_trace_rewind(trace);

	if (err)
		return err;
	while ((more = scope_trace_next(trace, &event)) > 0) {
		err = scope_timeline_feed(timeline, &event, ops, user);
		if (err)
			return err;
	}
	return more ? more : scope_timeline_finish(timeline, ops, user);
}
