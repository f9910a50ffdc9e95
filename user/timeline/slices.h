/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits in slices: a thread waits for a lock or an event with a time-out, repeatedly until it comes.
 *
 * CPython's threads wait for the GIL in slices of 5 ms; latches of databases, parked threads of a JVM and loops
 * around sem_timedwait() or pthread_mutex_timedlock() do the same. A slice that times out is ended by the clock, so
 * it does not show which thread was waited for; the thread that ends the last slice was waited for in all of them.
 *
 * Slices of one wait are sleeps in futex calls on one object, each ended by its time-out but the last. The last one may
 * be on another object, if the thread that ends it has run, or waited for a CPU, since before the first slice: it had
 * all the time what was waited for. Ruby's GVL is an example: a thread that has waited for 100 ms asks the holder for
 * it, and both use the mutex that guards this request. Between two slices the thread called nothing but futex, the
 * clock and its own number, and ran for less than SCOPE_FALSE_WAKEUP_NS or a SCOPE_SLICES_RUN of the slice before: on a
 * busy machine a slice costs more to end, and one of 5 ms stays a wait.
 */
#ifndef SCOPE_TIMELINE_SLICES_H
#define SCOPE_TIMELINE_SLICES_H

#include <errno.h>

#include "timeline/thread.h"

#define SCOPE_SLICES_RUN 20 /* inverse of the share of a slice for which the thread may run after it */

static inline bool scope_timeline_slices_open(const struct scope_thread *thread)
{
	return thread->slices.begin_ns;
}

/* The thread has entered its open call. */
static inline void scope_timeline_slices_enter(struct scope_thread *thread)
{
	const uint32_t nr = thread->open.nr;

	if (thread->open.role != SCOPE_CALL_FUTEX && !scope_timeline_call_ignored(nr) && nr != SYS_getpid &&
	    nr != SYS_gettid)
		thread->slices.begin_ns = 0;
}

/* True if the traced thread that woke this one, of its process, has not slept since then. */
bool scope_timeline_slices_held(const struct scope_threads *threads, const struct scope_thread *thread);

/*
 * For a thread that sleeps, or slept until now: the begin of the wait of which this sleep is a further slice; 0: it
 * is not one.
 */
static inline uint64_t scope_timeline_slices_begin(const struct scope_threads *threads,
						   const struct scope_thread *thread)
{
	const struct scope_slices *slices = &thread->slices;
	const struct scope_open_call *open = &thread->open;

	return slices->begin_ns && open->role == SCOPE_CALL_FUTEX && open->nr != SCOPE_NR_NONE && open->args &&
			       thread->account.run_ns - slices->run_ns < slices->limit_ns &&
			       (scope_timeline_wait_same_object(open->nr, open->arg[0], slices->object) ||
				scope_timeline_slices_held(threads, thread))
		       ? slices->begin_ns
		       : 0;
}

/* A call of role SCOPE_CALL_FUTEX returns. The thread's account is up to date. */
void scope_timeline_slices_return(struct scope_thread *thread, int64_t ret);

#endif
