// SPDX-License-Identifier: GPL-2.0-only
/* A function's share of abnormal time, compared with its share of usual time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rank/shares.h"

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9)
		fail_msg("%.9g is not %.9g", value, expected);
}

/* 40 % of the abnormal time, in 64 of 160 stacks; two stacks of usual units, both elsewhere. */
static const struct scope_shares lock = {
	.here_ns = 40e6,
	.all_here_ns = 100e6,
	.all_usual_ns = 10e6,
	.stacks = 64,
	.all_stacks = 160,
	.usual_stacks = 2,
};

/* (0 + 1) of (2 + 2) stacks: 25 % of usual time may be the function's. */
static void few_usual_stacks_rule_nothing_out(void **state)
{
	struct scope_finding finding = { 0 };

	(void)state;
	scope_rank_shares_compare(lock, &finding);
	assert_near(finding.times, 1.6);
	assert_near(finding.odds, 2);
}

/* 1,000 usual units wait for 0.4 % of their time in all: (4 + 1) of 1,002. */
static void usual_units_have_no_room_for_it(void **state)
{
	struct scope_shares shares = lock;
	struct scope_finding finding = { 0 }, by_stacks = { 0 };

	(void)state;
	scope_rank_shares_compare(shares, &by_stacks);
	shares.usual_units = 1000;
	shares.usual_share_max = 0.004;
	scope_rank_shares_compare(shares, &finding);
	assert_near(finding.times, 0.4 * 1002 / 5);
	assert_near(finding.odds, 0.4 / 0.6 * (997.0 / 5));
	assert_true(finding.chance_z > by_stacks.chance_z);
}

/* Ten of 400 stacks have half of the time; of usual time it is a twentieth. */
static void a_few_long_sleeps_are_no_chance(void **state)
{
	struct scope_shares shares = {
		.here_ns = 50e6,
		.all_here_ns = 100e6,
		.usual_ns = 5e6,
		.all_usual_ns = 100e6,
		.stacks = 10,
		.all_stacks = 400,
		.usual_stacks = 1000,
	};
	struct scope_finding finding = { 0 };

	(void)state;
	scope_rank_shares_compare(shares, &finding);
	assert_true(finding.chance_z < 0);
	shares.weighed_stacks = 40; /* ten as long as all others together */
	scope_rank_shares_compare(shares, &finding);
	assert_true(finding.chance_z > 3.3);
	shares.weighed_stacks = 2; /* one has nearly all of it */
	scope_rank_shares_compare(shares, &finding);
	assert_true(finding.chance_z > 0 && finding.chance_z < 3.3);
}

/* Half of the time that it had, and doubled: two thirds of half as much again. All of what a unit takes longer. */
static void a_function_has_its_part_of_the_growth(void **state)
{
	struct scope_shares shares = {
		.here_ns = 100e9,
		.all_here_ns = 150e9,
		.usual_ns = 50e9,
		.all_usual_ns = 100e9,
		.stacks = 1e9,
		.all_stacks = 1.5e9,
		.usual_stacks = 1e9,
		.grown = 1.5,
		.slower = true,
	};
	struct scope_finding finding = { 0 };

	(void)state;
	scope_rank_shares_compare(shares, &finding);
	assert_true(fabs(finding.of_growth - 1) < 1e-6);
	/* As slow as all others: its share of it. */
	shares.here_ns = 75e9;
	scope_rank_shares_compare(shares, &finding);
	assert_true(fabs(finding.of_growth - 0.5) < 1e-6);
	shares.slower = false;
	scope_rank_shares_compare(shares, &finding);
	assert_near(finding.of_growth, 0);
	assert_near(finding.growth_z, 0);
}

/* Nine tenths of the time before and now, of units that take twice as long: 1.8 ± 0.18 (of 100 stacks) less 0.9 ± 0.09 (of about 100). */
static void a_function_has_more_time_with_the_same_share(void **state)
{
	struct scope_shares shares = {
		.here_ns = 180e9,
		.all_here_ns = 200e9,
		.usual_ns = 90e9,
		.all_usual_ns = 100e9,
		.stacks = 100,
		.all_stacks = 111,
		.usual_stacks = 109.5,
		.grown = 2,
		.slower = true,
	};
	struct scope_finding finding = { 0 };

	(void)state;
	scope_rank_shares_compare(shares, &finding);
	assert_true(fabs(finding.growth_z - 0.9 / hypot(0.18, 0.09)) < 0.1);
	assert_true(finding.chance_z < 1);
	/* The other tenth of the time doubles, too, by 11 stacks. */
	assert_true(fabs(finding.rest_times - 2) < 0.2);
	assert_true(finding.rest_z > 1 && finding.rest_z < 2);
	shares.stacks = 400;
	shares.all_stacks = 444;
	scope_rank_shares_compare(shares, &finding);
	assert_true(fabs(finding.growth_z - 0.9 / hypot(0.09, 0.09)) < 0.1);
}

