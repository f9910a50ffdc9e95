/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of signal handlers, which are not the thread's own: the thread itself has made no call since before the signal.
 *
 *   computes ──┤ handler: rt_sigprocmask, rt_sigreturn; gettid, futex ├── computes ──┤ … ├──
 *
 * Runtimes interrupt a thread that computes for long, for a garbage collection or to run another task: Go every 10 ms,
 * HotSpot about once a second; profilers do it as well. When a signal was delivered is not recorded, but its handler's
 * last call is. So the calls around that, with hardly any time between them, belong to the handler, or to work that the
 * runtime gave the thread because of the signal. Calls that move data or may wait for a peer never belong to it: a
 * handler may also serve clients.
 */
#ifndef SCOPE_UNIT_HANDLERS_H
#define SCOPE_UNIT_HANDLERS_H

#include "timeline/take.h"

/* On a CPU, between two calls of one interruption: a context switch and a fault or two. */
#define SCOPE_HANDLERS_GAP_NS 100000
#define SCOPE_HANDLERS_CALLS 16 /* a thread that makes more in a row works by itself */

/* A thread's times since its last call, updated when it leaves a processor, because calls are much more frequent. */
struct scope_quiet {
	uint64_t run_ns;
	uint64_t asleep_before_ns;     /* its account of sleeps as the call returned */
	uint64_t left_ns, left_run_ns; /* when it last left a processor, and its account of running then */
};

/* Of one thread. */
struct scope_handlers {
	bool any; /* a handler has returned in it: the rest is kept since then */
	bool handler; /* one has returned in the last calls, between which the thread ran for less than SCOPE_HANDLERS_GAP_NS … */
	uint32_t calls;		  /* … the number of these; SCOPE_HANDLERS_OWN and more: one of them was its own */
	uint64_t queue_ns;	  /* its account of waits for a CPU as the last one returned */
	uint64_t since_ns;	  /* return of the last call that was its own … */
	struct scope_quiet quiet; /* … since then … */
	uint32_t signals;	  /* … and how often handlers have interrupted it since */
};

#define SCOPE_HANDLERS_OWN (1u << 16) /* no rule: more than any number of calls */

/* Calls that a handler, or a runtime in its place, makes about nothing but the thread itself. */
#define SCOPE_HANDLERS_ROLES                                                                                           \
	(1u << SCOPE_CALL_PLAIN | 1u << SCOPE_CALL_FUTEX | 1u << SCOPE_CALL_YIELD | 1u << SCOPE_CALL_PICK |            \
	 1u << SCOPE_CALL_HANDLED)

/* Brings it up to now_ns, as the thread leaves or the window ends; exit_ns: the last call's return, 0: none. */
static inline void scope_unit_quiet_count(struct scope_quiet *quiet, const struct scope_thread *thread,
					  uint64_t exit_ns, uint64_t now_ns)
{
	const uint64_t ran_ns = thread->account.run_ns - quiet->left_run_ns;

	if (exit_ns > quiet->left_ns) {
		/* The thread has not left since the return, so it was on the processor all that time. */
		quiet->run_ns = ran_ns < now_ns - exit_ns ? ran_ns : now_ns - exit_ns;
		quiet->asleep_before_ns = thread->account.asleep_ns;
	} else {
		quiet->run_ns += ran_ns;
	}
	quiet->left_ns = now_ns;
	quiet->left_run_ns = thread->account.run_ns;
}

/* True if the last calls are an interruption. */
static inline bool scope_unit_handlers_last(const struct scope_handlers *handlers)
{
	return handlers->handler && handlers->calls <= SCOPE_HANDLERS_CALLS;
}

/*
 * A call of a thread with handlers->any returns. before_ns: return of the call before, after which the thread's times are `quiet`; they
 * are as old as the last time it left a processor.
 */
void scope_unit_handlers_call(struct scope_handlers *handlers, const struct scope_quiet *quiet,
			      const struct scope_thread *thread, enum scope_timeline_call_role role, uint64_t enter_ns,
			      uint64_t before_ns);
/* A handler's last call was entered. It may never return, or its return may have come first, as that of no known call. */
void scope_unit_handlers_ended(struct scope_handlers *handlers, const struct scope_quiet *quiet, uint64_t enter_ns,
			       uint64_t before_ns);

#endif
