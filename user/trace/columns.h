/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders the bytes of a sub-buffer so that they compress well, and restores the order. docs/trace-format.md */
#ifndef SCOPE_TRACE_COLUMNS_H
#define SCOPE_TRACE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>

#define SCOPE_COLUMNS_MAX 4096

enum scope_column_sort {
	SCOPE_COLUMN_CLASSES, /* the head, and the class of each record */
	SCOPE_COLUMN_TIMES,   /* the magnitude of each time */
	SCOPE_COLUMN_BYTES,   /* the other bytes of the fixed parts */
	SCOPE_COLUMN_ARGS,
	SCOPE_COLUMN_REST, /* stacks */
	SCOPE_COLUMN_BITS, /* the lower bits of times */
};

/* Columns follow one another without a gap. */
struct scope_columns {
	size_t count;
	struct scope_column {
		uint32_t end; /* offset from the start of all */
		uint8_t sort; /* enum scope_column_sort */
		uint8_t type; /* type of its records, 0: any type */
	} column[SCOPE_COLUMNS_MAX];
};

/* The largest size that the columns of a sub-buffer of that size can have, in bytes. */
static inline size_t scope_trace_columns_bound(size_t used_bytes)
{
	return used_bytes + used_bytes / 4 + 256;
}

/* Bytes of work memory that scope_trace_columns_split() needs. */
size_t scope_trace_columns_room(size_t used_bytes);

/*
 * Writes at most scope_trace_columns_bound() bytes to `out`, which has room for scope_trace_columns_room() bytes and is
 * aligned to 8. -EINVAL: the sub-buffer holds an unknown record; store it unchanged.
 */
int scope_trace_columns_split(const struct scope_subbuf *subbuf, uint8_t *out, struct scope_columns *ret_columns);

/* Where the bytes after the fixed part and the arguments of a record are. */
struct scope_columns_rest {
	uint32_t from; /* of the sub-buffer */
	uint32_t at;   /* offset in all such bytes together */
	uint32_t bytes;
};

struct scope_trace_columns_rests {
	struct scope_columns_rest *rest; /* the caller frees it */
	size_t count, capacity;
	const uint8_t *data; /* the bytes of all records, one record after another: a part of the columns */
	size_t bytes;
};

/*
 * Restores exactly out_bytes bytes; fills rests again (NULL is fine). The columns need not be valid: then -EBADMSG.
 * 0 or -ENOMEM.
 */
int scope_trace_columns_join(const uint8_t *columns, size_t bytes, uint8_t *out, size_t out_bytes,
			     struct scope_trace_columns_rests *rests);

/*
 * Finds only those bytes, for a sub-buffer of out_bytes. This takes a tenth of the time of join. Fills rests again. 0,
 * -EBADMSG, -ENOMEM.
 */
int scope_trace_columns_rests(const uint8_t *columns, size_t bytes, size_t out_bytes,
			      struct scope_trace_columns_rests *rests);
/* The rest that holds these bytes of the sub-buffer, or NULL. */
const struct scope_columns_rest *scope_trace_columns_find_rest(const struct scope_columns_rest *rest, size_t count,
							       size_t from, size_t bytes);

/* Like join, for the columns of format 3, which are as long as the sub-buffer. */
int scope_trace_columns_join_3(const uint8_t *columns, size_t bytes, uint8_t *out);

#endif
