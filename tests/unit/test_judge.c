// SPDX-License-Identifier: GPL-2.0-only
/* What makes a function a finding: each rule just inside and just outside its boundary. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rank/judge.h"

#define BUSY_NS 100.0

static double below(double value)
{
	return nextafter(value, 0);
}

/* A finding that meets every rule with nothing to spare. */
static const struct scope_finding bare = {
	.kind = SCOPE_FINDING_TIME,
	.excess_ns = 1,
	.units = 5,
	.units_at_first = 3,
	.odds = 5,
	.times = 2.5,
	.chance_z = 3.3,
	.spread = 0.2,
	.serves = true,
	.asks = true,
	.p50_ns = 500000,
};

/* found: earlier findings, whose excess is taken off; their number is that of the row. */
static double pace; /* of the machine */

static enum scope_rank_rule judge_with(struct scope_finding finding, struct scope_ranking *found)
{
	const struct scope_detection detection = { .busy_ns = BUSY_NS };
	const struct scope_rank_input input = {
		.detection = &detection,
		.options = &scope_rank_defaults,
		.found = found,
		.pace = pace,
	};

	return scope_rank_judge(&input, &finding);
}

static enum scope_rank_rule judge(struct scope_finding finding)
{
	return judge_with(finding, NULL);
}

static void a_finding_may_meet_every_rule_with_nothing_to_spare(void **state)
{
	(void)state;
	assert_int_equal(judge(bare), SCOPE_RULE_NONE);
}

static void an_excess_below_a_hundredth_of_the_busy_time_is_none(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.excess_ns = below(1);
	assert_int_equal(judge(finding), SCOPE_RULE_EXCESS);
	finding.excess_ns = NAN;
	assert_int_equal(judge(finding), SCOPE_RULE_EXCESS);
}

static void four_units_are_too_few(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.units = 4;
	assert_int_equal(judge(finding), SCOPE_RULE_UNITS);
}

/* Slower as a whole than another run: half of what units take longer needs neither odds nor times. */
static void half_of_the_growth_needs_no_odds(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.odds = finding.times = 1.5;
	finding.of_growth = 0.5;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.of_growth = below(0.5);
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	finding.odds = 5;
	assert_int_equal(judge(finding), SCOPE_RULE_TIMES);
	/* Half of it in the kernel: a quarter of it is in doubt. */
	finding.odds = 1.5;
	finding.of_growth = 0.6;
	finding.kernel_alike_share = 0.5;
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	finding.of_growth = 0.7;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	/* The rule about chance holds. */
	finding.chance_z = below(3.3);
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
}

/* Units take 1.4 times as long. A machine on which calls take 1.2 times as long explains half of that. */
static void longer_in_it_is_enough_unless_the_machine_is_slower(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.of_growth = 0.5;
	finding.grown = 1.4;
	finding.chance_z = 0;
	finding.growth_z = 2;
	pace = below(below(1.2));
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.growth_z = below(2);
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
	finding.growth_z = 2;
	pace = 1.2;
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
	/* Not known. */
	pace = 0;
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
	/* The function takes 1.8 times as long, and all else 1.4 times. */
	pace = 1;
	finding.times = 1.8;
	finding.rest_z = 2;
	finding.rest_times = 1.4;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.rest_times = 1.5;
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
	finding.rest_z = below(2);
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	pace = 0;
}

/* Ten units that are in one function for ten times as long as others take in all: neither a share nor chance has to show it. */
static void ten_times_as_long_in_one_function_needs_no_odds(void **state)
{
	struct scope_finding alone = bare, finding;

	(void)state;
	alone.odds = alone.times = alone.chance_z = 1;
	alone.units = 10;
	alone.of_slow = 0.9;
	alone.p50_ns = 1e6;
	alone.usual_ns = 0.9e5;
	assert_int_equal(judge(alone), SCOPE_RULE_NONE);
	finding = alone;
	finding.units = 9;
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	finding = alone;
	finding.p50_ns = below(1e6);
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	/* Less than nine tenths of their time are not enough, however long that is. */
	finding = alone;
	finding.usual_ns = 0.5e5;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.of_slow = below(0.9);
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	/* A wait as well, but not for what is outside; and what the kernel does may have a reason outside. */
	finding = alone;
	finding.kind = SCOPE_FINDING_WAIT;
	finding.wait.class = SCOPE_WAIT_OTHER;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.wait.outside = true;
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	finding = alone;
	finding.kernel_alike_share = scope_rank_defaults.kernel_share;
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	/* The other rules hold. */
	finding = alone;
	finding.spread = below(0.2);
	assert_int_equal(judge(finding), SCOPE_RULE_SPREAD);
}

