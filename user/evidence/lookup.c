// SPDX-License-Identifier: GPL-2.0-only
/* Units of a thread by time. */
#include "evidence/lookup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static int allocate(struct scope_lookup *lookup, size_t threads, size_t rows)
{
	lookup->threads = threads;
	lookup->row = calloc(rows + 1, sizeof(*lookup->row));
	lookup->first = calloc(threads + 2, sizeof(*lookup->first));
	if (lookup->row && lookup->first)
		return 0;
	scope_evidence_lookup_free(lookup);
	return -ENOMEM;
}

void scope_evidence_lookup_free(struct scope_lookup *lookup)
{
	free(lookup->row);
	free(lookup->first);
	*lookup = (struct scope_lookup){ 0 };
}

/* Counting sort: first[] holds the counts of the thread before, then running sums. */
static void close_counts(struct scope_lookup *lookup)
{
	for (size_t i = 1; i <= lookup->threads; i++)
		lookup->first[i] += lookup->first[i - 1];
}

/* A row is a unit, or what its request did before it. */
#define EARLIER (1u << 31) /* no rule: there are fewer units than that */

static uint64_t begin_of(const struct scope_units *units, uint32_t row)
{
	const struct scope_unit *unit = &units->unit[row & ~EARLIER];

	return row & EARLIER ? unit->earlier->part.begin_ns : unit->begin_ns;
}

static uint64_t end_of(const struct scope_units *units, uint32_t row)
{
	const struct scope_unit *unit = &units->unit[row & ~EARLIER];

	return row & EARLIER ? unit->earlier->part.end_ns : unit->end_ns;
}

static uint32_t thread_of(const struct scope_units *units, uint32_t row)
{
	const struct scope_unit *unit = &units->unit[row & ~EARLIER];

	return row & EARLIER ? unit->earlier->part.thread : unit->thread;
}

static size_t count_rows(const struct scope_units *units)
{
	size_t rows = units->count;

	for (size_t i = 0; i < units->count; i++)
		rows += units->unit[i].earlier != NULL;
	return rows;
}

#define NO_ROW UINT32_MAX

/* The row of a unit, or of what was before it; NO_ROW: there is no such unit. */
static uint32_t row_of(const struct scope_units *units, size_t unit)
{
	if (unit >= units->count)
		return NO_ROW;
	return (uint32_t)unit | (units->unit[unit].earlier ? EARLIER : 0);
}

static uint32_t row_after(const struct scope_units *units, uint32_t row)
{
	return row & EARLIER ? row & ~EARLIER : row_of(units, row + 1ul);
}

static int compare_ends(const void *left, const void *right, void *user)
{
	const struct scope_units *units = user;
	const uint64_t a = end_of(units, *(const uint32_t *)left), b = end_of(units, *(const uint32_t *)right);

	return (a > b) - (a < b);
}

/* A thread's units were closed, and so stored, in order of time, but requests that were held (unit/held_request.h) come late. */
static void sort_rows(struct scope_lookup *lookup, const struct scope_units *units)
{
	for (size_t thread = 0; thread < lookup->threads; thread++) {
		uint32_t *row = &lookup->row[lookup->first[thread]];
		const size_t rows = lookup->first[thread + 1] - lookup->first[thread];
		bool sorted = true;

		for (size_t i = 1; sorted && i < rows; i++)
			sorted = end_of(units, row[i - 1]) <= end_of(units, row[i]);
		if (!sorted)
			qsort_r(row, rows, sizeof(*row), compare_ends, (void *)units);
	}
}

int scope_evidence_lookup_units(const struct scope_units *units, struct scope_lookup *ret_lookup)
{
	struct scope_lookup lookup;
	uint32_t row;
	size_t *next;

	if (allocate(&lookup, units->threads, count_rows(units)))
		return -ENOMEM;
	next = calloc(units->threads + 1, sizeof(*next));
	if (!next) {
		scope_evidence_lookup_free(&lookup);
		return -ENOMEM;
	}
	for (row = row_of(units, 0); row != NO_ROW; row = row_after(units, row))
		lookup.first[thread_of(units, row) + 1]++;
	close_counts(&lookup);
	for (row = row_of(units, 0); row != NO_ROW; row = row_after(units, row)) {
		const uint32_t thread = thread_of(units, row);

		lookup.row[lookup.first[thread] + next[thread]++] = row;
	}
	free(next);
	sort_rows(&lookup, units);
	*ret_lookup = lookup;
	return 0;
}

uint32_t scope_evidence_lookup_unit_at(const struct scope_lookup *lookup, const struct scope_units *units,
				       uint32_t thread, uint64_t time_ns)
{
	size_t low, high;

	if (thread >= lookup->threads)
		return UINT32_MAX;
	low = lookup->first[thread];
	high = lookup->first[thread + 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (end_of(units, lookup->row[middle]) < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == lookup->first[thread + 1] || begin_of(units, lookup->row[low]) > time_ns)
		return UINT32_MAX;
	return lookup->row[low] & ~EARLIER;
}
