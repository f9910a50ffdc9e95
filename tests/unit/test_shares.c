// SPDX-License-Identifier: GPL-2.0-only
/* A function's share of abnormal time, compared with what is known of usual time. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_usual_stacks_rule_nothing_out),
		cmocka_unit_test(usual_units_have_no_room_for_it),
		cmocka_unit_test(room_is_a_limit),
	};

	return cmocka_run_group_tests_name("shares", tests, NULL, NULL);
}