/* If that is less than nine tenths of their time, all else must not have grown nearly as much. */
static void ten_times_as_long_in_one_function_beside_others_needs_odds_alone(void **state)
{
	struct scope_finding beside = bare, finding;

	(void)state;
	beside.times = beside.chance_z = 1;
	beside.odds = 5;
	beside.units = 10;
	beside.of_slow = 0.5;
	beside.p50_ns = 1e6;
	beside.usual_ns = 0.5e5;
	assert_int_equal(judge(beside), SCOPE_RULE_NONE);
	finding = beside;
	finding.odds = below(5);
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	finding = beside;
	finding.of_slow = below(0.5);
	assert_int_equal(judge(finding), SCOPE_RULE_TIMES);
	/* A sleep that the thread chose; one somewhere in the kernel may have a reason there. */
	finding = beside;
	finding.kind = SCOPE_FINDING_WAIT;
	finding.wait.class = SCOPE_WAIT_CHILD;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.wait.class = SCOPE_WAIT_FAULT;
	assert_int_equal(judge(finding), SCOPE_RULE_TIMES);
}

static void samples_as_rare_as_at_first_must_have_hit_three_units(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.units = 1000;
	finding.units_at_first = below(3);
	assert_int_equal(judge(finding), SCOPE_RULE_UNITS);
}

static void odds_below_five_are_too_low(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.odds = below(5);
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
}

/* All of it inside the kernel: half is in doubt. */
static void what_may_be_the_kernels_doing_needs_twice_the_odds(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.kernel_alike_share = 1;
	finding.odds = 10;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.odds = below(10);
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	/* A call made too often is the program's own doing. */
	finding.kind = SCOPE_FINDING_CALLS;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
}

/* A hundred times what a usual unit takes: five units of that time are as many as a finding needs, and show it as ten times do in ten. */
static void what_runs_a_hundred_times_as_long_needs_few_units(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.odds = finding.times = finding.chance_z = 1;
	finding.of_slow = 1;
	finding.usual_ns = 1e4;
	finding.p50_ns = 1e6;
	finding.excess_ns = 5e6;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.excess_ns = below(5e6);
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	finding.excess_ns = 5e6;
	finding.p50_ns = below(1e6);
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	finding.p50_ns = 1e6;
	finding.units = 4;
	assert_int_equal(judge(finding), SCOPE_RULE_UNITS);
	/* Nothing is known of usual units. */
	finding.units = 5;
	finding.usual_ns = 0;
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
}

/* 1 ms a round, or a hundredth of the window. */
static void what_serves_no_client_has_to_cost_something(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.serves = finding.asks = false;
	finding.usual_ns = 500;
	finding.p50_ns = 1000500;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.p50_ns = 1000499;
	assert_int_equal(judge(finding), SCOPE_RULE_FLOOR);
	finding.window_share = 0.01;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.window_share = below(0.01);
	assert_int_equal(judge(finding), SCOPE_RULE_FLOOR);
	/* Nor do turns without a request of a loop that serves clients. */
	finding.serves = true;
	assert_int_equal(judge(finding), SCOPE_RULE_FLOOR);
	finding.asks = true;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
}

/* 0.5 ms a request, or a thousandth of the window. */
static void what_no_client_notices_is_no_finding(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.serves = true;
	finding.usual_ns = 500;
	finding.p50_ns = 500500;
	finding.window_share = 0;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.p50_ns = 500499;
	assert_int_equal(judge(finding), SCOPE_RULE_FLOOR);
	finding.window_share = 0.001;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.window_share = below(0.001);
	assert_int_equal(judge(finding), SCOPE_RULE_FLOOR);
}

