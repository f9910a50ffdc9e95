// SPDX-License-Identifier: GPL-2.0-only
/* Distributions of whole numbers in bounded memory: a histogram of logarithmic buckets. */
#include "base/sketch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLACK 16 /* buckets allocated in addition to the needed one */

/* The middle of the bucket's values. */
static double bucket_value(uint32_t bucket)
{
	const uint64_t low = scope_sketch_lowest(bucket);

	return low + (scope_sketch_lowest(bucket + 1) - low - 1) / 2.0;
}

/* Extends the range of buckets so that it includes low to high. */
static int cover(struct scope_sketch *sketch, uint32_t low, uint32_t high)
{
	uint32_t first = sketch->first, end = sketch->first + sketch->length;
	uint32_t *grown;

	if (!sketch->length) {
		first = low > SLACK ? low - SLACK : 0;
		end = high + SLACK;
	} else if (low >= first && high < end) {
		return 0;
	}
	if (low < first)
		first = low > SLACK ? low - SLACK : 0;
	if (high >= end)
		end = high + SLACK;
	grown = calloc(end - first, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	if (sketch->length)
		memcpy(grown + (sketch->first - first), sketch->count, sketch->length * sizeof(*grown));
	free(sketch->count);
	sketch->count = grown;
	sketch->first = first;
	sketch->length = end - first;
	return 0;
}

static void put(struct scope_sketch *sketch, uint32_t bucket, uint64_t times)
{
	uint32_t *count = &sketch->count[bucket - sketch->first];
	uint64_t room = UINT32_MAX - *count;

	if (times > room)
		times = room;
	*count += times;
	sketch->total += times;
}

int scope_sketch_add(struct scope_sketch *sketch, uint64_t value, uint64_t times)
{
	uint32_t bucket = scope_sketch_bucket(value);

	if (!times)
		return 0;
	if (bucket - sketch->first >= sketch->length && cover(sketch, bucket, bucket))
		return -ENOMEM;
	put(sketch, bucket, times);
	if (value > sketch->most)
		sketch->most = value;
	return 0;
}

void scope_sketch_expect(const struct scope_sketch *sketch, uint64_t value)
{
	const uint32_t at = scope_sketch_bucket(value) - sketch->first;

	if (at < sketch->length)
		__builtin_prefetch(&sketch->count[at], 1);
}

int scope_sketch_merge(struct scope_sketch *to, const struct scope_sketch *from)
{
	if (!from->length)
		return 0;
	if (cover(to, from->first, from->first + from->length - 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < from->length; i++)
		put(to, from->first + i, from->count[i]);
	if (from->most > to->most)
		to->most = from->most;
	return 0;
}

void scope_sketch_free(struct scope_sketch *sketch)
{
	free(sketch->count);
	*sketch = (struct scope_sketch){ 0 };
}

int scope_sketch_runs(const struct scope_sketch *sketch, struct scope_sketch_run **ret_runs, size_t *ret_count)
{
	struct scope_sketch_run *runs = NULL;
	size_t count = 0;

	for (uint32_t i = 0; i < sketch->length; i++)
		count += sketch->count[i] > 0;
	if (count) {
		runs = calloc(count, sizeof(*runs));
		if (!runs)
			return -ENOMEM;
	}
	count = 0;
	for (uint32_t i = 0; i < sketch->length; i++)
		if (sketch->count[i])
			runs[count++] = (struct scope_sketch_run){
				.value = bucket_value(sketch->first + i),
				.count = sketch->count[i],
			};
	*ret_runs = runs;
	*ret_count = count;
	return 0;
}

double scope_sketch_runs_quantile(const struct scope_sketch_run *runs, size_t count, uint64_t total, double q)
{
	double at = q * (total ? total - 1 : 0);
	uint64_t below = at, seen = 0;

	for (size_t i = 0; i < count; i++) {
		seen += runs[i].count;
		if (below >= seen)
			continue;
		if (below + 1 < seen || i + 1 == count)
			return runs[i].value;
		return runs[i].value + (at - below) * (runs[i + 1].value - runs[i].value);
	}
	return 0;
}

double scope_sketch_quantile(const struct scope_sketch *sketch, double q)
{
	double at = q * (sketch->total ? sketch->total - 1 : 0), value;
	uint64_t below = at, seen = 0;
	uint32_t i, next;

	if (!sketch->total)
		return 0;
	for (i = 0; seen + sketch->count[i] <= below; i++)
		seen += sketch->count[i];
	value = bucket_value(sketch->first + i);
	if (below + 1 < seen + sketch->count[i])
		return value;
	for (next = i + 1; next < sketch->length && !sketch->count[next]; next++)
		;
	if (next == sketch->length)
		return value;
	return value + (at - below) * (bucket_value(sketch->first + next) - value);
}

uint64_t scope_sketch_above(const struct scope_sketch *sketch, double value)
{
	uint64_t above = 0;

	for (uint32_t i = sketch->length; i > 0; i--) {
		if (bucket_value(sketch->first + i - 1) <= value)
			break;
		above += sketch->count[i - 1];
	}
	return above;
}
