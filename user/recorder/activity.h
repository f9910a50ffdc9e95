/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows the present state of a target's threads, from its sub-buffers while they come, for triggers.
 *
 * Sub-buffers are kept until all CPUs were flushed, and then read in order of time. Memory is bounded: at most 32 MiB
 * of sub-buffers (with more, some are read too early, and the order between CPUs may be wrong), and SCOPE_LIVE_THREADS
 * threads; further threads are ignored.
 */
#ifndef SCOPE_RECORDER_ACTIVITY_H
#define SCOPE_RECORDER_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>

#include "base/sketch.h"

#define SCOPE_LIVE_THREADS 16384
#define SCOPE_LIVE_LONG_QUEUE_NS 500000 /* a wait for a CPU, as in unit/distribution.h */

struct scope_recorder_activity;

/* Since the last scope_recorder_activity_period(). Times in ns. */
struct scope_recorder_activity_period {
	uint64_t run_ns, queue_ns; /* of all threads: on a CPU; runnable and waiting for one */
	uint64_t taken_ns;	   /* of queue_ns: long waits while no thread that is followed had that CPU … */
	uint64_t taken_since_ns;   /* … when the first of them began; 0: there is none … */
	uint32_t taken;		   /* … their number */
	uint64_t longest_unit_ns;  /* that ended */
	uint32_t unit_tid;
	uint32_t call[SCOPE_SYSCALL_MAX]; /* returned, by number */
};

/*
 * Moves the times of the units that ended since the last call, in ns, into the sketch, which is empty before. If
 * memory was short, some are missing.
 */
void scope_recorder_activity_units(struct scope_recorder_activity *live, struct scope_sketch *to);

/* A thread that waits, or runs, without an end. */
struct scope_live_hang {
	uint32_t tid;
	uint16_t nr; /* SCOPE_NR_NONE: it runs and makes no call */
	uint64_t for_ns;
};

/*
 * Returns true if some thread with HANG_CALLS calls or more is silent: it has begun and ended no call for limit_ns, and
 * for twice as long as ever before (earlier silences count half after 15 s). The reason of its wait does not matter, so
 * it may only have no work. Threads that are silent for until_ns or longer do not count.
 */
bool scope_recorder_activity_silent(const struct scope_recorder_activity *live, uint64_t now_ns, uint64_t limit_ns,
				    uint64_t until_ns, struct scope_live_hang *ret_silent);

/* 0 or -ENOMEM. */
int scope_recorder_activity_create(struct scope_recorder_activity **ret_live);
void scope_recorder_activity_destroy(struct scope_recorder_activity *live); /* NULL is fine */

void scope_recorder_activity_take(struct scope_recorder_activity *live, const struct scope_subbuf *subbuf);

/* Call it when all events up to some time were taken: reads them in order. */
void scope_recorder_activity_settle(struct scope_recorder_activity *live);

/* Ends the current period, returns it and begins the next one. Borrowed until the next call. */
const struct scope_recorder_activity_period *scope_recorder_activity_period(struct scope_recorder_activity *live);

/*
 * The time of the longest unit open at now_ns: a thread's work since it returned from waiting for
 * work (epoll, poll, select, accept). 0: none.
 */
uint64_t scope_recorder_activity_open_unit(const struct scope_recorder_activity *live, uint64_t now_ns,
					   uint32_t *ret_tid);

/*
 * Returns true if some thread hangs for at least limit_ns. Such a thread is in a call in which threads do not wait for
 * work, or in a futex that is a lock, and all its earlier calls that blocked took less than half as long; or it ran all
 * the time and made no call. Only threads that made HANG_CALLS calls before are considered.
 */
bool scope_recorder_activity_find_hang(const struct scope_recorder_activity *live, uint64_t now_ns, uint64_t limit_ns,
				       struct scope_live_hang *ret_hang);

#endif
