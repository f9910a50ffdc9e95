// SPDX-License-Identifier: GPL-2.0-only
/* The priority of a child process that works for this one. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/forked.h"

#define S 1000000000ull

static int nice_of(pid_t child)
{
	return getpriority(PRIO_PROCESS, (id_t)child);
}

static void a_child_that_waits_for_a_cpu_gets_one(void **state)
{
	int lowered[2];
	char byte;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(lowered), 0);
	child = scope_forked();
	if (!child) {
		if (write(lowered[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(read(lowered[0], &byte, 1), 1);
	assert_int_equal(nice_of(child), 10);
	scope_forked_hurry(child, S - 1);
	assert_int_equal(nice_of(child), 10);
	if (!setpriority(PRIO_PROCESS, (id_t)child, 9)) {
		scope_forked_hurry(child, S);
		assert_int_equal(nice_of(child), 0);
		/* Never more than others have: the service comes first. */
		scope_forked_hurry(child, 100 * S);
		assert_int_equal(nice_of(child), 0);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(lowered[0]);
	close(lowered[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_that_waits_for_a_cpu_gets_one),
	};

	return cmocka_run_group_tests_name("forked", tests, NULL, NULL);
}
