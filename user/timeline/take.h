/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes events into a timeline, with the code for calls inline.
 *
 * Nine events of ten are calls. A caller that must be fast uses scope_timeline_take() with constant
 * ops; the compiler then makes a copy of the code for calls with its listeners inlined. All others
 * use scope_timeline_run().
 */
#ifndef SCOPE_TIMELINE_TAKE_H
#define SCOPE_TIMELINE_TAKE_H

#include <errno.h>

#include "base/syscall_name.h"
#include "timeline/slices.h"
#include "timeline/timeline.h"

#define SCOPE_TAKE static inline __attribute__((always_inline))

/*
 * The listeners. Inlined code gets them by value, so that the compiler sees which are constant.
 * Functions that are called get the address of a copy: passed by value the words were stored one by
 * one and loaded two at a time, for which the processor had to wait at every event.
 */
struct scope_listener {
	struct scope_timeline *timeline;
	const struct scope_timeline_ops *ops;
	void *user;
};

/* Both threads of a SWITCH; what the listener returned, or -ENOMEM. */
int scope_timeline_switch(const struct scope_listener *run, const struct scope_event *event);
/* 0 or -ENOMEM. */
int scope_timeline_waking(const struct scope_listener *run, const struct scope_event *event);
/* Everything but calls, switches and wakings. What the listener returned, or -ENOMEM. */
int scope_timeline_handle_rare(const struct scope_listener *run, const struct scope_event *event);
/* The sleep that was held back has ended finally. */
int scope_timeline_end_wait(const struct scope_listener *run, struct scope_thread *thread);
/*
 * A thread that sleeps or is queued by the kernel's events is seen on a processor: its switch was
 * not recorded. 0, -ENOMEM, or what the listener returned.
 */
int scope_timeline_come_unrecorded(const struct scope_listener *run, uint32_t tid, uint32_t cpu, uint64_t now_ns);
/* The index of a thread, which is usually new, and begins its account now. */
long scope_timeline_add_thread(struct scope_timeline *timeline, uint32_t tid, uint64_t now_ns);

/* A sleep in a memory stall ends, or a part of it does. What the listener returned. */
int scope_timeline_end_memstall(const struct scope_listener *run, struct scope_thread *thread, uint64_t begin_ns,
				uint64_t end_ns);

/* Call it when mark_ns has come, before the event at now, with the number of events so far. 0 or -ENOMEM. */
int scope_timeline_mark(struct scope_timeline *timeline, uint64_t now_ns, uint64_t events);

/* The index of a thread whose plain calls stay plain, or -ENOMEM. */
static inline long scope_timeline_index(struct scope_timeline *timeline, uint32_t tid, uint64_t now_ns)
{
	int32_t index = scope_timeline_threads_recent(timeline->threads, tid);

	return index >= 0 ? index : scope_timeline_add_thread(timeline, tid, now_ns);
}

/* The same for a thread to which something happens: none of its calls is plain until the next one has ended. */
static inline long scope_timeline_thread(struct scope_timeline *timeline, uint32_t tid, uint64_t now_ns)
{
	long index = scope_timeline_index(timeline, tid, now_ns);

	if (index >= 0)
		scope_timeline_threads_at(timeline->threads, index)->plain = 0;
	return index;
}

/* Call it before the thread's run changes, and at its end: listeners get the state that ends. */
SCOPE_TAKE int scope_timeline_end_stay(const struct scope_listener *run, struct scope_thread *thread, uint64_t now_ns)
{
	const uint64_t begin_ns = thread->stay_ns;

	if (now_ns <= begin_ns || thread->run == SCOPE_RUN_ENDED)
		return 0;
	thread->stay_ns = now_ns;
	if (__builtin_expect(thread->memstall, 0)) {
		int err = scope_timeline_end_memstall(run, thread, begin_ns, now_ns);

		if (err)
			return err;
	}
	return run->ops->stay ? run->ops->stay(run->user, thread, begin_ns, now_ns) : 0;
}

static inline int scope_timeline_report_wait(const struct scope_listener *run, struct scope_thread *thread)
{
	return thread->holding ? scope_timeline_end_wait(run, thread) : 0;
}

