// SPDX-License-Identifier: GPL-2.0-only
/* The calls of an open unit: its call histogram, or its own list. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit/open_unit.h"

/* Copies the calls of the call histogram here, to count further calls without one. */
static void leave_histogram(const struct scope_histograms *histograms, struct scope_open_unit *open_unit)
{
	const struct scope_histogram *histogram = &histograms->histogram[open_unit->histogram];

	open_unit->calls = histogram->calls;
	memcpy(open_unit->call->call, scope_unit_histogram_calls(histograms, histogram),
	       histogram->calls * sizeof(*open_unit->call->call));
	for (unsigned i = 0; i < open_unit->calls; i++)
		if (open_unit->call->call[i].nr < SCOPE_SYSCALL_MAX)
			open_unit->call->place[open_unit->call->call[i].nr] = (uint8_t)i;
	open_unit->histogram = SCOPE_HISTOGRAM_NONE;
}

/* The place of a number in the list, or where it would be added. */
static unsigned place_of(const struct scope_open_unit *open_unit, uint16_t nr)
{
	const struct scope_unit_call *call = open_unit->call->call;
	unsigned i = nr < SCOPE_SYSCALL_MAX ? open_unit->call->place[nr] : 0;

	if (nr < SCOPE_SYSCALL_MAX)
		return i < open_unit->calls && call[i].nr == nr ? i : open_unit->calls;
	while (i < open_unit->calls && call[i].nr != nr)
		i++;
	return i;
}

int scope_unit_open_count_times(const struct scope_histograms *histograms, struct scope_open_unit *open_unit,
				uint16_t nr, uint16_t times)
{
	struct scope_unit_call *call;
	unsigned i;

	if (!open_unit->call) {
		open_unit->call = calloc(1, sizeof(*open_unit->call));
		if (!open_unit->call)
			return -ENOMEM;
	}
	if (open_unit->histogram != SCOPE_HISTOGRAM_NONE)
		leave_histogram(histograms, open_unit);
	i = place_of(open_unit, nr);
	if (i == SCOPE_UNIT_CALLS)
		return 0;
	call = &open_unit->call->call[i];
	if (i == open_unit->calls) {
		if (nr < SCOPE_SYSCALL_MAX)
			open_unit->call->place[nr] = (uint8_t)i;
		open_unit->calls++;
		*call = (struct scope_unit_call){ nr, 0 };
	}
	call->count = call->count < UINT16_MAX - times ? (uint16_t)(call->count + times) : UINT16_MAX;
	return 0;
}

int scope_unit_open_count(struct scope_histograms *histograms, struct scope_open_unit *open_unit, uint16_t nr)
{
	uint32_t to = SCOPE_HISTOGRAM_NONE;

	if (open_unit->histogram != SCOPE_HISTOGRAM_NONE &&
	    scope_unit_histograms_step(histograms, open_unit->histogram, nr, &to))
		return -ENOMEM;
	if (to == SCOPE_HISTOGRAM_NONE)
		return scope_unit_open_count_times(histograms, open_unit, nr, 1);
	open_unit->histogram = to;
	return 0;
}

static const struct scope_unit_call no_call;

unsigned scope_unit_open_calls(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			       const struct scope_unit_call **ret_call)
{
	const struct scope_histograms *histograms = builder->histograms;

	if (open_unit->histogram == SCOPE_HISTOGRAM_NONE) {
		*ret_call = open_unit->calls ? open_unit->call->call : &no_call;
		return open_unit->calls;
	}
	*ret_call = scope_unit_histogram_calls(histograms, &histograms->histogram[open_unit->histogram]);
	return histograms->histogram[open_unit->histogram].calls;
}
