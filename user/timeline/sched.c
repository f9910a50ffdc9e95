// SPDX-License-Identifier: GPL-2.0-only
/* Handles threads that leave a processor, are woken, and run again. */
#include "timeline/sched.h"

#include <errno.h>

#include "base/grow.h"
#include "timeline/slices.h"

static bool has_contended(const struct scope_thread *thread, uint64_t word)
{
	for (unsigned i = 0; i < SCOPE_THREAD_CONTENDED; i++)
		if (thread->contended[i] == word)
			return true;
	return false;
}

/*
 * The word of a wait has the value of a mutex for which a thread waits, but other words may have that value, too. It
 * is a mutex if the thread that ends the wait has slept on it as well: that thread had the lock then, and released
 * it.
 */
static void look_for_lock(struct scope_threads *threads, struct scope_wait *wait)
{
	struct scope_thread *thread = scope_timeline_threads_at(threads, wait->thread), *waker;

	if (wait->futex != SCOPE_FUTEX_CONTENDED || !wait->object)
		return;
	if (!has_contended(thread, wait->object))
		thread->contended[thread->contendeds++ % SCOPE_THREAD_CONTENDED] = wait->object;
	waker = wait->waker < 0 ? NULL : scope_timeline_threads_at(threads, (size_t)wait->waker);
	if (waker && waker->tgid == thread->tgid && has_contended(waker, wait->object))
		wait->futex = SCOPE_FUTEX_HANDED;
}

int scope_timeline_end_wait(const struct scope_listener *run, struct scope_thread *thread)
{
	struct scope_wait *wait = &thread->held;
	long waker;

	thread->holding = false;
	waker = wait->waker_tid ? scope_timeline_threads_find(run->timeline->threads, wait->waker_tid) : -1;
	wait->waker = waker >= 0 && waker != (long)wait->thread ? (int32_t)waker : SCOPE_WAIT_NO_THREAD;
	look_for_lock(run->timeline->threads, wait);
	return run->ops->wait ? run->ops->wait(run->user, wait) : 0;
}

/* Asleep again this soon, in the same call: a false wakeup. */
static bool falsely_woken(const struct scope_thread *thread)
{
	return thread->holding && thread->open.nr != SCOPE_NR_NONE && thread->open.enter_ns == thread->held_enter_ns &&
	       thread->account.run_ns - thread->held_run_ns < SCOPE_FALSE_WAKEUP_NS;
}

enum scope_wait_class scope_timeline_open_class(struct scope_timeline *timeline, const struct scope_thread *thread,
						bool disk)
{
	const struct scope_open_call *open = &thread->open;
	const enum scope_timeline_call_role role = scope_timeline_call_role_of(open->nr, open->args, open->arg[0]);
	enum scope_fd_kind kind = SCOPE_FD_UNKNOWN;

	if (role == SCOPE_CALL_SLEEP)
		return SCOPE_WAIT_TIMER;
	if (role == SCOPE_CALL_POLL)
		return SCOPE_WAIT_POLL;
	if (open->nr != SCOPE_NR_NONE && open->args)
		kind = scope_timeline_fds_kind(timeline->fds, thread->tgid, (int32_t)open->arg[0]);
	return scope_timeline_wait_classify(open->nr, kind, disk);
}

