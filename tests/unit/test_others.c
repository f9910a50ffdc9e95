// SPDX-License-Identifier: GPL-2.0-only
/* Names of threads that are not traced: a file has a limited number, a flight recorder has the most recent ones. */
#include <stdio.h>
#include <unistd.h>

#include "capture/others.h"
#include "trace_fixture.h"

#define ROWS 2048	/* of one file */
#define FIRST 4100000u	/* above all tids: a thread that has ended */
#define SPAN_NS 1000000 /* of the flight recorder */
#define MEMORY (8u << 20)

static void note(struct scope_others *others, uint32_t tid)
{
	const struct scope_record_switch change = { .word = scope_record_word(SCOPE_RECORD_SWITCH, 0), .bits = tid };

	scope_capture_others_note(others, &change);
}

static void note_many(struct scope_others *others, struct scope_writer *writer, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		note(others, FIRST + i);
		if (i % 100 == 99)
			assert_int_equal(scope_capture_others_write(others, writer), 0);
	}
	assert_int_equal(scope_capture_others_write(others, writer), 0);
}

/* A copy of the flight recorder has the row of this process. */
static bool has_own(struct scope_writer *writer)
{
	struct scope_error error = { "" };
	struct scope_writer *file;
	struct scope_trace *trace;
	char path[] = "/tmp/scope-others-XXXXXX", key[32];
	const int fd = mkstemp(path);
	bool has;

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(scope_trace_writer_copy(writer, path, 0, false, &error, &file), 0);
	assert_int_equal(scope_trace_writer_finish(file, &error), 0);
	scope_trace_writer_destroy(file);
	assert_int_equal(scope_trace_open(path, &error, &trace), 0);
	snprintf(key, sizeof(key), SCOPE_META_TASK "%u", (unsigned)getpid());
	has = scope_trace_meta(trace, key);
	scope_trace_close(trace);
	unlink(path);
	return has;
}

static void a_flight_recorder_has_the_latest(void **state)
{
	struct scope_error error = { "" };
	struct scope_others *others;
	struct scope_writer *writer;

	(void)state;
	assert_int_equal(scope_capture_others_create(&others), 0);
	assert_int_equal(scope_trace_writer_create_flight(SPAN_NS, MEMORY, &error, &writer), 0);
	note(others, (uint32_t)getpid());
	note_many(others, writer, ROWS - 1);
	assert_true(has_own(writer));
	note(others, FIRST + ROWS);
	assert_int_equal(scope_capture_others_write(others, writer), 0);
	assert_false(has_own(writer));
	/* It runs again. */
	note(others, (uint32_t)getpid());
	assert_int_equal(scope_capture_others_write(others, writer), 0);
	assert_true(has_own(writer));
	scope_trace_writer_destroy(writer);
	scope_capture_others_destroy(others);
}

static void a_file_takes_no_more(void **state)
{
	struct fixture fixture = fixture_begin();
	struct scope_others *others;
	struct scope_trace *trace;
	char key[32];

	(void)state;
	assert_int_equal(scope_capture_others_create(&others), 0);
	note_many(others, fixture.writer, ROWS);
	note(others, (uint32_t)getpid());
	assert_int_equal(scope_capture_others_write(others, fixture.writer), 0);
	trace = fixture_open(&fixture);
	snprintf(key, sizeof(key), SCOPE_META_TASK "%u", (unsigned)getpid());
	assert_null(scope_trace_meta(trace, key));
	scope_trace_close(trace);
	scope_capture_others_destroy(others);
}

/* For how long a thread ran is from its row on. One that has ended, and has no row, has none. */
static void what_they_ran_is_said_at_the_end(void **state)
{
	struct fixture fixture = fixture_begin();
	struct scope_others *others;
	struct scope_trace *trace;
	const char *ran;
	char key[32];

	(void)state;
	assert_int_equal(scope_capture_others_create(&others), 0);
	note(others, FIRST);
	note(others, (uint32_t)getpid());
	assert_int_equal(scope_capture_others_write(others, fixture.writer), 0);
	assert_int_equal(scope_capture_others_end(others, fixture.writer), 0);
	trace = fixture_open(&fixture);
	snprintf(key, sizeof(key), SCOPE_META_TASK_RAN "%u", (unsigned)getpid());
	ran = scope_trace_meta(trace, key);
	/* A kernel without CONFIG_SCHED_INFO does not say. */
	assert_true(access("/proc/self/schedstat", R_OK) || (ran && ran[0] >= '0' && ran[0] <= '9'));
	snprintf(key, sizeof(key), SCOPE_META_TASK_RAN "%u", FIRST);
	assert_null(scope_trace_meta(trace, key));
	scope_trace_close(trace);
	scope_capture_others_destroy(others);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flight_recorder_has_the_latest),
		cmocka_unit_test(a_file_takes_no_more),
		cmocka_unit_test(what_they_ran_is_said_at_the_end),
	};

	return cmocka_run_group_tests_name("others", tests, NULL, NULL);
}
