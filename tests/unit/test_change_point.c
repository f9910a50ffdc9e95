// SPDX-License-Identifier: GPL-2.0-only
/* The time from which units take longer: found if the change lasts, and only then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/change_point.h"
#include "rank_case.h"

#define MS 1000000ull
#define USUAL_NS 1000

static struct rank_case *made;

static int setup(void **state)
{
	(void)state;
	made = case_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

/* Adds n units of one measure, evenly from one time to another. */
struct part {
	uint64_t from_ns, until_ns;
	unsigned units;
	uint64_t measure_ns;
};

static void add(uint32_t population, struct part part)
{
	for (unsigned i = 0; i < part.units; i++) {
		const uint64_t begin_ns = part.from_ns + (part.until_ns - part.from_ns) * i / part.units;
		const uint8_t mark = part.measure_ns > 2 * USUAL_NS ? SCOPE_UNIT_SLOW : SCOPE_UNIT_USUAL;

		case_unit(made,
			  (struct scope_unit){
				  .begin_ns = begin_ns,
				  .end_ns = begin_ns + part.measure_ns,
				  .run_ns = part.measure_ns,
			  },
			  population, mark, 0, 0);
	}
}

static uint64_t find_with(double share_times, double chance_z)
{
	uint64_t since_ns = 1;

	assert_int_equal(
		scope_analysis_change_point_find(&made->kept, &made->detection, share_times, chance_z, &since_ns), 0);
	return since_ns;
}

static uint64_t find(void)
{
	return find_with(2.5, 3.3);
}

/* n units in each quarter of a window of 1,000 ms that has its change in the middle. */
static void quarters(unsigned first, unsigned second, unsigned third, unsigned fourth, uint64_t slow_ns)
{
	add(0, (struct part){ 0, 250 * MS, first, USUAL_NS });
	add(0, (struct part){ 250 * MS, 500 * MS, second, USUAL_NS });
	add(0, (struct part){ 500 * MS, 750 * MS, third, slow_ns });
	add(0, (struct part){ 750 * MS, 1000 * MS, fourth, slow_ns });
}

static void a_change_that_lasts_is_found_where_it_begins(void **state)
{
	(void)state;
	quarters(50, 50, 50, 50, 5 * USUAL_NS);
	assert_int_equal(find(), 500 * MS);
}

static void each_half_needs_twenty_units(void **state)
{
	(void)state;
	quarters(20, 20, 20, 20, 5 * USUAL_NS);
	assert_int_equal(find(), 500 * MS);
	for (int less = 0; less < 4; less++) {
		teardown(state);
		setup(state);
		quarters(20 - (less == 0), 20 - (less == 1), 20 - (less == 2), 20 - (less == 3), 5 * USUAL_NS);
		assert_int_equal(find(), 0);
	}
}

static void slow_is_more_than_twice_the_median_of_before(void **state)
{
	(void)state;
	quarters(20, 20, 20, 20, 2 * USUAL_NS);
	assert_int_equal(find(), 0);
	teardown(state);
	setup(state);
	quarters(20, 20, 20, 20, 2 * USUAL_NS + 1);
	assert_int_equal(find(), 500 * MS);
}

/* The change comes then, with 50 units in each half of either side. */
static uint64_t change_at(uint64_t change_ns)
{
	add(0, (struct part){ 0, change_ns, 100, USUAL_NS });
	add(0, (struct part){ change_ns, CASE_END_NS, 100, 5 * USUAL_NS });
	return find();
}

static void a_tenth_of_the_window_lies_before(void **state)
{
	(void)state;
	assert_int_equal(change_at(100 * MS), 100 * MS);
	teardown(state);
	setup(state);
	assert_int_equal(change_at(100 * MS - 1), 0);
}

static void a_tenth_of_the_window_lies_behind(void **state)
{
	(void)state;
	assert_int_equal(change_at(900 * MS), 900 * MS);
	teardown(state);
	setup(state);
	assert_int_equal(change_at(900 * MS + 1), 0);
}

/* None of 20 units before, all of 20 since: shares of 1 and of 21 in 22, by the rule of succession. */
static void the_share_of_slow_units_is_a_multiple_of_that_before(void **state)
{
	(void)state;
	quarters(20, 20, 20, 20, 5 * USUAL_NS);
	assert_int_equal(find_with(20.99, 3.3), 500 * MS);
	assert_int_equal(find_with(21.01, 3.3), 0);
}

/* These two are (20 / 22) / sqrt(0.25 (1 / 20 + 1 / 20)) = 5.7496 standard errors apart. */
static void the_shares_differ_by_more_than_chance(void **state)
{
	(void)state;
	quarters(20, 20, 20, 20, 5 * USUAL_NS);
	assert_int_equal(find_with(2.5, 5.749), 500 * MS);
	assert_int_equal(find_with(2.5, 5.750), 0);
}

static void what_is_over_again_is_not_reported(void **state)
{
	(void)state;
	quarters(50, 50, 50, 0, 5 * USUAL_NS);
	add(0, (struct part){ 750 * MS, 1000 * MS, 50, USUAL_NS });
	assert_int_equal(find(), 0);
}

/* It was slow as the window began, and again from the middle on. */
static void what_was_slow_before_is_not_reported(void **state)
{
	(void)state;
	add(0, (struct part){ 0, 40 * MS, 15, 5 * USUAL_NS });
	add(0, (struct part){ 40 * MS, 250 * MS, 35, USUAL_NS });
	add(0, (struct part){ 250 * MS, 500 * MS, 50, USUAL_NS });
	add(0, (struct part){ 500 * MS, 1000 * MS, 100, 5 * USUAL_NS });
	/* 16 of 52 in the first quarter, 101 of 102 after it: about 3.2 times. */
	assert_int_equal(find_with(3, 3.3), 500 * MS);
	assert_int_equal(find_with(3.3, 3.3), 0);
}

