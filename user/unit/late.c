// SPDX-License-Identifier: GPL-2.0-only
/* Facts about a sleep that are known only after it was reported: which thread ended it, for which socket it was, where it was. */
#include "unit/late.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void scope_unit_late_free(struct scope_late *late)
{
	for (size_t i = 0; i < late->threads; i++)
		free(late->thread[i].wait);
	free(late->thread);
	*late = (struct scope_late){ 0 };
}

int scope_unit_late_add(struct scope_late *late, uint32_t thread, const struct scope_late_wait *wait)
{
	struct scope_late_thread *of;

	if (late->waits == SCOPE_LATE_MAX)
		return 0;
	if (scope_grow(&late->thread, &late->capacity, thread + 1ul, sizeof(*late->thread)))
		return -ENOMEM;
	while (late->threads <= thread)
		memset(&late->thread[late->threads++], 0, sizeof(*late->thread));
	of = &late->thread[thread];
	if (scope_grow(&of->wait, &of->capacity, of->waits + 1, sizeof(*of->wait)))
		return -ENOMEM;
	of->wait[of->waits++] = *wait;
	late->waits++;
	return 0;
}

int scope_unit_late_slices(struct scope_late *late, const struct scope_wait *wait)
{
	const struct scope_late_wait slices = {
		.begin_ns = wait->first_ns,
		.end_ns = wait->begin_ns,
		.waker_tid = wait->waker_tid,
		.waker = wait->waker,
	};

	if (!wait->first_ns || wait->waker == SCOPE_WAIT_NO_THREAD)
		return 0;
	return scope_unit_late_add(late, wait->thread, &slices);
}

const struct scope_late_wait *scope_unit_late_at(const struct scope_late *late, uint32_t thread, uint64_t time_ns)
{
	const struct scope_late_thread *of;
	size_t low = 0, high;

	if (thread >= late->threads)
		return NULL;
	of = &late->thread[thread];
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
