/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds when a thread waited for a CPU, itself or through the thread that it waited for.
 *
 * Blame follows the wait (methods: wPerf, Zhou et al., OSDI 2018, section 3): a thread that waits
 * for a thread in the run queue waits for a CPU. The last SCOPE_WAKER_QUEUE_RECENT stretches of
 * each thread are kept, so the result for a sleep is never too large, and too small if many
 * stretches were in it.
 */
#ifndef SCOPE_TIMELINE_WAKER_QUEUE_H
#define SCOPE_TIMELINE_WAKER_QUEUE_H

#include <stdint.h>

#define SCOPE_WAKER_QUEUE_RECENT 256
#define SCOPE_WAKER_QUEUE_MIN_NS 20000 /* shorter stretches come with every wakeup */

struct scope_waker_queue_stretch {
	uint64_t begin_ns, end_ns;
};

/* A ring, in order of time; stretches do not overlap. A zeroed struct holds none. */
struct scope_waker_queue {
	struct scope_waker_queue_stretch *stretch;
	uint32_t first, count, capacity;
};

void scope_timeline_waker_queue_free(struct scope_waker_queue *waker_queue);
/* Appends a stretch. 0 or -ENOMEM. */
int scope_timeline_waker_queue_add(struct scope_waker_queue *waker_queue, uint64_t begin_ns, uint64_t end_ns);
/*
 * A thread slept from begin to end, perhaps in slices, until waker ended it. The parts of waker's
 * stretches in this time that are in none of the sleeper's stretches are appended to the sleeper's,
 * if they are later than those. ret_ns: their total length, at most end - begin. 0 or -ENOMEM.
 */
int scope_timeline_waker_queue_propagate(struct scope_waker_queue *sleeper, const struct scope_waker_queue *waker,
					 uint64_t begin_ns, uint64_t end_ns, uint64_t *ret_ns);

#endif
