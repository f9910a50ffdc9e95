// SPDX-License-Identifier: GPL-2.0-only
/* Triggers fire when their condition is met, and not before. */
#include <errno.h>
#include <stdio.h>

#include "recorder/trigger.h"
#include "recorder/unusual.h"
#include "trace/trace_internal.h"
#include "trace/text_form.h"
#include "trace_fixture.h"

#define S 1000000000ull
#define MS 1000000ull

/* Text of events that grows, and is handed over as sub-buffers second by second. */
struct stage {
	struct scope_triggers *triggers;
	char *text;
	size_t bytes;
	FILE *stream;
	char why[128];
};

/* The stream keeps the address of the stage. */
static void stage_begin(struct stage *stage, const char *trigger)
{
	struct scope_error error = { "" };

	*stage = (struct stage){ .why = "" };
	assert_int_equal(scope_recorder_triggers_create(&stage->triggers), 0);
	if (scope_recorder_triggers_add(stage->triggers, trigger, &error))
		fail_msg("%s", error.text);
	stage->stream = open_memstream(&stage->text, &stage->bytes);
	assert_false(scope_recorder_triggers_fired(stage->triggers, 0, stage->why));
}

static void take(void *context, const struct scope_subbuf *subbuf)
{
	scope_recorder_triggers_take(context, subbuf);
}

/* What was printed so far is seen, and it is now. Did it fire? */
static bool stage_look(struct stage *stage, uint64_t now_ns)
{
	struct fixture fixture = fixture_begin();
	struct scope_error error = { "" };
	FILE *input;
	bool fired;

	fclose(stage->stream);
	scope_trace_writer_set_tap(fixture.writer, take, stage->triggers);
	if (stage->bytes) {
		input = fmemopen(stage->text, stage->bytes, "r");
		if (strict_text_read(input, fixture.writer, &error))
			fail_msg("%s", error.text);
		fclose(input);
	}
	fixture_finish(&fixture);
	close(fixture.fd);
	free(stage->text);
	stage->text = NULL;
	stage->stream = open_memstream(&stage->text, &stage->bytes);
	fired = scope_recorder_triggers_fired(stage->triggers, now_ns, stage->why);
	return fired;
}

static void stage_end(struct stage *stage)
{
	fclose(stage->stream);
	free(stage->text);
	scope_recorder_triggers_destroy(stage->triggers);
}

static void calls(struct stage *stage, uint64_t second, unsigned int count, const char *name)
{
	for (unsigned int i = 0; i < count; i++) {
		const uint64_t at = second * S + i * (S / (count + 1)) + 1000;

		fprintf(stage->stream, "%llu 0 syscall 101 %s enter=%llu ret=1 args=7,0\n", (unsigned long long)at,
			name, (unsigned long long)(at - 500));
	}
}

static void test_words(void **state)
{
	static const char *const good[] = { "rate:sendmsg<50%", "unit>200ms", "unit>1.5", "hang>10s", "runqueue>20%",
					    "runqueue>100%",	"p99>50ms",   "p99.9>1",  "unusual",  "no-cpu" };
	static const char *const bad[] = { "",
					   "rate",
					   "rate:sendmsg",
					   "rate:sendmsg<0%",
					   "rate:sendmsg<101%",
					   "rate:sendmsg<50",
					   "rate:nocall<50%",
					   "rate:<50%",
					   "unit>",
					   "unit>0",
					   "unit>x",
					   "unit<5",
					   "hang>-1",
					   "hang",
					   "runqueue>5",
					   "runqueue>0%",
					   "load>5",
					   "p100>5ms",
					   "p0>5ms",
					   "p99<5ms",
					   "p99>",
					   "unusually",
					   "no-cpus" };
	struct scope_triggers *triggers;
	struct scope_error error;

	(void)state;
	assert_int_equal(scope_recorder_triggers_create(&triggers), 0);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(scope_recorder_triggers_add(triggers, good[i], &error), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		error.text[0] = '\0';
		assert_int_equal(scope_recorder_triggers_add(triggers, bad[i], &error), -EINVAL);
		assert_true(error.text[0]);
	}
	for (size_t i = sizeof(good) / sizeof(good[0]); i < SCOPE_TRIGGERS_MAX; i++)
		assert_int_equal(scope_recorder_triggers_add(triggers, "unit>1", &error), 0);
	assert_int_equal(scope_recorder_triggers_add(triggers, "unit>1", &error), -E2BIG);
	scope_recorder_triggers_destroy(triggers);
}

