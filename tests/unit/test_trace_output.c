// SPDX-License-Identifier: GPL-2.0-only
/* The name of a trace file after it is complete, and the message if it cannot be written. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "trace_fixture.h"

static char *scratch_path(char *buffer, const char *name)
{
	const char *folder = getenv("TMPDIR");

	snprintf(buffer, 256, "%s/scope-%d-%s", folder ? folder : "/tmp", (int)getpid(), name);
	return buffer;
}

static void test_named_file_appears_when_finished(void **state)
{
	char path[256], part[300];
	struct scope_error error = { "" };
	struct scope_writer *writer;
	struct scope_trace *trace;

	(void)state;
	snprintf(part, sizeof(part), "%s.part", scratch_path(path, "named"));
	assert_int_equal(scope_trace_writer_create(path, &error, &writer), 0);
	assert_int_equal(access(part, F_OK), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(scope_trace_writer_finish(writer, &error), 0);
	scope_trace_writer_destroy(writer);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(scope_trace_open(path, &error, &trace), 0);
	no_more_events(trace);
	scope_trace_close(trace);

	assert_int_equal(scope_trace_writer_create(path, &error, &writer), 0);
	scope_trace_writer_destroy(writer);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(access(path, F_OK), 0); /* the finished one stays */
	unlink(path);
}

static void test_names_that_cannot_be_written(void **state)
{
	struct scope_error error = { "" };
	struct scope_writer *writer;
	struct scope_trace *trace;

	(void)state;
	assert_int_equal(scope_trace_writer_create("/dev", &error, &writer), -EISDIR);
	assert_non_null(strstr(error.text, "/dev is a directory"));
	assert_int_equal(scope_trace_writer_create("/no/such/folder/x", &error, &writer), -ENOENT);
	assert_non_null(strstr(error.text, "/no/such/folder/x"));
	assert_int_equal(scope_trace_open("/no/such/file", &error, &trace), -ENOENT);
	assert_non_null(strstr(error.text, "/no/such/file"));
	assert_int_equal(scope_trace_open("/", &error, &trace), -EINVAL);
	assert_non_null(strstr(error.text, "not a regular file"));
}

/* /dev/full takes nothing. */
static void test_full_disk(void **state)
{
	int fd = memfd_create("full", MFD_CLOEXEC);
	FILE *full = fopen("/dev/full", "w");
	struct scope_error error = { "" };
	struct scope_writer *writer;

	(void)state;
	assert_true(fd >= 0 && full);
	assert_int_equal(scope_trace_writer_create_fd(fileno(full), "trace.scope", NULL, &writer), 0);
	assert_int_equal(scope_trace_writer_finish(writer, &error), -ENOSPC);
	assert_non_null(strstr(error.text, "trace.scope"));
	assert_non_null(strstr(error.text, "make room"));
	assert_int_equal(scope_trace_writer_meta(writer, "a", "b"), -ENOSPC);
	assert_string_equal(scope_trace_writer_error(writer), error.text);
	scope_trace_writer_destroy(writer);
	fclose(full);
	close(fd);
}

static void test_limit_on_file_size(void **state)
{
	struct rlimit old, limit;
	struct filled filled = filled_begin(0, 0, 0, 1);
	struct scope_error error = { "" };
	struct scope_writer *writer;
	int fd = memfd_create("limited", MFD_CLOEXEC);
	int ret = 0;

	(void)state;
	for (int i = 0; i < 12; i++)
		filled_syscall(&filled, 10, 3);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 100000;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(scope_trace_writer_create_fd(fd, "trace.scope", NULL, &writer), 0);
	for (int i = 0; i < 100000 && !ret; i++)
		ret = scope_trace_writer_subbuf(writer, &filled.head);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(scope_trace_writer_finish(writer, &error), -EFBIG);
	assert_non_null(strstr(error.text, "ulimit -f"));
	scope_trace_writer_destroy(writer);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_file_appears_when_finished),
		cmocka_unit_test(test_names_that_cannot_be_written),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_limit_on_file_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