/* Two requests that stood for a second, a hundred times as long as usual. */
static void two_requests_that_stood_are_enough(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.units = 2;
	finding.units_at_first = 0;
	finding.chance_z = finding.spread = 0;
	finding.usual_ns = 1e7;
	finding.p50_ns = 1.01e9;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.p50_ns = below(1.01e9);
	assert_int_equal(judge(finding), SCOPE_RULE_UNITS);
	finding.usual_ns = 2e7;
	finding.p50_ns = 2e9;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.p50_ns = below(2e9);
	assert_int_equal(judge(finding), SCOPE_RULE_UNITS);
	finding.p50_ns = 2e9;
	finding.units = 1;
	assert_int_equal(judge(finding), SCOPE_RULE_UNITS);
	finding.units = 2;
	finding.serves = false;
	assert_int_equal(judge(finding), SCOPE_RULE_UNITS);
}

static void what_waits_for_something_outside_needs_no_more_odds(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.kind = SCOPE_FINDING_WAIT;
	finding.wait.outside = true;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
}

static void a_share_below_two_and_a_half_times_the_usual_is_too_small(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.times = below(2.5);
	assert_int_equal(judge(finding), SCOPE_RULE_TIMES);
}

static void odds_of_25_need_no_such_share(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.times = 1;
	finding.odds = 25;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.odds = below(25);
	assert_int_equal(judge(finding), SCOPE_RULE_TIMES);
}

static void what_chance_may_give_is_no_finding(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.chance_z = below(3.3);
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
}

/* What is counted needs less of the stacks. */
static void calls_made_more_often_need_two_standard_errors(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.kind = SCOPE_FINDING_CALLS;
	finding.chance_z = 2;
	assert_int_equal(judge(finding), SCOPE_RULE_NONE);
	finding.chance_z = below(2);
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
	finding.kind = SCOPE_FINDING_TIME;
	finding.chance_z = 2;
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
}

static void it_must_not_show_in_a_short_part_of_the_window_alone(void **state)
{
	struct scope_finding finding = bare;

	(void)state;
	finding.spread = below(0.2);
	assert_int_equal(judge(finding), SCOPE_RULE_SPREAD);
}

/* The report names the first rule that is not met. */
static void rules_are_looked_at_in_their_order(void **state)
{
	const struct scope_finding nothing = { .kind = SCOPE_FINDING_TIME };
	struct scope_finding finding = nothing;

	(void)state;
	assert_int_equal(judge(finding), SCOPE_RULE_EXCESS);
	finding.excess_ns = bare.excess_ns;
	assert_int_equal(judge(finding), SCOPE_RULE_UNITS);
	finding.units = bare.units;
	finding.units_at_first = bare.units_at_first;
	assert_int_equal(judge(finding), SCOPE_RULE_ODDS);
	finding.odds = bare.odds;
	assert_int_equal(judge(finding), SCOPE_RULE_TIMES);
	finding.times = bare.times;
	assert_int_equal(judge(finding), SCOPE_RULE_CHANCE);
	finding.chance_z = bare.chance_z;
	assert_int_equal(judge(finding), SCOPE_RULE_SPREAD);
}

/* What was found is taken for fixed: its excess is busy time no more. */
static void a_second_bug_is_compared_with_the_busy_time_that_is_left(void **state)
{
	struct scope_finding first = { .kind = SCOPE_FINDING_WAIT, .excess_ns = 60 }, finding = bare;
	struct scope_ranking found = { .finding = &first, .findings = 1 };

	(void)state;
	finding.excess_ns = 0.01 * (BUSY_NS - 60);
	assert_int_equal(judge_with(finding, &found), SCOPE_RULE_NONE);
	finding.excess_ns = below(finding.excess_ns);
	assert_int_equal(judge_with(finding, &found), SCOPE_RULE_EXCESS);
	/* A hang is no time of any unit's. */
	first.kind = SCOPE_FINDING_SPIN;
	finding.excess_ns = 1;
	assert_int_equal(judge_with(finding, &found), SCOPE_RULE_NONE);
	finding.excess_ns = below(1);
	assert_int_equal(judge_with(finding, &found), SCOPE_RULE_EXCESS);
}

static void a_tenth_of_the_busy_time_is_always_left(void **state)
{
	struct scope_finding first = { .kind = SCOPE_FINDING_TIME, .excess_ns = 99 }, finding = bare;
	struct scope_ranking found = { .finding = &first, .findings = 1 };

	(void)state;
	finding.excess_ns = 0.01 * (0.1 * BUSY_NS);
	assert_int_equal(judge_with(finding, &found), SCOPE_RULE_NONE);
	finding.excess_ns = below(finding.excess_ns);
	assert_int_equal(judge_with(finding, &found), SCOPE_RULE_EXCESS);
}

