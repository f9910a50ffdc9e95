/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execution units: the pieces of a thread's work that are compared with one another.
 *
 * Two granularities. Request units run from the return of the call that picks up work to the entry
 * of the next pick-up, across switches; waiting for work belongs to no unit. Units that took a
 * client's request are requests as the client counts them. Threads that pick up nothing have
 * switch-bounded units (PerfScope, Dean et al., SoCC 2014, section 3): cut where a call that
 * blocked returns, at every preemption, and at a gap between calls above the thread's own 99th
 * percentile.
 */
#ifndef SCOPE_UNIT_UNIT_H
#define SCOPE_UNIT_UNIT_H

#include "cluster/cluster.h"
#include "timeline/timeline.h"
#include "unit/group.h"
#include "unit/late.h"

#define SCOPE_UNIT_CALLS 64 /* different call numbers that are counted inside one unit */

/* How often a unit made one call. */
struct scope_unit_call {
	uint16_t nr;
	uint16_t count; /* 65,535 stands for that many or more */
};

#define SCOPE_REQUEST_SEVERAL 255u /* no rule: it took requests of different kinds */
#define SCOPE_HISTOGRAM_NONE UINT32_MAX
#define SCOPE_UNIT_ASKED_MAX 63 /* no rule: what the log of units has room for */

/* What a thread did in a time. */
struct scope_unit_part {
	uint64_t begin_ns, end_ns;
	uint32_t thread; /* index */
};

/* Of a request that was held (unit/held_request.h): what was before its last unit. */
struct scope_unit_earlier {
	struct scope_unit_part part; /* its first unit, whose times are in those of the last one */
	uint64_t task_ns;	     /* for which it then waited outside of any thread, … */
	uint64_t loop_ns;	     /* … and while its event loop was busy with others, or without a CPU */
	uint64_t object; /* of SCOPE_WAIT_NETWORK: the descriptor waited for, or its peer as struct scope_wait has it */
	int32_t waker;	 /* index of the traced thread that ended the wait, or SCOPE_WAIT_NO_THREAD */
	uint8_t class;	 /* enum scope_wait_class of the wait */
};

/*
 * Times in ns. wall = run + taking stacks + queue + the sum of blocked + earlier->loop_ns + time hidden by losses. A
 * wait for a traced thread that was in the run queue is a wait for a CPU.
 */
struct scope_unit {
	uint64_t begin_ns, end_ns;
	uint64_t run_ns;     /* without the time the tracer took for stacks */
	uint64_t queue_ns;   /* itself, or the thread it waited for (timeline/waker_queue.h) */
	uint64_t bytes;	     /* read and written by calls */
	uint64_t blocked_ns; /* all classes but timer for switch-bounded units; with earlier->task_ns */
	const struct scope_unit_earlier *earlier; /* NULL: nothing; as long as the unit is valid */
	uint32_t thread;			  /* index */
	uint32_t group;
	uint32_t vector;    /* id in its group's set of vectors */
	uint32_t histogram; /* number of its list of calls (unit/histogram.h), or SCOPE_HISTOGRAM_NONE */
	uint32_t call;	    /* first of its calls in scope_units.call, which units with one call histogram share */
	uint32_t connection; /* of its client: number of its accept, from 1 on; 0: none that was accepted in the window */
	uint16_t calls;	     /* different numbers */
	uint8_t granularity;
	uint8_t request; /* the kind of its request, from 1 on; 0: not known; SCOPE_REQUEST_SEVERAL */
	bool open;	 /* it had not ended when the window did */
	bool first;	 /* it took the first request of its connection, which was accepted in the window */
	uint8_t asked; /* clients' requests taken in it: one, or as many as datagrams were read, up to SCOPE_UNIT_ASKED_MAX */
};

/* A stack, and the call after which it was taken. */
struct scope_unit_stack {
	uint32_t thread;
	bool stopped_stack; /* of a thread as a STATE record found it */
	bool propagated; /* the last sleep in the call was ended by another thread, a traced one or one that is not known */
	uint16_t nr;
	uint8_t class; /* of that sleep */
	uint64_t enter_ns, exit_ns;
	uint64_t wake_ns;  /* of that sleep */
	uint64_t slept_ns; /* in the call, without waits for a CPU */
};

struct scope_logged_stack;

