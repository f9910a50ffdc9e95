// SPDX-License-Identifier: GPL-2.0-only
/* Connections that wait to be accepted: the text of a row, and the last row of each socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/backlog_row.h"
#include "trace_of.h"

/* The rows of a trace whose only row has this text; returns how many there are. */
static size_t rows_of(const char *text, struct scope_backlog_row *ret_row)
{
	char meta[256];
	struct scope_trace *trace;
	struct scope_backlog_row *row;
	size_t count;

	snprintf(meta, sizeof(meta), "meta backlog.0 %s\n", text);
	trace = trace_of(meta);
	assert_int_equal(scope_trace_backlogs(trace, false, &row, &count), 0);
	if (count)
		*ret_row = row[0];
	free(row);
	scope_trace_close(trace);
	return count;
}

static void test_text_and_back(void **state)
{
	const struct scope_backlog_row row = { .time_ns = 9000, .since_ns = 4000, .inode = 55, .count = 6, .limit = 5 };
	struct scope_backlog_row read;
	char text[SCOPE_BACKLOG_BYTES];

	(void)state;
	scope_trace_backlog_format(&row, text);
	assert_int_equal(rows_of(text, &read), 1);
	assert_int_equal(read.time_ns, 9000);
	assert_int_equal(read.since_ns, 4000);
	assert_int_equal(read.inode, 55);
	assert_int_equal(read.count, 6);
	assert_int_equal(read.limit, 5);
}

static void test_refused(void **state)
{
	static const char *const bad[] = { "nonsense",	 "1 2",	       "9 4 55 6",    "9 4 55 6 5 1",
					   "9 4 55 6 x", "4 9 55 6 5", "-9 4 55 6 5", "9 4 55 6 5 " };
	struct scope_backlog_row row;

	(void)state;
	assert_int_equal(rows_of("9 4 55 6 5", &row), 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(rows_of(bad[i], &row), 0);
}

static void test_last_row_of_each_socket(void **state)
{
	struct scope_trace *trace = trace_of("meta backlog.0 5 5 55 1 128\nmeta backlog.1 7 5 55 3 128\n"
					     "meta backlog.2 8 8 66 2 128\nmeta backlog.3 6 5 55 9 128\n"
					     "meta backlog.4 nonsense\nmeta waiting_bytes.0 9 4 77 64 0\n");
	struct scope_backlog_row *row;
	size_t count;

	(void)state;
	assert_int_equal(scope_trace_backlogs(trace, false, &row, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(row[0].inode, 55);
	assert_int_equal(row[0].time_ns, 7);
	assert_int_equal(row[0].count, 3);
	assert_int_equal(row[1].inode, 66);
	free(row);
	assert_int_equal(scope_trace_backlogs(trace, true, &row, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(row[0].inode, 77);
	assert_int_equal(row[0].since_ns, 4);
	free(row);
	scope_trace_close(trace);
	trace = trace_of("meta backlogs 1\n");
	assert_int_equal(scope_trace_backlogs(trace, false, &row, &count), 0);
	assert_null(row);
	assert_int_equal(count, 0);
	scope_trace_close(trace);
}

static void test_socket(void **state)
{
	const struct scope_trace_fd listener = { .kind = SCOPE_FD_LISTEN, .name = "socket:[55]" };
	const struct scope_trace_fd client = { .kind = SCOPE_FD_ACCEPTED, .name = "socket:[56] from a to b" };
	const struct scope_trace_fd pipe = { .kind = SCOPE_FD_PIPE, .name = "pipe:[57]" };
	const struct scope_trace_fd nameless = { .kind = SCOPE_FD_LISTEN, .name = "-" };

	(void)state;
	assert_int_equal(scope_trace_socket_of(&listener), 55);
	assert_int_equal(scope_trace_socket_of(&client), 56);
	assert_int_equal(scope_trace_socket_of(&pipe), 0);
	assert_int_equal(scope_trace_socket_of(&nameless), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_and_back),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_last_row_of_each_socket),
		cmocka_unit_test(test_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
