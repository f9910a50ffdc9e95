/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that grows by whole pieces, and loses at most the last ones where the disk is full.
 *
 * An output keeps its first failure: every later call returns the same -errno, and
 * scope_trace_output_problem() tells it as a sentence.
 */
#ifndef SCOPE_TRACE_OUTPUT_H
#define SCOPE_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct scope_output;

/*
 * create: PATH.part, which publish renames to PATH; base/newfile.h says what happens to a file that has the
 * name already, and what else PATH may be. wrap: an open file, which stays the caller's; name is in
 * messages.
 */
int scope_trace_output_create(const char *path, struct scope_error *error, struct scope_output **ret_output);
int scope_trace_output_wrap(int fd, const char *name, struct scope_error *error, struct scope_output **ret_output);

/* Begins a piece of so many bytes, which the next calls of put add up to. 0 or -errno. */
int scope_trace_output_begin(struct scope_output *output, size_t bytes);
int scope_trace_output_put(struct scope_output *output, const void *data, size_t bytes);
int scope_trace_output_flush(struct scope_output *output);

/*
 * Bytes so far, those still buffered included; and up to where whole pieces are in the file for
 * certain. Equal just behind a begin: all pieces before that one are.
 */
uint64_t scope_trace_output_bytes(const struct scope_output *output);
uint64_t scope_trace_output_whole(const struct scope_output *output);

/* To read what was flushed, too; the output's own. */
int scope_trace_output_fd(const struct scope_output *output);

/* "" while nothing failed. */
const char *scope_trace_output_problem(const struct scope_output *output);
int scope_trace_output_fail(struct scope_output *output, int code);

/*
 * After a failure: cuts the file behind the pieces that are in it for certain and lets writing go on
 * from there, so that an end can be tried. The problem's text stays. 0 or -errno.
 */
int scope_trace_output_cut(struct scope_output *output);

/* Renames PATH.part to PATH. Some file systems report a full disk only here. */
int scope_trace_output_publish(struct scope_output *output);

/* As scope_newfile_note() and scope_newfile_is_special(). The note is the output's own. */
const char *scope_trace_output_note(const struct scope_output *output);
bool scope_trace_output_is_special(const struct scope_output *output);

/* Removes PATH.part where it was not published. NULL is fine. */
void scope_trace_output_destroy(struct scope_output *output);

#endif
