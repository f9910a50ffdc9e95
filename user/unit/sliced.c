// SPDX-License-Identifier: GPL-2.0-only
/* Ended waits in slices (timeline/slices.h), and the thread that ended each. */
#include "unit/sliced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void scope_unit_sliced_free(struct scope_sliced *sliced)
{
	for (size_t i = 0; i < sliced->threads; i++)
		free(sliced->thread[i].wait);
	free(sliced->thread);
	*sliced = (struct scope_sliced){ 0 };
}

int scope_unit_sliced_note(struct scope_sliced *sliced, const struct scope_wait *wait)
{
	struct scope_sliced_thread *of;

	if (!wait->first_ns || wait->waker == SCOPE_WAIT_NO_THREAD || sliced->waits == SCOPE_SLICED_MAX)
		return 0;
	if (scope_grow(&sliced->thread, &sliced->capacity, wait->thread + 1ul, sizeof(*sliced->thread)))
		return -ENOMEM;
	while (sliced->threads <= wait->thread)
		memset(&sliced->thread[sliced->threads++], 0, sizeof(*sliced->thread));
	of = &sliced->thread[wait->thread];
	if (scope_grow(&of->wait, &of->capacity, of->waits + 1, sizeof(*of->wait)))
		return -ENOMEM;
	of->wait[of->waits++] = (struct scope_sliced_wait){
		wait->first_ns,
		wait->begin_ns,
		wait->waker_tid,
		wait->waker,
	};
	sliced->waits++;
	return 0;
}

const struct scope_sliced_wait *scope_unit_sliced_at(const struct scope_sliced *sliced, uint32_t thread,
						     uint64_t time_ns)
{
	const struct scope_sliced_thread *of;
	size_t low = 0, high;

	if (thread >= sliced->threads)
		return NULL;
	of = &sliced->thread[thread];
	high = of->waits;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (of->wait[middle].end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < of->waits && of->wait[low].begin_ns <= time_ns ? &of->wait[low] : NULL;
}
