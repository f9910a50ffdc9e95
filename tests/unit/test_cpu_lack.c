// SPDX-License-Identifier: GPL-2.0-only
/* A target lacks CPU time: each limit of the rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "recorder/cpu_lack.h"

#define S 1000000000ull
#define MS 1000000ull

static struct scope_recorder_cpu_lack lack;
static uint64_t now_ns;
static char why[128];

static int begin(void **state)
{
	(void)state;
	lack = (struct scope_recorder_cpu_lack){ 0 };
	now_ns = 100 * S;
	return 0;
}

/* Seconds in which the threads ran or were runnable for busy_ms, and waited for taken_ms of it in that many waits. */
static void seconds(unsigned int count, uint64_t busy_ms, uint64_t taken_ms, uint32_t waits)
{
	static struct scope_recorder_activity_period period;

	while (count--) {
		period.run_ns = (busy_ms - taken_ms) * MS;
		period.queue_ns = taken_ms * MS;
		period.taken_ns = taken_ms * MS;
		period.taken = waits;
		period.taken_since_ns = waits ? now_ns + 200 * MS : 0;
		now_ns += S;
		scope_recorder_cpu_lack_second(&lack, &period);
	}
}

static bool is_short(void)
{
	return scope_recorder_cpu_lack_find(&lack, now_ns, why);
}

static void test_three_seconds(void **state)
{
	double for_s;

	(void)state;
	seconds(20, 1000, 10, 100);
	seconds(2, 1000, 500, 100);
	assert_false(is_short());
	seconds(1, 1000, 500, 100);
	assert_true(is_short());
	assert_string_equal(why, "no-cpu: 50 % of the busy time, usual are 1 %, for 2.8 s");
	assert_true(scope_recorder_cpu_lack_read(why, &for_s));
	assert_true(for_s > 2.79 && for_s < 2.81);
	seconds(30, 1000, 500, 100);
	assert_true(is_short());
	seconds(1, 1000, 10, 100);
	assert_false(is_short());
}

static void test_a_pause_begins_again(void **state)
{
	(void)state;
	seconds(20, 1000, 10, 100);
	for (int i = 0; i < 5; i++) {
		seconds(2, 1000, 900, 100);
		seconds(1, 1000, 300, 100);
		assert_false(is_short());
	}
}

static void test_share(void **state)
{
	(void)state;
	seconds(20, 1000, 0, 0);
	seconds(10, 1000, 300, 100);
	assert_false(is_short());
	seconds(3, 1000, 301, 100);
	assert_true(is_short());
}

static void test_what_is_usual_here(void **state)
{
	(void)state;
	seconds(20, 1000, 200, 100);
	seconds(10, 1000, 400, 100);
	assert_false(is_short());
	seconds(3, 1000, 401, 100);
	assert_true(is_short());
}

static void test_always_short_is_usual(void **state)
{
	(void)state;
	seconds(60, 1000, 600, 100);
	assert_false(is_short());
	seconds(10, 1000, 990, 100);
	assert_false(is_short());
}

static void test_little_is_known(void **state)
{
	(void)state;
	seconds(2, 1000, 0, 0);
	seconds(10, 1000, 900, 100);
	assert_false(is_short());
	begin(NULL);
	seconds(5, 1000, 0, 0);
	seconds(3, 1000, 900, 100);
	assert_true(is_short());
}

/* Few waits are many if they are long. */
static void test_little_work(void **state)
{
	(void)state;
	seconds(20, 60, 0, 0);
	seconds(5, 60, 49, 9);
	assert_false(is_short());
	seconds(3, 60, 50, 9);
	assert_true(is_short());
	begin(NULL);
	seconds(20, 60, 0, 0);
	seconds(3, 60, 30, 10);
	assert_true(is_short());
}

static void test_idle(void **state)
{
	(void)state;
	seconds(30, 0, 0, 0);
	assert_false(is_short());
}

static void test_other_texts(void **state)
{
	double for_s;

	(void)state;
	assert_false(scope_recorder_cpu_lack_read("no-cpu: much", &for_s));
	assert_false(scope_recorder_cpu_lack_read("runqueue>20%: 40 % in the last 10 s", &for_s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_three_seconds, begin),
		cmocka_unit_test_setup(test_a_pause_begins_again, begin),
		cmocka_unit_test_setup(test_share, begin),
		cmocka_unit_test_setup(test_what_is_usual_here, begin),
		cmocka_unit_test_setup(test_always_short_is_usual, begin),
		cmocka_unit_test_setup(test_little_is_known, begin),
		cmocka_unit_test_setup(test_little_work, begin),
		cmocka_unit_test_setup(test_idle, begin),
		cmocka_unit_test(test_other_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
