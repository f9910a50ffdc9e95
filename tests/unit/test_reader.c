// SPDX-License-Identifier: GPL-2.0-only
/* The process that reads a target: its answers, and the reaction if it does not answer. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

/* A page that userfaultfd has to bring in: nobody does, or a thread of this process that stops doing so. */
struct page {
	void *at;
	int faults;
	pthread_t thread;
	atomic_bool given_up;
};

static bool lay_page(struct page *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register region = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	/* The page before it is plain memory. */
	uint8_t *both = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	both[0] = 1;
	page->at = both + PAGE;
	region.range = (struct uffdio_range){ (uintptr_t)page->at, PAGE };
	page->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	return page->faults >= 0 && !ioctl(page->faults, UFFDIO_API, &api) &&
	       !ioctl(page->faults, UFFDIO_REGISTER, &region);
}

static void take_page_away(struct page *page)
{
	close(page->faults);
	munmap((uint8_t *)page->at - PAGE, 2 * PAGE);
}

/* There and gone by turns, until somebody waits for it, or nobody reads it any more: it stays away then. */
static void *come_and_go(void *context)
{
	struct page *page = context;
	struct uffdio_zeropage zero;
	struct uffd_msg message;

	do {
		zero = (struct uffdio_zeropage){ .range = { (uintptr_t)page->at, PAGE } };
		ioctl(page->faults, UFFDIO_ZEROPAGE, &zero);
		madvise(page->at, PAGE, MADV_DONTNEED);
		for (unsigned int i = 0; i < 100; i++)
			__asm__ volatile("" : : "r"(i) : "memory");
	} while (!atomic_load(&page->given_up) && read(page->faults, &message, sizeof(message)) != sizeof(message));
	return NULL;
}

/* Reads it until a reader was held up: it had looked while the page was there. What the last reading took. */
static uint64_t be_held_up(struct scope_proc_reader *reader, uint32_t tgid, struct page *page)
{
	uint64_t begun;
	ssize_t got;
	char byte;

	atomic_init(&page->given_up, false);
	assert_int_equal(pthread_create(&page->thread, NULL, come_and_go, page), 0);
	do {
		begun = now_ms();
		got = scope_proc_reader_memory(reader, tgid, (uint32_t)getpid(), (uintptr_t)page->at, &byte, 1);
	} while (got >= 0);
	assert_int_equal(got, -ETIMEDOUT);
	/* On a busy host a reader is given up that has not even looked. */
	atomic_store(&page->given_up, true);
	pthread_join(page->thread, NULL);
	return now_ms() - begun;
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
	scope_proc_reader_problem(reader, text, sizeof(text));
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

/* After plain memory they are read as zeros. A page that another process has to supply ends the read at once. */
static void pages_never_written_to_are_zeros(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	uint8_t *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint8_t got[4 * PAGE], zeros[4 * PAGE];
	const uint64_t begun = now_ms();
	struct page page;
	char text[64];

	(void)state;
	memset(pages, 7, PAGE);
	memset(pages + 3 * PAGE, 9, PAGE);
	memset(got, 5, sizeof(got));
	/* With nothing before them, they are not brought in. */
	assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)pages + 2 * PAGE, got, PAGE), 0);
	assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)pages + 8, got, 4 * PAGE - 16),
			 4 * PAGE - 16);
	assert_memory_equal(got, pages, PAGE - 8);
	assert_memory_equal(got + PAGE - 8, zeros, 2 * PAGE);
	assert_memory_equal(got + 3 * PAGE - 8, pages + 3 * PAGE, PAGE - 8);
	if (lay_page(&page)) {
		assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)page.at - PAGE, got, 2 * PAGE),
				 PAGE);
		take_page_away(&page);
		assert_true(now_ms() - begun < SCOPE_READER_HURRY_MS);
	}
	scope_proc_reader_problem(reader, text, sizeof(text));
	assert_string_equal(text, "");
	munmap(pages, 4 * PAGE);
	scope_proc_reader_destroy(reader);
}

