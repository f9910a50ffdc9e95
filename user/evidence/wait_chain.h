/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads abnormal units waited for, and when.
 *
 * Told every sleep as it ends, it remembers the last SCOPE_WAIT_CHAIN_RECENT of each thread: those that a
 * unit slept in, and those its wakers slept in meanwhile, are over when the unit ends.
 */
#ifndef SCOPE_EVIDENCE_WAIT_CHAIN_H
#define SCOPE_EVIDENCE_WAIT_CHAIN_H

#include "unit/unit.h"

#define SCOPE_WAIT_CHAIN_DEPTH 5
#define SCOPE_WAIT_CHAIN_RECENT 1024

/* A stretch in which a unit waited for a thread. */
struct scope_wait_segment {
	uint64_t begin_ns, end_ns;
	double weight_ns;
	double idle_ns;			     /* of it, the thread waited for its own client … */
	uint64_t idle_begin_ns, idle_end_ns; /* … the longest time from here to there */
	uint64_t object;
	uint32_t thread; /* the one waited for */
	uint32_t unit;	 /* the one that waited */
	uint16_t nr;	 /* the call it slept in */
	bool lock;
	uint8_t depth;
};

/* The last sleeps of one thread, a ring. */
struct scope_recent {
	struct scope_wait *wait;
	uint32_t first, count, capacity;
	double idle_ns; /* that abnormal units waited for it while it waited for its own client */
};

struct scope_wait_chains {
	struct scope_wait_segment *window;
	size_t windows, capacity;
	struct scope_recent *recent; /* per thread */
	size_t threads, recent_capacity;
	double stands_for;  /* units, of the one looked at */
	double idle_units;  /* abnormal units that waited for a thread which waited for its own client */
	bool idle;	    /* the one looked at does */
	uint64_t passed_ns; /* that one slept for other traced threads, without what was a wait for a CPU */
};

/* A zeroed struct holds nothing. */
void scope_evidence_wait_chains_free(struct scope_wait_chains *wait_chains);
int scope_evidence_wait_chains_wait(struct scope_wait_chains *wait_chains, const struct scope_wait *wait);
/* The windows of a unit that has just ended, of which number is the name in them, and so many like it. */
int scope_evidence_wait_chains_unit(struct scope_wait_chains *wait_chains, const struct scope_unit *unit,
				    uint32_t number, double stands_for);
/* Of that unit, looked at just before: would it be usual, had it not waited for other threads? */
static inline bool scope_evidence_wait_chains_held_up(const struct scope_wait_chains *wait_chains, double threshold_ns,
						      const struct scope_unit *unit)
{
	return (double)scope_unit_measure(unit) - (double)wait_chains->passed_ns <= threshold_ns;
}

/* Once, when all units are in: sorts windows by thread, then by time. */
void scope_evidence_wait_chains_sort(struct scope_wait_chains *wait_chains);

#endif
