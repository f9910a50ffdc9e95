// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sub-buffers that are compressed later: the finished file is the same, and each sub-buffer is in the file exactly once
 * at any time.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "trace_fixture.h"

#include "trace/later.h"

#define SUBBUFS 60u
#define SUBBUF_BYTES (64u << 10)

static int watched = -1; /* looked at after each write to it */
static uint64_t written; /* sub-buffers whose write has returned */
static uint64_t looks;

/* Each sub-buffer up to `written` is in the file once, in order; the last one may be in it, too. */
static void look(int fd)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;
	struct scope_event event;
	uint64_t lost = 0, events = 0;
	int ret;

	assert_int_equal(scope_trace_open_fd(fd, "part", &error, &trace), 0);
	while ((ret = scope_trace_next(trace, &event)) == 1) {
		lost += event.kind == SCOPE_EVENT_LOST;
		events += event.kind == SCOPE_EVENT_WAKING;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(lost, 0);
	assert_null(strstr(scope_trace_damage(trace), "damaged"));
	assert_true(events == written * 1000 || events == (written + 1) * 1000);
	scope_trace_close(trace);
	looks++;
}

/* In place of the C library's: what the recorder would leave if it were killed now. */
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
	const ssize_t done = syscall(SYS_pwrite64, fd, data, bytes, at);

	if (fd == watched)
		look(fd);
	return done;
}

/* A thousand wakings; their times do not compress to nothing. */
static const struct scope_subbuf *make_subbuf(uint32_t number, uint32_t words)
{
	static uint64_t room[SUBBUF_BYTES / 8];
	struct scope_subbuf *subbuf = (void *)room;
	uint64_t *word = room + sizeof(*subbuf) / 8;

	*subbuf = (struct scope_subbuf){
		.magic = SCOPE_SUBBUF_MAGIC,
		.used_bytes = sizeof(*subbuf) + words * 8,
		.cpu = number % 2,
		.tid = 7,
		.number = number / 2,
		.records = number / 2 * 1000ull,
		.begin_ns = number * 1000000ull,
		.end_ns = number * 1000000ull + 999999,
	};
	for (uint32_t i = 0; i < words; i++)
		word[i] = scope_record_word(SCOPE_RECORD_WAKING, (i * 2654435761u + number) % 900) | (8ull + i % 5)
													     << 32;
	return subbuf;
}

static void put(struct scope_writer *writer, uint32_t number)
{
	char key[32];

	assert_int_equal(scope_trace_writer_subbuf(writer, make_subbuf(number, 1000)), 0);
	written++;
	snprintf(key, sizeof(key), "key.%u", number);
	assert_int_equal(scope_trace_writer_meta(writer, key, "a value"), 0);
}

/* work: steps after each sub-buffer. */
static int write_file(uint64_t most_bytes, unsigned int work, struct fixture *fixture)
{
	struct scope_error error = { "" };
	int err;

	*fixture = fixture_begin();
	written = 0;
	if (most_bytes)
		scope_trace_writer_defer(fixture->writer, most_bytes);
	for (uint32_t i = 0; i < SUBBUFS; i++) {
		put(fixture->writer, i);
		for (unsigned int step = 0; step < work && scope_trace_writer_work(fixture->writer); step++)
			;
	}
	err = scope_trace_writer_finish(fixture->writer, &error);
	watched = -1;
	scope_trace_writer_destroy(fixture->writer);
	return err;
}

static void assert_same_files(int left, int right)
{
	static uint8_t a[4 << 20], b[4 << 20];
	const ssize_t bytes = pread(left, a, sizeof(a), 0);

	assert_true(bytes > 1000 && bytes < (ssize_t)sizeof(a));
	assert_int_equal(pread(right, b, sizeof(b), 0), bytes);
	assert_memory_equal(a, b, bytes);
}

static void test_same_file_at_the_end(void **state)
{
	const unsigned int works[] = { 0, 1, 100 };
	struct fixture plain, later;

	(void)state;
	assert_int_equal(write_file(0, 0, &plain), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(write_file(128 << 20, works[i], &later), 0);
		assert_same_files(plain.fd, later.fd);
		close(later.fd);
	}
	close(plain.fd);
}

