/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace from a few lines of its text form, for tests. */
#ifndef SCOPE_TESTS_TRACE_OF_H
#define SCOPE_TESTS_TRACE_OF_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "strict_text.h"
#include "trace/trace.h"
#include "trace/writer.h"

/* Fails the test if the text is wrong. The caller closes the trace. */
static struct scope_trace *trace_of(const char *text)
{
	struct scope_error error = { 0 };
	struct scope_writer *writer;
	struct scope_trace *trace = NULL;
	FILE *file = tmpfile(), *from = fmemopen((char *)text, strlen(text), "r");

	assert_non_null(file);
	assert_non_null(from);
	assert_int_equal(scope_trace_writer_create_fd(fileno(file), "test", &error, &writer), 0);
	if (strict_text_read(from, writer, &error) || scope_trace_writer_finish(writer, &error) ||
	    scope_trace_open_fd(fileno(file), "test", &error, &trace))
		fail_msg("%s", error.text);
	scope_trace_writer_destroy(writer);
	fclose(from);
	fclose(file);
	return trace;
}

#endif
