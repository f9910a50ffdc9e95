// SPDX-License-Identifier: GPL-2.0-only
/* Finds when a thread waited for a CPU, itself or through the thread that it waited for. */
#include "timeline/waker_queue.h"

#include <errno.h>
#include <stdlib.h>

#define CAPACITY_FIRST 8 /* no rule */

void scope_timeline_waker_queue_free(struct scope_waker_queue *waker_queue)
{
	free(waker_queue->stretch);
	*waker_queue = (struct scope_waker_queue){ 0 };
}

static struct scope_waker_queue_stretch *stretch_at(const struct scope_waker_queue *waker_queue, uint32_t at)
{
	return &waker_queue->stretch[(waker_queue->first + at) % waker_queue->capacity];
}

/* Doubles the ring, oldest first. */
static int grow(struct scope_waker_queue *waker_queue)
{
	uint32_t capacity = waker_queue->capacity ? 2 * waker_queue->capacity : CAPACITY_FIRST;
	struct scope_waker_queue_stretch *grown = calloc(capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	for (uint32_t i = 0; i < waker_queue->count; i++)
		grown[i] = *stretch_at(waker_queue, i);
	free(waker_queue->stretch);
	waker_queue->stretch = grown;
	waker_queue->first = 0;
	waker_queue->capacity = capacity;
	return 0;
}

int scope_timeline_waker_queue_add(struct scope_waker_queue *waker_queue, uint64_t begin_ns, uint64_t end_ns)
{
	if (end_ns < begin_ns + SCOPE_WAKER_QUEUE_MIN_NS)
		return 0;
	if (waker_queue->count == waker_queue->capacity && waker_queue->capacity < SCOPE_WAKER_QUEUE_RECENT &&
	    grow(waker_queue))
		return -ENOMEM;
	if (waker_queue->count == waker_queue->capacity) {
		waker_queue->first = (waker_queue->first + 1) % waker_queue->capacity;
		waker_queue->count--;
	}
	*stretch_at(waker_queue, waker_queue->count++) = (struct scope_waker_queue_stretch){ begin_ns, end_ns };
	return 0;
}

/* The first stretch that ended after time. */
static uint32_t first_after(const struct scope_waker_queue *waker_queue, uint64_t time_ns)
{
	uint32_t low = 0, high = waker_queue->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stretch_at(waker_queue, middle)->end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct scope_waker_queue_stretch common_of(struct scope_waker_queue_stretch stretch, uint64_t begin_ns,
						  uint64_t end_ns)
{
	return (struct scope_waker_queue_stretch){
		stretch.begin_ns > begin_ns ? stretch.begin_ns : begin_ns,
		stretch.end_ns < end_ns ? stretch.end_ns : end_ns,
	};
}

/* How much of the time from begin to end is in none of its stretches. */
static uint64_t free_between(const struct scope_waker_queue *waker_queue, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t free_ns = end_ns - begin_ns;

	for (uint32_t i = first_after(waker_queue, begin_ns); i < waker_queue->count; i++) {
		const struct scope_waker_queue_stretch own = common_of(*stretch_at(waker_queue, i), begin_ns, end_ns);

		if (own.begin_ns >= end_ns)
			break;
		free_ns -= own.end_ns - own.begin_ns;
	}
	return free_ns;
}

int scope_timeline_waker_queue_propagate(struct scope_waker_queue *sleeper, const struct scope_waker_queue *waker,
					 uint64_t begin_ns, uint64_t end_ns, uint64_t *ret_ns)
{
	const uint64_t last_ns = sleeper->count ? stretch_at(sleeper, sleeper->count - 1)->end_ns : 0;
	uint64_t sum_ns = 0;

	for (uint32_t i = first_after(waker, begin_ns); i < waker->count; i++) {
		struct scope_waker_queue_stretch common = common_of(*stretch_at(waker, i), begin_ns, end_ns);

		if (common.begin_ns >= end_ns)
			break;
		/* Between slices of its wait the sleeper itself was in the run queue. */
		if (common.begin_ns < last_ns) {
			const uint64_t until_ns = common.end_ns < last_ns ? common.end_ns : last_ns;

			sum_ns += free_between(sleeper, common.begin_ns, until_ns);
			common.begin_ns = until_ns;
		}
		sum_ns += common.end_ns - common.begin_ns;
		if (scope_timeline_waker_queue_add(sleeper, common.begin_ns, common.end_ns))
			return -ENOMEM;
	}
	*ret_ns = sum_ns;
	return 0;
}