static int switch_out(const struct scope_listener *run, const struct scope_event *event)
{
	long index = scope_timeline_thread(run->timeline, event->sched.prev_tid, event->time_ns);
	struct scope_thread *thread;
	bool queued = scope_trace_switch_runnable(event);
	int err = 0;

	if (index < 0)
		return index;
	thread = scope_timeline_threads_at(run->timeline->threads, index);
	scope_timeline_thread_account(thread, event->time_ns);
	if (thread->run == SCOPE_RUN_ENDED)
		return 0;
	if (queued || !falsely_woken(thread))
		err = scope_timeline_report_wait(run, thread);
	if (!err)
		err = scope_timeline_end_stay(run, thread, event->time_ns);
	if (err)
		return err;
	thread->wake_ns = 0;
	thread->waker_tid = 0;
	thread->interrupt = 0;
	thread->waker_queue_ns = 0;
	thread->cpu = event->cpu;
	thread->preempted = queued;
	if (queued) {
		thread->run = SCOPE_RUN_QUEUED;
		thread->queue_ns = event->time_ns;
		thread->early = false;
	} else {
		bool disk = event->sched.iowait || event->sched.prev_state == SCOPE_STATE_DISK;

		thread->run = SCOPE_RUN_BLOCKED;
		thread->disk = disk;
		thread->iowait = event->sched.iowait;
		thread->memstall = event->sched.memstall;
		thread->wait = scope_timeline_open_class(run->timeline, thread, disk);
		thread->block_ns = event->time_ns;
	}
	return run->ops->leave ? run->ops->leave(run->user, index, event->time_ns) : 0;
}

/*
 * The thread sleeps, no waking was recorded since, and now it runs: it was woken as it left its
 * CPU. The kernel reports the waking first and the switch a little later, from another CPU. It was
 * runnable all this time.
 */
static void waken_early(struct scope_thread *thread)
{
	thread->run = SCOPE_RUN_QUEUED;
	thread->wake_ns = thread->queue_ns = thread->block_ns;
	thread->waker_tid = thread->early_tid;
	thread->interrupt = thread->early_interrupt;
}

/* As scope_wait.owner: the thread that the lock's memory named, if it is another one of a process that has the lock. */
static uint32_t owner_of(const struct scope_threads *threads, const struct scope_thread *thread)
{
	const long index = thread->owner_tid ? scope_timeline_threads_find(threads, thread->owner_tid) : -1;

	return index >= 0 && (uint32_t)index != thread->index &&
			       (threads->thread[index].tgid == thread->tgid ||
				scope_timeline_futex_is_shared(thread->open.args, thread->open.arg))
		       ? (uint32_t)index + 1
		       : 0;
}

/* The sleep that has ended now. A sleep that ended in a false wakeup is part of it. */
static void hold_wait(const struct scope_threads *threads, struct scope_thread *thread, uint64_t now_ns)
{
	const struct scope_open_call *open = &thread->open;
	struct scope_wait *held = &thread->held;
	const uint64_t begin_ns = thread->holding ? held->begin_ns : thread->block_ns;
	const uint64_t waker_queue_ns = thread->waker_queue_ns + (thread->holding ? held->waker_queue_ns : 0);

	*held = (struct scope_wait){
		.thread = thread->index,
		.waker_tid = thread->waker_tid,
		.owner = thread->holding ? held->owner : owner_of(threads, thread),
		.interrupt = thread->interrupt,
		.nr = open->nr,
		.class = thread->wait,
		.futex = thread->wait == SCOPE_WAIT_FUTEX ? scope_timeline_futex_of(open->args, open->arg) : 0,
		.lock = thread->wait == SCOPE_WAIT_FUTEX && scope_timeline_futex_is_lock(open->args, open->arg),
		/* Outside a call the values in `open` are those of the call before. */
		.object = open->nr != SCOPE_NR_NONE && open->args ? open->arg[0] : 0,
		.begin_ns = begin_ns,
		.first_ns = thread->holding ? held->first_ns : scope_timeline_slices_begin(threads, thread),
		.wake_ns = thread->wake_ns ? thread->wake_ns : now_ns,
		.end_ns = now_ns,
		.waker_queue_ns = waker_queue_ns,
	};
	if (held->class != SCOPE_WAIT_FUTEX)
		thread->slices.begin_ns = 0;
	thread->owner_tid = 0;
	thread->holding = true;
	thread->held_run_ns = thread->account.run_ns;
	thread->held_enter_ns = open->enter_ns;
}

/*
 * Ends the thread's stretch in the run queue. A preempted thread waited for the CPU that it was on. A thread that was
 * woken, or is new, may have been queued on another CPU: the one on which it now runs counts.
 */
