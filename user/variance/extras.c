// SPDX-License-Identifier: GPL-2.0-only
/* Data of a unit in addition to its edges: calls of probed functions, and keys. */
#include "variance/extras.h"

#include <math.h>
#include <string.h>

void scope_variance_extras_begin(struct scope_extras *extras)
{
	memset(extras->unit.span, 0, sizeof(extras->unit.span));
	for (unsigned i = 0; i < SCOPE_UNIT_KEYS; i++)
		extras->unit.key[i] = NAN;
	extras->count = 0;
}

void scope_variance_extras_lost(struct scope_extras *extras)
{
	scope_variance_extras_begin(extras);
	extras->open = 0;
}

static void fold(struct scope_extras *extras, const struct scope_extra *one)
{
	struct scope_unit_span *span = &extras->unit.span[one->number];

	if (one->key) {
		if (isnan(extras->unit.key[one->number]))
			extras->unit.key[one->number] = one->value;
		return;
	}
	span->ns += one->end_ns - one->begin_ns - one->queued_ns;
	span->before_ns += one->before_ns;
	span->times++;
}

static void hold(struct scope_extras *extras, const struct scope_extra *one)
{
	const uint32_t half = SCOPE_EXTRAS_HELD / 2;

	if (extras->count == SCOPE_EXTRAS_HELD) {
		for (uint32_t i = 0; i < half; i++)
			fold(extras, &extras->held[i]);
		memmove(extras->held, extras->held + half, half * sizeof(*extras->held));
		extras->count = half;
	}
	extras->held[extras->count++] = *one;
}

void scope_variance_extras_enter(struct scope_extras *extras, uint8_t span, uint64_t now_ns, uint64_t queue_ns,
				 uint64_t before_ns)
{
	/* A call inside one that is open: the function calls itself, or its end was not seen. */
	if (extras->open >> span & 1)
		return;
	extras->open |= 1u << span;
	extras->at[span].begin_ns = now_ns;
	extras->at[span].queue_ns = queue_ns;
	extras->at[span].before_ns = before_ns;
}

void scope_variance_extras_leave(struct scope_extras *extras, uint8_t span, uint64_t now_ns, uint64_t queue_ns)
{
	struct scope_extra one = {
		.begin_ns = extras->at[span].begin_ns,
		.end_ns = now_ns,
		.before_ns = extras->at[span].before_ns,
		.number = span,
	};

	if (!(extras->open >> span & 1))
		return;
	extras->open &= ~(1u << span);
	one.queued_ns = queue_ns - extras->at[span].queue_ns;
	if (one.queued_ns > now_ns - one.begin_ns)
		one.queued_ns = now_ns - one.begin_ns;
	hold(extras, &one);
}

void scope_variance_extras_key(struct scope_extras *extras, uint8_t key, uint64_t now_ns, double value)
{
	const struct scope_extra one = {
		.begin_ns = now_ns, .end_ns = now_ns, .value = value, .number = key, .key = true
	};

	hold(extras, &one);
}

/* The time that a call and the unit have in common. */
static uint64_t common(uint64_t call_begin_ns, uint64_t call_end_ns, uint64_t begin_ns, uint64_t end_ns)
{
	const uint64_t from = call_begin_ns > begin_ns ? call_begin_ns : begin_ns;
	const uint64_t until = call_end_ns < end_ns ? call_end_ns : end_ns;

	return until > from ? until - from : 0;
}

const struct scope_unit_extras *scope_variance_extras_of(struct scope_extras *extras, uint64_t begin_ns,
							 uint64_t end_ns)
{
	uint64_t beyond_ns[SCOPE_UNIT_SPANS] = { 0 };

	for (uint32_t i = 0; i < extras->count; i++) {
		const struct scope_extra *one = &extras->held[i];

		if (one->begin_ns >= begin_ns && one->end_ns <= end_ns)
			fold(extras, one);
		else if (!one->key)
			beyond_ns[one->number] += common(one->begin_ns, one->end_ns, begin_ns, end_ns);
	}
	for (unsigned i = 0; i < SCOPE_UNIT_SPANS; i++) {
		if (extras->open >> i & 1)
			beyond_ns[i] += common(extras->at[i].begin_ns, end_ns, begin_ns, end_ns);
		extras->unit.span[i].around = 2 * beyond_ns[i] > end_ns - begin_ns;
	}
	extras->count = 0;
	return &extras->unit;
}
