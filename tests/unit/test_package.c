// SPDX-License-Identifier: GPL-2.0-only
/* Which libraries belong to the program's source package: by marks in files, and by an invented dpkg database. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/package.h"

/* The note that linkers write by --package-metadata, in this very program. */
#define NOTE "{\"type\":\"rpm\",\"name\":\"scope-test\",\"version\":\"1-2\"}"
static const struct {
	uint32_t name_bytes, bytes, type;
	char name[4], text[(sizeof(NOTE) + 3) & ~3ul];
} note __attribute__((used, aligned(4), section(".note.package"))) = { 4, sizeof(NOTE), 0xcafe1a7e, "FDO", NOTE };

static char root[] = "/tmp/test_package.XXXXXX";
static char program[PATH_MAX];
static pid_t victim;

/* Writes a file below the root. %s in the text is the program's path. */
static void put(const char *name, const char *format)
{
	char path[PATH_MAX];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/var/lib/dpkg/%s", root, name);
	stream = fopen(path, "w");
	assert_non_null(stream);
	fprintf(stream, format, program);
	fclose(stream);
}

static void is_mark(const char *path, const char *expected)
{
	char mark[SCOPE_PACKAGE_MARK];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	scope_proc_package_mark(fd, path, mark);
	close(fd);
	assert_string_equal(mark, expected);
}

static void a_note_names_the_package(void **state)
{
	(void)state;
	is_mark(program, "rpm:scope-test");
	is_mark("/etc/passwd", "");
}

/* As rpm names debug files. The copy has no note. */
static void a_debug_link_has_the_version(void **state)
{
	char command[4 * PATH_MAX], path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/libx.so.1", root);
	snprintf(command, sizeof(command),
		 "cd %s && : > libx.so.1-9.16-14.el9.x86_64.debug && : > 8f3c.debug && objcopy -R .note.package "
		 "--add-gnu-debuglink=libx.so.1-9.16-14.el9.x86_64.debug %s libx.so.1 && objcopy -R .note.package "
		 "--add-gnu-debuglink=8f3c.debug %s liby.so.1",
		 root, program, program);
	assert_int_equal(system(command), 0);
	is_mark(path, "debug:-9.16-14.el9.x86_64.debug");
	snprintf(path, sizeof(path), "%s/liby.so.1", root);
	is_mark(path, "");
}

static void dpkg_has_its_libraries(void **state)
{
	char *text;

	(void)state;
	put("status", "Package: other\nStatus: install ok installed\n\n"
		      "Package: server\nStatus: install ok installed\nArchitecture: amd64\nSource: names (1:9.18)\n\n"
		      "Package: libserver1\nSource: names\nStatus: install ok installed\nArchitecture: amd64\n"
		      "Multi-Arch: same\n\n"
		      "Package: names\nStatus: install ok installed\n\n"
		      "Package: removed\nSource: names\nStatus: deinstall ok config-files\n");
	put("info/other.list", "/usr/lib/libother.so.1\n");
	put("info/server.list", "/.\n/usr/sbin\n%s\n");
	put("info/libserver1:amd64.list",
	    "/usr/lib\n/lib/x/libserver.so.1\n/usr/lib/x/libserver.so.1.2\n/usr/share/doc\n");
	put("info/names.list", "/usr/lib/libnames.so");
	put("info/removed.list", "/usr/lib/libremoved.so\n");
	assert_int_equal(scope_proc_package_libraries((uint32_t)victim, &text), 0);
	assert_string_equal(text, "/lib/x/libserver.so.1\n/usr/lib/x/libserver.so.1.2\n/usr/lib/libnames.so\n");
	assert_true(scope_proc_package_has(text, "/usr/lib/x/libserver.so.1"));
	assert_true(scope_proc_package_has(text, "/lib/x/libserver.so.1.2"));
	assert_true(scope_proc_package_has(text, "/usr/lib/libnames.so"));
	assert_false(scope_proc_package_has(text, "/usr/lib/libnames.so.1"));
	assert_false(scope_proc_package_has(text, "/usr/lib/libname"));
	assert_false(scope_proc_package_has("", "/usr/lib/libnames.so"));
	free(text);
}

static void a_program_of_no_package_has_none(void **state)
{
	char *text;

	(void)state;
	put("info/server.list", "/usr/sbin/server\n");
	assert_int_equal(scope_proc_package_libraries((uint32_t)victim, &text), 0);
	assert_string_equal(text, "");
	free(text);
}

/* The database is the target's: no link in it leads out of its root, and what is not a file is not waited for. */
static void a_hostile_database_is_read_below_its_root(void **state)
{
	char path[PATH_MAX], *text;

	(void)state;
	snprintf(path, sizeof(path), "%s/var/lib/dpkg/info/server.list", root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(scope_proc_package_libraries((uint32_t)victim, &text), 0);
	assert_string_equal(text, "");
	free(text);
	snprintf(path, sizeof(path), "%s/var/lib/dpkg/status", root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/../../../../../../../../var/lib/dpkg/status", path), 0);
	assert_true(scope_proc_package_libraries((uint32_t)victim, &text) < 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(scope_proc_package_libraries((uint32_t)victim, &text), -ENOENT);
}

/* A process in the root that is made up. Only root may change it. */
static int begin(void **state)
{
	char path[PATH_MAX];
	ssize_t bytes = readlink("/proc/self/exe", program, sizeof(program) - 1);

	(void)state;
	if (bytes < 0 || !mkdtemp(root))
		return -1;
	program[bytes] = '\0';
	snprintf(path, sizeof(path), "mkdir -p %s/var/lib/dpkg/info", root);
	if (system(path))
		return -1;
	victim = fork();
	if (!victim) {
		if (chroot(root) || chdir("/"))
			_exit(1);
		pause();
		_exit(0);
	}
	/* Its root is another one once it has moved. */
	for (int i = 0; i < 1000; i++) {
		char seen[PATH_MAX] = "", link[64];

		snprintf(link, sizeof(link), "/proc/%d/root", victim);
		if (readlink(link, seen, sizeof(seen) - 1) > 1)
			return 0;
		usleep(1000);
	}
	return -1;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_note_names_the_package),
		cmocka_unit_test(a_debug_link_has_the_version),
		cmocka_unit_test(dpkg_has_its_libraries),
		cmocka_unit_test(a_program_of_no_package_has_none),
		cmocka_unit_test(a_hostile_database_is_read_below_its_root),
	};

	(void)note;
	return cmocka_run_group_tests_name("package", tests, begin, end);
}
