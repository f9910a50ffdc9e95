// SPDX-License-Identifier: GPL-2.0-only
/* When a function that calls several functions is one cause, and when the called functions are several causes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/robust.h"
#include "rank/same_cause.h"
#include "rank_case.h"

static const struct scope_function loop = { .name = "loop", .module = "p" };
static const struct scope_function caller = { .name = "caller", .module = "p" };
static const struct scope_function left = { .name = "left", .module = "p" };
static const struct scope_function right = { .name = "right", .module = "p" };
static const struct scope_function copy = { .name = "copy", .module = "p" };

static struct rank_case *made;
static uint32_t at_loop, at_caller, at_left, at_right;

static int setup(void **state)
{
	const struct scope_function *path[] = { &loop, &caller, &left };

	(void)state;
	made = case_create();
	at_loop = case_node(made, path, 1);
	at_caller = case_node(made, path, 2);
	at_left = case_node(made, path, 3);
	path[2] = &right;
	at_right = case_node(made, path, 3);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

static void item(uint32_t node, uint8_t kind, double excess_ns, uint32_t unit)
{
	struct scope_tree_node *of = &made->evidence.tree.node[node];

	case_item(made, (struct scope_item){
				.node = node,
				.kind = kind,
				.excess_ns = excess_ns,
				.unit = unit,
				.abnormal = excess_ns > 0,
			});
	of->self_ns += excess_ns;
	of->self_run_ns += kind == SCOPE_ITEM_RUN ? excess_ns : 0;
}

static void sample(uint32_t node, double excess_ns, uint32_t unit)
{
	item(node, SCOPE_ITEM_RUN, excess_ns, unit);
}

static uint32_t unit_of(uint32_t population, uint32_t vector)
{
	return case_unit(made, (struct scope_unit){ .vector = vector }, population, SCOPE_UNIT_SLOW, 0, 0);
}

/* Abnormal units with two stacks: some of them in the same branch, by turns, others in both. */
static void units_of_two(unsigned same, unsigned both)
{
	for (unsigned i = 0; i < same + both; i++) {
		const uint32_t unit = unit_of(0, 0), node = i < same && i % 2 ? at_right : at_left;

		sample(node, 1, unit);
		sample(i < same ? node : at_right, 1, unit);
	}
}

static void usual_samples(uint32_t node, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sample(node, -1, 0);
}

enum answer { SEVERAL, UNSURE, ONE };

static enum answer ask(void)
{
	struct scope_same_cause same_cause = { &made->input, SCOPE_TREE_ROOT };
	bool is_one;

	scope_evidence_tree_sum(&made->evidence.tree);
	assert_int_equal(scope_rank_same_cause(&same_cause, at_caller, &is_one), 0);
	assert_true(same_cause.unsure == SCOPE_TREE_ROOT || (same_cause.unsure == at_caller && !is_one));
	return is_one ? ONE : same_cause.unsure ? UNSURE : SEVERAL;
}

/* Units that run in both branches alike, of which usual units know nothing. */
static void one_cause(void)
{
	units_of_two(0, 100);
	usual_samples(at_loop, 40);
}

static void parts_that_the_same_units_run_in_are_one_cause(void **state)
{
	(void)state;
	one_cause();
	assert_int_equal(ask(), ONE);
}

static void branches_with_units_of_their_own_are_several(void **state)
{
	(void)state;
	units_of_two(100, 0);
	usual_samples(at_loop, 40);
	assert_int_equal(ask(), SEVERAL);
}

/* Of 100 units with two stacks some have both in one branch: kappa is 0.48, or 0.503. */
static void from_a_kappa_of_a_half_on_they_are_several(void **state)
{
	(void)state;
	units_of_two(74, 26);
	usual_samples(at_loop, 40);
	assert_int_equal(ask(), UNSURE);
	teardown(state);
	setup(state);
	units_of_two(75, 25);
	usual_samples(at_loop, 40);
	assert_int_equal(ask(), SEVERAL);
}

/* 63 of 100, 3.3 standard errors more are below a half: 0.488. With 64 they are not: 0.507. */
static void kappa_must_be_below_a_half_by_more_than_chance(void **state)
{
	(void)state;
	units_of_two(63, 37);
	usual_samples(at_loop, 40);
	assert_int_equal(ask(), ONE);
	teardown(state);
	setup(state);
	units_of_two(64, 36);
	usual_samples(at_loop, 40);
	assert_int_equal(ask(), UNSURE);
}

