/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns one event into the record the module would write. */
#ifndef SCOPE_TRACE_ENCODE_H
#define SCOPE_TRACE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

/* The largest record: a stack with all registers. */
#define SCOPE_RECORD_BYTES_MAX (sizeof(struct scope_record_stack) + SCOPE_REG_MAX * 8 + SCOPE_EVENT_STACK_BYTES_MAX + 8)

/*
 * Writes the record, with a delta of 0, to buffer: SCOPE_RECORD_BYTES_MAX bytes, 8-byte aligned.
 * -EINVAL, error filled: a value that no record can hold. LOST has no record: -EINVAL.
 */
int scope_trace_event_encode(const struct scope_event *event, void *buffer, struct scope_error *error,
			     size_t *ret_bytes);

/*
 * True if the record does not name its thread, which is the one on its CPU: fills *ret_tid. Else *ret_tid is unchanged.
 */
bool scope_trace_event_context(const struct scope_event *event, uint32_t *ret_tid);

#endif