/* The sink gets units as they end, and sleeps inside them. A negative return ends the run. */
struct scope_unit_sink {
	/* NULL, or called to decide about all threads up to this one before anything is reported of it. */
	int (*meet)(void *user, uint32_t thread);
	/*
	 * May be NULL for the replay of a log. The pointers are valid only during the call; vector and call of the
	 * unit are unset, histogram is SCOPE_HISTOGRAM_NONE if it is not known yet.
	 */
	int (*unit)(void *user, struct scope_unit *unit, const struct scope_unit_call *call);
	/*
	 * May be NULL. Sleeps of SCOPE_UNIT_WAIT_MIN_NS or more in the order they end. Sleeps of
	 * SCOPE_UNIT_IDLE_MIN_NS or more outside units, of threads that read from clients, come
	 * with the next sleep or pick-up. Times in the run queue of SCOPE_UNIT_WAIT_MIN_NS or more
	 * come before the sleep that they follow.
	 */
	int (*wait)(void *user, const struct scope_wait *wait);
	/* May be NULL. Stacks after a call that slept, samples, and stacks at start and stop. */
	int (*stack)(void *user, const struct scope_unit_stack *stack, const struct scope_event *event);
	/*
	 * May be NULL. A snapshot of a thread that ran (slept_ns is 0), or that slept in a call, which has ended by now; or of one
	 * that sleeps to the end (stopped_stack).
	 */
	int (*snapshot)(void *user, const struct scope_logged_stack *snapshot);
	/* May be NULL. */
	int (*state)(void *user, uint32_t thread, const struct scope_event *event);
	/* May be NULL. More is known of a sleep that was reported: unit/late.h. */
	int (*late)(void *user, uint32_t thread, const struct scope_late_wait *wait);
	void *user;
};

#define SCOPE_UNIT_WAIT_MIN_NS 20000   /* shorter sleeps explain no reportable excess */
#define SCOPE_UNIT_IDLE_MIN_NS 1000000 /* of a thread that waits for its next request */

/* Did a client's request begin it? Greetings, accepts, timers and other rounds of a loop are another kind of work. */
static inline unsigned scope_unit_took(const struct scope_unit *unit)
{
	return unit->asked > 0;
}

/*
 * One bit for each number that the unit called, without calls that do not characterise it. More bits than two units of one cluster differ
 * in say if it took a request, so no cluster has units of both kinds.
 */
static inline struct scope_vector scope_unit_vector(const struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct scope_vector vector = { { 0 } };

	for (uint32_t i = 0; scope_unit_took(unit) && i <= SCOPE_CLUSTER_CUT; i++)
		scope_cluster_vector_mark(&vector, SCOPE_VECTOR_BITS - 1 - i);
	for (unsigned i = 0; i < unit->calls; i++)
		if (!scope_timeline_call_ignored(call[i].nr))
			scope_cluster_vector_mark(&vector, call[i].nr);
	return vector;
}

/* The same, of the unit's vector. */
static inline bool scope_unit_vector_took(const struct scope_vector *vector)
{
	return scope_cluster_vector_has(vector, SCOPE_VECTOR_BITS - 1);
}

/* For which its request had waited before, outside of any thread. ns. */
static inline uint64_t scope_unit_task_ns(const struct scope_unit *unit)
{
	return unit->earlier ? unit->earlier->task_ns : 0;
}

static inline uint64_t scope_unit_wall(const struct scope_unit *unit)
{
	const struct scope_unit_earlier *earlier = unit->earlier;
	const uint64_t before_ns = earlier ? earlier->part.end_ns - earlier->part.begin_ns + earlier->loop_ns : 0;

	return unit->end_ns - unit->begin_ns + scope_unit_task_ns(unit) + before_ns;
}

static inline bool scope_unit_part_holds(const struct scope_unit_part *part, uint32_t thread, uint64_t time_ns)
{
	return thread == part->thread && time_ns >= part->begin_ns && time_ns <= part->end_ns;
}

/* True if the thread worked for the unit then, or had done so before the unit's request was held. */
static inline bool scope_unit_holds(const struct scope_unit *unit, uint32_t thread, uint64_t time_ns)
{
	const struct scope_unit_part own = { unit->begin_ns, unit->end_ns, unit->thread };

	return scope_unit_part_holds(&own, thread, time_ns) ||
	       (unit->earlier && scope_unit_part_holds(&unit->earlier->part, thread, time_ns));
}

/* The measure by which units are compared, ns: without waits for a CPU, which are not the thread's fault. */
static inline uint64_t scope_unit_measure(const struct scope_unit *unit)
{
	return unit->run_ns + unit->blocked_ns;
}

#endif