static void the_first_that_is_unsure_is_told(void **state)
{
	struct scope_same_cause same_cause = { &made->input, 77 };
	bool is_one = true;

	(void)state;
	units_of_two(64, 36);
	usual_samples(at_loop, 40);
	scope_evidence_tree_sum(&made->evidence.tree);
	assert_int_equal(scope_rank_same_cause(&same_cause, at_caller, &is_one), 0);
	assert_false(is_one);
	assert_int_equal(same_cause.unsure, 77);
}

/* Their own two stacks say several; all units with one set of calls say one. */
static void fewer_than_ten_units_of_two_stacks_are_asked_by_their_calls(void **state)
{
	for (unsigned units = 9; units <= 10; units++) {
		units_of_two(units, 0);
		for (unsigned i = 0; i < 100; i++) {
			sample(at_left, 1, unit_of(0, 0));
			sample(at_right, 1, unit_of(0, 0));
		}
		usual_samples(at_loop, 40);
		assert_int_equal(ask(), units < 10 ? ONE : SEVERAL);
		teardown(state);
		setup(state);
	}
}

/* Short units, with a stack each; the population of the right branch has the same calls, or others. */
static enum answer short_units(uint32_t population, uint32_t vector)
{
	for (unsigned i = 0; i < 100; i++) {
		sample(at_left, 1, unit_of(0, 0));
		sample(at_right, 1, unit_of(population, vector));
	}
	usual_samples(at_loop, 40);
	return ask();
}

static void short_units_with_other_calls_are_of_another_kind(void **state)
{
	(void)state;
	assert_int_equal(short_units(1, 1), SEVERAL);
}

static void short_units_of_another_group_are_of_another_kind(void **state)
{
	(void)state;
	assert_int_equal(short_units(2, 0), SEVERAL);
}

static void short_units_with_the_same_calls_are_of_one_kind(void **state)
{
	(void)state;
	assert_int_equal(short_units(1, 0), ONE);
}

/* 180 ns of 200 run, and then of a little more. */
static void what_sleeps_for_more_than_a_tenth_is_not_asked(void **state)
{
	(void)state;
	units_of_two(0, 90);
	usual_samples(at_loop, 40);
	item(at_caller, SCOPE_ITEM_WAIT, 20, 0);
	assert_int_equal(ask(), ONE);
	item(at_caller, SCOPE_ITEM_WAIT, 0.01, 0);
	assert_int_equal(ask(), SEVERAL);
}

static void how_long_usual_units_sleep_there_says_nothing(void **state)
{
	(void)state;
	one_cause();
	for (unsigned i = 0; i < 100; i++)
		item(at_caller, SCOPE_ITEM_WAIT, -0.1, 0);
	assert_int_equal(ask(), ONE);
}

static void a_function_below_with_seven_tenths_is_the_cause(void **state)
{
	for (int more = 0; more < 2; more++) {
		for (unsigned i = 0; i < 100; i++) {
			const uint32_t unit = unit_of(0, 0);

			sample(at_left, more ? 7 : 6.99, unit);
			sample(at_right, more ? 3 : 3.01, unit);
		}
		usual_samples(at_loop, 40);
		assert_int_equal(ask(), more ? SEVERAL : ONE);
		teardown(state);
		setup(state);
	}
}

/* Both branches copy, for 35 % of the whole each, or a little less. */
static void it_may_be_called_by_several_ways(void **state)
{
	for (int more = 0; more < 2; more++) {
		const struct scope_function *way[][4] = {
			{ &loop, &caller, &left, &copy },
			{ &loop, &caller, &right, &copy },
		};

		for (unsigned i = 0; i < 100; i++) {
			const uint32_t unit = unit_of(0, 0);

			sample(at_left, 15, unit);
			sample(at_right, 15, unit);
			sample(case_node(made, way[0], 4), more ? 35 : 34.9, unit);
			sample(case_node(made, way[1], 4), more ? 35 : 34.9, unit);
		}
		usual_samples(at_loop, 40);
		assert_int_equal(ask(), more ? SEVERAL : ONE);
		teardown(state);
		setup(state);
	}
}