SCOPE_TAKE int scope_timeline_enter(struct scope_listener run, struct scope_thread *thread,
				    const struct scope_event *event)
{
	struct scope_open_call *open = &thread->open;

	scope_timeline_thread_account(thread, event->syscall.enter_ns);
	open->nr = scope_syscall_native(event->syscall.abi, event->syscall.nr);
	open->role = scope_timeline_call_role(open->nr);
	open->args = event->syscall.args;
	open->enter_ns = event->syscall.enter_ns;
	for (unsigned i = 0; i < open->args; i++)
		open->arg[i] = event->syscall.arg[i];
	if (open->args && scope_timeline_call_has_data(open->role))
		open->arg[0] = scope_timeline_fds_same(run.timeline->fds, thread->tgid, open->arg[0]);
	if (__builtin_expect(scope_timeline_slices_open(thread), 0))
		scope_timeline_slices_enter(thread);
	return run.ops->enter ? run.ops->enter(run.user, thread, open) : 0;
}

SCOPE_TAKE int scope_timeline_exit(struct scope_listener run, const struct scope_listener *called,
				   struct scope_thread *thread, const struct scope_event *event)
{
	struct scope_open_call *call = &thread->open;
	int err;

	scope_timeline_thread_account(thread, event->time_ns);
	thread->held.woken = call->role == SCOPE_CALL_FUTEX && !event->syscall.ret && run.timeline->wakes;
	err = scope_timeline_report_wait(called, thread);
	if (err)
		return err;
	if (call->nr == SCOPE_NR_NONE) {
		/* Entered before tracing: only its return is known. */
		call->nr = scope_syscall_native(event->syscall.abi, event->syscall.nr);
		call->role = scope_timeline_call_role(call->nr);
		call->args = 0;
		call->enter_ns = event->time_ns;
	}
	if (call->role == SCOPE_CALL_FUTEX)
		scope_timeline_slices_return(thread, event->syscall.ret);
	err = scope_timeline_fds_learn(run.timeline->fds, thread->tgid, call->nr, call->arg, call->args,
				       event->syscall.ret, call->enter_ns, event->time_ns);
	if (!err && run.ops->exit)
		err = run.ops->exit(run.user, thread, call, event->syscall.ret, event->time_ns);
	call->nr = SCOPE_NR_NONE;
	thread->early = false;
	/* In a wait in slices each call counts. */
	if (run.ops->plain_roles && thread->run == SCOPE_RUN_RUNNING && !scope_timeline_slices_open(thread))
		thread->plain = run.ops->plain_roles(run.user, thread->index);
	return err;
}

/* True if the call changes nothing about descriptors, and takes nothing from a client's socket, or one of datagrams. */
SCOPE_TAKE bool scope_timeline_stays(struct scope_fds *fds, uint32_t tgid, const struct scope_event *event,
				     enum scope_timeline_call_role role)
{
	const uint64_t *arg = event->syscall.arg;
	enum scope_fd_kind kind;

	if (event->syscall.args && scope_timeline_call_has_data(role) &&
	    scope_timeline_fds_same(fds, tgid, arg[0]) != arg[0])
		return false;
	if (!scope_timeline_fds_known(fds, tgid, event->syscall.nr, arg, event->syscall.args, event->syscall.ret))
		return false;
	if (role != SCOPE_CALL_READ || event->syscall.ret <= 0 || !event->syscall.args)
		return true;
	kind = scope_timeline_fds_kind(fds, tgid, (int32_t)arg[0]);
	return kind != SCOPE_FD_ACCEPTED && kind != SCOPE_FD_DATAGRAM;
}

/*
 * Handles a call of which the listener only counts; false: it was not handled. The account is
 * updated with the next other event of the thread, because it ran all the time.
 */
SCOPE_TAKE bool scope_timeline_plain(struct scope_listener run, const struct scope_event *event)
{
	const int32_t index = scope_timeline_threads_recent(run.timeline->threads, event->tid);
	const uint16_t nr = event->syscall.nr;
	struct scope_thread *thread;
	enum scope_timeline_call_role role;

	if (index < 0 || nr >= SCOPE_SYSCALL_MAX || event->syscall.abi == SCOPE_ABI_32)
		return false;
	thread = scope_timeline_threads_at(run.timeline->threads, index);
	role = (enum scope_timeline_call_role)scope_timeline_call_roles[nr];
	return thread->plain >> role & 1 && scope_timeline_stays(run.timeline->fds, thread->tgid, event, role) &&
	       run.ops->plain(run.user, thread, event, role);
}

