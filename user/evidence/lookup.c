// SPDX-License-Identifier: GPL-2.0-only
/* Units of a thread by time. */
#include "evidence/lookup.h"

#include <errno.h>
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

int scope_evidence_lookup_units(const struct scope_units *units, struct scope_lookup *ret_lookup)
{
	struct scope_lookup lookup;
	size_t *next;

	if (allocate(&lookup, units->threads, units->count))
		return -ENOMEM;
	for (size_t i = 0; i < units->count; i++)
		lookup.first[units->unit[i].thread + 1]++;
	close_counts(&lookup);
	next = calloc(units->threads + 1, sizeof(*next));
	if (!next) {
		scope_evidence_lookup_free(&lookup);
		return -ENOMEM;
	}
	/* A thread's units were closed, and so stored, in order of time. */
	for (size_t i = 0; i < units->count; i++) {
		uint32_t thread = units->unit[i].thread;

		lookup.row[lookup.first[thread] + next[thread]++] = i;
	}
	free(next);
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

		if (units->unit[lookup->row[middle]].end_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == lookup->first[thread + 1] || units->unit[lookup->row[low]].begin_ns > time_ns)
		return UINT32_MAX;
	return lookup->row[low];
}
