// SPDX-License-Identifier: GPL-2.0-only
/* A descriptor is written again only if it became a different object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "trace/written_fds.h"

static bool said(struct scope_written_fds *written, uint32_t tgid, int32_t fd, enum scope_fd_kind kind,
		 const char *name)
{
	return scope_trace_written_fds_add(written, &(struct scope_trace_fd){ tgid, fd, kind, name });
}

static void only_what_changed_is_new(void **state)
{
	struct scope_written_fds written = { 0 };

	(void)state;
	assert_false(said(&written, 10, 3, SCOPE_FD_CONNECTED, "socket:[1]"));
	assert_true(said(&written, 10, 3, SCOPE_FD_CONNECTED, "socket:[1]"));
	assert_false(said(&written, 11, 3, SCOPE_FD_CONNECTED, "socket:[1]"));
	assert_false(said(&written, 10, 4, SCOPE_FD_CONNECTED, "socket:[1]"));
	assert_false(said(&written, 10, 3, SCOPE_FD_ACCEPTED, "socket:[1]"));
	assert_false(said(&written, 10, 3, SCOPE_FD_ACCEPTED, "socket:[2]"));
	/* It was that before, but something else since. */
	assert_false(said(&written, 10, 3, SCOPE_FD_CONNECTED, "socket:[1]"));
	assert_true(said(&written, 10, 3, SCOPE_FD_CONNECTED, "socket:[1]"));
	scope_trace_written_fds_clear(&written);
	assert_false(said(&written, 10, 3, SCOPE_FD_CONNECTED, "socket:[1]"));
	scope_trace_written_fds_clear(&written);
}

#define MANY 20000

static void many_are_told_apart(void **state)
{
	struct scope_written_fds written = { 0 };
	char name[32];

	(void)state;
	for (int again = 0; again < 2; again++) {
		for (int i = 0; i < MANY; i++) {
			snprintf(name, sizeof(name), "socket:[%d]", 100000 + i);
			assert_int_equal(said(&written, 10 + (uint32_t)i % 3, i, SCOPE_FD_ACCEPTED, name), again);
		}
	}
	assert_int_equal(written.count, MANY);
	scope_trace_written_fds_clear(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_changed_is_new),
		cmocka_unit_test(many_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
