// SPDX-License-Identifier: GPL-2.0-only
/* The rows of a trace that count the resources that the host did not give to the target, and how much counts grew. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/host_row.h"
#include "trace/trace_internal.h"

static int compare(const void *left, const void *right)
{
	const struct scope_host_row *a = left, *b = right;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

int scope_trace_host_rows(const struct scope_trace *trace, struct scope_host_row **ret_rows, size_t *ret_count)
{
	const size_t prefix = strlen(SCOPE_META_HOST_ROW);
	struct scope_host_row *row;
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < trace->metas; i++)
		count += !strncmp(trace->meta[i].key, SCOPE_META_HOST_ROW, prefix);
	row = calloc(count + 1, sizeof(*row));
	if (!row)
		return -ENOMEM;
	count = 0;
	for (size_t i = 0; i < trace->metas; i++)
		if (!strncmp(trace->meta[i].key, SCOPE_META_HOST_ROW, prefix))
			count += scope_trace_host_row_parse(trace->meta[i].value, &row[count]);
	qsort(row, count, sizeof(*row), compare);
	for (size_t i = 0; i < count; i++)
		if (!kept || row[i].time_ns > row[kept - 1].time_ns)
			row[kept++] = row[i];
	*ret_rows = row;
	*ret_count = kept;
	return 0;
}

/* The first row after that time, but at least the second row, because the first has no row before it. */
static size_t first_after(const struct scope_host_row *row, size_t count, uint64_t time_ns)
{
	size_t low = 1, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (row[middle].time_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * The part of a growth that belongs to the time passed. Parts are rounded so that those of a whole stretch add up to
 * the whole growth.
 */
static uint64_t part(uint64_t growth, uint64_t passed_ns, uint64_t length_ns)
{
	return (uint64_t)((unsigned __int128)growth * passed_ns / length_ns);
}

/*
 * True for pressure. A task can have waited for at most all of the time; a larger growth means that a row was read
 * later than its time says.
 */
static bool is_pressure(unsigned count)
{
	return count >= SCOPE_HOST_CPU;
}

static uint64_t grown(const struct scope_host_row *from, const struct scope_host_row *to, unsigned count)
{
	const uint64_t length_ns = to->time_ns - from->time_ns;
	uint64_t growth;

	if (!(from->known & to->known & 1u << count) || to->value[count] <= from->value[count])
		return 0;
	growth = to->value[count] - from->value[count];
	return is_pressure(count) && growth > length_ns ? length_ns : growth;
}

uint64_t scope_trace_host_growth(const struct scope_host_row *row, size_t count, uint64_t begin_ns, uint64_t end_ns,
				 struct scope_host_row *ret_growth)
{
	uint64_t covered_ns = 0;

	*ret_growth = (struct scope_host_row){ .time_ns = end_ns };
	for (size_t i = first_after(row, count, begin_ns); i < count && row[i - 1].time_ns < end_ns; i++) {
		const struct scope_host_row *from = &row[i - 1], *to = &row[i];
		const uint64_t first_ns = from->time_ns > begin_ns ? from->time_ns : begin_ns;
		const uint64_t last_ns = to->time_ns < end_ns ? to->time_ns : end_ns;
		const uint64_t length_ns = to->time_ns - from->time_ns;

		covered_ns += last_ns - first_ns;
		ret_growth->known |= from->known & to->known;
		for (unsigned j = 0; j < SCOPE_HOST_COUNTS; j++) {
			const uint64_t growth = grown(from, to, j);

			ret_growth->value[j] += part(growth, last_ns - from->time_ns, length_ns) -
						part(growth, first_ns - from->time_ns, length_ns);
		}
	}
	return covered_ns;
}
