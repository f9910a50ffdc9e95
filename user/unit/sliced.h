/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ended waits in slices (timeline/slices.h), and the thread that ended each.
 *
 * A slice that timed out is reported before the thread waited for is known. This adds it
 * afterwards.
 */
#ifndef SCOPE_UNIT_SLICED_H
#define SCOPE_UNIT_SLICED_H

#include "timeline/thread.h"

#define SCOPE_SLICED_MAX 500000 /* only the first ones are kept, to bound memory */

/* The slices that timed out: from the begin of the first to that of the one that the waker ended. ns. */
struct scope_sliced_wait {
	uint64_t begin_ns, end_ns;
	uint32_t waker_tid;
	int32_t waker; /* as of struct scope_wait, and a thread */
};

/* Of one thread, by time; they do not overlap. */
struct scope_sliced_thread {
	struct scope_sliced_wait *wait;
	size_t waits, capacity;
};

/* A zeroed struct holds none. */
struct scope_sliced {
	struct scope_sliced_thread *thread; /* by index */
	size_t threads, capacity;
	size_t waits; /* of all */
};

void scope_unit_sliced_free(struct scope_sliced *sliced);
/* Adds a reported sleep; those of a thread come in order of time. 0 or -ENOMEM. */
int scope_unit_sliced_note(struct scope_sliced *sliced, const struct scope_wait *wait);
/* The wait of which a timed-out slice contains that time, or NULL. */
const struct scope_sliced_wait *scope_unit_sliced_at(const struct scope_sliced *sliced, uint32_t thread,
						     uint64_t time_ns);

#endif
