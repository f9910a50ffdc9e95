/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How each thread picks up work, learned from its own trace.
 *
 * A read on an accepted socket and an accept always are pick-ups. Beside them a thread has at most
 * one top-of-loop wait: its epoll, else its poll or select, else (where it reads no accepted
 * socket) the wait it comes back to most often: a futex that is not a lock, a queue, a pipe, a
 * sleep. A read on a connection the program opened itself, and a lock, are never pick-ups.
 */
#ifndef SCOPE_UNIT_PICKUP_H
#define SCOPE_UNIT_PICKUP_H

#include "timeline/timeline.h"

struct scope_pickup {
	bool reads;	  /* takes requests from accepted sockets */
	uint16_t nr;	  /* top-of-loop wait, SCOPE_NR_NONE where there is none */
	bool any_object;  /* whatever its first argument */
	uint64_t object;
	uint64_t gap_ns;  /* 99th percentile of the time between two calls; 0: too few calls */
};

enum scope_pickup_match {
	SCOPE_PICKUP_NO,
	SCOPE_PICKUP_READ, /* picks up work only if it returns some */
	SCOPE_PICKUP_LOOP, /* the thread is idle from its entry on */
};

struct scope_pickups;

/* Runs once through the trace. Threads are numbered as every later run will number them. */
int scope_pickups_learn(struct scope_trace *trace, struct scope_pickups **ret_pickups);
void scope_pickups_destroy(struct scope_pickups *pickups);

size_t scope_pickups_threads(const struct scope_pickups *pickups);
/* NULL for a thread the learning did not meet. */
const struct scope_pickup *scope_pickups_of(const struct scope_pickups *pickups, uint32_t thread);
/* The name it had at last; thread is below the number of threads. */
const char *scope_pickups_comm(const struct scope_pickups *pickups, uint32_t thread);
/* Does the thread take work at all, so that it has request units? */
bool scope_pickup_any(const struct scope_pickup *pickup);
enum scope_pickup_match scope_pickup_match(const struct scope_pickup *pickup,
					   const struct scope_open_call *call,
					   enum scope_fd_kind fd);

#endif