static int end_queue(const struct scope_listener *run, struct scope_thread *thread, const struct scope_event *event)
{
	const struct scope_cpus *cpus = &run->timeline->cpus;
	const uint32_t cpu = thread->preempted ? thread->cpu : event->cpu;
	uint64_t part_ns[SCOPE_CPU_RUNS];
	struct scope_queued queued = { thread->index, thread->queue_ns, event->time_ns, 0, 0, 0 };

	if (scope_timeline_waker_queue_add(&thread->waker_queue, thread->queue_ns, event->time_ns))
		return -ENOMEM;
	if (!run->ops->queued || event->time_ns <= thread->queue_ns)
		return 0;
	scope_timeline_cpus_split(cpus, cpu, thread->queue_ns, event->time_ns, part_ns);
	queued.own_ns = part_ns[SCOPE_CPU_OWN];
	queued.taken_ns = part_ns[SCOPE_CPU_TAKEN];
	if (queued.taken_ns)
		queued.taker_tid = scope_timeline_cpus_taker(cpus, cpu, thread->queue_ns,
							     thread->preempted ? 0 : thread->waker_tid);
	return run->ops->queued(run->user, &queued);
}

static int switch_in(const struct scope_listener *run, const struct scope_event *event)
{
	long index = scope_timeline_thread(run->timeline, event->sched.next_tid, event->time_ns);
	struct scope_thread *thread;
	int err;

	if (index < 0)
		return index;
	thread = scope_timeline_threads_at(run->timeline->threads, index);
	if (thread->run == SCOPE_RUN_ENDED)
		return 0;
	if (thread->run == SCOPE_RUN_BLOCKED && thread->early)
		waken_early(thread);
	thread->early = false;
	scope_timeline_thread_account(thread, event->time_ns);
	err = thread->run == SCOPE_RUN_QUEUED ? end_queue(run, thread, event) : 0;
	if (!err)
		err = scope_timeline_end_stay(run, thread, event->time_ns);
	if (err)
		return err;
	if (thread->block_ns && thread->run != SCOPE_RUN_UNKNOWN) {
		run->timeline->false_wakeups += thread->holding;
		hold_wait(run->timeline->threads, thread, event->time_ns);
	}
	thread->run = SCOPE_RUN_RUNNING;
	thread->cpu = event->cpu;
	thread->block_ns = 0;
	return 0;
}

/*
 * Seen on a kernel 6.18: no tracer got the switches from the idle task of one processor, and perf
 * got no waking from its interrupts. Without this every wait that ended there would have no end.
 */
int scope_timeline_come_unrecorded(const struct scope_listener *run, uint32_t tid, uint32_t cpu, uint64_t now_ns)
{
	const struct scope_event event = {
		.kind = SCOPE_EVENT_SWITCH,
		.time_ns = now_ns,
		.cpu = cpu,
		.sched = { .next_tid = tid },
	};
	long index = scope_timeline_thread(run->timeline, tid, now_ns);

	if (index < 0)
		return index;
	if (scope_timeline_cpus_switch(&run->timeline->cpus, cpu, tid, 0, now_ns))
		return -ENOMEM;
	run->timeline->unrecorded += !scope_timeline_threads_at(run->timeline->threads, index)->lost;
	return switch_in(run, &event);
}

int scope_timeline_switch(const struct scope_listener *run, const struct scope_event *event)
{
	struct scope_cpus *cpus = &run->timeline->cpus;
	int err = event->sched.prev_tid || event->sched.next_tid || !event->sched.other_tid
			  ? scope_timeline_cpus_switch(cpus, event->cpu, event->sched.next_tid, event->sched.other_tid,
						       event->time_ns)
			  : scope_timeline_cpus_ran(cpus, event->cpu, event->sched.other_tid, event->time_ns);

	if (!err && event->sched.prev_tid)
		err = switch_out(run, event);
	if (!err && event->sched.next_tid)
		err = switch_in(run, event);
	return err;
}