static bool is_kernel(struct scope_finding finding)
{
	return scope_rank_is_kernel(&scope_rank_defaults, &finding);
}

static void running_longer_in_the_kernel_alone_is_no_finding(void **state)
{
	struct scope_finding finding = {
		.kind = SCOPE_FINDING_TIME,
		.kernel_alike_share = 0.8,
		.usual_ns = 1000,
		.p50_ns = 3000,
	};

	(void)state;
	assert_true(is_kernel(finding));
	finding.kernel_alike_share = below(0.8);
	assert_false(is_kernel(finding));
	finding.kernel_alike_share = 1;
	finding.kind = SCOPE_FINDING_CALLS;
	assert_false(is_kernel(finding));
}

/* 10 bytes at 100 ns each are half of the 2,000 ns that its median unit takes longer. */
static void more_bytes_are_a_reason_of_the_programs_own(void **state)
{
	struct scope_finding finding = {
		.kind = SCOPE_FINDING_TIME,
		.kernel_alike_share = 0.8,
		.usual_ns = 1000,
		.p50_ns = 3000,
		.bytes_more = 10,
	};

	(void)state;
	assert_false(is_kernel(finding));
	finding.bytes_more = 9.99;
	assert_true(is_kernel(finding));
}

static void half_of_what_another_explanation_fits_is_in_doubt(void **state)
{
	struct scope_finding finding = { .kind = SCOPE_FINDING_TIME, .kernel_alike_share = 0.6 };

	(void)state;
	assert_true(scope_rank_doubt(&finding) == 0.3);
	finding.kind = SCOPE_FINDING_CALLS;
	assert_true(scope_rank_doubt(&finding) == 0);
	finding.kind = SCOPE_FINDING_WAIT;
	assert_true(scope_rank_doubt(&finding) == 0);
	finding.wait.outside = true;
	assert_true(scope_rank_doubt(&finding) == 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finding_may_meet_every_rule_with_nothing_to_spare),
		cmocka_unit_test(an_excess_below_a_hundredth_of_the_busy_time_is_none),
		cmocka_unit_test(four_units_are_too_few),
		cmocka_unit_test(half_of_the_growth_needs_no_odds),
		cmocka_unit_test(longer_in_it_is_enough_unless_the_machine_is_slower),
		cmocka_unit_test(ten_times_as_long_in_one_function_needs_no_odds),
		cmocka_unit_test(ten_times_as_long_in_one_function_beside_others_needs_odds_alone),
		cmocka_unit_test(samples_as_rare_as_at_first_must_have_hit_three_units),
		cmocka_unit_test(odds_below_five_are_too_low),
		cmocka_unit_test(what_may_be_the_kernels_doing_needs_twice_the_odds),
		cmocka_unit_test(what_runs_a_hundred_times_as_long_needs_few_units),
		cmocka_unit_test(what_serves_no_client_has_to_cost_something),
		cmocka_unit_test(what_no_client_notices_is_no_finding),
		cmocka_unit_test(two_requests_that_stood_are_enough),
		cmocka_unit_test(what_waits_for_something_outside_needs_no_more_odds),
		cmocka_unit_test(a_share_below_two_and_a_half_times_the_usual_is_too_small),
		cmocka_unit_test(odds_of_25_need_no_such_share),
		cmocka_unit_test(what_chance_may_give_is_no_finding),
		cmocka_unit_test(calls_made_more_often_need_two_standard_errors),
		cmocka_unit_test(it_must_not_show_in_a_short_part_of_the_window_alone),
		cmocka_unit_test(rules_are_looked_at_in_their_order),
		cmocka_unit_test(a_second_bug_is_compared_with_the_busy_time_that_is_left),
		cmocka_unit_test(a_tenth_of_the_busy_time_is_always_left),
		cmocka_unit_test(running_longer_in_the_kernel_alone_is_no_finding),
		cmocka_unit_test(more_bytes_are_a_reason_of_the_programs_own),
		cmocka_unit_test(half_of_what_another_explanation_fits_is_in_doubt),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