static void becoming_quicker_is_no_change(void **state)
{
	(void)state;
	add(0, (struct part){ 0, 500 * MS, 100, 5 * USUAL_NS });
	add(0, (struct part){ 500 * MS, 1000 * MS, 100, USUAL_NS });
	assert_int_equal(find(), 0);
}

static void units_all_alike_tell_nothing(void **state)
{
	(void)state;
	add(0, (struct part){ 0, 1000 * MS, 200, USUAL_NS });
	assert_int_equal(find(), 0);
}

static void units_that_have_not_ended_are_left_out(void **state)
{
	(void)state;
	quarters(20, 20, 20, 20, 5 * USUAL_NS);
	made->units.unit[45].open = true;
	assert_int_equal(find(), 0);
}

static void background_work_is_left_out(void **state)
{
	(void)state;
	quarters(50, 50, 50, 50, 5 * USUAL_NS);
	made->population[0].background = true;
	assert_int_equal(find(), 0);
}

/* Group 1 changes later; each of its slow units counts for several, or it takes longer. */
static void of_several_groups_the_one_with_the_most_excess_tells(void **state)
{
	(void)state;
	quarters(40, 40, 40, 40, 5 * USUAL_NS);
	add(2, (struct part){ 0, 700 * MS, 80, USUAL_NS });
	add(2, (struct part){ 700 * MS, 1000 * MS, 80, 4 * USUAL_NS });
	assert_int_equal(find(), 500 * MS);
	made->of[2].side[1].every = 2;
	assert_int_equal(find(), 700 * MS);
}

/*
 * Of 100 units before, 60 take three times as long as the others, so that they are the median. Where each of
 * the others counts for ten, these are.
 */
static void each_kept_unit_has_the_weight_of_those_it_was_kept_of(void **state)
{
	(void)state;
	add(0, (struct part){ 0, 500 * MS, 40, USUAL_NS });
	add(1, (struct part){ 1 * MS, 449 * MS, 60, 3 * USUAL_NS });
	add(0, (struct part){ 500 * MS, 1000 * MS, 80, 5 * USUAL_NS });
	assert_int_equal(find(), 0);
	made->of[0].side[0].every = 10;
	assert_int_equal(find(), 500 * MS);
}

/* A fifth is above twice the median all the time. From the middle on a sixth takes a hundred times as long. */
static void more_of_the_longest_are_a_change(void **state)
{
	(void)state;
	add(0, (struct part){ 0, 500 * MS, 160, USUAL_NS });
	add(0, (struct part){ 1, 500 * MS, 40, 4 * USUAL_NS });
	add(0, (struct part){ 500 * MS + 1, 1000 * MS, 130, USUAL_NS });
	add(0, (struct part){ 500 * MS + 2, 1000 * MS, 40, 4 * USUAL_NS });
	assert_int_equal(find(), 0);
	add(0, (struct part){ 500 * MS, 1000 * MS, 30, 100 * USUAL_NS });
	assert_int_equal(find(), 500 * MS);
}

/* The same, but it is over again, or was so from the begin on. */
static void the_longest_that_do_not_last_are_none(void **state)
{
	(void)state;
	add(0, (struct part){ 0, 1000 * MS, 300, USUAL_NS });
	add(0, (struct part){ 500 * MS, 700 * MS, 30, 100 * USUAL_NS });
	assert_int_equal(find(), 0);
	teardown(state);
	setup(state);
	add(0, (struct part){ 0, 1000 * MS, 300, USUAL_NS });
	add(0, (struct part){ 0, 1000 * MS, 60, 100 * USUAL_NS });
	assert_int_equal(find(), 0);
}

/* Of a minute five seconds are enough. */
static void of_a_long_window_less_lies_behind(void **state)
{
	(void)state;
	made->timeline->end_ns = 60000 * MS;
	add(0, (struct part){ 0, 55000 * MS, 200, USUAL_NS });
	add(0, (struct part){ 55000 * MS, 60000 * MS, 100, 5 * USUAL_NS });
	assert_int_equal(find(), 55000 * MS);
	made->timeline->end_ns = 60000 * MS - 1;
	assert_int_equal(find(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_change_that_lasts_is_found_where_it_begins),
		TEST(each_half_needs_twenty_units),
		TEST(slow_is_more_than_twice_the_median_of_before),
		TEST(a_tenth_of_the_window_lies_before),
		TEST(a_tenth_of_the_window_lies_behind),
		TEST(the_share_of_slow_units_is_a_multiple_of_that_before),
		TEST(the_shares_differ_by_more_than_chance),
		TEST(what_is_over_again_is_not_reported),
		TEST(what_was_slow_before_is_not_reported),
		TEST(becoming_quicker_is_no_change),
		TEST(units_all_alike_tell_nothing),
		TEST(units_that_have_not_ended_are_left_out),
		TEST(background_work_is_left_out),
		TEST(of_several_groups_the_one_with_the_most_excess_tells),
		TEST(each_kept_unit_has_the_weight_of_those_it_was_kept_of),
		TEST(more_of_the_longest_are_a_change),
		TEST(the_longest_that_do_not_last_are_none),
		TEST(of_a_long_window_less_lies_behind),
	};

	return cmocka_run_group_tests_name("change_point", tests, NULL, NULL);
}