/* Work between two waits for it: `count` pieces in that second, of work_ns each. */
static void pieces(struct stage *stage, uint64_t second, unsigned int count, unsigned long long work_ns)
{
	for (unsigned int i = 0; i < count; i++) {
		const unsigned long long at = second * S + i * (S / (count + 1)) + 1000;

		fprintf(stage->stream, "%llu 0 exit 101 epoll_wait ret=1\n", at);
		fprintf(stage->stream, "%llu 0 enter 101 epoll_wait enter=%llu args=5\n", at + work_ns, at + work_ns);
	}
}

/* 2 of 100 pieces are slow: that is above the 99th percentile, and not above the 95th. */
static void test_percentile(void **state)
{
	static const char *const words[] = { "p95>5ms", "p99>5ms" };

	(void)state;
	for (unsigned int way = 0; way < 2; way++) {
		struct stage stage;
		uint64_t second;

		stage_begin(&stage, words[way]);
		for (second = 0; second < 12; second++) {
			pieces(&stage, second, 20, 1000000);
			assert_false(stage_look(&stage, (second + 1) * S));
		}
		pieces(&stage, second, 4, 8000000);
		assert_int_equal(stage_look(&stage, (second + 1) * S), way);
		if (way)
			assert_non_null(strstr(stage.why, "p99>5ms: "));
		stage_end(&stage);
	}
}

/* A steady minute is not unusual, also with its noise; then work takes twice as long, or calls become fewer. */
static void test_unusual(void **state)
{
	(void)state;
	for (unsigned int way = 0; way < 2; way++) {
		struct stage stage;
		enum scope_unusual_reason reason;
		uint64_t second;
		bool fired = false;
		double times;

		stage_begin(&stage, "unusual");
		for (second = 0; second < 60; second++) {
			pieces(&stage, second, second % 3 ? 60 : 50, second % 2 ? 1000000 : 1200000);
			assert_false(stage_look(&stage, (second + 1) * S));
		}
		for (; second < 64; second++) {
			pieces(&stage, second, way ? 20 : 60, way ? 1000000 : 2500000);
			fired |= stage_look(&stage, (second + 1) * S);
		}
		assert_true(fired);
		assert_true(scope_recorder_unusual_read(stage.why, &reason, &times));
		assert_int_equal(reason, way ? SCOPE_UNUSUAL_CALLS : SCOPE_UNUSUAL_MEDIAN);
		assert_true(way ? times > 2.5 && times < 3.5 : times > 2 && times < 2.6);
		stage_end(&stage);
	}
}

/* A thread makes no call for 20 s, then some until the given second, then none again: after how many seconds is that unusual? 0: not in 16. */
static uint64_t silent_after(uint64_t until)
{
	struct stage stage;
	uint64_t found = 0;

	stage_begin(&stage, "unusual");
	for (uint64_t second = 0; second < until + 16 && !found; second++) {
		if (second < 10 || (second >= 30 && second < until))
			calls(&stage, second, 30, "read");
		if (stage_look(&stage, (second + 1) * S) && second >= until && strstr(stage.why, "without calls"))
			found = second + 1 - until;
	}
	stage_end(&stage);
	return found;
}

/* Half of it is usual after 15 s, and a quarter after 30. */
static void test_a_silence_that_is_over_is_usual_for_a_while(void **state)
{
	(void)state;
	assert_int_equal(silent_after(44), 0);
	assert_int_equal(silent_after(62), 10);
	assert_int_equal(silent_after(77), 5);
}

/* What it says is read again. */
static void test_unusual_is_read(void **state)
{
	enum scope_unusual_reason reason;
	double times;

	(void)state;
	assert_true(scope_recorder_unusual_read("unusual: p99 of work, 3.4 times: 4.000 ms, usual is 1.000 ms", &reason,
						&times));
	assert_int_equal(reason, SCOPE_UNUSUAL_P99);
	assert_true(times > 3.39 && times < 3.41);
	assert_false(scope_recorder_unusual_read("unusual: p99 of work", &reason, &times));
	assert_false(scope_recorder_unusual_read("p99>5ms: 7.000 ms", &reason, &times));
}

/* Of two that hold all the time both fire, one after the other. */
static void test_none_hides_another(void **state)
{
	struct scope_error error = { "" };
	unsigned int first = 0, second = 0;
	struct stage stage;

	(void)state;
	stage_begin(&stage, "p50>1ms");
	assert_int_equal(scope_recorder_triggers_add(stage.triggers, "p99>5ms", &error), 0);
	for (uint64_t at = 0; at < 5; at++) {
		pieces(&stage, at, 50, 7000000);
		for (unsigned int look = 0; look < 4; look++)
			if (stage_look(&stage, (at + 1) * S + look)) {
				first += !strncmp(stage.why, "p50>1ms: ", 9);
				second += !strncmp(stage.why, "p99>5ms: ", 9);
			}
	}
	assert_true(first >= 4);
	assert_int_equal(first, second);
	stage_end(&stage);
}

