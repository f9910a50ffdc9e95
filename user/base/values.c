// SPDX-License-Identifier: GPL-2.0-only
/* Distributions of whole numbers, such as sizes, in which a few values occur often. */
#include "base/values.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define WIDTH 8 /* no rule: values that share a row differ by at most 1/WIDTH, so that means hardly change */

/* The first place whose value is not below `value`. */
static size_t place_of(const struct scope_values *values, uint64_t value)
{
	size_t low = 0, high = values->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (values->exact[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int scope_values_count(struct scope_values *values, uint64_t value)
{
	const size_t at = place_of(values, value);
	int err = 0;

	if (at < values->count && values->exact[at].value == value) {
		values->exact[at].count++;
	} else if (values->count == SCOPE_VALUES_EXACT) {
		err = scope_sketch_count(&values->rest, value);
	} else {
		err = scope_grow(&values->exact, &values->capacity, values->count + 1, sizeof(*values->exact));
		if (err)
			return err;
		memmove(values->exact + at + 1, values->exact + at, (values->count - at) * sizeof(*values->exact));
		values->exact[at] = (struct scope_value){ value, 1 };
		values->count++;
	}
	if (err)
		return err;
	values->total++;
	values->sum += (double)value;
	return 0;
}

void scope_values_free(struct scope_values *values)
{
	free(values->exact);
	scope_sketch_free(&values->rest);
	*values = (struct scope_values){ 0 };
}

/* Walks the exact values and the buckets together, by their lowest number. */
struct walk {
	const struct scope_values *values; /* NULL: only a sketch */
	const struct scope_sketch *sketch;
	size_t exact;
	uint32_t bucket;
};

static bool next(struct walk *walk, struct scope_values_row *ret_row)
{
	const struct scope_values *values = walk->values;
	const struct scope_sketch *sketch = walk->sketch;
	uint64_t low;

	while (walk->bucket < sketch->length && !sketch->count[walk->bucket])
		walk->bucket++;
	low = walk->bucket < sketch->length ? scope_sketch_lowest(sketch->first + walk->bucket) : UINT64_MAX;
	if (values && walk->exact < values->count && values->exact[walk->exact].value <= low) {
		const struct scope_value *value = &values->exact[walk->exact++];

		*ret_row = (struct scope_values_row){ value->value, value->value, value->count };
		return true;
	}
	if (walk->bucket == sketch->length)
		return false;
	*ret_row = (struct scope_values_row){ .low = low,
					      .high = scope_sketch_lowest(sketch->first + walk->bucket + 1) - 1,
					      .count = sketch->count[walk->bucket] };
	/* The bucket of the largest value ends at that value. */
	if (ret_row->high > sketch->most)
		ret_row->high = sketch->most;
	walk->bucket++;
	return true;
}

double scope_values_quantile(const struct scope_values *values, double q)
{
	struct walk walk = { .values = values, .sketch = &values->rest };
	const double at = q * (values->total ? values->total - 1 : 0);
	const uint64_t below = at;
	struct scope_values_row row, after;
	uint64_t seen = 0;
	double value;

	while (next(&walk, &row)) {
		seen += row.count;
		if (below >= seen)
			continue;
		value = ((double)row.low + (double)row.high) / 2;
		if (below + 1 < seen || !next(&walk, &after))
			return value;
		return value + (at - below) * (((double)after.low + (double)after.high) / 2 - value);
	}
	return 0;
}

uint64_t scope_values_most(const struct scope_values *values)
{
	const uint64_t exact = values->count ? values->exact[values->count - 1].value : 0;

	return exact > values->rest.most ? exact : values->rest.most;
}

/* Values too rare for a row of their own share one with their neighbours. */
static bool share(const struct scope_values_row *one, const struct scope_values_row *other, uint64_t most)
{
	const uint64_t high = one->high > other->high ? one->high : other->high;

	return one->count + other->count <= most && high - one->low <= one->low / WIDTH + 1;
}

static int make_rows(struct walk walk, uint64_t total, struct scope_values_row **ret_rows, size_t *ret_count)
{
	const uint64_t most = total / SCOPE_VALUES_ROWS;
	struct scope_values_row *rows = NULL, row;
	size_t count = 0, capacity = 0;

	while (next(&walk, &row)) {
		struct scope_values_row *last = count ? &rows[count - 1] : NULL;

		if (last && share(last, &row, most)) {
			last->high = row.high > last->high ? row.high : last->high;
			last->count += row.count;
			continue;
		}
		if (scope_grow(&rows, &capacity, count + 1, sizeof(*rows))) {
			free(rows);
			return -ENOMEM;
		}
		rows[count++] = row;
	}
	*ret_rows = rows;
	*ret_count = count;
	return 0;
}

int scope_values_rows(const struct scope_values *values, struct scope_values_row **ret_rows, size_t *ret_count)
{
	return make_rows((struct walk){ .values = values, .sketch = &values->rest }, values->total, ret_rows,
			 ret_count);
}

int scope_values_sketch_rows(const struct scope_sketch *sketch, struct scope_values_row **ret_rows, size_t *ret_count)
{
	return make_rows((struct walk){ .sketch = sketch }, sketch->total, ret_rows, ret_count);
}
