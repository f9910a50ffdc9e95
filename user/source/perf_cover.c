// SPDX-License-Identifier: GPL-2.0-only
/* Turn a set of thread numbers into a filter of bounded length. */
#include "source/perf_cover.h"

#include <stdio.h>
#include <stdlib.h>

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void merge_narrowest(struct scope_perf_cover *cover)
{
	uint32_t i, best = 1;

	for (i = 2; i < cover->ranges; i++)
		if (cover->range[i].first - cover->range[i - 1].last <
		    cover->range[best].first - cover->range[best - 1].last)
			best = i;
	cover->range[best - 1].last = cover->range[best].last;
	cover->ranges--;
	for (i = best; i < cover->ranges; i++)
		cover->range[i] = cover->range[i + 1];
}

/* tid is above all that are in. */
static void append(struct scope_perf_cover *cover, uint32_t tid)
{
	if (cover->ranges && tid - cover->range[cover->ranges - 1].last <= 1) {
		cover->range[cover->ranges - 1].last = tid;
		return;
	}
	if (cover->ranges == SCOPE_PERF_RANGES_MAX) {
		/* Is the gap before tid the narrowest of all? */
		uint32_t gap = tid - cover->range[cover->ranges - 1].last, i;

		for (i = 1; i < cover->ranges; i++)
			if (cover->range[i].first - cover->range[i - 1].last < gap)
				break;
		if (i == cover->ranges) {
			cover->range[cover->ranges - 1].last = tid;
			return;
		}
		merge_narrowest(cover);
	}
	cover->range[cover->ranges].first = cover->range[cover->ranges].last = tid;
	cover->ranges++;
}

void scope_perf_cover_make(uint32_t *tids, size_t count, uint32_t newest,
			   struct scope_perf_cover *ret_cover)
{
	size_t i;

	*ret_cover = (struct scope_perf_cover){ .newest = newest };
	if (count)
		qsort(tids, count, sizeof(*tids), by_number);
	for (i = 0; i < count && tids[i] <= newest; i++)
		append(ret_cover, tids[i]);
}

bool scope_perf_cover_has(const struct scope_perf_cover *cover, uint32_t tid)
{
	uint32_t i;

	if (tid > cover->newest)
		return true;
	for (i = 0; i < cover->ranges; i++)
		if (tid >= cover->range[i].first && tid <= cover->range[i].last)
			return true;
	return false;
}

void scope_perf_cover_text(const struct scope_perf_cover *cover, const char *const *field,
			   size_t count, char text[SCOPE_PERF_FILTER_BYTES])
{
	size_t used = 0, i;
	uint32_t r;

	for (i = 0; i < count; i++) {
		used += (size_t)snprintf(text + used, SCOPE_PERF_FILTER_BYTES - used, "%s%s>%u",
					 i ? "||" : "(", field[i], cover->newest);
		for (r = 0; r < cover->ranges; r++)
			used += (size_t)snprintf(text + used, SCOPE_PERF_FILTER_BYTES - used,
						 "||(%s>=%u&&%s<=%u)", field[i],
						 cover->range[r].first, field[i],
						 cover->range[r].last);
	}
	snprintf(text + used, SCOPE_PERF_FILTER_BYTES - used, ")");
}
