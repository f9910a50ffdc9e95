/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sub-buffers that are written to a file uncompressed, and compressed in the file later.
 *
 * While the host is busy, the process that empties the rings must take little of a CPU, and nearly all it takes is
 * compression. So the end of the file is open: a gap, then frames as they came.
 *
 *   +--------+-------------------+------+------+-------------------------+
 *   | header | compressed frames | SKIP | gap  | frames as they came     |
 *   +--------+-------------------+------+------+-------------------------+
 *                                ^packed       ^next                     ^end
 *
 * A step moves the frame at `next` to `packed`, and compresses it if it is a sub-buffer. The gap holds it, because it is
 * as long as the longest frame of an open part at least, and no frame grows. First come the payload and, after it, the
 * head of the SKIP frame that the remaining gap gets; then, in place of the old SKIP, the new frame's head. Before
 * that write the old SKIP hides all of it; after it the new one hides where the frame was. So the file has each frame
 * exactly once at any time, also if the recorder is killed. When no frame is left, the file is cut at `packed`.
 *
 * Bounds: an open part has at most the length that the caller allows, or an eighth of what is free on the disk. Above
 * that, twice as much is compressed as comes, until nothing is left to compress. During that time the reader takes as
 * much of a CPU as if it compressed at once, and the part is never longer than twice the limit and the gap. Memory: one
 * frame.
 */
#ifndef SCOPE_TRACE_LATER_H
#define SCOPE_TRACE_LATER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/framer.h"
#include "trace/index.h"
#include "trace/output.h"

#define SCOPE_LATER_FRAME_MAX (1u << 20) /* longer frames are not put into an open part */

/* A zeroed struct never defers anything. */
struct scope_later {
	struct scope_output *output;
	struct scope_framer *framer;
	struct scope_index *index; /* gets a place for each sub-buffer that is compressed */
	uint64_t most_bytes;	   /* 0: off */
	uint64_t bound_bytes;	   /* of the part that is open */
	uint64_t packed, next;	   /* offsets in the file; equal: no part is open */
	bool catching_up;
	bool failed; /* a step failed: the part stays as it is */
	uint8_t *buffer;
	size_t capacity;
};

/* most_bytes: limit of an open part. The output must be a regular file that no program reads before it is complete. */
void scope_trace_later_begin(struct scope_later *later, struct scope_output *output, struct scope_framer *framer,
			     struct scope_index *index, uint64_t most_bytes);
void scope_trace_later_destroy(struct scope_later *later);

static inline bool scope_trace_later_is_open(const struct scope_later *later)
{
	return later->packed != later->next;
}

/* Opens a part if none is open. Returns false if a frame of that length is to be compressed at once. */
bool scope_trace_later_takes(struct scope_later *later, size_t bytes);

/* Writes a frame to the open part, and compresses others if there are too many. 0, or -errno: the frame is not in it. */
int scope_trace_later_put(struct scope_later *later, const struct scope_frame_bytes *frame);

/* One step. 1: a frame was compressed or moved; 0: none is left, and the part is closed; -errno. */
int scope_trace_later_step(struct scope_later *later);

/* Does all steps. 0, or -errno: the file is still readable, but has a SKIP frame. */
int scope_trace_later_settle(struct scope_later *later);

/*
 * For use after a write that failed because the disk is full: does all steps for the frames that are known to be in the
 * file. Buffered frames stay. 0: the part is closed and nothing is deferred any more, so the write can be tried again.
 */
int scope_trace_later_make_room(struct scope_later *later);

/* Bytes that the file will lose when the part is closed. */
uint64_t scope_trace_later_gap(const struct scope_later *later);

#endif
