// SPDX-License-Identifier: GPL-2.0-only
/* A store of selected units. */
#include "unit/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "unit/histogram.h"

int scope_units_create(const struct scope_unit_run *run, struct scope_units **ret_units)
{
	struct scope_units *units = calloc(1, sizeof(*units));

	if (!units)
		return -ENOMEM;
	*units = (struct scope_units){
		.groups = run->groups,
		.timeline = run->timeline,
		.discarded = run->discarded,
		.stacks = run->stacks,
		.unanswered = &run->unanswered,
		.thread = run->thread,
		.threads = run->threads,
		.open_unit = calloc(run->threads + 1, sizeof(*units->open_unit)),
	};
	if (!units->open_unit) {
		scope_units_destroy(units);
		return -ENOMEM;
	}
	for (size_t i = 0; i < run->threads; i++)
		units->open_unit[i] = SIZE_MAX;
	*ret_units = units;
	return 0;
}

/* Index of the calls of its call histogram, plus 1; 0: not stored yet; NULL: no memory. */
static uint32_t *histogram_call(struct scope_units *units, uint32_t histogram)
{
	if (scope_grow(&units->histogram_call, &units->histogram_capacity, histogram + 1ul,
		       sizeof(*units->histogram_call)))
		return NULL;
	while (units->histogram_calls <= histogram)
		units->histogram_call[units->histogram_calls++] = 0;
	return &units->histogram_call[histogram];
}

static int keep_calls(struct scope_units *units, const struct scope_unit *unit, const struct scope_unit_call *call,
		      uint32_t *ret_first)
{
	uint32_t none = 0, *place = &none;

	if (unit->histogram != SCOPE_HISTOGRAM_NONE)
		place = histogram_call(units, unit->histogram);
	if (!place || (!*place && scope_grow(&units->call, &units->call_capacity, units->calls + unit->calls,
					     sizeof(*units->call))))
		return -ENOMEM;
	if (!*place) {
		*place = (uint32_t)units->calls + 1;
		if (unit->calls)
			memcpy(&units->call[units->calls], call, unit->calls * sizeof(*call));
		units->calls += unit->calls;
	}
	*ret_first = *place - 1;
	return 0;
}

static int keep_earlier(struct scope_units *units, const struct scope_unit_earlier *earlier,
			const struct scope_unit_earlier **ret_kept)
{
	struct scope_kept_earlier *kept = malloc(sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	*kept = (struct scope_kept_earlier){ units->earlier, *earlier };
	units->earlier = kept;
	*ret_kept = &kept->earlier;
	return 0;
}

int scope_units_keep(struct scope_units *units, const struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct scope_unit *kept;
	uint32_t first;

	if (scope_grow(&units->unit, &units->capacity, units->count + 1, sizeof(*units->unit)) ||
	    keep_calls(units, unit, call, &first))
		return -ENOMEM;
	kept = &units->unit[units->count];
	*kept = *unit;
	kept->call = first;
	if (unit->earlier && keep_earlier(units, unit->earlier, &kept->earlier))
		return -ENOMEM;
	if (unit->open)
		units->open_unit[unit->thread] = units->count;
	units->count++;
	return 0;
}

void scope_units_destroy(struct scope_units *units)
{
	if (!units)
		return;
	for (struct scope_kept_earlier *kept = units->earlier, *next; kept; kept = next) {
		next = kept->next;
		free(kept);
	}
	free(units->unit);
	free(units->call);
	free(units->histogram_call);
	free(units->open_unit);
	free(units);
}
