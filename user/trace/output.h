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

struct scope_output;

/*
 * create: PATH.part, which publish renames to PATH; base/newfile.h says what happens to an existing
 * file of that name, and what else PATH may be. wrap: an open file, which stays the caller's; name
 * is in messages.
 */
int scope_trace_output_create(const char *path, struct scope_error *error, struct scope_output **ret_output);
int scope_trace_output_wrap(int fd, const char *name, struct scope_error *error, struct scope_output **ret_output);

/* Begins a piece of `bytes` bytes; the next calls of put must add up to it. 0 or -errno. */
int scope_trace_output_begin(struct scope_output *output, size_t bytes);
int scope_trace_output_put(struct scope_output *output, const void *data, size_t bytes);
int scope_trace_output_flush(struct scope_output *output);

/*
 * The bytes so far, buffered ones included; and the offset up to which the file is known to hold
 * whole pieces. They are equal just after a begin if all earlier pieces are in the file.
 */
uint64_t scope_trace_output_bytes(const struct scope_output *output);
uint64_t scope_trace_output_whole(const struct scope_output *output);

/* The descriptor, also for reading flushed data; it belongs to the output. */
int scope_trace_output_fd(const struct scope_output *output);

/* "" if nothing failed. */
const char *scope_trace_output_problem(const struct scope_output *output);
int scope_trace_output_fail(struct scope_output *output, int code);

/*
 * After a failure: cuts the file after the last piece that is known to be in it, and allows writing
 * from there, so that the caller can try to write an end. The problem's text stays. 0 or -errno.
 */
int scope_trace_output_cut(struct scope_output *output);

/* Renames PATH.part to PATH. Some file systems report a full disk only here. */
int scope_trace_output_publish(struct scope_output *output);

/* As scope_newfile_note() and scope_newfile_is_special(). The note belongs to the output. */
const char *scope_trace_output_note(const struct scope_output *output);
bool scope_trace_output_is_special(const struct scope_output *output);

/* Removes PATH.part if it was not published. NULL is fine. */
void scope_trace_output_destroy(struct scope_output *output);

#endif
