// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of a target: no name leads out of the root directory, to a FIFO or to a device, even if the files change during
 * the look-up.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/open.h"
#include "proc/open_steps.h"

static char root[64];

static void in_root(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", root, name);
}

static void make_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	in_root(path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_link(const char *to, const char *name)
{
	char path[PATH_MAX];

	in_root(path, name);
	assert_int_equal(symlink(to, path), 0);
}

static int make_tree(void **state)
{
	char path[PATH_MAX];

	(void)state;
	strcpy(root, "/tmp/test_open-XXXXXX");
	assert_non_null(mkdtemp(root));
	in_root(path, "etc");
	assert_int_equal(mkdir(path, 0755), 0);
	in_root(path, "secret");
	assert_int_equal(mkdir(path, 0700), 0);
	in_root(path, "secret/pipe");
	assert_int_equal(mkfifo(path, 0600), 0);
	make_file("etc/passwd", "inside");
	make_file("program", "program");
	make_link("/etc/passwd", "absolute");
	make_link("../../../../../../etc/passwd", "dots");
	make_link("/etc/shadow", "shadow");
	make_link("secret/pipe", "to_pipe");
	make_link("/dev/null", "to_device");
	make_link("loop_b", "loop_a");
	make_link("loop_a", "loop_b");
	make_link("etc", "folder");
	make_link("folder/../folder/passwd", "round");
	make_link("/proc/self/exe", "magic");
	return 0;
}

static int remove_tree(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Both ways lead to the same: text is what the file holds; "": -errno is code. */
static void expect(const char *path, const char *text, int code)
{
	char found[64] = "", way[32];
	const int at = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = scope_proc_open_below(root, path), steps = scope_proc_look_up_by_steps(at, path, false);

	if (*text) {
		assert_true(fd >= 0);
		assert_true(read(fd, found, sizeof(found) - 1) > 0);
		assert_string_equal(found, text);
		close(fd);
		assert_true(steps >= 0);
		snprintf(way, sizeof(way), "/proc/self/fd/%d", steps);
		fd = open(way, O_RDONLY | O_CLOEXEC);
		assert_true(read(fd, found, sizeof(found) - 1) > 0);
		assert_string_equal(found, text);
		close(fd);
	} else {
		struct stat status;

		assert_int_equal(fd, code);
		/* What is there is judged afterwards. */
		if (code == -ENOEXEC)
			assert_true(!fstat(steps, &status) && !S_ISREG(status.st_mode));
		else
			assert_int_equal(steps, code);
	}
	if (steps >= 0)
		close(steps);
	close(at);
}

static void names_stay_below_the_root(void **state)
{
	(void)state;
	expect("/program", "program", 0);
	expect("/etc/passwd", "inside", 0);
	expect("//etc/./passwd", "inside", 0);
	expect("/absolute", "inside", 0);
	expect("/dots", "inside", 0);
	expect("/../../../../etc/passwd", "inside", 0);
	expect("/round", "inside", 0);
	expect("/shadow", "", -ENOENT);
	expect("/loop_a", "", -ELOOP);
	expect("/program/x", "", -ENOTDIR);
	expect("/nowhere", "", -ENOENT);
}

static void a_link_itself_is_no_file(void **state)
{
	const int at = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat status;
	int fd;

	(void)state;
	assert_int_equal(scope_proc_open_at(at, "/absolute", true), -ENOEXEC);
	fd = scope_proc_look_up_by_steps(at, "/absolute", true);
	assert_true(fd >= 0 && !fstat(fd, &status) && S_ISLNK(status.st_mode));
	close(fd);
	/* The folders on the way may be links. */
	fd = scope_proc_open_at(at, "/folder/passwd", true);
	assert_true(fd >= 0);
	close(fd);
	fd = scope_proc_look_up_by_steps(at, "/folder/passwd", true);
	assert_true(fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode));
	close(fd);
	close(at);
}

static void only_regular_files_are_opened(void **state)
{
	char path[PATH_MAX];
	int writer;

	(void)state;
	expect("/to_pipe", "", -ENOEXEC);
	expect("/secret/pipe", "", -ENOEXEC);
	expect("/etc", "", -ENOEXEC);
	expect("/to_device", "", -ENOENT);
	/* Nobody became its reader. */
	in_root(path, "secret/pipe");
	writer = open(path, O_WRONLY | O_NONBLOCK);
	assert_int_equal(writer, -1);
	assert_int_equal(errno, ENXIO);
	assert_int_equal(scope_proc_open_below("", "/dev/zero"), -ENOEXEC);
}

static void made_up_links_are_not_followed(void **state)
{
	int fd = scope_proc_open_below("", "/proc/self/exe");

	(void)state;
	if (fd >= 0) { /* a kernel without openat2: the text of the link was followed */
		close(fd);
		return;
	}
	assert_int_equal(fd, -ELOOP);
}

static void deep_paths_are_refused(void **state)
{
	char path[PATH_MAX + 16] = "";
	const int at = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	memset(path, 'a', 300);
	assert_int_equal(scope_proc_look_up_by_steps(at, path, false), -ENAMETOOLONG);
	memset(path, '/', sizeof(path) - 1);
	assert_int_equal(scope_proc_look_up_by_steps(at, path, false), -ENAMETOOLONG);
	assert_int_equal(scope_proc_open_below(root, path), -ENAMETOOLONG);
	close(at);
}

static atomic_bool swapping;

/* "swapped" is a regular file, a FIFO and a link to the host's /dev/zero by turns. */
static void *swap(void *context)
{
	char path[PATH_MAX], next[PATH_MAX];

	(void)context;
	in_root(path, "swapped");
	in_root(next, "next");
	for (unsigned int i = 0; swapping; i++) {
		if (i % 3 == 0)
			make_file("next", "regular");
		else if (i % 3 == 1)
			mkfifo(next, 0600);
		else
			(void)!symlink("/secret/pipe", next);
		rename(next, path);
	}
	return NULL;
}

static void files_that_are_swapped_are_regular(void **state)
{
	unsigned int regular = 0, refused = 0;
	pthread_t thread;

	(void)state;
	make_file("swapped", "regular");
	swapping = true;
	assert_int_equal(pthread_create(&thread, NULL, swap, NULL), 0);
	for (unsigned int i = 0; i < 20000 || !regular || !refused; i++) {
		struct stat status;
		const int fd = scope_proc_open_below(root, "/swapped");

		if (fd < 0) {
			assert_int_equal(fd, -ENOEXEC);
			refused++;
			continue;
		}
		assert_int_equal(fstat(fd, &status), 0);
		assert_true(S_ISREG(status.st_mode));
		regular++;
		close(fd);
	}
	swapping = false;
	pthread_join(thread, NULL);
}

static void mapped_files_are_opened(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char path[PATH_MAX], found[16] = "";
	void *map;
	int fd;

	(void)state;
	in_root(path, "program");
	fd = open(path, O_RDONLY);
	map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	unlink(path);
	fd = scope_proc_open_mapped((uint32_t)getpid(), (uintptr_t)map, (uintptr_t)map + page);
	munmap(map, page);
	if (fd == -EPERM || fd == -EACCES)
		skip();
	assert_true(fd >= 0);
	assert_int_equal(read(fd, found, sizeof(found) - 1), 7);
	close(fd);
	/* One of a device is none to open. */
	fd = open("/dev/zero", O_RDWR);
	map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(scope_proc_open_mapped((uint32_t)getpid(), (uintptr_t)map, (uintptr_t)map + page) < 0);
	munmap(map, page);
	fd = scope_proc_open_program((uint32_t)getpid());
	assert_true(fd >= 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_below_the_root),	 cmocka_unit_test(a_link_itself_is_no_file),
		cmocka_unit_test(only_regular_files_are_opened), cmocka_unit_test(made_up_links_are_not_followed),
		cmocka_unit_test(deep_paths_are_refused),	 cmocka_unit_test(files_that_are_swapped_are_regular),
		cmocka_unit_test(mapped_files_are_opened),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