static void test_rate_that_falls(void **state)
{
	struct stage stage;
	uint64_t second;

	(void)state;
	stage_begin(&stage, "rate:sendmsg<50%");
	for (second = 0; second < 30; second++) {
		calls(&stage, second, second % 7 ? 100 : 70, "sendmsg");
		calls(&stage, second, 10, "read");
		assert_false(stage_look(&stage, (second + 1) * S));
	}
	for (; second < 35; second++) {
		calls(&stage, second, 70, "sendmsg");
		assert_false(stage_look(&stage, (second + 1) * S));
	}
	/* Three seconds of which two are slow: 70 + 20 + 20 of usual 300. */
	calls(&stage, second, 20, "sendmsg");
	assert_true(!stage_look(&stage, ++second * S));
	calls(&stage, second, 20, "sendmsg");
	assert_true(stage_look(&stage, ++second * S));
	assert_string_equal(stage.why, "rate:sendmsg<50%: 110 in 3 s, usual are 100 a second");
	stage_end(&stage);
}

/* One that never was has not fallen. */
static void test_rate_of_nothing(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin(&stage, "rate:sendmsg<50%");
	for (uint64_t second = 0; second < 30; second++) {
		calls(&stage, second, 10, "read");
		assert_false(stage_look(&stage, (second + 1) * S));
	}
	stage_end(&stage);
}

static void test_long_unit(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin(&stage, "unit>200ms");
	fprintf(stage.stream, "%llu 0 syscall 101 epoll_wait enter=900 ret=1 args=5\n", 100 * MS);
	fprintf(stage.stream, "%llu 0 enter 101 epoll_wait enter=%llu args=5\n", 290 * MS, 290 * MS);
	assert_false(stage_look(&stage, 1 * S)); /* 190 ms, then it waits */
	fprintf(stage.stream, "%llu 0 exit 101 epoll_wait ret=1\n", 1500 * MS);
	fprintf(stage.stream, "%llu 0 enter 101 epoll_wait enter=%llu args=5\n", 1701 * MS, 1701 * MS);
	assert_true(stage_look(&stage, 2 * S));
	assert_string_equal(stage.why, "unit>200ms: thread 101, 0.201 s");
	assert_false(stage_look(&stage, 3 * S));
	fprintf(stage.stream, "%llu 0 exit 101 epoll_wait ret=1\n", 3500 * MS);
	assert_true(stage_look(&stage, 4 * S));
	assert_string_equal(stage.why, "unit>200ms: thread 101, 0.500 s so far");
	stage_end(&stage);
}

