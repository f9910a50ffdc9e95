/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packs events into sub-buffers, as the module would have written them, for other sources than the
 * module: text and perf.
 */
#ifndef SCOPE_TRACE_PACKER_H
#define SCOPE_TRACE_PACKER_H

#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"
#include "trace/writer.h"

struct scope_packer;

/*
 * subbuf_bytes: 0 for the usual size, else SCOPE_SUBBUF_BYTES_MIN to SCOPE_SUBBUF_BYTES_MAX
 * (-EINVAL). The writer stays the caller's and must outlive the packer.
 */
int scope_trace_packer_create(struct scope_writer *writer, uint32_t subbuf_bytes, struct scope_packer **ret_packer);

/*
 * The same with a function instead of a writer. If it returns another value than 0, that value is returned to the
 * caller.
 */
int scope_trace_packer_create_for(int (*take)(const struct scope_subbuf *subbuf, void *context), void *context,
				  uint32_t subbuf_bytes, struct scope_packer **ret_packer);

/*
 * Adds an event after the earlier ones of its CPU. If the event's thread is not the one on that
 * CPU, a THREAD record is added before it. A LOST event begins a new sub-buffer; a count of 0 skips
 * a number of a sub-buffer.
 *
 * 0; -ERANGE: earlier than the one before on that CPU; -EINVAL: no record can hold it; -E2BIG:
 * larger than a sub-buffer; or the writer's error. error (NULL is fine) describes it.
 */
int scope_trace_packer_event(struct scope_packer *packer, const struct scope_event *event, struct scope_error *error);

/* Writes all begun sub-buffers. Packing may go on. */
int scope_trace_packer_flush(struct scope_packer *packer, struct scope_error *error);

/* Drops what was not flushed. NULL is fine. */
void scope_trace_packer_destroy(struct scope_packer *packer);

#endif
