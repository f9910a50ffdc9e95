// SPDX-License-Identifier: GPL-2.0-only
/* How soon a watch analyses again, by the kind of deviation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "watch/suspicion.h"

#define S 1000000000ull

static struct scope_watch_suspicion suspicion;

static int begin(void **state)
{
	(void)state;
	suspicion = (struct scope_watch_suspicion){ 0 };
	return 0;
}

/* Departs in each second of these, and is judged in each second that is a multiple of every. */
static void seconds(enum scope_unusual_reason reason, double times, uint64_t from, uint64_t until, uint64_t every)
{
	for (uint64_t second = from; second < until; second++) {
		scope_watch_suspicion_take(&suspicion, reason, times, second * S);
		if (every && second % every == 0)
			scope_watch_suspicion_judged(&suspicion, false, second * S);
	}
}

static void analyses_that_find_nothing_become_rare(void **state)
{
	(void)state;
	seconds(SCOPE_UNUSUAL_P99, 3, 100, 104, 2);
	assert_int_equal(suspicion.patience, 0);
	seconds(SCOPE_UNUSUAL_P99, 3, 104, 107, 2);
	assert_int_equal(suspicion.patience, 2);
	seconds(SCOPE_UNUSUAL_P99, 3, 107, 120, 2);
	assert_int_equal(suspicion.patience, 6);
}

static void the_same_again_is_tolerated(void **state)
{
	(void)state;
	seconds(SCOPE_UNUSUAL_P99, 3, 100, 120, 2);
	scope_watch_suspicion_judged(&suspicion, false, 140 * S);
	seconds(SCOPE_UNUSUAL_P99, 4, 160, 161, 0);
	assert_int_equal(suspicion.patience, 6);
	seconds(SCOPE_UNUSUAL_P99, 30, 170, 171, 0);
	assert_int_equal(suspicion.patience, 0);
}

static void what_ended_without_a_finding_is_tolerated(void **state)
{
	(void)state;
	for (uint64_t time = 100; time < 200; time += 10) {
		seconds(SCOPE_UNUSUAL_MEDIAN, 3, time, time + 1, 0);
		scope_watch_suspicion_judged(&suspicion, false, (time + 5) * S);
	}
	assert_int_equal(suspicion.patience, 6);
}

static void another_reason_is_none_of_it(void **state)
{
	(void)state;
	seconds(SCOPE_UNUSUAL_P99, 3, 100, 120, 2);
	assert_int_equal(suspicion.patience, 6);
	seconds(SCOPE_UNUSUAL_SILENT, 1, 120, 121, 0);
	assert_int_equal(suspicion.patience, 0);
}

static void a_long_time_later_it_is_not_tolerated(void **state)
{
	(void)state;
	seconds(SCOPE_UNUSUAL_P99, 3, 100, 120, 2);
	seconds(SCOPE_UNUSUAL_P99, 3, 1000, 1001, 0);
	assert_int_equal(suspicion.patience, 0);
}

static void what_was_found_is_not_looked_for_again(void **state)
{
	(void)state;
	seconds(SCOPE_UNUSUAL_P99, 30, 100, 105, 0);
	scope_watch_suspicion_judged(&suspicion, true, 105 * S);
	assert_int_equal(suspicion.patience, 0);
	seconds(SCOPE_UNUSUAL_P99, 40, 106, 120, 2);
	assert_int_equal(suspicion.patience, 6);
	/* It was right, so the next time is as good a reason. */
	seconds(SCOPE_UNUSUAL_P99, 30, 300, 301, 0);
	assert_int_equal(suspicion.patience, 0);
}

static void it_is_suspected_for_a_second(void **state)
{
	(void)state;
	assert_false(scope_watch_suspicion_now(&suspicion, 100 * S));
	seconds(SCOPE_UNUSUAL_CALLS, 3, 100, 101, 0);
	assert_true(scope_watch_suspicion_now(&suspicion, 101 * S));
	assert_false(scope_watch_suspicion_now(&suspicion, 102 * S));
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(analyses_that_find_nothing_become_rare),
		TEST(the_same_again_is_tolerated),
		TEST(what_ended_without_a_finding_is_tolerated),
		TEST(another_reason_is_none_of_it),
		TEST(a_long_time_later_it_is_not_tolerated),
		TEST(what_was_found_is_not_looked_for_again),
		TEST(it_is_suspected_for_a_second),
	};

	return cmocka_run_group_tests_name("watch_suspicion", tests, NULL, NULL);
}
