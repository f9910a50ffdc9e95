// SPDX-License-Identifier: GPL-2.0-only
/* When a thread waited for a CPU, itself or through the thread that it waited for. */
#include "timeline/starved.h"

#include <errno.h>
#include <stdlib.h>

#define CAPACITY_FIRST 8 /* no rule */

void scope_timeline_starved_free(struct scope_starved *starved)
{
	free(starved->stretch);
	*starved = (struct scope_starved){ 0 };
}

static struct scope_starved_stretch *stretch_at(const struct scope_starved *starved, uint32_t at)
{
	return &starved->stretch[(starved->first + at) % starved->capacity];
}

/* Doubles the ring, oldest first. */
static int grow(struct scope_starved *starved)
{
	uint32_t capacity = starved->capacity ? 2 * starved->capacity : CAPACITY_FIRST;
	struct scope_starved_stretch *grown = calloc(capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	for (uint32_t i = 0; i < starved->count; i++)
		grown[i] = *stretch_at(starved, i);
	free(starved->stretch);
	starved->stretch = grown;
	starved->first = 0;
	starved->capacity = capacity;
	return 0;
}

int scope_timeline_starved_add(struct scope_starved *starved, uint64_t begin_ns, uint64_t end_ns)
{
	if (end_ns < begin_ns + SCOPE_STARVED_MIN_NS)
		return 0;
	if (starved->count == starved->capacity && starved->capacity < SCOPE_STARVED_RECENT && grow(starved))
		return -ENOMEM;
	if (starved->count == starved->capacity) {
		starved->first = (starved->first + 1) % starved->capacity;
		starved->count--;
	}
	*stretch_at(starved, starved->count++) = (struct scope_starved_stretch){ begin_ns, end_ns };
	return 0;
}

/* The first stretch that ended after time. */
static uint32_t first_after(const struct scope_starved *starved, uint64_t time_ns)
{
	uint32_t low = 0, high = starved->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (stretch_at(starved, middle)->end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct scope_starved_stretch common_of(struct scope_starved_stretch stretch, uint64_t begin_ns, uint64_t end_ns)
{
	return (struct scope_starved_stretch){
		stretch.begin_ns > begin_ns ? stretch.begin_ns : begin_ns,
		stretch.end_ns < end_ns ? stretch.end_ns : end_ns,
	};
}

/* How much of the time from begin to end its stretches leave free. */
static uint64_t free_between(const struct scope_starved *starved, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t free_ns = end_ns - begin_ns;

	for (uint32_t i = first_after(starved, begin_ns); i < starved->count; i++) {
		const struct scope_starved_stretch own = common_of(*stretch_at(starved, i), begin_ns, end_ns);

		if (own.begin_ns >= end_ns)
			break;
		free_ns -= own.end_ns - own.begin_ns;
	}
	return free_ns;
}

int scope_timeline_starved_pass(struct scope_starved *sleeper, const struct scope_starved *waker, uint64_t begin_ns,
				uint64_t end_ns, uint64_t *ret_ns)
{
	const uint64_t last_ns = sleeper->count ? stretch_at(sleeper, sleeper->count - 1)->end_ns : 0;
	uint64_t sum_ns = 0;

	for (uint32_t i = first_after(waker, begin_ns); i < waker->count; i++) {
		struct scope_starved_stretch common = common_of(*stretch_at(waker, i), begin_ns, end_ns);

		if (common.begin_ns >= end_ns)
			break;
		/* Between slices of its wait the sleeper was in the run queue itself. */
		if (common.begin_ns < last_ns) {
			const uint64_t until_ns = common.end_ns < last_ns ? common.end_ns : last_ns;

			sum_ns += free_between(sleeper, common.begin_ns, until_ns);
			common.begin_ns = until_ns;
		}
		sum_ns += common.end_ns - common.begin_ns;
		if (scope_timeline_starved_add(sleeper, common.begin_ns, common.end_ns))
			return -ENOMEM;
	}
	*ret_ns = sum_ns;
	return 0;
}