/* Nor does more room than stacks leave make it likelier there, nor do no units at all. */
static void room_is_a_limit(void **state)
{
	struct scope_shares shares = lock;
	struct scope_finding finding = { 0 };

	(void)state;
	shares.usual_units = 1000;
	shares.usual_share_max = 0.9;
	scope_rank_shares_compare(shares, &finding);
	assert_near(finding.odds, 2);
	shares.usual_units = 0;
	shares.usual_share_max = NAN;
	scope_rank_shares_compare(shares, &finding);
	assert_near(finding.odds, 2);
}

/*
 * A main loop has 60 of 100 usual stacks, (60 + 1) of 102 by the rule of succession, and 96 % of what runs once every
 * request takes longer. No share is 2.5 times 61 / 102.
 */
static struct scope_finding main_loop(double grown, double all_here_ns)
{
	struct scope_finding finding = { 0 };
	const struct scope_shares shares = {
		.here_ns = 0.96 * all_here_ns,
		.all_here_ns = all_here_ns,
		.usual_ns = 60,
		.all_usual_ns = 100,
		.stacks = 96,
		.all_stacks = 100,
		.usual_stacks = 100,
		.grown = grown,
	};

	scope_rank_shares_compare(shares, &finding);
	return finding;
}

#define SHARE_TIMES (0.96 / (61.0 / 102))

static void time_per_request_counts_where_all_requests_take_longer(void **state)
{
	(void)state;
	assert_near(main_loop(9, 900).times, 9 * SHARE_TIMES);
	assert_near(main_loop(9, 900).grown, 9);
	/* Its odds are those of shares: what all the rest of a request grew by does not matter. */
	assert_near(main_loop(9, 900).odds, main_loop(0, 900).odds);
	assert_near(main_loop(9, 900).odds, 24 / (61.0 / 41));
}

static void without_a_baseline_and_without_growth_shares_count(void **state)
{
	(void)state;
	assert_near(main_loop(0, 900).times, SHARE_TIMES);
	assert_near(main_loop(0, 900).grown, 1);
	/* More load at the same time per request; slow units alone take longer. */
	assert_near(main_loop(1, 900).times, SHARE_TIMES);
	/* Requests got quicker: it does not make slow ones less slow. */
	assert_near(main_loop(0.5, 900).times, SHARE_TIMES);
}

/* All units take nine times as long, but what is compared here, as running, twice as long or no longer. */
static void growth_is_of_what_is_compared(void **state)
{
	(void)state;
	assert_near(main_loop(9, 200).times, 2 * SHARE_TIMES);
	assert_near(main_loop(9, 90).times, SHARE_TIMES);
}

static void only_units_of_a_baseline_that_sizes_do_not_explain_grow(void **state)
{
	const struct scope_size_baseline *size = (const void *)&lock;
	struct scope_population population = { .reference = 20, .grown = 3 };

	(void)state;
	assert_near(scope_rank_grown(&population), 3);
	population.size = size;
	assert_near(scope_rank_grown(&population), 0);
	population.size = NULL;
	population.reference = 0;
	assert_near(scope_rank_grown(&population), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_usual_stacks_rule_nothing_out),
		cmocka_unit_test(usual_units_have_no_room_for_it),
		cmocka_unit_test(a_few_long_sleeps_are_no_chance),
		cmocka_unit_test(a_function_has_its_part_of_the_growth),
		cmocka_unit_test(a_function_has_more_time_with_the_same_share),
		cmocka_unit_test(room_is_a_limit),
		cmocka_unit_test(time_per_request_counts_where_all_requests_take_longer),
		cmocka_unit_test(without_a_baseline_and_without_growth_shares_count),
		cmocka_unit_test(growth_is_of_what_is_compared),
		cmocka_unit_test(only_units_of_a_baseline_that_sizes_do_not_explain_grow),
	};

	return cmocka_run_group_tests_name("shares", tests, NULL, NULL);
}
