// SPDX-License-Identifier: GPL-2.0-only
/* The process that reads a target: what it hands over, and what happens where it does not answer. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/reader.h"

#define PAGE 4096ul

static uint64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static struct scope_proc_reader *begin(const volatile sig_atomic_t *stop)
{
	struct scope_proc_reader *reader;

	assert_int_equal(scope_proc_reader_create(stop, NULL, &reader), 0);
	return reader;
}

/* A page that userfaultfd has to bring in: nobody does. NULL: there is no such thing here. */
static void *hang_page(int *ret_fd)
{
	struct uffdio_api api = { .api = UFFD_API };
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register region = {
		.range = { (uintptr_t)page, PAGE }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	*ret_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*ret_fd < 0 || ioctl(*ret_fd, UFFDIO_API, &api) || ioctl(*ret_fd, UFFDIO_REGISTER, &region))
		return NULL;
	return page;
}

static void memory_comes_up_to_what_is_not_there(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	uint8_t *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint8_t got[3 * PAGE];
	char text[64];

	(void)state;
	for (size_t i = 0; i < 2 * PAGE; i++)
		pages[i] = (uint8_t)(i * 7);
	munmap(pages + 2 * PAGE, PAGE);
	assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)pages + 8, got, sizeof(got)),
			 2 * PAGE - 8);
	assert_memory_equal(got, pages + 8, 2 * PAGE - 8);
	assert_int_equal(scope_proc_reader_memory(reader, self, self, 8, got, sizeof(got)), 0);
	scope_proc_reader_tell(reader, text, sizeof(text));
	assert_string_equal(text, "");
	munmap(pages, 2 * PAGE);
	scope_proc_reader_destroy(reader);
}

static int calls;

static int count_call(void *context)
{
	(void)context;
	calls++;
	return 0;
}

/* The limit, the threads that are left alone, and that others are read all the same. */
static void a_reader_that_hangs_is_given_up(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	uint64_t begun, took;
	char byte, text[512];
	int fd;
	void *page = hang_page(&fd);

	(void)state;
	if (!page) {
		scope_proc_reader_destroy(reader);
		skip();
	}
	scope_proc_reader_meanwhile(reader, count_call, NULL);
	begun = now_ms();
	assert_int_equal(scope_proc_reader_memory(reader, self, 1000001, (uintptr_t)page, &byte, 1), 0);
	/* Threads 1 and 2 of a process that this one pretends to be. */
	assert_int_equal(scope_proc_reader_memory(reader, 7, self, (uintptr_t)page, &byte, 1), -ETIMEDOUT);
	took = now_ms() - begun;
	assert_true(took >= SCOPE_READER_WAIT_MS && took < SCOPE_READER_WAIT_MS + 500);
	assert_true(calls >= 10);
	begun = now_ms();
	assert_int_equal(scope_proc_reader_memory(reader, 7, self, (uintptr_t)page, &byte, 1), -ETIMEDOUT);
	assert_true(now_ms() - begun < 50);
	/* Of another process nothing is known. */
	assert_int_equal(scope_proc_reader_memory(reader, 8, 1000001, (uintptr_t)page, &byte, 1), 0);
	scope_proc_reader_tell(reader, text, sizeof(text));
	assert_non_null(strstr(text, "the memory of 1 thread could not be read"));
	begun = now_ms();
	scope_proc_reader_destroy(reader);
	assert_true(now_ms() - begun < 500);
	close(fd);
	munmap(page, PAGE);
}

/* A touch that hangs is nobody's wait: who asks for something else gets it from the next reader. */
static void touches_hold_up_no_other(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	uint64_t begun = now_ms(), value = 0x1234, got = 0;
	int fd;
	void *page = hang_page(&fd);

	(void)state;
	if (!page) {
		scope_proc_reader_destroy(reader);
		skip();
	}
	for (int i = 0; i < 1000; i++)
		scope_proc_reader_touch(reader, 7, self, (uintptr_t)page, 1);
	assert_true(now_ms() - begun < 500);
	assert_int_equal(scope_proc_reader_memory(reader, 8, self, (uintptr_t)&value, &got, sizeof(got)),
			 -ETIMEDOUT); /* that thread's touch hung: it is left alone */
	assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)&value, &got, sizeof(got)),
			 -ETIMEDOUT);
	scope_proc_reader_destroy(reader);
	close(fd);
	munmap(page, PAGE);
}

static void the_stop_flag_shortens_waits(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct scope_proc_reader *reader = begin(&stop);
	const uint64_t begun = now_ms();
	char byte;
	int fd;
	void *page = hang_page(&fd);

	(void)state;
	if (!page) {
		scope_proc_reader_destroy(reader);
		skip();
	}
	assert_int_equal(scope_proc_reader_memory(reader, 7, (uint32_t)getpid(), (uintptr_t)page, &byte, 1),
			 -ETIMEDOUT);
	assert_true(now_ms() - begun < SCOPE_READER_HURRY_MS + 300);
	scope_proc_reader_destroy(reader);
	close(fd);
	munmap(page, PAGE);
}

static void texts_come_whole(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	void *piece[3000];
	size_t bytes, lines = 0;
	char *text;

	(void)state;
	/* More than one packet. */
	for (size_t i = 0; i < 3000; i++)
		piece[i] = mmap(NULL, PAGE, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(scope_proc_reader_text(reader, SCOPE_PROC_MAPS, self, self, &text, &bytes), 0);
	assert_true(bytes > SCOPE_READER_BYTES);
	assert_int_equal(strlen(text), bytes);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_true(lines >= 3000);
	free(text);
	for (size_t i = 0; i < 3000; i++)
		munmap(piece[i], PAGE);
	assert_true(scope_proc_reader_text(reader, SCOPE_PROC_MAPS, 4194303, 4194303, &text, &bytes) < 0);
	assert_int_equal(scope_proc_reader_text(reader, SCOPE_PROC_CMDLINE, self, self, &text, &bytes), 0);
	assert_non_null(strstr(text, "test_reader"));
	free(text);
	scope_proc_reader_destroy(reader);
}

/* What others may cut short comes as a copy: mapped, it would end who reads it by SIGBUS. */
static void files_do_not_shrink_once_open(void **state)
{
	struct scope_proc_reader *readers[] = { begin(NULL), NULL };
	char folder[] = "/tmp/test_reader-XXXXXX", path[64];
	struct stat status;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	for (size_t i = 0; i < 2; i++) {
		int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600), opened;

		assert_int_equal(ftruncate(fd, 3 << 20), 0);
		assert_int_equal(fchmod(fd, 0666), 0);
		opened = scope_proc_reader_open_below(readers[i], folder, "/file", true);
		assert_true(opened >= 0);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(fstat(opened, &status), 0);
		assert_int_equal(status.st_size, 3 << 20);
		close(opened);
		close(fd);
	}
	assert_int_equal(scope_proc_reader_open_below(readers[0], folder, "/absent", true), -ENOENT);
	scope_proc_reader_destroy(readers[0]);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_comes_up_to_what_is_not_there),
		cmocka_unit_test(a_reader_that_hangs_is_given_up),
		cmocka_unit_test(touches_hold_up_no_other),
		cmocka_unit_test(the_stop_flag_shortens_waits),
		cmocka_unit_test(texts_come_whole),
		cmocka_unit_test(files_do_not_shrink_once_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
