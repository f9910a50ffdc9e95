/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a thread waited for a CPU, itself or through the thread that it waited for.
 *
 * Blame follows the wait (methods: wPerf, Zhou et al., OSDI 2018, section 3): the one that waits for a
 * thread that is in the run queue waits for a CPU. The last SCOPE_WAKER_QUEUE_RECENT stretches of each
 * thread are remembered, so what is told of a sleep is never too much, and too little where many
 * stretches fell into it.
 */
#ifndef SCOPE_TIMELINE_WAKER_QUEUE_H
#define SCOPE_TIMELINE_WAKER_QUEUE_H

#include <stdint.h>

#define SCOPE_WAKER_QUEUE_RECENT 256
#define SCOPE_WAKER_QUEUE_MIN_NS 20000 /* shorter stretches are every wake-up's */

struct scope_waker_queue_stretch {
	uint64_t begin_ns, end_ns;
};

/* A ring, in order of time; stretches do not overlap. A zeroed struct holds none. */
struct scope_waker_queue {
	struct scope_waker_queue_stretch *stretch;
	uint32_t first, count, capacity;
};

void scope_timeline_waker_queue_free(struct scope_waker_queue *waker_queue);
/* Behind all that is there. 0 or -ENOMEM. */
int scope_timeline_waker_queue_add(struct scope_waker_queue *waker_queue, uint64_t begin_ns, uint64_t end_ns);
/*
 * A thread slept from begin to end, in slices perhaps, when waker ended it: what waker's stretches have in common
 * with that, and the sleeper's own do not hold, becomes the sleeper's own where it is behind those. ret_ns: how long
 * all of it is, at most end - begin. 0 or -ENOMEM.
 */
int scope_timeline_waker_queue_propagate(struct scope_waker_queue *sleeper, const struct scope_waker_queue *waker,
					 uint64_t begin_ns, uint64_t end_ns, uint64_t *ret_ns);

#endif
