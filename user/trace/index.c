// SPDX-License-Identifier: GPL-2.0-only
/* Where each sub-buffer is in a file, by CPU and time. */
#include "trace/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Drops every second entry of each CPU. */
static void thin(struct scope_index *index)
{
	size_t kept = 0;

	index->stride *= 2;
	for (size_t i = 0; i < index->count; i++)
		if (!(index->place[i].ordinal & (index->stride - 1)))
			index->place[kept++] = index->place[i];
	index->count = kept;
}

static int grow_cpus(struct scope_index *index, uint32_t cpu)
{
	if (cpu < index->cpus)
		return 0;
	if (scope_grow(&index->ordinal, &index->cpu_capacity, cpu + 1ul, sizeof(*index->ordinal)))
		return -ENOMEM;
	memset(index->ordinal + index->cpus, 0, (cpu + 1ul - index->cpus) * sizeof(*index->ordinal));
	index->cpus = cpu + 1ul;
	return 0;
}

int scope_trace_index_add(struct scope_index *index, struct scope_frame_place place)
{
	if (grow_cpus(index, place.cpu) || scope_grow(&index->place, &index->capacity, index->count + 1, sizeof(place)))
		return -ENOMEM;
	if (!index->stride)
		index->stride = 1;
	place.ordinal = index->ordinal[place.cpu]++;
	if (place.ordinal & (index->stride - 1))
		return 0;
	index->place[index->count++] = place;
	if (index->count >= SCOPE_INDEX_MAX)
		thin(index);
	return 0;
}

void scope_trace_index_cut(struct scope_index *index, uint64_t offset)
{
	while (index->count && index->place[index->count - 1].offset >= offset)
		index->count--;
}

void scope_trace_index_clear(struct scope_index *index)
{
	index->count = index->stride = 0;
	if (index->cpus)
		memset(index->ordinal, 0, index->cpus * sizeof(*index->ordinal));
}

void scope_trace_index_destroy(struct scope_index *index)
{
	free(index->place);
	free(index->ordinal);
	*index = (struct scope_index){ 0 };
}