/* Absent pages of a file come from it, and the read is whole or nothing. */
static void pages_are_supplied_where_that_is_asked_for(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	const int fd = memfd_create("pages", MFD_CLOEXEC);
	static uint8_t got[2 * PAGE];
	uint8_t *pages;

	(void)state;
	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	assert_int_equal(pwrite(fd, "here", 4, PAGE), 4);
	pages = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)pages + PAGE, got, 4), 0);
	assert_int_equal(scope_proc_reader_supplied(reader, self, (uintptr_t)pages + PAGE, got, 4), 4);
	assert_memory_equal(got, "here", 4);
	munmap(pages + PAGE, PAGE);
	assert_int_equal(scope_proc_reader_supplied(reader, self, (uintptr_t)pages + PAGE, got, 4), 0);
	munmap(pages, PAGE);
	close(fd);
	scope_proc_reader_destroy(reader);
}

/* The limit, the threads that are left alone, and that others are read all the same. */
static void a_reader_that_hangs_is_given_up(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	uint64_t begun, took, value = 0x1234, got = 0;
	struct page page;
	char text[512];

	(void)state;
	if (!lay_page(&page)) {
		scope_proc_reader_destroy(reader);
		skip();
	}
	scope_proc_reader_set_idle(reader, count_call, NULL);
	took = be_held_up(reader, 7, &page);
	assert_true(took >= SCOPE_READER_WAIT_MS && took < SCOPE_READER_WAIT_MS + 500);
	assert_true(calls >= 10);
	begun = now_ms();
	assert_int_equal(scope_proc_reader_memory(reader, 7, self, (uintptr_t)&value, &got, sizeof(got)), -ETIMEDOUT);
	assert_true(now_ms() - begun < 50);
	scope_proc_reader_problem(reader, text, sizeof(text));
	assert_non_null(strstr(text, "the memory of 1 thread could not be read"));
	/* Of another process nothing is known. */
	assert_int_equal(scope_proc_reader_memory(reader, 8, self, (uintptr_t)&value, &got, sizeof(got)), sizeof(got));
	assert_int_equal(got, value);
	begun = now_ms();
	scope_proc_reader_destroy(reader);
	assert_true(now_ms() - begun < 500);
	take_page_away(&page);
}

/* The first thread of a process has its number, and is one thread all the same. */
static void the_first_thread_is_one_of_several(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	uint64_t value = 0x1234, got = 0;
	struct page page;

	(void)state;
	if (!lay_page(&page)) {
		scope_proc_reader_destroy(reader);
		skip();
	}
	be_held_up(reader, self, &page);
	/* Such a thread does not exist, which is not known before it is asked for. */
	assert_int_equal(scope_proc_reader_memory(reader, self, 4194303, (uintptr_t)&value, &got, sizeof(got)), 0);
	scope_proc_reader_destroy(reader);
	take_page_away(&page);
}

/* A touch waits for nobody: neither the caller waits, nor what is asked for after it. */
static void touches_hold_up_nobody(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	uint64_t begun = now_ms(), value = 0x1234, got = 0;
	struct page page;
	char text[64];

	(void)state;
	if (!lay_page(&page)) {
		scope_proc_reader_destroy(reader);
		skip();
	}
	for (int i = 0; i < 1000; i++)
		scope_proc_reader_touch(reader, self, self, (uintptr_t)page.at, 1);
	assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)&value, &got, sizeof(got)),
			 sizeof(got));
	assert_true(now_ms() - begun < 500);
	scope_proc_reader_problem(reader, text, sizeof(text));
	assert_string_equal(text, "");
	scope_proc_reader_destroy(reader);
	take_page_away(&page);
}

