// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that do not begin with the capture: rotated files, copies of a flight recorder, and files cut by a full disk.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "trace/flight.h"
#include "trace/format.h"
#include "trace_fixture.h"

#define CPUS 2
#define STEP_NS 1000000ull

static char folder[] = "/tmp/scope-parts-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4][64];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

/* Sub-buffer i: CPU i % 2, three calls whose number is i, and one millisecond after the one before. */
static void add_subbuf(struct scope_writer *writer, uint32_t i)
{
	struct filled filled = filled_begin(i % CPUS, i / CPUS, (i + 1) * STEP_NS, 100 + i % CPUS);

	for (int call = 0; call < 3; call++)
		filled_syscall(&filled, 10, i);
	filled.head.end_ns = filled.head.begin_ns + 30;
	assert_int_equal(scope_trace_writer_subbuf(writer, &filled.head), 0);
}

static void add_metadata(struct scope_writer *writer)
{
	assert_int_equal(scope_trace_writer_meta(writer, SCOPE_META_COMMAND, "demo"), 0);
	assert_int_equal(scope_trace_writer_meta(writer, SCOPE_META_WALL_CLOCK, "1000000000007"), 0);
	assert_int_equal(scope_trace_writer_meta(writer, SCOPE_META_BEGIN, "7"), 0);
	assert_int_equal(
		scope_trace_writer_map(writer,
				       &(struct scope_trace_map){
					       .tgid = 100, .start = 1, .end = 2, .path = "/demo", .build_id = "ab" }),
		0);
}

/* Opens it, finds metadata and the calls of sub-buffers first to last, and nothing amiss. */
static void expect_calls(const char *path, uint32_t first, uint32_t last, uint64_t begin_ns)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;
	size_t maps;

	if (scope_trace_open(path, &error, &trace))
		fail_msg("%s", error.text);
	assert_string_equal(scope_trace_meta(trace, SCOPE_META_COMMAND), "demo");
	assert_int_equal(scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0), begin_ns);
	assert_int_equal(scope_trace_meta_number(trace, SCOPE_META_WALL_CLOCK, 0), 1000000000000ull + begin_ns);
	scope_trace_maps(trace, &maps);
	assert_int_equal(maps, 1);
	for (uint32_t i = first; i <= last; i++)
		for (int call = 0; call < 3; call++) {
			struct scope_event event = next_event(trace);

			assert_int_equal(event.kind, SCOPE_EVENT_SYSCALL);
			assert_int_equal(event.syscall.nr, i);
		}
	no_more_events(trace);
	assert_string_equal(scope_trace_damage(trace), "");
	scope_trace_close(trace);
}

static void test_rotated_files_stand_alone(void **state)
{
	struct scope_error error = { "" };
	struct scope_writer *writer;

	(void)state;
	assert_int_equal(scope_trace_writer_create(path_of("1"), &error, &writer), 0);
	assert_int_equal(scope_trace_writer_keep(writer), 0);
	add_metadata(writer);
	for (uint32_t i = 0; i < 10; i++)
		add_subbuf(writer, i);
	assert_int_equal(scope_trace_writer_rotate(writer, path_of("2"), &error), 0);
	for (uint32_t i = 10; i < 15; i++)
		add_subbuf(writer, i);
	assert_int_equal(scope_trace_writer_rotate(writer, path_of("3"), &error), 0);
	for (uint32_t i = 15; i < 17; i++)
		add_subbuf(writer, i);
	assert_int_equal(scope_trace_writer_finish(writer, &error), 0);
	scope_trace_writer_destroy(writer);
	expect_calls(path_of("1"), 0, 9, 7);
	expect_calls(path_of("2"), 10, 14, 10 * STEP_NS + 30);
	expect_calls(path_of("3"), 15, 16, 15 * STEP_NS + 30);
}

static void test_rotation_that_cannot_go_on(void **state)
{
	struct scope_error error = { "" };
	struct scope_writer *writer;

	(void)state;
	assert_int_equal(scope_trace_writer_create(path_of("4"), &error, &writer), 0);
	assert_int_equal(scope_trace_writer_keep(writer), 0);
	add_metadata(writer);
	add_subbuf(writer, 0);
	assert_int_equal(scope_trace_writer_rotate(writer, path_of("no/5"), &error), -ENOENT);
	assert_non_null(strstr(error.text, "no/5"));
	scope_trace_writer_destroy(writer);
	expect_calls(path_of("4"), 0, 0, 7);
}

