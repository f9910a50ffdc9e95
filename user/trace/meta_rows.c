// SPDX-License-Identifier: GPL-2.0-only
/* The text rows of a trace: looked up by their key. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "trace/trace_internal.h"

#define SLOTS_MIN 64 /* a power of two */

static uint32_t *slot_of(const struct scope_trace *trace, const char *key)
{
	size_t at = scope_hash_text(0, key) & (trace->meta_slots - 1);

	while (trace->meta_slot[at] && strcmp(trace->meta[trace->meta_slot[at] - 1].key, key))
		at = (at + 1) & (trace->meta_slots - 1);
	return &trace->meta_slot[at];
}

/* Grows the table if one row more would use more than half of its slots. */
static int grow_slots(struct scope_trace *trace)
{
	const size_t slots = trace->meta_slots ? 2 * trace->meta_slots : SLOTS_MIN;
	uint32_t *slot;

	if (2 * (trace->metas + 1) <= trace->meta_slots)
		return 0;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(trace->meta_slot);
	trace->meta_slot = slot;
	trace->meta_slots = slots;
	for (size_t i = 0; i < trace->metas; i++)
		*slot_of(trace, trace->meta[i].key) = (uint32_t)i + 1;
	return 0;
}

static int add_period(struct scope_trace *trace, const char *from, const char *value)
{
	const struct scope_sample_period period = { strtoull(from, NULL, 10), strtoull(value, NULL, 10) };

	if (!period.ns)
		return 0;
	if (scope_grow(&trace->period, &trace->period_capacity, trace->periods + 1, sizeof(period)))
		return -ENOMEM;
	trace->period[trace->periods++] = period;
	return 0;
}

int scope_trace_add_meta(struct scope_trace *trace, const char *key, const char *value)
{
	const size_t prefix = strlen(SCOPE_META_SAMPLE_NS_FROM);
	int err = trace->metas < UINT32_MAX ? grow_slots(trace) : -E2BIG;

	if (!err)
		err = scope_grow(&trace->meta, &trace->meta_capacity, trace->metas + 1, sizeof(*trace->meta));
	if (!err && !strncmp(key, SCOPE_META_SAMPLE_NS_FROM, prefix))
		err = add_period(trace, key + prefix, value);
	if (err)
		return err;
	trace->meta[trace->metas++] = (struct scope_trace_meta){ key, value };
	*slot_of(trace, key) = (uint32_t)trace->metas;
	return 0;
}

/* The value written last is used, because a capture may correct at its end what it wrote at its start. */
const char *scope_trace_meta(const struct scope_trace *trace, const char *key)
{
	const uint32_t row = trace->metas ? *slot_of(trace, key) : 0;

	return row ? trace->meta[row - 1].value : NULL;
}

uint64_t scope_trace_meta_number(const struct scope_trace *trace, const char *key, uint64_t fallback)
{
	const char *text = scope_trace_meta(trace, key);
	unsigned long long number;
	char *end;

	if (!text || text[0] < '0' || text[0] > '9')
		return fallback;
	errno = 0;
	number = strtoull(text, &end, 10);
	return *end || errno ? fallback : number;
}

uint64_t scope_trace_sample_ns(const struct scope_trace *trace, uint64_t time_ns)
{
	const struct scope_sample_period *found = NULL;

	for (size_t i = 0; i < trace->periods; i++) {
		const struct scope_sample_period *period = &trace->period[i];

		if (period->from_ns <= time_ns && (!found || period->from_ns >= found->from_ns))
			found = period;
	}
	return found ? found->ns : scope_trace_meta_number(trace, SCOPE_META_SAMPLE_NS, 1000000);
}
