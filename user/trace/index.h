/* SPDX-License-Identifier: GPL-2.0-only */
/* Where each sub-buffer is in a file, by CPU and time. The index has a bounded size for files of any length. */
#ifndef SCOPE_TRACE_INDEX_H
#define SCOPE_TRACE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

/* A zeroed struct is an empty index. */
struct scope_index {
	struct scope_frame_place *place; /* `count` of them, in the order they were added */
	size_t count, capacity;
	uint32_t *ordinal; /* by CPU: ordinal of its next sub-buffer */
	size_t cpus, cpu_capacity;
	uint32_t stride; /* the index holds every stride-th sub-buffer of each CPU; a power of two, 0: not begun */
};

#define SCOPE_INDEX_MAX 32768

/* Adds the next sub-buffer of its CPU; ordinal is filled in. 0 or -ENOMEM. */
int scope_trace_index_add(struct scope_index *index, struct scope_frame_place place);
/* Drops the entries from an offset on. */
void scope_trace_index_cut(struct scope_index *index, uint64_t offset);
void scope_trace_index_clear(struct scope_index *index);
void scope_trace_index_destroy(struct scope_index *index);

#endif
