/* SPDX-License-Identifier: GPL-2.0-only */
/* Order the bytes of a sub-buffer so that they compress well, and back. docs/trace-format.md */
#ifndef SCOPE_TRACE_COLUMNS_H
#define SCOPE_TRACE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>

/* Where one sort of bytes ends and the next begins, as offsets from the start; the last is the end. */
#define SCOPE_COLUMNS_MAX 1024

struct scope_columns {
	size_t count;
	uint32_t border[SCOPE_COLUMNS_MAX];
};

/*
 * Writes used_bytes to `out`. -EINVAL: it holds something that is not known, and is to be stored as
 * it is.
 */
int scope_columns_split(const struct scope_subbuf *subbuf, uint8_t *out,
			struct scope_columns *ret_columns);

/* The same bytes back, of as many to `out`. They may be anything: -EBADMSG. */
int scope_columns_join(const uint8_t *columns, size_t bytes, uint8_t *out);

#endif
