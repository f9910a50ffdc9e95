/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Splits a wait by its cause: for each part, the thread that ran, or the cause outside the traced threads.
 *
 * Blame follows the wait (wPerf, Zhou et al., OSDI 2018, section 3), with conserved weight: the window of a wait
 * is split by what the thread that ended it did in that time. The time that thread slept is split in the same
 * way by its own waker. Parts do not overlap and sum up to the window, so no time is counted twice or lost. In a
 * circle of waits the walk ends.
 */
#ifndef SCOPE_WAITS_CASCADE_H
#define SCOPE_WAITS_CASCADE_H

#include "waits/history.h"

#define SCOPE_CASCADE_DEPTH 32 /* no rule: waits nested in one another */

/* The cause of a part of a wait. */
enum scope_end {
	SCOPE_END_RUNS,	   /* the thread ran */
	SCOPE_END_QUEUE,   /* it was in the run queue */
	SCOPE_END_OWN,	   /* it was in the run queue, and traced threads had the CPU */
	SCOPE_END_OUTSIDE, /* it slept, and an interrupt woke it: a disk, a peer, a timer, by class */
	SCOPE_END_PROCESS, /* it slept, and a thread that is not traced woke it */
	SCOPE_END_CIRCLE,  /* it slept for a thread that waits itself, in the same chain */
	SCOPE_END_UNSEEN,  /* its state at that time is not known, or not kept any more */
	SCOPE_END_LEFT,	   /* no more steps were allowed */
	SCOPE_ENDS,
};

struct scope_part {
	uint64_t begin_ns, end_ns;
	uint32_t thread; /* the one that ran, queued or slept */
	uint8_t end;	 /* enum scope_end */
	uint8_t class;	 /* enum scope_wait_class of its sleep; 0 if it did not sleep */
	bool idle;	 /* it slept, and waited for work */
	uint32_t tid;	 /* untraced thread that had the CPU (QUEUE) or woke it (PROCESS); 0: none, or not known */
	uint32_t fd;	 /* OUTSIDE, for a peer or a disk: the descriptor + 1; 0: none, or not known */
	uint32_t node;	 /* the listener's node of the chain */
};

struct scope_cascade_listener {
	/* The chain continues from node to the waker of the sleep. Returns the waker's node. */
	uint32_t (*follow)(void *user, uint32_t node, const struct scope_stay *sleep);
	/* Parts come latest first; none is empty. */
	int (*part)(void *user, const struct scope_part *part);
	unsigned steps; /* the most stretches to examine: the rest, which is the earliest, is SCOPE_END_LEFT */
	void *user;
};

/*
 * Splits the sleep of a thread (begin to end, ns). node: the listener's node of the thread itself.
 * ret_steps: stretches examined. 0, or what part returned.
 */
int scope_waits_cascade_run(const struct scope_history *history, uint32_t thread, const struct scope_stay *sleep,
			    uint32_t node, const struct scope_cascade_listener *listener, unsigned *ret_steps);

/* The same for all that a thread did between two times; its sleeps are split by their causes. */
int scope_waits_cascade_span(const struct scope_history *history, uint32_t thread, uint64_t begin_ns, uint64_t end_ns,
			     uint32_t node, const struct scope_cascade_listener *listener, unsigned *ret_steps);

#endif
