/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds records of some types in one raw sub-buffer. */
#ifndef SCOPE_TRACE_WALK_H
#define SCOPE_TRACE_WALK_H

#include <stdint.h>

#include <scope/event.h>
#include <scope/ring.h>

/* The bit of a type in a set of types. */
#define SCOPE_WALK(NAME) (1u << SCOPE_RECORD_##NAME)

/*
 * Returns the first record of one of these types from *offset on, and sets *offset to its end. Start with 0. Returns
 * NULL at the end, or at a record of invalid length. All bytes of the record are within used_bytes.
 */
const void *scope_trace_walk_next(const struct scope_subbuf *subbuf, uint32_t types, uint32_t *offset);

static inline uint32_t scope_trace_walk_type(const void *record)
{
	return scope_record_type(*(const uint32_t *)record);
}

#endif
