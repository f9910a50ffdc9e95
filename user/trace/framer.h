/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the frames of a trace file: compressed if that saves space, with their checksums. */
#ifndef SCOPE_TRACE_FRAMER_H
#define SCOPE_TRACE_FRAMER_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

#define SCOPE_FRAMER_LEVEL_USUAL 1

struct scope_framer;

/* Whole frames, one after another, each padded. Borrowed until the framer's next frame. */
struct scope_frame_bytes {
	struct scope_frame head;
	const void *payload; /* of head.payload_bytes bytes */
	size_t bytes;	     /* in the file: head, payload and padding */
};

/* 0 or -ENOMEM. */
int scope_trace_framer_create(struct scope_framer **ret_framer);
void scope_trace_framer_destroy(struct scope_framer *framer); /* NULL is fine */

/* Sets the level of zstd for frames from here on. 0: payloads are stored unchanged. */
void scope_trace_framer_set_level(struct scope_framer *framer, int level);

/*
 * raw stays the caller's, and the frame's payload may point into it. -E2BIG: it has more than SCOPE_FRAME_RAW_MAX
 * bytes.
 */
int scope_trace_framer_make(struct scope_framer *framer, uint16_t type, uint32_t cpu, const void *raw, size_t raw_bytes,
			    struct scope_frame_bytes *ret_frame);

/* The same without compression. */
int scope_trace_framer_wrap(uint16_t type, uint32_t cpu, const void *raw, size_t raw_bytes,
			    struct scope_frame_bytes *ret_frame);

#endif