SCOPE_TAKE int scope_timeline_call(struct scope_listener run, const struct scope_listener *called,
				   const struct scope_event *event)
{
	const long index = scope_timeline_thread(run.timeline, event->tid, event->time_ns);
	struct scope_thread *thread;
	int err = 0;

	if (index < 0)
		return index;
	thread = scope_timeline_threads_at(run.timeline->threads, index);
	/* No event had put it on a CPU: after a loss, or at the start. */
	if (thread->run == SCOPE_RUN_UNKNOWN) {
		scope_timeline_thread_account(thread, event->time_ns);
		err = scope_timeline_end_stay(called, thread, event->time_ns);
		if (err)
			return err;
		thread->run = SCOPE_RUN_RUNNING;
		thread->cpu = event->cpu;
	} else if (scope_timeline_thread_is_away(thread)) {
		err = scope_timeline_come_unrecorded(called, event->tid, event->cpu,
						     event->kind == SCOPE_EVENT_EXIT ? event->time_ns
										     : event->syscall.enter_ns);
		if (err)
			return err;
		thread = scope_timeline_threads_at(run.timeline->threads, index);
	}
	if (event->kind != SCOPE_EVENT_EXIT)
		err = scope_timeline_enter(run, thread, event);
	return err || event->kind == SCOPE_EVENT_ENTER ? err : scope_timeline_exit(run, called, thread, event);
}

_Static_assert(SCOPE_EVENT_SYSCALL < SCOPE_EVENT_ENTER && SCOPE_EVENT_ENTER < SCOPE_EVENT_EXIT &&
		       SCOPE_EVENT_EXIT < SCOPE_EVENT_SWITCH,
	       "calls come first");

/* Everything but calls. */
SCOPE_TAKE int scope_timeline_handle(const struct scope_listener *run, const struct scope_event *event)
{
	if (event->kind == SCOPE_EVENT_SWITCH)
		return scope_timeline_switch(run, event);
	if (event->kind == SCOPE_EVENT_WAKING)
		return scope_timeline_waking(run, event);
	return scope_timeline_handle_rare(run, event);
}

#define SCOPE_TAKE_AHEAD 24 /* no rule: events; half or twice as many are a little slower */

/*
 * Events taken a little later are mostly a little further in memory, and are prefetched while this
 * one is taken. A useless prefetch costs almost nothing, and no address is invalid for it.
 */
SCOPE_TAKE void scope_timeline_fetch(const struct scope_event *event)
{
	__builtin_prefetch((const void *)((uintptr_t)event + SCOPE_TAKE_AHEAD * sizeof(*event)));
}

/* Some events, in order of time. 0, -ENOMEM, or what the listener returned. */
SCOPE_TAKE int scope_timeline_take(struct scope_timeline *timeline, const struct scope_event *const *event,
				   size_t count, const struct scope_timeline_ops *ops, void *user)
{
	const struct scope_listener run = { timeline, ops, user }, called = run;

	if (count && !timeline->events && !timeline->begin_ns)
		timeline->begin_ns = event[0]->time_ns;
	timeline->events += count;
	for (const struct scope_event *const *end = event + count; event < end; event++) {
		const uint64_t time_ns = (*event)->time_ns;
		int err;

		scope_timeline_fetch(*event);
		if (time_ns > timeline->last_ns)
			timeline->last_ns = time_ns;
		if (__builtin_expect(time_ns >= timeline->mark_ns, 0) &&
		    scope_timeline_mark(timeline, time_ns, timeline->events - (uint64_t)(end - event)))
			return -ENOMEM;
		if (ops->plain && (*event)->kind == SCOPE_EVENT_SYSCALL && scope_timeline_plain(run, *event))
			continue;
		err = (*event)->tid && (*event)->kind <= SCOPE_EVENT_EXIT ? scope_timeline_call(run, &called, *event)
									  : scope_timeline_handle(&called, *event);
		if (err)
			return err;
	}
	return 0;
}

#endif
