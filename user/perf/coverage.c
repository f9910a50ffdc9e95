// SPDX-License-Identifier: GPL-2.0-only
/* Turns a set of thread numbers into a filter of bounded length. */
#include "perf/coverage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf/tasks.h"

#define TID_NEVER 4194304u /* Linux numbers threads below that */

static void merge_narrowest(struct scope_perf_coverage *cover)
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

/* tid is above all numbers that are in ranges. */
static void append(struct scope_perf_coverage *cover, uint32_t tid)
{
	if (cover->ranges && tid - cover->range[cover->ranges - 1].last <= 1) {
		cover->range[cover->ranges - 1].last = tid;
		return;
	}
	if (cover->ranges == SCOPE_PERF_RANGES_MAX) {
		/* True if the gap before tid is the narrowest of all. */
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

void scope_perf_coverage_make(uint32_t *tids, size_t count, uint32_t newest, struct scope_perf_coverage *ret_cover)
{
	size_t i;

	*ret_cover = (struct scope_perf_coverage){ .newest = newest };
	if (count)
		qsort(tids, count, sizeof(*tids), scope_perf_tasks_by_number);
	for (i = 0; i < count; i++)
		append(ret_cover, tids[i]);
}

bool scope_perf_coverage_knows(const struct scope_perf_coverage *cover, uint32_t tid)
{
	uint32_t i;

	for (i = 0; i < cover->ranges; i++)
		if (tid >= cover->range[i].first && tid <= cover->range[i].last)
			return true;
	return false;
}

bool scope_perf_coverage_has(const struct scope_perf_coverage *cover, uint32_t tid)
{
	return tid > cover->newest || scope_perf_coverage_knows(cover, tid);
}

struct text {
	char *at;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text->used += (size_t)vsnprintf(text->at + text->used, SCOPE_PERF_FILTER_BYTES - text->used, format, arguments);
	va_end(arguments);
}

/* Adds: a range contains the thread. If there are no ranges, no number matches. */
static void add_known(struct text *text, const struct scope_perf_coverage *cover, const char *field)
{
	uint32_t i;

	for (i = 0; i < cover->ranges; i++)
		add(text, "%s(%s>=%u&&%s<=%u)", i ? "||" : "", field, cover->range[i].first, field,
		    cover->range[i].last);
	if (!cover->ranges)
		add(text, "%s>%u", field, TID_NEVER);
}

/*
 * Adds: no range contains the thread. This names the gaps between the ranges, because kernels before 4.17 have no
 * "not".
 */
static void add_unknown(struct text *text, const struct scope_perf_coverage *cover, const char *field)
{
	uint32_t i;

	if (!cover->ranges)
		return;
	add(text, "&&(%s<%u", field, cover->range[0].first);
	for (i = 1; i < cover->ranges; i++)
		add(text, "||(%s>%u&&%s<%u)", field, cover->range[i - 1].last, field, cover->range[i].first);
	add(text, "||%s>%u)", field, cover->range[i - 1].last);
}

void scope_perf_coverage_text(const struct scope_perf_coverage *cover, enum scope_perf_age age,
			      const char *const *field, size_t count, char text[SCOPE_PERF_FILTER_BYTES])
{
	struct text out = { .at = text };
	size_t i;

	add(&out, age == SCOPE_PERF_YOUNG ? "((" : "(");
	for (i = 0; i < count; i++) {
		add(&out, i ? "||" : "");
		if (age == SCOPE_PERF_YOUNG)
			add(&out, "%s>%u", field[i], cover->newest);
		else
			add_known(&out, cover, field[i]);
	}
	add(&out, ")");
	for (i = 0; i < count && age == SCOPE_PERF_YOUNG; i++)
		add_unknown(&out, cover, field[i]);
	if (age == SCOPE_PERF_YOUNG)
		add(&out, ")");
}
