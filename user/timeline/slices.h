/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits in slices: a lock or a hand-over that is waited for with a time-out, again and again until it comes.
 *
 * CPython's GIL is waited for in slices of 5 ms, and latches of databases, parked threads of a JVM and loops around
 * sem_timedwait() or pthread_mutex_timedlock() are alike. A slice that times out is ended by the clock, so none of
 * them alone says who was waited for; the thread that ends the last one was waited for in all of them.
 *
 * Slices of one wait are sleeps in futex calls on one object, each ended by its time-out but the last. Between two of
 * them the thread ran for less than SCOPE_FALSE_WAKEUP_NS, and called nothing but futex and the clock.
 */
#ifndef SCOPE_TIMELINE_SLICES_H
#define SCOPE_TIMELINE_SLICES_H

#include <errno.h>

#include "timeline/thread.h"

static inline bool scope_timeline_slices_open(const struct scope_thread *thread)
{
	return thread->slices.begin_ns;
}

/* The thread has entered its open call. */
static inline void scope_timeline_slices_enter(struct scope_thread *thread)
{
	if (thread->open.role != SCOPE_CALL_FUTEX && !scope_timeline_call_ignored(thread->open.nr))
		thread->slices.begin_ns = 0;
}

/* Of a thread asleep, or that was until now: the begin of the wait that this sleep is one more slice of; 0: of none. */
static inline uint64_t scope_timeline_slices_begin(const struct scope_thread *thread)
{
	const struct scope_slices *slices = &thread->slices;
	const struct scope_open_call *open = &thread->open;

	return slices->begin_ns && open->role == SCOPE_CALL_FUTEX && open->nr != SCOPE_NR_NONE && open->args &&
			       scope_timeline_wait_same_object(open->nr, open->arg[0], slices->object) &&
			       thread->account.run_ns - slices->run_ns < SCOPE_FALSE_WAKEUP_NS
		       ? slices->begin_ns
		       : 0;
}

/* A call of role SCOPE_CALL_FUTEX returns. The thread's account is up to date. */
void scope_timeline_slices_return(struct scope_thread *thread, int64_t ret);

#endif