static void test_flight_keeps_the_last_seconds(void **state)
{
	struct scope_trace_flight_state coverage;
	struct scope_error error = { "" };
	struct scope_writer *writer, *file;
	const uint32_t all = 200000;
	uint32_t first;

	(void)state;
	assert_int_equal(scope_trace_writer_create_flight(1000 * STEP_NS, 64u << 20, &error, &writer), 0);
	scope_trace_writer_set_level(writer, 0);
	add_metadata(writer);
	for (uint32_t i = 0; i < all; i++)
		add_subbuf(writer, i);
	scope_trace_writer_coverage(writer, &coverage);
	assert_int_equal(coverage.end_ns, all * STEP_NS + 30);
	/* No less than was asked for, and at most one piece of memory more. */
	assert_true(coverage.end_ns - coverage.begin_ns >= 1000 * STEP_NS - STEP_NS);
	assert_true(coverage.held_bytes <= 3u << 20);
	assert_int_equal(scope_trace_writer_bytes(writer), coverage.held_bytes);
	assert_int_equal(scope_trace_writer_copy(writer, path_of("6"), 0, false, &error, &file), 0);
	assert_int_equal(scope_trace_writer_meta(file, SCOPE_META_END_REASON, "snapshot"), 0);
	assert_int_equal(scope_trace_writer_finish(file, &error), 0);
	scope_trace_writer_destroy(file);
	first = (coverage.begin_ns - 30) / STEP_NS;
	assert_int_equal(coverage.subbufs, all - first);
	/* Numbers of calls have 16 bits. */
	{
		struct scope_trace *trace;

		assert_int_equal(scope_trace_open(path_of("6"), &error, &trace), 0);
		assert_int_equal(scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0), coverage.begin_ns);
		assert_int_equal(scope_trace_meta_number(trace, SCOPE_META_WALL_CLOCK, 0),
				 1000000000000ull + coverage.begin_ns);
		for (uint32_t i = first; i < all; i++)
			for (int call = 0; call < 3; call++)
				assert_int_equal(next_event(trace).syscall.nr, (uint16_t)i);
		no_more_events(trace);
		assert_string_equal(scope_trace_damage(trace), "");
		scope_trace_close(trace);
	}
	scope_trace_writer_destroy(writer);
}

static void test_flight_is_bounded_in_memory(void **state)
{
	struct scope_trace_flight_state coverage;
	struct scope_error error = { "" };
	struct scope_writer *writer;

	(void)state;
	assert_int_equal(scope_trace_writer_create_flight(1, 1000, &error, &writer), -EINVAL);
	assert_int_equal(scope_trace_writer_create_flight(UINT64_MAX / 2, SCOPE_FLIGHT_BYTES_MIN, &error, &writer), 0);
	scope_trace_writer_set_level(writer, 0);
	for (uint32_t i = 0; i < 100000; i++) {
		add_subbuf(writer, i);
		assert_true(scope_trace_writer_bytes(writer) <= SCOPE_FLIGHT_BYTES_MIN);
	}
	scope_trace_writer_coverage(writer, &coverage);
	assert_true(coverage.begin_ns > 50000 * STEP_NS);
	assert_true(coverage.held_bytes > SCOPE_FLIGHT_BYTES_MIN / 2);
	scope_trace_writer_destroy(writer);
}

