/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spins made of calls: rounds in which a thread asks the kernel for something, and gets nothing.
 *
 * A poll that returns at once, a read that brings no byte, an accept that fails, a call that only lets others run: each is in vain
 * until bytes are sent to or received from a peer, a client is accepted or the thread sleeps for
 * some time. A loop at work has few of them in a row. The code for every call is here, to be
 * inlined into the code that takes events (timeline/take.h).
 */
#ifndef SCOPE_UNIT_SPIN_H
#define SCOPE_UNIT_SPIN_H

#include "timeline/take.h"

#define SCOPE_SPIN_VAIN 10	    /* calls in a row that are in vain: a loop at work makes fewer */
#define SCOPE_SPIN_SLEEP_NS 1000000 /* a sleep as long gives the CPU to others */
/* without progress: a thread that polls instead of sleeping has some sooner, if requests come */
#define SCOPE_SPIN_MIN_NS 1000000
#define SCOPE_SPIN_GAP_NS 1000000000 /* of something else between two: they are two spins */

/* From the first round in vain to the last, with the few other calls between. */
struct scope_spin {
	uint64_t from_ns, until_ns;
	uint64_t busy_ns; /* of these rounds, on a CPU or in the run queue; 0: there was no spin */
	uint64_t rounds;  /* polls and sched_yield(), or the other calls where there are none */
	uint16_t poll_nr; /* of these; SCOPE_NR_NONE: none */
	uint16_t nr;	  /* the other call in vain, SCOPE_NR_NONE: only polls were */
	int32_t ret;	  /* of it */
	int32_t fd;	  /* its first argument, -1: not known */
};

/* Of one thread. */
struct scope_spinning {
	uint32_t vain;	/* calls in a row */
	uint32_t polls; /* of them, since SCOPE_SPIN_VAIN; as the next: */
	uint16_t poll_nr, nr;
	int32_t ret, fd;
	uint64_t begin_ns, begin_busy_ns; /* where vain reached SCOPE_SPIN_VAIN */
	struct scope_spin last, longest;
};

/* A call that returned. */
struct scope_spin_call {
	enum scope_timeline_call_role role;
	uint16_t nr;
	bool args; /* fd is known */
	int32_t fd;
	int64_t ret;
};

/* Roles of calls that ask for something. */
#define SCOPE_SPIN_ROLES                                                                                               \
	(1u << SCOPE_CALL_READ | 1u << SCOPE_CALL_WRITE | 1u << SCOPE_CALL_ACCEPT | 1u << SCOPE_CALL_CONNECT |         \
	 1u << SCOPE_CALL_POLL | 1u << SCOPE_CALL_YIELD)
/* Those of plain calls (timeline/timeline.h). */
#define SCOPE_SPIN_PLAIN_ROLES                                                                                         \
	(1u << SCOPE_CALL_READ | 1u << SCOPE_CALL_WRITE | 1u << SCOPE_CALL_CONNECT | 1u << SCOPE_CALL_YIELD)

/* Of a call that scope_unit_spin_easy() does not settle. */
void scope_unit_spin_judge(struct scope_spinning *spinning, struct scope_fds *fds, const struct scope_thread *thread,
			   const struct scope_spin_call *call, uint64_t now_ns);
/* A call had a result, or the thread slept or ended; now_ns: end of the rounds. */
void scope_unit_spin_end(struct scope_spinning *spinning, const struct scope_thread *thread, uint64_t now_ns);
/*
 * Events were lost, in which there may have been a result: the rounds end with the last known call. If as many are in vain
 * right after, these belong to the same spin.
 */
void scope_unit_spin_cut(struct scope_spinning *spinning, const struct scope_thread *thread, uint64_t last_ns,
			 uint64_t now_ns);

/*
 * The return of a call of SCOPE_SPIN_ROLES. Nearly always too few were in vain for a closer check:
 * here the end of a file counts as in vain, and a write does not count.
 */
SCOPE_TAKE bool scope_unit_spin_easy(struct scope_spinning *spinning, enum scope_timeline_call_role role, int64_t ret)
{
	if (spinning->vain >= SCOPE_SPIN_VAIN - 1)
		return false;
	if (role == SCOPE_CALL_POLL || ret < 0 || (ret == 0 && role != SCOPE_CALL_ACCEPT))
		spinning->vain++;
	else if (role != SCOPE_CALL_WRITE)
		spinning->vain = 0;
	return true;
}

/* True if this can be left to later calls: a plain call (timeline/timeline.h) with a result, after few in vain. */
static inline bool scope_unit_spin_waits(const struct scope_spinning *spinning, int64_t ret)
{
	return ret > 0 && spinning->vain < SCOPE_SPIN_VAIN - 1;
}

#define SCOPE_SPIN_JUDGE(spinning, fds, thread, source, which, result, now)                                            \
	scope_unit_spin_judge(spinning, fds, thread,                                                                   \
			      &(struct scope_spin_call){ which, (source)->nr, (source)->args > 0,                      \
							 (int32_t)(source)->arg[0], result },                          \
			      now)

#endif