/* Of a stack's never written pages those next to plain memory come; of a file, and next to nothing, none. */
static void touches_bring_in_plain_pages_alone(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const uint32_t self = (uint32_t)getpid();
	const int file = memfd_create("test_reader", MFD_CLOEXEC);
	uint8_t *plain = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *shared, *map[2], there[4];

	(void)state;
	assert_int_equal(ftruncate(file, 4 * PAGE), 0);
	shared = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	map[0] = plain;
	map[1] = shared;
	for (size_t i = 0; i < 2; i++) {
		uint8_t got[PAGE];

		map[i][0] = 1;
		scope_proc_reader_touch(reader, self, self, (uintptr_t)map[i] + 3 * PAGE, 1); /* next to nothing */
		scope_proc_reader_touch(reader, self, self, (uintptr_t)map[i] + PAGE, 1);
		assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)map[i], got, 1), 1);
		for (size_t j = 0; j < 4; j++)
			assert_int_equal(mincore(map[i] + j * PAGE, PAGE, &there[j]), 0);
		/* mincore() knows pages of the map where it is anonymous, those of the file where not. */
		assert_int_equal(there[1] & 1, i == 0);
		assert_int_equal(there[3] & 1, 0);
		munmap(map[i], 4 * PAGE);
	}
	close(file);
	scope_proc_reader_destroy(reader);
}

static pid_t only_child(void)
{
	char path[64];
	FILE *file;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	file = fopen(path, "r");
	if (file) {
		assert_int_equal(fscanf(file, "%d", &pid), 1);
		fclose(file);
	}
	return pid;
}

/* Takes a CPU for longer than a reader's limit, before everything of usual priority. */
static pid_t take_cpu(const cpu_set_t *cpus)
{
	const uint64_t end = now_ms() + 2 * SCOPE_READER_WAIT_MS;
	const pid_t pid = fork();

	if (pid)
		return pid;
	if (sched_setaffinity(0, sizeof(*cpus), cpus) || setpriority(PRIO_PROCESS, 0, -20))
		_exit(1);
	while (now_ms() < end)
		;
	_exit(0);
}

/* Nothing that it reads blocks it: it only gets no CPU, as on a host that others keep busy. */
static void a_reader_without_a_cpu_is_waited_for(void **state)
{
	struct scope_proc_reader *reader = begin(NULL);
	const struct sched_param none = { 0 };
	const uint32_t self = (uint32_t)getpid();
	const pid_t keeper = only_child();
	uint64_t value = 0x1234, got = 0;
	cpu_set_t all, last;
	int cpu = CPU_SETSIZE - 1, status;
	pid_t spinner;
	char text[64];

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu--;
	CPU_ZERO(&last);
	CPU_SET(cpu, &last);
	if (CPU_COUNT(&all) < 2 || !keeper || sched_setaffinity(keeper, sizeof(last), &last) ||
	    sched_setscheduler(keeper, SCHED_IDLE, &none)) {
		scope_proc_reader_destroy(reader);
		skip();
	}
	spinner = take_cpu(&last);
	assert_int_equal(scope_proc_reader_memory(reader, self, self, (uintptr_t)&value, &got, sizeof(got)),
			 sizeof(got));
	assert_int_equal(got, value);
	scope_proc_reader_problem(reader, text, sizeof(text));
	assert_string_equal(text, "");
	assert_int_equal(waitpid(spinner, &status, 0), spinner);
	scope_proc_reader_destroy(reader);
}

static void the_stop_flag_shortens_waits(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct scope_proc_reader *reader = begin(&stop);
	struct page page;

	(void)state;
	if (!lay_page(&page)) {
		scope_proc_reader_destroy(reader);
		skip();
	}
	assert_true(be_held_up(reader, 7, &page) < SCOPE_READER_HURRY_MS + 300);
	scope_proc_reader_destroy(reader);
	take_page_away(&page);
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
		piece[i] = mmap(NULL, PAGE, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);
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
		cmocka_unit_test(pages_never_written_to_are_zeros),
		cmocka_unit_test(pages_are_supplied_where_that_is_asked_for),
		cmocka_unit_test(a_reader_that_hangs_is_given_up),
		cmocka_unit_test(the_first_thread_is_one_of_several),
		cmocka_unit_test(touches_hold_up_nobody),
		cmocka_unit_test(touches_bring_in_plain_pages_alone),
		cmocka_unit_test(a_reader_without_a_cpu_is_waited_for),
		cmocka_unit_test(the_stop_flag_shortens_waits),
		cmocka_unit_test(texts_come_whole),
		cmocka_unit_test(files_do_not_shrink_once_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