/*
 * The part of the sleep that a traced thread ends now, in which that thread waited for a CPU,
 * earlier slices of the wait included. A thread that sleeps for a fixed time waits for no other
 * thread.
 */
static int propagate_queue(struct scope_threads *threads, struct scope_thread *thread)
{
	long waker = thread->waker_tid ? scope_timeline_threads_find(threads, thread->waker_tid) : -1;
	const uint64_t slices_ns = scope_timeline_slices_begin(threads, thread);
	const struct scope_thread *other;
	uint64_t waker_queue_ns = 0;
	int err;

	if (waker < 0 || thread->wait == SCOPE_WAIT_TIMER)
		return 0;
	other = scope_timeline_threads_at(threads, waker);
	if (other == thread)
		return 0;
	err = scope_timeline_waker_queue_propagate(&thread->waker_queue, &other->waker_queue,
						   slices_ns ? slices_ns : thread->block_ns, thread->wake_ns,
						   &waker_queue_ns);
	thread->account.waker_queue_ns += waker_queue_ns;
	/* The part that does not fit into the last slice was in the slices before. */
	thread->waker_queue_ns = waker_queue_ns < thread->wake_ns - thread->block_ns
					 ? waker_queue_ns
					 : thread->wake_ns - thread->block_ns;
	return err;
}

/*
 * The thread that ended a sleep by what it sent over the loopback: packets to this host are received by the sender's CPU, in a
 * soft interrupt, before its call returns. 0: it was no such waking.
 */
static uint32_t find_sender(struct scope_timeline *timeline, const struct scope_thread *thread,
			    const struct scope_event *event)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(thread->open.nr);
	const uint32_t tid = scope_timeline_cpus_own(&timeline->cpus, event->cpu);
	const bool moves = role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE;
	long index;

	if (event->waking.context != SCOPE_CONTEXT_SOFTIRQ || !tid || tid == thread->tid || !timeline->fds->pairs ||
	    (event->waking.interrupt != SCOPE_INTERRUPT_NET && event->waking.interrupt != SCOPE_INTERRUPT_UNKNOWN) ||
	    thread->open.nr == SCOPE_NR_NONE || (role != SCOPE_CALL_POLL && (!moves || !thread->open.args)))
		return 0;
	index = scope_timeline_threads_find(timeline->threads, tid);
	return index >= 0 && scope_timeline_fds_loops(timeline->fds, thread->tgid,
						      moves ? (int32_t)thread->open.arg[0] : -1,
						      timeline->threads->thread[index].tgid)
		       ? tid
		       : 0;
}

int scope_timeline_waking(const struct scope_listener *run, const struct scope_event *event)
{
	struct scope_thread *thread;
	uint32_t waker_tid;
	long index;
	int err;

	run->timeline->wakes = true;
	if (!event->tid)
		return 0;
	index = scope_timeline_thread(run->timeline, event->tid, event->time_ns);
	if (index < 0)
		return index;
	thread = scope_timeline_threads_at(run->timeline->threads, index);
	waker_tid = event->waking.waker_tid ? event->waking.waker_tid : find_sender(run->timeline, thread, event);
	if (thread->run == SCOPE_RUN_RUNNING) {
		thread->early = true;
		thread->early_tid = waker_tid;
		thread->early_interrupt = event->waking.interrupt;
	}
	if (thread->run != SCOPE_RUN_BLOCKED)
		return 0;
	thread->early = false;
	scope_timeline_thread_account(thread, event->time_ns);
	err = scope_timeline_end_stay(run, thread, event->time_ns);
	if (err)
		return err;
	thread->run = SCOPE_RUN_QUEUED;
	thread->wake_ns = thread->queue_ns = event->time_ns;
	thread->waker_tid = waker_tid;
	thread->interrupt = event->waking.interrupt;
	return propagate_queue(run->timeline->threads, thread);
}