/* (15 + 1) of (40 + 2) usual stacks are there, and all abnormal ones: 2.6 times; with one more 2.47. */
static void usual_units_must_hardly_run_there(void **state)
{
	for (unsigned more = 0; more < 2; more++) {
		units_of_two(0, 100);
		usual_samples(at_left, 15 + more);
		usual_samples(at_loop, 25 - more);
		assert_int_equal(ask(), more ? SEVERAL : ONE);
		teardown(state);
		setup(state);
	}
}

/* 60 % of the abnormal time: odds of 5.5 with (8 + 1) of (40 + 2) usual stacks, of 4.8 with 10. */
static void the_odds_must_be_those_of_a_finding(void **state)
{
	for (unsigned more = 0; more < 2; more++) {
		units_of_two(0, 60);
		for (unsigned i = 0; i < 80; i++)
			sample(at_loop, 1, unit_of(0, 0));
		usual_samples(at_left, 8 + more);
		usual_samples(at_loop, 32 - more);
		assert_int_equal(ask(), more ? SEVERAL : ONE);
		teardown(state);
		setup(state);
	}
}

/* 120 of 200 abnormal stacks, (8 + 1) of (40 + 2) usual ones: that is enough. */
static void limits_of_a_finding_may_be_met_with_nothing_to_spare(void **state)
{
	const double here = 120.0 / 200, usual = 9.0 / 42;

	(void)state;
	units_of_two(0, 60);
	for (unsigned i = 0; i < 80; i++)
		sample(at_loop, 1, unit_of(0, 0));
	usual_samples(at_left, 8);
	usual_samples(at_loop, 32);
	made->options.odds_min = here / (1 - here) / (usual / (1 - usual));
	made->options.times_min = here / usual;
	assert_int_equal(ask(), ONE);
}

static void it_must_be_more_than_chance(void **state)
{
	const double z = scope_anomaly_two_shares_z(1, 200, 1.0 / 42, 42);

	(void)state;
	one_cause();
	made->options.chance_z = z;
	assert_int_equal(ask(), ONE);
	made->options.chance_z = z * 1.0001;
	assert_int_equal(ask(), SEVERAL);
}

/* Usual stacks of very different weight count as a few: 40 of them as two (Kish). */
static void unequal_usual_stacks_count_for_fewer(void **state)
{
	(void)state;
	units_of_two(0, 100);
	usual_samples(at_loop, 38);
	sample(at_loop, -100000, 0);
	sample(at_loop, -100000, 0);
	made->options.times_min = 3.9;
	assert_int_equal(ask(), ONE);
	made->options.times_min = 4.1;
	assert_int_equal(ask(), SEVERAL);
}

static void the_root_is_no_function(void **state)
{
	struct scope_same_cause same_cause = { &made->input, SCOPE_TREE_ROOT };
	bool is_one = true;

	(void)state;
	one_cause();
	scope_evidence_tree_sum(&made->evidence.tree);
	assert_int_equal(scope_rank_same_cause(&same_cause, SCOPE_TREE_ROOT, &is_one), 0);
	assert_false(is_one);
	assert_int_equal(same_cause.unsure, SCOPE_TREE_ROOT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parts_that_the_same_units_run_in_are_one_cause),
		TEST(branches_with_units_of_their_own_are_several),
		TEST(from_a_kappa_of_a_half_on_they_are_several),
		TEST(kappa_must_be_below_a_half_by_more_than_chance),
		TEST(the_first_that_is_unsure_is_told),
		TEST(fewer_than_ten_units_of_two_stacks_are_asked_by_their_calls),
		TEST(short_units_with_other_calls_are_of_another_kind),
		TEST(short_units_of_another_group_are_of_another_kind),
		TEST(short_units_with_the_same_calls_are_of_one_kind),
		TEST(what_sleeps_for_more_than_a_tenth_is_not_asked),
		TEST(how_long_usual_units_sleep_there_says_nothing),
		TEST(a_function_below_with_seven_tenths_is_the_cause),
		TEST(it_may_be_called_by_several_ways),
		TEST(usual_units_must_hardly_run_there),
		TEST(the_odds_must_be_those_of_a_finding),
		TEST(limits_of_a_finding_may_be_met_with_nothing_to_spare),
		TEST(it_must_be_more_than_chance),
		TEST(unequal_usual_stacks_count_for_fewer),
		TEST(the_root_is_no_function),
	};

	return cmocka_run_group_tests_name("together", tests, NULL, NULL);
}
