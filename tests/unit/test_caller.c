// SPDX-License-Identifier: GPL-2.0-only
/* A caller is named instead of the helper that it calls: each condition at its boundary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "rank/caller.h"
#include "rank/context.h"
#include "rank/same_cause.h"
#include "rank_case.h"

static const struct scope_function loop = { .name = "loop", .module = "p" };
static const struct scope_function list = { .name = "list", .module = "p" };
static const struct scope_function get = { .name = "get", .module = "p" };
static const struct scope_function find = { .name = "find", .module = "p" };
static const struct scope_function compare = { .name = "compare", .module = "p" };

static struct rank_case *made;
static uint32_t at_loop, at_list, at_find, at_compare, at_other_find, at_other_compare;

static int setup(void **state)
{
	const struct scope_function *path[] = { &loop, &list, &find, &compare };
	const struct scope_function *other[] = { &loop, &get, &find, &compare };

	(void)state;
	made = case_create();
	at_loop = case_node(made, path, 1);
	at_list = case_node(made, path, 2);
	at_find = case_node(made, path, 3);
	at_compare = case_node(made, path, 4);
	at_other_find = case_node(made, other, 3);
	at_other_compare = case_node(made, other, 4);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(made->evidence.frames);
	case_destroy(made);
	return 0;
}

static void stacks(uint32_t node, int count, bool abnormal, enum scope_item_kind kind, double ns, uint32_t frames)
{
	for (int i = 0; i < count; i++) {
		case_item(made, (struct scope_item){
					.node = node,
					.kind = kind,
					.weight_ns = ns,
					.excess_ns = abnormal ? ns : -ns,
					.frames = frames,
					.abnormal = abnormal,
				});
		made->evidence.tree.node[node].self_ns += abnormal ? ns : -ns;
	}
}

static void samples(uint32_t node, int count, bool abnormal)
{
	stacks(node, count, abnormal, SCOPE_ITEM_RUN, 1, 0);
}

static uint32_t ask_of(uint32_t from, uint32_t node)
{
	struct scope_same_cause same_cause = { &made->input, SCOPE_TREE_ROOT };
	uint32_t named;

	assert_int_equal(scope_rank_caller(&same_cause, from, node, &named), 0);
	return named;
}

/* Of 100 usual stacks of find below get and as many below list, and 100 abnormal ones below list, how many are in compare. */
static void case_of(int usual_in_compare, int here_in_compare)
{
	samples(at_other_find, 100 - usual_in_compare, false);
	samples(at_other_compare, usual_in_compare, false);
	samples(at_find, 100 - usual_in_compare, false);
	samples(at_compare, usual_in_compare, false);
	samples(at_find, 100 - here_in_compare, true);
	samples(at_compare, here_in_compare, true);
}

static void a_helper_that_does_as_usual_for_one_caller_alone_is_made_to(void **state)
{
	(void)state;
	case_of(60, 60);
	assert_int_equal(ask_of(at_loop, at_compare), at_list);
	assert_int_equal(ask_of(at_list, at_compare), at_list);
}

/* The cosine of (1/2, 1/2) and (0, 1) is 0.71, and that of (0.51, 0.49) and (0, 1) is 0.69. */
static void what_it_does_may_differ_by_45_degrees(void **state)
{
	(void)state;
	case_of(50, 100);
	assert_int_equal(ask_of(at_loop, at_compare), at_list);
}

static void a_helper_that_does_something_else_takes_long_itself(void **state)
{
	(void)state;
	case_of(48, 100);
	assert_int_equal(ask_of(at_loop, at_compare), at_compare);
}

static void callers_above_from_are_not_asked(void **state)
{
	(void)state;
	case_of(60, 60);
	assert_int_equal(ask_of(at_find, at_compare), at_compare);
	assert_int_equal(ask_of(at_compare, at_compare), at_compare);
}

/* Usual stacks of the helper for other callers. */
static uint32_t elsewhere(int count)
{
	samples(at_other_compare, count, false);
	samples(at_compare, 9 * 5, false);
	samples(at_compare, 1000, true);
	return ask_of(at_loop, at_compare);
}

static void a_helper_of_one_is_named(void **state)
{
	(void)state;
	assert_int_equal(elsewhere(0), at_compare);
}

static void less_than_a_tenth_for_others_makes_no_helper(void **state)
{
	(void)state;
	assert_int_equal(elsewhere(4), at_compare);
}

