// SPDX-License-Identifier: GPL-2.0-only
/* Call histograms with short numbers: which calls a unit of a group made, and how often each. */
#include "unit/histogram.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define SLOTS_FIRST 256	   /* no rule */
#define NO_STEP UINT64_MAX /* no key */

int scope_unit_histograms_create(struct scope_histograms **ret_histograms)
{
	struct scope_histograms *histograms = calloc(1, sizeof(*histograms));

	if (!histograms)
		return -ENOMEM;
	for (size_t i = 0; i < 1u << SCOPE_HISTOGRAM_STEPS_BITS; i++)
		histograms->step[i].key = NO_STEP;
	histograms->slots = SLOTS_FIRST;
	histograms->slot = calloc(SLOTS_FIRST, sizeof(*histograms->slot));
	if (!histograms->slot ||
	    scope_grow(&histograms->call, &histograms->call_capacity, 1, sizeof(*histograms->call))) {
		scope_unit_histograms_destroy(histograms);
		return -ENOMEM;
	}
	*ret_histograms = histograms;
	return 0;
}

void scope_unit_histograms_destroy(struct scope_histograms *histograms)
{
	if (!histograms)
		return;
	free(histograms->histogram);
	free(histograms->call);
	free(histograms->slot);
	free(histograms);
}

static int widen(struct scope_histograms *histograms)
{
	struct scope_histogram_slot *slot = histograms->slot;

	histograms->slot = calloc(2 * histograms->slots, sizeof(*slot));
	if (!histograms->slot) {
		histograms->slot = slot;
		return -ENOMEM;
	}
	histograms->slots *= 2;
	for (uint32_t i = 0; i < histograms->count; i++) {
		const struct scope_histogram *histogram = &histograms->histogram[i];
		const struct scope_unit_call *call = scope_unit_histogram_calls(histograms, histogram);
		uint64_t hash = scope_unit_histogram_hash(histogram->group, call, histogram->calls);

		*scope_unit_histograms_slot(histograms, hash, histogram->group, call, histogram->calls) =
			(struct scope_histogram_slot){ i + 1, (uint32_t)(hash >> 32) };
	}
	free(slot);
	return 0;
}

int scope_unit_histograms_add(struct scope_histograms *histograms, uint64_t hash, const struct scope_unit *unit,
			      const struct scope_unit_call *call, uint32_t *ret_number)
{
	if (histograms->count == SCOPE_HISTOGRAMS_MAX || histograms->calls + unit->calls > SCOPE_HISTOGRAM_CALLS_MAX) {
		*ret_number = SCOPE_HISTOGRAM_NONE;
		return 0;
	}
	if ((histograms->count * 2 >= histograms->slots && widen(histograms)) ||
	    scope_grow(&histograms->histogram, &histograms->capacity, histograms->count + 1,
		       sizeof(*histograms->histogram)) ||
	    scope_grow(&histograms->call, &histograms->call_capacity, histograms->calls + unit->calls,
		       sizeof(*histograms->call)))
		return -ENOMEM;
	histograms->histogram[histograms->count] = (struct scope_histogram){
		.group = unit->group,
		.vector = { SCOPE_HISTOGRAM_NO_VECTOR, SCOPE_HISTOGRAM_NO_VECTOR },
		.first = (uint32_t)histograms->calls,
		.calls = unit->calls,
	};
	histograms->histogram[histograms->count].vector[scope_unit_took(unit)] = unit->vector;
	memcpy(&histograms->call[histograms->calls], call, unit->calls * sizeof(*call));
	histograms->calls += unit->calls;
	*ret_number = (uint32_t)histograms->count++;
	*scope_unit_histograms_slot(histograms, hash, unit->group, call, unit->calls) =
		(struct scope_histogram_slot){ *ret_number + 1, (uint32_t)(hash >> 32) };
	return 0;
}

/* The number of that list, which gets one if it has none; ret_number as for scope_unit_histograms_add(). */
static int get(struct scope_histograms *histograms, uint32_t group, const struct scope_unit_call *call, uint16_t calls,
	       uint32_t *ret_number)
{
	const struct scope_unit unit = {
		.group = group,
		.vector = SCOPE_HISTOGRAM_NO_VECTOR,
		.calls = calls,
	};
	const uint64_t hash = scope_unit_histogram_hash(group, call, calls);

	*ret_number = scope_unit_histograms_find(histograms, hash, group, call, calls);
	if (*ret_number != SCOPE_HISTOGRAM_NONE || histograms->count >= SCOPE_HISTOGRAMS_MAX / 2 ||
	    histograms->calls >= SCOPE_HISTOGRAM_CALLS_MAX / 2)
		return 0;
	return scope_unit_histograms_add(histograms, hash, &unit, call, ret_number);
}

int scope_unit_histograms_root(struct scope_histograms *histograms, uint32_t group, uint32_t *ret_number)
{
	const struct scope_unit_call none = { 0 };

	return get(histograms, group, &none, 0, ret_number);
}

int scope_unit_histograms_step(struct scope_histograms *histograms, uint32_t from, uint16_t nr, uint32_t *ret_to)
{
	const uint64_t key = scope_unit_histogram_step_key(from, nr);
	const struct scope_histogram *histogram = &histograms->histogram[from];
	struct scope_unit_call call[SCOPE_UNIT_CALLS];
	uint16_t calls = histogram->calls, i;
	int err;

	*ret_to = SCOPE_HISTOGRAM_NONE;
	memcpy(call, scope_unit_histogram_calls(histograms, histogram), calls * sizeof(*call));
	for (i = 0; i < calls && call[i].nr != nr; i++)
		;
	if (i == SCOPE_UNIT_CALLS || (i < calls && call[i].count >= SCOPE_HISTOGRAM_COUNT_MAX))
		return 0;
	if (i == calls)
		call[calls++] = (struct scope_unit_call){ nr, 0 };
	call[i].count++;
	err = get(histograms, histogram->group, call, calls, ret_to);
	if (!err && *ret_to != SCOPE_HISTOGRAM_NONE)
		*scope_unit_histograms_step_at(histograms, key) = (struct scope_histogram_step){ key, *ret_to };
	return err;
}