static void test_hang(void **state)
{
	static const struct {
		const char *call;
		bool hangs;
	} rows[] = {
		{ "futex enter=30000000000 args=4096,128", true },  /* FUTEX_WAIT, private: a mutex */
		{ "futex enter=30000000000 args=4096,393", false }, /* ..._BITSET: a condition */
		{ "epoll_wait enter=30000000000 args=5", false },   { "clock_nanosleep enter=30000000000", false },
		{ "fsync enter=30000000000 args=3", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct stage stage;
		bool fired = false;

		stage_begin(&stage, "hang>5s");
		for (uint64_t second = 0; second < 30; second++) {
			calls(&stage, second, 50, "futex");
			assert_false(stage_look(&stage, (second + 1) * S));
		}
		fprintf(stage.stream, "%llu 0 enter 101 %s\n", 30 * S + 5000, rows[i].call);
		fprintf(stage.stream, "%llu 0 switch 101 0 sleeping\n", 30 * S + 6000);
		for (uint64_t second = 31; second < 35; second++)
			assert_false(stage_look(&stage, second * S));
		for (uint64_t second = 35; second < 60; second++)
			fired |= stage_look(&stage, second * S);
		assert_int_equal(fired, rows[i].hangs);
		stage_end(&stage);
	}
}

/* It has waited as long before: that is its way. */
static void test_usual_wait_is_no_hang(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin(&stage, "hang>5s");
	for (uint64_t second = 0; second < 99; second++) {
		calls(&stage, second, 5, "read");
		if (second % 10 == 9) {
			fprintf(stage.stream, "%llu 0 enter 101 read enter=%llu args=7\n", second * S + 999 * MS,
				second * S + 999 * MS);
			second += 4;
			assert_false(stage_look(&stage, second * S));
			fprintf(stage.stream, "%llu 0 exit 101 read ret=1\n", second * S + MS);
			continue;
		}
		assert_false(stage_look(&stage, (second + 1) * S));
	}
	fprintf(stage.stream, "%llu 0 enter 101 read enter=%llu args=7\n", 100 * S, 100 * S);
	assert_false(stage_look(&stage, 106 * S));
	assert_true(stage_look(&stage, 108 * S));
	stage_end(&stage);
}

static void test_spin(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin(&stage, "hang>5s");
	fprintf(stage.stream, "10 0 switch 0 101 sleeping\n");
	for (uint64_t second = 0; second < 3; second++) {
		calls(&stage, second, 50, "read");
		assert_false(stage_look(&stage, (second + 1) * S));
	}
	assert_false(stage_look(&stage, 7 * S));
	assert_true(stage_look(&stage, 9 * S));
	assert_non_null(strstr(stage.why, "thread 101 in no call"));
	stage_end(&stage);
}

/* Wakings and switches of two CPUs, handed over in either order. */
static void test_run_queue(void **state)
{
	struct stage stage;
	bool fired = false;

	(void)state;
	stage_begin(&stage, "runqueue>20%");
	for (uint64_t second = 0; second < 40; second++) {
		/* Runs 300 ms of a second, waits 30 ms for it; from 20 s on 200 ms. */
		const uint64_t at = second * S, wait = second < 20 ? 30 * MS : 200 * MS;
		const int waker = second % 2; /* CPU 0 is handed over first */

		fprintf(stage.stream, "%llu %d waking 101 from - hardirq\n", at + 10 * MS, waker);
		fprintf(stage.stream, "%llu %d switch 0 101 sleeping\n", at + 10 * MS + wait, !waker);
		fprintf(stage.stream, "%llu %d switch 101 0 sleeping\n", at + 310 * MS + wait, !waker);
		fired = stage_look(&stage, at + S);
		if (second < 21)
			assert_false(fired);
	}
	assert_true(fired);
	assert_string_equal(stage.why, "runqueue>20%: 40 % in the last 10 s");
	stage_end(&stage);
}

/*
 * 101 waits for a CPU before it runs. If 102 has it, the program has more work than CPUs; if it is a thread that is not traced, it is
 * short of CPU. Neither wait is in a unit of work.
 */
static void test_cpu_lack(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++) {
		struct stage stage;
		bool fired = false;

		stage_begin(&stage, "no-cpu");
		for (uint64_t second = 0; second < 20 && !fired; second++) {
			const uint64_t at = second * S, wait = second < 10 ? MS : 200 * MS;

			fprintf(stage.stream, "%llu 0 switch 0 %d sleeping\n", at + MS, own ? 102 : 0);
			fprintf(stage.stream, "%llu 0 waking 101 from - hardirq\n", at + 10 * MS);
			fprintf(stage.stream, "%llu 0 switch %d 101 sleeping\n", at + 10 * MS + wait, own ? 102 : 0);
			fprintf(stage.stream, "%llu 0 switch 101 0 sleeping\n", at + 110 * MS + wait);
			fired = stage_look(&stage, at + S);
			if (second < 12)
				assert_false(fired);
		}
		assert_int_equal(fired, !own);
		if (fired)
			assert_string_equal(stage.why, "no-cpu: 67 % of the busy time, usual are 0 %, for 3.0 s");
		stage_end(&stage);
	}
}

/* More threads than there is room for, then others: no crash, and those that ended make room. */
static void test_many_threads(void **state)
{
	struct stage stage;

	(void)state;
	stage_begin(&stage, "hang>5s");
	for (unsigned int i = 0; i < 40000; i++) {
		fprintf(stage.stream, "%u 0 syscall %u read enter=1 ret=1 args=7\n", 1000 + i * 10, i + 1);
		fprintf(stage.stream, "%u 0 thread_exit %u tgid=1\n", 1001 + i * 10, i + 1);
	}
	assert_false(stage_look(&stage, 1 * S));
	for (uint64_t second = 2; second < 5; second++) {
		for (unsigned int i = 0; i < 50; i++)
			fprintf(stage.stream, "%llu 0 syscall 60000 fsync enter=%llu ret=0 args=3\n",
				second * S + i * MS, second * S + i * MS);
		assert_false(stage_look(&stage, (second + 1) * S));
	}
	fprintf(stage.stream, "%llu 0 enter 60000 fsync enter=%llu args=3\n", 6 * S, 6 * S);
	assert_true(stage_look(&stage, 20 * S));
	stage_end(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_rate_that_falls),
		cmocka_unit_test(test_percentile),
		cmocka_unit_test(test_unusual),
		cmocka_unit_test(test_a_silence_that_is_over_is_usual_for_a_while),
		cmocka_unit_test(test_unusual_is_read),
		cmocka_unit_test(test_none_hides_another),
		cmocka_unit_test(test_rate_of_nothing),
		cmocka_unit_test(test_long_unit),
		cmocka_unit_test(test_hang),
		cmocka_unit_test(test_usual_wait_is_no_hang),
		cmocka_unit_test(test_spin),
		cmocka_unit_test(test_run_queue),
		cmocka_unit_test(test_cpu_lack),
		cmocka_unit_test(test_many_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
