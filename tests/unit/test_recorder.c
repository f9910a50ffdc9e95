// SPDX-License-Identifier: GPL-2.0-only
/* A recorder's files and its control socket: names, the number of files kept, and which callers get an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/duration.h"
#include "recorder/control_socket.h"
#include "recorder/files.h"

static char folder[] = "/tmp/scope-recorder-XXXXXX";

static void touch(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void test_files(void **state)
{
	char output[64], path[12][4096], other[128];

	(void)state;
	setenv("TZ", "UTC", 1);
	snprintf(output, sizeof(output), "%s/a[1]*.trace", folder);
	for (int i = 0; i < 12; i++) {
		/* Twelve of three seconds: numbers after the date where they are the same. */
		assert_int_equal(scope_recorder_files_name(output, 1000000000 + i / 4, path[i], 4096), 0);
		touch(path[i]);
	}
	assert_non_null(strstr(path[0], "/a[1]*-20010909-014640.trace"));
	assert_non_null(strstr(path[3], "/a[1]*-20010909-014640-4.trace"));
	snprintf(other, sizeof(other), "%s/a1x-20010909-014640.trace", folder);
	touch(other);
	scope_recorder_files_limit(output, 5, NULL);
	for (int i = 0; i < 12; i++)
		assert_int_equal(access(path[i], F_OK), i < 7 ? -1 : 0);
	assert_int_equal(access(other, F_OK), 0);
	scope_recorder_files_limit(output, 5, NULL);
	assert_int_equal(access(path[7], F_OK), 0);
	assert_int_equal(scope_recorder_files_name(output, 0, path[0], 20), -ENAMETOOLONG);
}

/* A recorder that was killed leaves incomplete files; those of others, and complete ones, are none of them. */
static void test_files_of_a_killed_recorder(void **state)
{
	static const struct {
		const char *name;
		bool goes;
	} rows[] = {
		{ "b-20010909-014640.trace", false },
		{ "b-20010909-014640.trace.txt", false },
		{ "b-20010909-014640.trace.part", true },
		{ "b-20010909-014640-2.trace.part", true },
		{ "b-20010909-014640.trace.txt.part", true },
		{ "b-20010909-014640.trace.small", true },
		{ "b-20010909-014640.trace.small.part", true },
		{ "b.trace.part", false },
		{ "b-20010909.trace.part", false },
		{ "bb-20010909-014640.trace.part", false },
	};
	char output[64], path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, rows[i].name);
		touch(path);
	}
	snprintf(output, sizeof(output), "%s/b.trace", folder);
	scope_recorder_files_clean(output);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, rows[i].name);
		assert_int_equal(access(path, F_OK), rows[i].goes ? -1 : 0);
	}
}

static void keep_answer(void *context, unsigned int pid, const char *answer)
{
	snprintf(context, 64, "%d %s", pid == (unsigned int)getppid(), answer);
}

/* Asks in a child: the recorder answers between other work. */
static int ask(const char *directory, enum scope_recorder_request wish, const char *want)
{
	pid_t child = fork();
	char text[64] = "";

	if (!child)
		_exit(scope_recorder_socket_ask(directory, wish, keep_answer, text, NULL) != 1 || strcmp(text, want));
	return child;
}

/* The socket of a recorder that was killed: bound, and nobody has it open. */
static void leave_dead(const char *directory, char path[128])
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(path, 128, "%s/record-4000001.sock", directory);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 1), 0);
	close(fd);
}

static void control_socket_answers_its_owner(void **state)
{
	char directory[64], path[128], dead[128];
	struct scope_error error = { "" };
	enum scope_recorder_request wish;
	struct scope_recorder_socket *control;
	struct stat status;
	int client, code, child;

	(void)state;
	snprintf(directory, sizeof(directory), "%s/run", folder);
	assert_int_equal(scope_recorder_socket_ask(directory, SCOPE_RECORDER_REQUEST_STATUS, keep_answer, path, NULL),
			 0);
	assert_int_equal(scope_recorder_socket_open(directory, &error, &control), 0);
	assert_int_equal(stat(directory, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	snprintf(path, sizeof(path), "%s/record-%d.sock", directory, (int)getpid());
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(scope_recorder_socket_next(control, &client), SCOPE_RECORDER_REQUEST_NOTHING);
	for (int i = 0; i < 2; i++) {
		child = ask(directory, i ? SCOPE_RECORDER_REQUEST_SNAPSHOT : SCOPE_RECORDER_REQUEST_STATUS,
			    "1 all is well\n");
		while ((wish = scope_recorder_socket_next(control, &client)) == SCOPE_RECORDER_REQUEST_NOTHING)
			usleep(1000);
		assert_int_equal(wish, i ? SCOPE_RECORDER_REQUEST_SNAPSHOT : SCOPE_RECORDER_REQUEST_STATUS);
		scope_recorder_socket_answer(control, client, "all is well\n");
		assert_int_equal(waitpid(child, &code, 0), child);
		assert_int_equal(code, 0);
	}
	scope_recorder_socket_close(control);
	assert_int_equal(access(path, F_OK), -1);
	/* One that a killed recorder left: nobody answers, and it is cleared away. */
	touch(path);
	assert_int_equal(scope_recorder_socket_ask(directory, SCOPE_RECORDER_REQUEST_STATUS, keep_answer, path, &error),
			 0);
	assert_non_null(strstr(error.text, "was killed"));
	assert_int_equal(access(path, F_OK), -1);
	/* A recorder that begins clears away what dead ones left, and leaves the living alone. */
	leave_dead(directory, dead);
	assert_int_equal(scope_recorder_socket_open(directory, &error, &control), 0);
	assert_int_equal(access(dead, F_OK), -1);
	leave_dead(directory, dead);
	child = fork();
	if (!child) {
		struct scope_recorder_socket *second;

		_exit(scope_recorder_socket_open(directory, NULL, &second) ? 1 : !access(dead, F_OK));
	}
	assert_int_equal(waitpid(child, &code, 0), child);
	assert_int_equal(code, 0);
	assert_int_equal(access(path, F_OK), 0);
	while (scope_recorder_socket_next(control, &client) != SCOPE_RECORDER_REQUEST_NOTHING)
		fail_msg("a recorder that looks for dead ones asks for something");
	scope_recorder_socket_close(control);
	/* A directory that others may write to is not trusted. */
	assert_int_equal(chmod(directory, 0777), 0);
	assert_int_equal(scope_recorder_socket_open(directory, &error, &control), -EPERM);
	assert_non_null(strstr(error.text, "mode 0700"));
}

static void test_times_and_sizes(void **state)
{
	static const char *const bad[] = { "",	"k", "1kk", "-1", "1.5M", "0", "99999999999999999999", "17179869184G",
					   "5x" };
	uint64_t number = 7;

	(void)state;
	assert_int_equal(scope_size_parse("4096", &number), 0);
	assert_int_equal(number, 4096);
	assert_int_equal(scope_size_parse("64M", &number), 0);
	assert_int_equal(number, 64u << 20);
	assert_int_equal(scope_size_parse("2T", &number), 0);
	assert_int_equal(number, 2ull << 40);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(scope_size_parse(bad[i], &number), -EINVAL);
	assert_int_equal(scope_duration_parse("500ms", &number), 0);
	assert_int_equal(number, 500000000);
	assert_int_equal(scope_duration_parse("8d", &number), -EINVAL);
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_files_of_a_killed_recorder),
		cmocka_unit_test(control_socket_answers_its_owner),
		cmocka_unit_test(test_times_and_sizes),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_folder);
}
