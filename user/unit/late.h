/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about a sleep that are known only after it was reported: which thread ended it, for which socket it was, or if it
 * was in the middle of a request.
 *
 * A slice (timeline/slices.h) that timed out is reported before the thread waited for is known. A poll does not say for
 * which descriptor it waits: if the thread's next call reads from a socket that its process connected, it waited for the
 * peer there. Clients with a time limit wait this way: those of databases, of HTTP, the JVM's sockets, Python's.
 */
#ifndef SCOPE_UNIT_LATE_H
#define SCOPE_UNIT_LATE_H

#include "timeline/thread.h"

#define SCOPE_LATE_MAX 500000 /* only the first ones are kept, to bound memory */

enum scope_late_place {
	SCOPE_LATE_SAME, /* as it was reported */
	SCOPE_LATE_INSIDE, /* in the middle of a request, and was reported as outside of one (unit/inner_wait.h, unit/rest.h) */
	SCOPE_LATE_OUTSIDE, /* the other way round (unit/rest.h) */
};

/* Sleeps that begin from begin_ns on, and before end_ns. ns. */
struct scope_late_wait {
	uint64_t begin_ns, end_ns;
	uint32_t waker_tid;
	int32_t waker; /* as of struct scope_wait; SCOPE_WAIT_NO_THREAD: in a poll, for: */
	int32_t fd;
	uint8_t place; /* enum scope_late_place; but SAME: that alone is known */
};

/* Of one thread, by time; they do not overlap. */
struct scope_late_thread {
	struct scope_late_wait *wait;
	size_t waits, capacity;
};

/* A zeroed struct holds none. */
struct scope_late {
	struct scope_late_thread *thread; /* by index */
	size_t threads, capacity;
	size_t waits; /* of all */
};

void scope_unit_late_free(struct scope_late *late);
/* Those of a thread come in order of time. 0 or -ENOMEM. */
int scope_unit_late_add(struct scope_late *late, uint32_t thread, const struct scope_late_wait *wait);
/* The same of the slices that a reported sleep ended, if it did. */
int scope_unit_late_slices(struct scope_late *late, const struct scope_wait *wait);
/* What is known of the sleep of that thread which contains that time, or NULL. */
const struct scope_late_wait *scope_unit_late_at(const struct scope_late *late, uint32_t thread, uint64_t time_ns);

#endif
