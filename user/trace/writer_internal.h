/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a writer, shared by its files. */
#ifndef SCOPE_TRACE_WRITER_INTERNAL_H
#define SCOPE_TRACE_WRITER_INTERNAL_H

#include "trace/flight.h"
#include "trace/format.h"
#include "trace/framer.h"
#include "trace/index.h"
#include "trace/later.h"
#include "trace/metadata.h"
#include "trace/output.h"
#include "trace/writer.h"
#include "trace/written_fds.h"

/* A file has an output. A flight recorder has none, but flight and keep. */
struct scope_writer {
	struct scope_framer *framer;
	struct scope_output *output;
	struct scope_flight *flight;
	struct scope_keep *keep;
	struct scope_index index;
	struct scope_later later;
	struct scope_written_fds written_fds; /* of the file, or with `keep` of all that is kept */
	uint64_t later_bytes;		      /* as scope_trace_writer_defer() set it */
	struct scope_frame_end counts;
	struct scope_frame_end certain; /* sub-buffers up to scope_trace_output_whole() */
	struct scope_frame_end before;	/* sub-buffers up to scope_trace_output_whole_before() */
	uint64_t end_ns;		/* time of the latest sub-buffer */
	int level;
	int err; /* -errno of a failure that is not the output's */
	struct scope_error problem;
	uint8_t *scratch; /* a metadata payload that is being built */
	size_t scratch_bytes, scratch_capacity;
	scope_writer_tap *tap;
	void *tap_context;
	scope_writer_map_tap *map_tap;
	void *map_tap_context;
};

/* Notes a failure that is not the output's. Returns the first one. */
int scope_trace_writer_fail(struct scope_writer *writer, int code);

int scope_trace_writer_put_header(struct scope_writer *writer);
/* Writes a frame to the file. */
int scope_trace_writer_put_frame(struct scope_writer *writer, const struct scope_frame_bytes *frame);
/* Writes any frame but one of a sub-buffer to the file, and keeps a copy if metadata is kept. */
int scope_trace_writer_put_row(struct scope_writer *writer, uint16_t type, const void *raw, size_t bytes);
/* Fills in place.offset. */
int scope_trace_writer_put_subbuf(struct scope_writer *writer, const struct scope_frame_bytes *frame,
				  struct scope_frame_place place);
/* Writes everything after the last sub-buffer, and gives the file its name. */
int scope_trace_writer_end_file(struct scope_writer *writer);

#endif
