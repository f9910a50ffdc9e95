// SPDX-License-Identifier: GPL-2.0-only
/* Units that take longer and longer, found from their times in ten parts of a window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/growth.h"

#define PARTS SCOPE_GROWTH_PARTS

static struct scope_growth_part part[PARTS];

/* 100 units in each part, which take that many ns. */
static void fill(const double median_ns[PARTS])
{
	for (int i = 0; i < PARTS; i++)
		part[i] = (struct scope_growth_part){ 100, median_ns[i] };
}

static int setup(void **state)
{
	(void)state;
	fill((const double[]){ 100, 110, 120, 130, 140, 150, 160, 170, 180, 190 });
	return 0;
}

static void medians_that_rise_are_growth(void **state)
{
	const struct scope_growth growth = scope_analysis_growth_judge(part);

	(void)state;
	assert_true(growth.first_ns == 110);
	assert_true(growth.last_ns == 180);
	/* -10, 0, 10 … 80 ns more than at the begin, 100 units each. */
	assert_true(growth.excess_ns == 35000);
}

static void less_than_half_as_long_again_is_none(void **state)
{
	(void)state;
	part[7].median_ns = part[8].median_ns = part[9].median_ns = 165;
	assert_true(scope_analysis_growth_judge(part).last_ns == 165);
	part[7].median_ns = part[8].median_ns = part[9].median_ns = 164.9;
	assert_true(scope_analysis_growth_judge(part).last_ns == 0);
}

/* Of 45 pairs 5 fall: (40 - 5 - 1) / sqrt(125) = 3.04 standard deviations. With 6 that fall 2.86. */
static void medians_rise_beyond_chance(void **state)
{
	(void)state;
	fill((const double[]){ 120, 110, 100, 140, 130, 160, 150, 170, 180, 190 });
	assert_true(scope_analysis_growth_judge(part).last_ns == 180);
	fill((const double[]){ 120, 110, 100, 140, 130, 160, 150, 180, 170, 190 });
	assert_true(scope_analysis_growth_judge(part).last_ns == 0);
}

static void a_step_is_no_growth(void **state)
{
	(void)state;
	fill((const double[]){ 101, 100, 102, 100, 101, 300, 302, 301, 300, 302 });
	assert_true(scope_analysis_growth_judge(part).last_ns == 0);
}

static void becoming_quicker_is_none(void **state)
{
	(void)state;
	fill((const double[]){ 190, 180, 170, 160, 150, 140, 130, 120, 110, 100 });
	assert_true(scope_analysis_growth_judge(part).last_ns == 0);
}

/* 375 of 300 units are 1.25 times as many. */
static void a_load_that_rises_may_be_why(void **state)
{
	(void)state;
	part[9].units = 175;
	assert_true(scope_analysis_growth_judge(part).last_ns == 180);
	part[9].units = 176;
	assert_true(scope_analysis_growth_judge(part).last_ns == 0);
}

static void each_part_has_ten_units(void **state)
{
	(void)state;
	part[4].units = 10;
	assert_true(scope_analysis_growth_judge(part).last_ns == 180);
	part[4].units = 9;
	assert_true(scope_analysis_growth_judge(part).last_ns == 0);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(medians_that_rise_are_growth), TEST(less_than_half_as_long_again_is_none),
		TEST(medians_rise_beyond_chance),   TEST(a_step_is_no_growth),
		TEST(becoming_quicker_is_none),	    TEST(a_load_that_rises_may_be_why),
		TEST(each_part_has_ten_units),
	};

	return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
