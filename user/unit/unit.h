/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execution units: the stretches of a thread's work that are compared with one another.
 *
 * Two granularities. Request units run from the return of the call that picks up work to the entry
 * of the next pick-up, across switches; waiting for work belongs to none. Threads that pick up
 * nothing have switch-bounded units (PerfScope, Dean et al., SoCC 2014, section 3): cut where a
 * call that blocked returns, at every preemption, and at a gap between calls above the thread's own
 * 99th percentile.
 */
#ifndef SCOPE_UNIT_UNIT_H
#define SCOPE_UNIT_UNIT_H

#include "cluster/vector.h"
#include "timeline/timeline.h"
#include "unit/pickup.h"

enum scope_granularity {
	SCOPE_UNIT_REQUEST,
	SCOPE_UNIT_SWITCH,
	SCOPE_GRANULARITIES,
};

/* How often a unit made one call, and how long it took in all. */
struct scope_unit_call {
	uint16_t nr;
	uint16_t count; /* 65,535 stands for that many or more */
	uint32_t us;
};

/* Times in ns. wall = run + taking stacks + queue + the sum of blocked + what a loss hid. */
struct scope_unit {
	uint64_t begin_ns, end_ns;
	uint64_t run_ns; /* without what the tracer took to take stacks */
	uint64_t queue_ns;
	uint64_t bytes;	     /* read and written by calls */
	uint64_t blocked_ns; /* all classes but timer for switch-bounded units */
	uint32_t thread;     /* index */
	uint32_t group;
	uint32_t vector;     /* id in its group's set of vectors */
	uint32_t call;	     /* first of its calls in scope_units.call */
	uint16_t calls;	     /* different numbers */
	uint8_t granularity;
	bool open;	     /* it had not ended when the window did */
};

/* Threads of one name (digits and punctuation at its end left out) at one granularity. */
struct scope_group {
	char name[SCOPE_COMM_BYTES];
	uint8_t granularity;
	struct scope_vector_set *vectors;
	uint32_t threads;
	uint32_t units;
};

struct scope_units {
	struct scope_unit *unit;
	size_t count, capacity;
	struct scope_unit_call *call;
	size_t calls, call_capacity;
	struct scope_group *group;
	size_t groups, group_capacity;
	struct scope_wait *wait; /* sleeps inside units of at least wait_min_ns, in order of time */
	size_t waits, wait_capacity;
	uint64_t wait_min_ns;
	uint64_t discarded; /* units cut by a loss */
	uint64_t stacks;    /* in the trace, of any kind */
	struct scope_timeline *timeline; /* as it stands at the window's end */
	/* Per thread, by index: its group, its unit still open (or SIZE_MAX). */
	struct scope_unit_thread *thread;
	size_t threads, thread_capacity;
};

struct scope_unit_thread {
	uint32_t group; /* UINT32_MAX: none yet */
	size_t open_unit;
	uint64_t idle_ns;	/* in pick-ups, waiting for work */
	uint64_t last_call_ns;	/* last return of a call; 0: it made none */
};

/* Runs through the trace and builds the units of every thread. */
int scope_units_build(struct scope_trace *trace, const struct scope_pickups *pickups,
		      struct scope_units **ret_units);
void scope_units_destroy(struct scope_units *units);

static inline uint64_t scope_unit_wall(const struct scope_unit *unit)
{
	return unit->end_ns - unit->begin_ns;
}

#endif
