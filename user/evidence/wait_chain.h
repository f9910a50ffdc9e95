/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the threads that abnormal units waited for, and when.
 *
 * It gets every sleep as it ends, and keeps the last SCOPE_WAIT_CHAIN_RECENT of each thread. When a
 * unit ends, its own sleeps and the sleeps of its wakers within it have ended, too.
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
	double idle_ns;			     /* of it, the thread that was waited for waited for its own client … */
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
	double stands_for;	/* number of units like the current one */
	double idle_units;	/* abnormal units that waited for a thread which waited for its own client */
	bool idle;		/* the current one did */
	uint64_t propagated_ns; /* time it slept for other traced threads, without waits for a CPU */
};

/* A zeroed struct holds nothing. */
void scope_evidence_wait_chains_free(struct scope_wait_chains *wait_chains);
int scope_evidence_wait_chains_wait(struct scope_wait_chains *wait_chains, const struct scope_wait *wait);
/*
 * Adds the segments of a unit that has just ended; `number` identifies the unit in them, and it represents this many
 * units.
 */
int scope_evidence_wait_chains_unit(struct scope_wait_chains *wait_chains, const struct scope_unit *unit,
				    uint32_t number, double stands_for);
/* For the unit just added: true if it would be usual without its waits for other threads. */
static inline bool scope_evidence_wait_chains_held_up(const struct scope_wait_chains *wait_chains, double limit_ns,
						      const struct scope_unit *unit)
{
	return (double)scope_unit_measure(unit) - (double)wait_chains->propagated_ns <= limit_ns;
}

/* Call it once, after all units: sorts segments by thread, then by time. */
void scope_evidence_wait_chains_sort(struct scope_wait_chains *wait_chains);

#endif