static void a_tenth_for_others_makes_a_helper(void **state)
{
	(void)state;
	assert_int_equal(elsewhere(5), at_list);
}

/* The same of sleeps in a call: 1 of 50 for others is enough for I/O, of which a rule of thumb says that the caller makes it. */
static uint32_t reads_elsewhere(uint16_t nr, int count)
{
	const size_t before = made->evidence.items;

	stacks(at_other_compare, 1, false, SCOPE_ITEM_WAIT, 1, 0);
	stacks(at_compare, count, false, SCOPE_ITEM_WAIT, 1, 0);
	stacks(at_compare, 1000, true, SCOPE_ITEM_WAIT, 1, 0);
	for (size_t i = before; i < made->evidence.items; i++)
		made->evidence.item[i].nr = nr;
	return ask_of(at_loop, at_compare);
}

static void one_of_fifty_for_others_makes_a_helper_that_reads(void **state)
{
	(void)state;
	assert_int_equal(reads_elsewhere(SYS_pread64, 49), at_list);
}

static void one_of_fifty_one_does_not(void **state)
{
	(void)state;
	assert_int_equal(reads_elsewhere(SYS_pread64, 50), at_compare);
}

static void nor_one_of_fifty_for_calls_without_such_a_rule(void **state)
{
	(void)state;
	assert_int_equal(reads_elsewhere(SYS_futex, 49), at_compare);
}

/* Other ways to the same caller are no other callers. */
static void the_same_caller_by_another_way_is_no_other(void **state)
{
	const struct scope_function *path[] = { &loop, &get, &list, &find, &compare };

	(void)state;
	samples(case_node(made, path, 5), 100, false);
	samples(at_compare, 100, true);
	assert_int_equal(ask_of(at_loop, at_compare), at_compare);
}

static void four_abnormal_stacks_are_too_few(void **state)
{
	(void)state;
	samples(at_other_compare, 100, false);
	samples(at_compare, 4, true);
	assert_int_equal(ask_of(at_loop, at_compare), at_compare);
	samples(at_compare, 1, true);
	assert_int_equal(ask_of(at_loop, at_compare), at_list);
}

/* Half of the usual time is the caller's: with five times the odds, five sixths of the abnormal time. */
static uint32_t below_list(int here)
{
	samples(at_other_compare, 1000, false);
	samples(at_compare, 1000, false);
	samples(at_compare, here, true);
	samples(at_other_compare, 600 - here, true);
	return ask_of(at_loop, at_compare);
}

static void odds_of_five_single_out_a_caller(void **state)
{
	(void)state;
	assert_int_equal(below_list(500), at_list);
}

static void with_less_the_helper_is_slow_for_all(void **state)
{
	(void)state;
	assert_int_equal(below_list(499), at_compare);
}

/* 20 usual sleeps of 10 ns for others. */
static uint32_t sleeps_of(double ns)
{
	stacks(at_other_compare, 20, false, SCOPE_ITEM_WAIT, 10, 0);
	stacks(at_compare, 20, true, SCOPE_ITEM_WAIT, ns, 0);
	return ask_of(at_loop, at_compare);
}

static void more_sleeps_of_usual_length_are_the_callers(void **state)
{
	(void)state;
	assert_int_equal(sleeps_of(20), at_list);
}

static void longer_sleeps_are_not(void **state)
{
	(void)state;
	assert_int_equal(sleeps_of(20.1), at_compare);
}

/* 100 usual stacks of list and as many abnormal ones; of the helper that it calls nothing usual is known but one stack for another. */
static uint32_t own_of(int usual, int here, int all)
{
	samples(at_other_compare, 1, false);
	samples(at_list, usual, false);
	if (usual)
		samples(at_loop, 100 - usual, false);
	samples(at_list, here, true);
	samples(at_compare, all - here, true);
	return ask_of(at_loop, at_compare);
}

static void a_caller_of_abnormal_units_alone_needs_two_percent(void **state)
{
	(void)state;
	assert_int_equal(own_of(0, 5, 250), at_list);
}

static void a_caller_of_abnormal_units_alone_with_less_is_not_named(void **state)
{
	(void)state;
	assert_int_equal(own_of(0, 5, 251), at_compare);
}

static void four_stacks_of_its_own_are_too_few(void **state)
{
	(void)state;
	assert_int_equal(own_of(0, 4, 100), at_compare);
}

