// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of addresses, sorted by start, each with the furthest end so far, and found by binary search. */
#include "symbol/range.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

int scope_symbol_ranges_add(struct scope_ranges *ranges, uint64_t start, uint64_t end, uint32_t value)
{
	if (start >= end)
		return 0;
	if (scope_grow(&ranges->range, &ranges->capacity, ranges->count + 1, sizeof(*ranges->range)))
		return -ENOMEM;
	ranges->range[ranges->count++] = (struct scope_range){ start, end, end, value };
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct scope_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

void scope_symbol_ranges_sort(struct scope_ranges *ranges)
{
	uint64_t max_end = 0;

	if (ranges->count)
		qsort(ranges->range, ranges->count, sizeof(*ranges->range), compare);
	for (size_t i = 0; i < ranges->count; i++) {
		if (ranges->range[i].end > max_end)
			max_end = ranges->range[i].end;
		ranges->range[i].max_end = max_end;
	}
}

void scope_symbol_ranges_free(struct scope_ranges *ranges)
{
	free(ranges->range);
	*ranges = (struct scope_ranges){ 0 };
}

const struct scope_range *scope_symbol_ranges_find(const struct scope_ranges *ranges, uint64_t address)
{
	const struct scope_range *found = NULL;
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->range[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* The range with the nearest start may have ended already, inside a longer range. */
	while (low > 0 && ranges->range[low - 1].max_end > address) {
		low--;
		if (ranges->range[low].end <= address || (found && ranges->range[low].value < found->value))
			continue;
		found = &ranges->range[low];
		if (!ranges->replaced)
			break;
	}
	return found;
}
