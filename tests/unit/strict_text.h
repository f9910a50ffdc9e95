/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a trace in the text form in which any wrong line is an error. */
#ifndef SCOPE_TESTS_STRICT_TEXT_H
#define SCOPE_TESTS_STRICT_TEXT_H

#include <errno.h>

#include "trace/text_form.h"

/* As scope_trace_text_read(); -EINVAL if a line cannot be read: error says which, and why. */
static inline int strict_text_read(FILE *stream, struct scope_writer *writer, struct scope_error *error)
{
	struct scope_lines lines = { 0 };
	const int err = scope_trace_text_read(stream, writer, error, &lines);

	return lines.bad ? scope_error_set(error, -EINVAL, "%s", lines.first_bad) : err;
}

#endif
