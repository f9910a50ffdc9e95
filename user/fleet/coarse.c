// SPDX-License-Identifier: GPL-2.0-only
/* Distributions of times in a few bytes, for summaries. */
#include "fleet/coarse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "fleet/leb.h"

#define SUB_COUNT (1u << SCOPE_FLEET_COARSE_BITS) /* no rule */

uint32_t scope_fleet_coarse_bucket(uint64_t value)
{
	const uint32_t shift = 63 - SCOPE_FLEET_COARSE_BITS - (uint32_t)__builtin_clzll(value | SUB_COUNT);

	return (shift << SCOPE_FLEET_COARSE_BITS) + (uint32_t)(value >> shift);
}

double scope_fleet_coarse_value(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < 2 * SUB_COUNT)
		return bucket;
	shift = bucket / SUB_COUNT - 1;
	return (double)((uint64_t)(bucket - shift * SUB_COUNT) << shift) + (double)((1ull << shift) - 1) / 2;
}

int scope_fleet_coarse_add(struct scope_fleet_coarse *coarse, uint32_t bucket, uint64_t times)
{
	size_t low = 0, high = coarse->count;

	/* Those of a file come in order. */
	if (high && coarse->at[high - 1].bucket < bucket)
		low = high;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (coarse->at[middle].bucket < bucket)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < coarse->count && coarse->at[low].bucket == bucket) {
		coarse->at[low].count += times;
		return 0;
	}
	if (scope_grow(&coarse->at, &coarse->capacity, coarse->count + 1, sizeof(*coarse->at)))
		return -ENOMEM;
	memmove(coarse->at + low + 1, coarse->at + low, (coarse->count - low) * sizeof(*coarse->at));
	coarse->at[low] = (struct scope_fleet_bucket){ bucket, times };
	coarse->count++;
	return 0;
}

int scope_fleet_coarse_merge(struct scope_fleet_coarse *to, const struct scope_fleet_coarse *from)
{
	/* Makes room first, so that no add fails half way. */
	if (scope_grow(&to->at, &to->capacity, to->count + from->count, sizeof(*to->at)))
		return -ENOMEM;
	for (size_t i = 0; i < from->count; i++)
		scope_fleet_coarse_add(to, from->at[i].bucket, from->at[i].count);
	return 0;
}

uint64_t scope_fleet_coarse_total(const struct scope_fleet_coarse *coarse)
{
	uint64_t total = 0;

	for (size_t i = 0; i < coarse->count; i++)
		total += coarse->at[i].count;
	return total;
}

double scope_fleet_coarse_quantile(const struct scope_fleet_coarse *coarse, double q)
{
	const double want = q * (double)scope_fleet_coarse_total(coarse);
	uint64_t seen = 0;

	for (size_t i = 0; i < coarse->count; i++) {
		seen += coarse->at[i].count;
		if ((double)seen >= want)
			return scope_fleet_coarse_value(coarse->at[i].bucket);
	}
	return 0;
}

void scope_fleet_coarse_free(struct scope_fleet_coarse *coarse)
{
	free(coarse->at);
	*coarse = (struct scope_fleet_coarse){ 0 };
}

size_t scope_fleet_coarse_put(const struct scope_fleet_coarse *coarse, uint8_t *to)
{
	uint32_t last = 0;
	size_t length = 0;

	for (size_t i = 0; i < coarse->count; i++) {
		length += scope_fleet_leb_put(to + length, coarse->at[i].bucket - last);
		length += scope_fleet_leb_put(to + length, coarse->at[i].count);
		last = coarse->at[i].bucket;
	}
	return length;
}

int scope_fleet_coarse_take(struct scope_fleet_coarse *coarse, const uint8_t *from, size_t bytes)
{
	const uint8_t *const end = from + bytes;
	uint64_t bucket = 0, more, count;

	while (from < end) {
		if (scope_fleet_leb_take(&from, end, &more) || scope_fleet_leb_take(&from, end, &count) ||
		    more >= SCOPE_FLEET_BUCKETS || bucket + more >= SCOPE_FLEET_BUCKETS)
			return -EBADMSG;
		bucket += more;
		if (scope_fleet_coarse_add(coarse, (uint32_t)bucket, count))
			return -ENOMEM;
	}
	return 0;
}
