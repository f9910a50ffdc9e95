/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts a trace to text, one row or event per line, and back. Engineers read this form, and tests keep traces in it.
 * docs/trace-format.md lists the lines.
 */
#ifndef SCOPE_TRACE_TEXT_FORM_H
#define SCOPE_TRACE_TEXT_FORM_H

#include <stdio.h>

#include "base/error.h"
#include "base/lines.h"
#include "trace/trace.h"
#include "trace/writer.h"

/*
 * Writes metadata, then every event from from_ns on and before to_ns. CLOCK_MONOTONIC. 0, or -errno
 * with error filled.
 */
int scope_trace_text_write_span(struct scope_trace *trace, uint64_t from_ns, uint64_t to_ns, FILE *stream,
				struct scope_error *error);

/*
 * Adds the rows and events of the text to the writer; the caller finishes it. Lines of events may
 * be in any order: they are sorted by time, and those of the same time keep their order. A line that
 * cannot be read is left out and counted in *ret_lines, which owns no memory. 0; -EINVAL if most lines
 * cannot be read; -EIO; -ENOMEM; or the writer's error.
 */
int scope_trace_text_read(FILE *stream, struct scope_writer *writer, struct scope_error *error,
			  struct scope_lines *ret_lines);

#endif