/* A disk that takes some bytes and no more. What was kept is a whole trace, at every limit. */
static void test_full_disk_keeps_what_was_written(void **state)
{
	struct rlimit old, limit;
	struct scope_error error = { "" };
	uint32_t best = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	/* From 700,000 on at distances below the size of an end: one of them leaves no room for it. */
	for (limit.rlim_cur = 1000;
	     limit.rlim_cur<2000000; limit.rlim_cur += limit.rlim_cur> 700000 && limit.rlim_cur < 980000 ? 997
													 : 99991) {
		const char *path = path_of("full");
		struct scope_writer *writer;
		struct scope_trace *trace;
		struct scope_event event;
		uint64_t kept = 0;
		uint32_t calls = 0;
		struct stat status;
		int ret = 0;

		unlink(path);
		assert_int_equal(scope_trace_writer_create(path, &error, &writer), 0);
		scope_trace_writer_set_level(writer, 0);
		add_metadata(writer);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		for (uint32_t i = 0; !ret; i++) {
			struct filled filled = filled_begin(0, i, (i + 1) * STEP_NS, 100);

			for (int call = 0; call < 200; call++)
				filled_syscall(&filled, 10, i);
			filled.head.end_ns = filled.head.begin_ns + 2000;
			ret = scope_trace_writer_subbuf(writer, &filled.head);
		}
		assert_int_equal(ret, -EFBIG);
		ret = scope_trace_writer_salvage(writer, "disk-full", &kept);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_non_null(strstr(scope_trace_writer_error(writer), "full"));
		scope_trace_writer_destroy(writer);
		if (ret) {
			assert_int_equal(ret, -ENODATA);
			assert_int_equal(stat(path, &status), -1);
			continue;
		}
		assert_int_equal(scope_trace_open(path, &error, &trace), 0);
		while (scope_trace_next(trace, &event) == 1)
			calls++;
		assert_true(calls > 0 && calls % 200 == 0);
		best = calls > best ? calls : best;
		/* The first pieces may be all that fits, without an end. */
		if (scope_trace_damage(trace)[0] && limit.rlim_cur < 600000)
			assert_non_null(strstr(scope_trace_damage(trace), "without an END frame"));
		else
			assert_string_equal(scope_trace_damage(trace), "");
		if (!scope_trace_damage(trace)[0])
			assert_string_equal(scope_trace_meta(trace, SCOPE_META_END_REASON), "disk-full");
		scope_trace_close(trace);
	}
	assert_true(best > 10000);
	signal(SIGXFSZ, SIG_DFL);
}

/* From every time on a seek gives what is left of a full reading there. */
static void test_seek(void **state)
{
	struct fixture fixture = fixture_begin();
	struct scope_trace *trace;
	const uint32_t all = 40;

	(void)state;
	for (uint32_t i = 0; i < all; i++)
		add_subbuf(fixture.writer, i);
	trace = fixture_open(&fixture);
	for (uint64_t time_ns = 0; time_ns < (all + 2) * STEP_NS; time_ns += STEP_NS / 7) {
		uint32_t i = 0, call = 0;

		assert_int_equal(scope_trace_seek(trace, time_ns), 0);
		while (i < all && (i + 1) * STEP_NS + 10 * (call + 1) < time_ns) {
			call = (call + 1) % 3;
			i += !call;
		}
		for (; i < all; call = (call + 1) % 3, i += !call) {
			struct scope_event event = next_event(trace);

			assert_int_equal(event.kind, SCOPE_EVENT_SYSCALL);
			assert_int_equal(event.syscall.nr, i);
			assert_int_equal(event.time_ns, (i + 1) * STEP_NS + 10 * (call + 1));
			assert_int_equal(event.tid, 100 + i % CPUS);
		}
		no_more_events(trace);
	}
	assert_int_equal(scope_trace_seek(trace, UINT64_MAX), 0);
	no_more_events(trace);
	scope_trace_close(trace);
}

/* More sub-buffers than the index has room for: it gets coarse, and seeking stays right. */
static void test_index_is_bounded(void **state)
{
	struct fixture fixture = fixture_begin();
	const uint32_t all = 200001;
	struct scope_trace *trace;

	(void)state;
	scope_trace_writer_set_level(fixture.writer, 0);
	for (uint32_t i = 0; i < all; i++)
		add_subbuf(fixture.writer, i);
	trace = fixture_open(&fixture);
	for (uint32_t i = 1; i < all; i += 9973) {
		assert_int_equal(scope_trace_seek(trace, (i + 1) * STEP_NS), 0);
		assert_int_equal(next_event(trace).syscall.nr, (uint16_t)i);
	}
	scope_trace_close(trace);
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
		cmocka_unit_test(test_rotated_files_stand_alone),
		cmocka_unit_test(test_rotation_that_cannot_go_on),
		cmocka_unit_test(test_flight_keeps_the_last_seconds),
		cmocka_unit_test(test_flight_is_bounded_in_memory),
		cmocka_unit_test(test_full_disk_keeps_what_was_written),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_index_is_bounded),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_folder);
}