/* list has 20 of 100 usual stacks below it itself; what the helper does differs. */
static uint32_t part_of(int here)
{
	samples(at_other_find, 80, false);
	samples(at_list, 20, false);
	samples(at_find, 80, false);
	samples(at_list, here, true);
	samples(at_compare, 100 - here, true);
	return ask_of(at_loop, at_compare);
}

static void half_of_the_usual_part_grew_along(void **state)
{
	(void)state;
	assert_int_equal(part_of(10), at_list);
}

static void less_than_half_of_it_did_not(void **state)
{
	(void)state;
	assert_int_equal(part_of(9), at_compare);
}

static void what_others_hold_up_is_not(void **state)
{
	(void)state;
	samples(at_other_compare, 20, false);
	samples(at_compare, 10, true);
	stacks(at_compare, 10, true, SCOPE_ITEM_BLAME, 1, 0);
	assert_int_equal(ask_of(at_loop, at_compare), at_compare);
}

/* One helper without callees: by the places of its code. */
static uint32_t at_address(uint64_t here)
{
	static const uint64_t frames[] = { 0, 1, 1, 0x1000, 1, 1, 0 };

	made->evidence.frames = malloc(sizeof(frames));
	assert_non_null(made->evidence.frames);
	for (unsigned i = 0; i < 7; i++)
		made->evidence.frames[i] = frames[i];
	made->evidence.frames[6] = here;
	stacks(at_other_find, 20, false, SCOPE_ITEM_RUN, 1, 1);
	stacks(at_find, 20, true, SCOPE_ITEM_RUN, 1, 4);
	return ask_of(at_loop, at_find);
}

static void the_same_code_is_what_it_usually_does(void **state)
{
	(void)state;
	assert_int_equal(at_address(0x100f), at_list);
}

static void other_code_of_it_is_not(void **state)
{
	(void)state;
	assert_int_equal(at_address(0x1010), at_find);
}

static void a_way_alone_has_its_own_excess(void **state)
{
	struct scope_owner *was;
	double excess_ns;

	(void)state;
	samples(at_find, 30, true);
	samples(at_find, 10, false);
	samples(at_other_find, 7, true);
	made->attribution.count = made->evidence.tree.count;
	assert_int_equal(scope_rank_context_narrow(&made->evidence.tree, &find, at_find, &made->attribution, &excess_ns,
						   &was),
			 0);
	assert_non_null(was);
	assert_true(excess_ns == 20);
	assert_ptr_equal(made->owner[at_find].function, &find);
	assert_null(made->owner[at_other_find].function);
	scope_rank_context_restore(&made->attribution, was);
	assert_ptr_equal(made->owner[at_other_find].function, &find);
	/* What is named on one way alone stays as it is. */
	assert_int_equal(scope_rank_context_narrow(&made->evidence.tree, &list, at_list, &made->attribution, &excess_ns,
						   &was),
			 0);
	assert_null(was);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_helper_that_does_as_usual_for_one_caller_alone_is_made_to),
		TEST(what_it_does_may_differ_by_45_degrees),
		TEST(a_helper_that_does_something_else_takes_long_itself),
		TEST(callers_above_from_are_not_asked),
		TEST(a_helper_of_one_is_named),
		TEST(less_than_a_tenth_for_others_makes_no_helper),
		TEST(a_tenth_for_others_makes_a_helper),
		TEST(one_of_fifty_for_others_makes_a_helper_that_reads),
		TEST(one_of_fifty_one_does_not),
		TEST(nor_one_of_fifty_for_calls_without_such_a_rule),
		TEST(the_same_caller_by_another_way_is_no_other),
		TEST(four_abnormal_stacks_are_too_few),
		TEST(odds_of_five_single_out_a_caller),
		TEST(with_less_the_helper_is_slow_for_all),
		TEST(more_sleeps_of_usual_length_are_the_callers),
		TEST(longer_sleeps_are_not),
		TEST(a_caller_of_abnormal_units_alone_needs_two_percent),
		TEST(a_caller_of_abnormal_units_alone_with_less_is_not_named),
		TEST(four_stacks_of_its_own_are_too_few),
		TEST(half_of_the_usual_part_grew_along),
		TEST(less_than_half_of_it_did_not),
		TEST(what_others_hold_up_is_not),
		TEST(the_same_code_is_what_it_usually_does),
		TEST(other_code_of_it_is_not),
		TEST(a_way_alone_has_its_own_excess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
