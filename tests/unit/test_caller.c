// SPDX-License-Identifier: GPL-2.0-only
/* When a caller is named in place of the helper that it calls, each condition at its boundary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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
static uint32_t at_loop, at_list, at_find, at_compare, at_other_find;

static int setup(void **state)
{
	const struct scope_function *path[] = { &loop, &list, &find, &compare };
	const struct scope_function *other[] = { &loop, &get, &find };

	(void)state;
	made = case_create();
	at_loop = case_node(made, path, 1);
	at_list = case_node(made, path, 2);
	at_find = case_node(made, path, 3);
	at_compare = case_node(made, path, 4);
	at_other_find = case_node(made, other, 3);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

static void samples(uint32_t node, int count, bool abnormal)
{
	for (int i = 0; i < count; i++) {
		case_item(made, (struct scope_item){
					.node = node,
					.kind = SCOPE_ITEM_RUN,
					.excess_ns = abnormal ? 1 : -1,
					.abnormal = abnormal,
				});
		made->evidence.tree.node[node].self_ns += abnormal ? 1 : -1;
	}
}

static uint32_t ask(uint32_t from)
{
	struct scope_same_cause same_cause = { &made->input, SCOPE_TREE_ROOT };
	uint32_t named;

	assert_int_equal(scope_rank_caller(&same_cause, from, at_compare, &named), 0);
	return named;
}

/* Of 100 usual and 100 abnormal stacks, the numbers that have list in them; find has other callers. */
static void case_of(int own_usual, int own_here, int elsewhere)
{
	samples(at_list, own_usual, false);
	samples(at_compare, 100 - own_usual, false);
	samples(at_list, own_here, true);
	samples(at_compare, 100 - own_here, true);
	samples(at_other_find, elsewhere, false);
}

static void a_caller_whose_own_part_is_as_large_as_usual_calls_too_often(void **state)
{
	(void)state;
	case_of(20, 20, 100);
	assert_int_equal(ask(at_loop), at_list);
}

static void half_of_the_usual_part_will_do(void **state)
{
	(void)state;
	case_of(20, 10, 100);
	assert_int_equal(ask(at_loop), at_list);
}

static void less_than_half_of_it_says_that_the_helper_takes_long(void **state)
{
	(void)state;
	case_of(20, 9, 100);
	assert_int_equal(ask(at_loop), at_compare);
}

/* 80 of the helper's usual stacks have list in them; the others have not. */
static void a_tenth_for_others_makes_a_helper(void **state)
{
	(void)state;
	case_of(20, 20, 9);
	assert_int_equal(ask(at_loop), at_list);
}

static void less_than_a_tenth_for_others_does_not(void **state)
{
	(void)state;
	case_of(20, 20, 8);
	assert_int_equal(ask(at_loop), at_compare);
}

/* Other ways to the same caller are no other callers. */
static void the_same_caller_by_another_way_is_no_other(void **state)
{
	const struct scope_function *path[] = { &get, &list, &find };
	const uint32_t other_way = case_node(made, path, 3);

	(void)state;
	case_of(20, 20, 0);
	samples(other_way, 100, false);
	assert_int_equal(ask(at_loop), at_compare);
}

static void four_stacks_of_its_own_are_too_few(void **state)
{
	(void)state;
	case_of(5, 4, 100);
	assert_int_equal(ask(at_loop), at_compare);
	samples(at_list, 1, true);
	assert_int_equal(ask(at_loop), at_list);
}

/* list runs in abnormal units alone, and 5 of its stacks are its own. */
static void new_caller(int all)
{
	samples(at_other_find, 100, false);
	samples(at_list, 5, true);
	samples(at_compare, all - 5, true);
}

static void a_caller_of_abnormal_units_alone_needs_two_percent(void **state)
{
	(void)state;
	new_caller(250);
	assert_int_equal(ask(at_loop), at_list);
}

static void a_caller_of_abnormal_units_alone_with_less_is_not_named(void **state)
{
	(void)state;
	new_caller(251);
	assert_int_equal(ask(at_loop), at_compare);
}

static void callers_above_the_last_split_are_not_asked(void **state)
{
	(void)state;
	case_of(20, 20, 100);
	assert_int_equal(ask(at_find), at_compare);
	assert_int_equal(ask(at_compare), at_compare);
	assert_int_equal(ask(at_list), at_list);
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
	assert_int_equal(scope_rank_context_narrow(&made->evidence.tree, &compare, at_compare, &made->attribution,
						   &excess_ns, &was),
			 0);
	assert_null(was);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_caller_whose_own_part_is_as_large_as_usual_calls_too_often),
		TEST(half_of_the_usual_part_will_do),
		TEST(less_than_half_of_it_says_that_the_helper_takes_long),
		TEST(a_tenth_for_others_makes_a_helper),
		TEST(less_than_a_tenth_for_others_does_not),
		TEST(the_same_caller_by_another_way_is_no_other),
		TEST(four_stacks_of_its_own_are_too_few),
		TEST(a_caller_of_abnormal_units_alone_needs_two_percent),
		TEST(a_caller_of_abnormal_units_alone_with_less_is_not_named),
		TEST(callers_above_the_last_split_are_not_asked),
		TEST(a_way_alone_has_its_own_excess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
