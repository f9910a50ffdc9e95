// SPDX-License-Identifier: GPL-2.0-only
/* A reader in a separate process: whatever happens to it, the process that started it continues, and reports it. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "import/messages.h"

#define OTHERS 20000

static int report_others(void *user, struct scope_import_sender *sender)
{
	for (int i = 0; i < OTHERS; i++)
		if (scope_import_send(sender, &(struct scope_import_message){ .kind = SCOPE_IMPORT_MESSAGE_OTHER }))
			return -EPIPE;
	return *(int *)user;
}

static int end_itself(void *user, struct scope_import_sender *sender)
{
	(void)sender;
	fputs("a library that complains\n", stderr);
	raise(*(int *)user);
	return 0;
}

static int leave(void *user, struct scope_import_sender *sender)
{
	(void)sender;
	_exit(*(int *)user);
	return 0;
}

static int hang(void *user, struct scope_import_sender *sender)
{
	(void)user;
	(void)sender;
	while (pause())
		continue;
	return 0;
}

static int spin(void *user, struct scope_import_sender *sender)
{
	(void)user;
	(void)sender;
	for (volatile unsigned int i = 0;; i++)
		continue;
	return 0;
}

static int nonsense(void *user, struct scope_import_sender *sender)
{
	(void)user;
	return scope_import_send(sender, &(struct scope_import_message){ .kind = 200 });
}

static int write_file(void *user, struct scope_import_sender *sender)
{
	FILE *file = fopen(user, "w");
	int code = file && fputs("text", file) >= 0 && !fflush(file) ? 1 : 0;

	(void)sender;
	return code;
}

static int run(int (*read)(void *user, struct scope_import_sender *sender), void *user, uint64_t *ret_others)
{
	return scope_import_run_reader(read, user, read == hang ? 300 : 60000, NULL, ret_others);
}

static void test_results(void **state)
{
	uint64_t others = 7;
	int code = 0;

	(void)state;
	assert_int_equal(run(report_others, &code, &others), 0);
	assert_int_equal(others, OTHERS);
	code = -ENODATA;
	others = 7;
	assert_int_equal(run(report_others, &code, &others), -ENODATA);
	assert_int_equal(others, 7);
	assert_int_equal(run(nonsense, NULL, &others), -EBADMSG);
}

static void test_it_ends(void **state)
{
	int signals[] = { SIGABRT, SIGSEGV, SIGKILL }, status = 0;
	uint64_t others;

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		assert_int_equal(run(end_itself, &signals[i], &others), -ECHILD);
	assert_int_equal(run(leave, &status, &others), -ECHILD);
}

static void test_it_hangs(void **state)
{
	uint64_t others;

	(void)state;
	assert_int_equal(run(hang, NULL, &others), -ETIME);
	/* By its time on a CPU, long before an hour of silence. */
	assert_int_equal(scope_import_run_reader(spin, NULL, 3600000, NULL, &others), -ETIME);
}

static void test_it_writes_no_file(void **state)
{
	char name[] = "/tmp/scope-message-XXXXXX";
	uint64_t others;
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0);
	/* SIGXFSZ ends it. */
	assert_int_equal(run(write_file, name, &others), -ECHILD);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_it_ends),
		cmocka_unit_test(test_it_hangs),
		cmocka_unit_test(test_it_writes_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
