/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that grows by whole pieces, and loses only the last ones if the disk is full.
 *
 * An output keeps its first failure: every later call returns the same -errno, and
 * scope_trace_output_problem() describes it in a sentence.
 */
#ifndef SCOPE_TRACE_OUTPUT_H
#define SCOPE_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format.h"

struct scope_output;

/*
 * create: PATH.part, which publish renames to PATH; base/newfile.h says what happens to an existing
 * file of that name, and what else PATH may be. wrap: an open file, which stays the caller's; name
 * is in messages.
 */
int scope_trace_output_create(const char *path, struct scope_error *error, struct scope_output **ret_output);
int scope_trace_output_wrap(int fd, const char *name, struct scope_error *error, struct scope_output **ret_output);

/* Begins a piece of `bytes` bytes, which the next calls of put write. 0 or -errno. */
int scope_trace_output_begin(struct scope_output *output, size_t bytes);
int scope_trace_output_put(struct scope_output *output, const void *data, size_t bytes);
int scope_trace_output_flush(struct scope_output *output);

/*
 * The number of bytes so far, buffered ones included; and the offset up to which the file is known to have whole
 * pieces. Just after a begin both are equal if all earlier pieces are in the file.
 */
uint64_t scope_trace_output_bytes(const struct scope_output *output);
uint64_t scope_trace_output_whole(const struct scope_output *output);
/*
 * The value of scope_trace_output_whole() before it changed last; 0: not known, or it changed otherwise than by more
 * pieces.
 */
uint64_t scope_trace_output_whole_before(const struct scope_output *output);

/* The descriptor, also for reading flushed data; it belongs to the output. */
int scope_trace_output_fd(const struct scope_output *output);

/* "" if nothing failed. */
const char *scope_trace_output_problem(const struct scope_output *output);
int scope_trace_output_fail(struct scope_output *output, int code);

/*
 * After a failure: cuts the file at `end`, up to which it is known to hold whole pieces, and allows writing
 * from there, so that the caller can try to write an end. The problem's text stays. 0 or -errno.
 */
int scope_trace_output_cut(struct scope_output *output, uint64_t end);

/*
 * For parts of the file that are written again (trace/later.h). Offsets are those of output_bytes(). piece: writes a
 * whole frame past the buffer, after what is in it. gap: adds `gap` bytes that begin with that head and have room on
 * the disk. read, replace: of what is in the file. truncate: the file ends there; what is buffered will follow.
 * retry: after a failure, as truncate at the last whole piece in the file, and allows writing: buffered whole pieces
 * are still there. All 0 or -errno; only that of piece is kept as the output's failure. room: bytes free on the disk.
 */
int scope_trace_output_piece(struct scope_output *output, const struct scope_frame *head, const void *payload);
int scope_trace_output_gap(struct scope_output *output, const void *head, size_t bytes, uint64_t gap);
int scope_trace_output_read(const struct scope_output *output, void *data, size_t bytes, uint64_t at);
int scope_trace_output_replace(struct scope_output *output, const void *data, size_t bytes, uint64_t at);
int scope_trace_output_truncate(struct scope_output *output, uint64_t end);
int scope_trace_output_retry(struct scope_output *output);
uint64_t scope_trace_output_room(const struct scope_output *output);
bool scope_trace_output_is_regular(const struct scope_output *output);

/* Renames PATH.part to PATH. Some file systems report a full disk only here. */
int scope_trace_output_publish(struct scope_output *output);

/* See scope_newfile_note() and scope_newfile_is_special(). The note belongs to the output. */
const char *scope_trace_output_note(const struct scope_output *output);
bool scope_trace_output_is_special(const struct scope_output *output);

/* Removes PATH.part if it was not published. NULL is fine. */
void scope_trace_output_destroy(struct scope_output *output);

#endif