/* Whenever it is killed, at most the sub-buffer that is being written is missing. */
static void test_killed_at_any_write(void **state)
{
	struct fixture fixture = fixture_begin();

	(void)state;
	scope_trace_writer_defer(fixture.writer, 128 << 20);
	written = looks = 0;
	for (uint32_t i = 0; i < SUBBUFS; i++) {
		put(fixture.writer, i);
		watched = fixture.fd;
		for (uint32_t step = 0; i % 4 == 3 && step < i % 7; step++)
			scope_trace_writer_work(fixture.writer);
		watched = -1;
	}
	watched = fixture.fd;
	while (scope_trace_writer_work(fixture.writer))
		;
	watched = -1;
	assert_true(looks > 3 * SUBBUFS);
	fixture_finish(&fixture);
	look(fixture.fd);
	close(fixture.fd);
}

/* Above the bound others are compressed as new ones come. */
static void test_bound(void **state)
{
	const uint64_t most = 2 << 20;
	struct fixture fixture = fixture_begin();
	uint64_t longest = 0, compressed;

	(void)state;
	scope_trace_writer_defer(fixture.writer, most);
	written = 0;
	for (uint32_t i = 0; i < 40 * SUBBUFS; i++) {
		const off_t end = lseek(fixture.fd, 0, SEEK_END);

		put(fixture.writer, i);
		longest = (uint64_t)end > longest ? (uint64_t)end : longest;
	}
	fixture_finish(&fixture);
	compressed = (uint64_t)lseek(fixture.fd, 0, SEEK_END);
	assert_true(longest > compressed && longest < compressed + 2 * most + 2 * SCOPE_LATER_FRAME_MAX);
	look(fixture.fd);
	close(fixture.fd);
}

/* A disk that has room for the compressed file alone: nothing is lost. */
static void test_full_disk(void **state)
{
	const struct rlimit limit = { 1700000, RLIM_INFINITY };
	struct rlimit before;
	struct fixture fixture, plain;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	int err;

	(void)state;
	assert_int_equal(write_file(0, 0, &plain), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	/* The gap has room, and a part of the 480 kB of sub-buffers. */
	fixture = fixture_begin();
	scope_trace_writer_defer(fixture.writer, 128 << 20);
	for (uint32_t i = 0; i < 4 * SUBBUFS; i++)
		put(fixture.writer, i);
	written = 4 * SUBBUFS;
	err = scope_trace_writer_finish(fixture.writer, NULL);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, handler);
	assert_int_equal(err, 0);
	scope_trace_writer_destroy(fixture.writer);
	look(fixture.fd);
	close(fixture.fd);
	close(plain.fd);
}

/* One that has not: what fits is in a whole file. */
static void test_disk_too_small(void **state)
{
	const struct rlimit limit = { 1300000, RLIM_INFINITY };
	struct rlimit before;
	struct fixture fixture = fixture_begin();
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	uint64_t bytes = 0;
	int err = 0;

	(void)state;
	scope_trace_writer_defer(fixture.writer, 128 << 20);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (written = 0; !err && written < 4000; written += !err)
		err = scope_trace_writer_subbuf(fixture.writer, make_subbuf((uint32_t)written, 1000));
	assert_int_equal(err, -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, handler);
	assert_int_equal(scope_trace_writer_salvage(fixture.writer, "disk-full", &bytes), 0);
	assert_true(bytes > 1000000);
	scope_trace_writer_destroy(fixture.writer);
	/* The last buffer, of 256 KiB, is not known to fit. */
	{
		struct scope_error error = { "" };
		struct scope_trace *trace;
		struct scope_event event;
		uint64_t events = 0;

		assert_int_equal(scope_trace_open_fd(fixture.fd, "full", &error, &trace), 0);
		while (scope_trace_next(trace, &event) == 1)
			events += event.kind == SCOPE_EVENT_WAKING;
		assert_string_equal(scope_trace_damage(trace), "");
		assert_true(events >= written * 700);
		scope_trace_close(trace);
	}
	close(fixture.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_file_at_the_end),
		cmocka_unit_test(test_killed_at_any_write),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_disk_too_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
