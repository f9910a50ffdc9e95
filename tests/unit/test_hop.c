// SPDX-License-Identifier: GPL-2.0-only
/* The part of a path that is shown: its last hop by time, without the circles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "evidence/hop.h"
#include "rank_case.h"

static const struct scope_function eval = { .name = "eval", .module = "p" };
static const struct scope_function call = { .name = "call", .module = "p" };
static const struct scope_function memcmp_of = { .name = "memcmp", .module = "libc" };
static const struct scope_function lock = { .name = "lock", .module = "libc" };

static struct rank_case *made;
static uint32_t at_eval;

static int setup(void **state)
{
	const struct scope_function *path[] = { &eval };

	(void)state;
	made = case_create();
	at_eval = case_node(made, path, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

static void item(uint8_t kind, const struct scope_function *below, double excess_ns)
{
	case_item(made, (struct scope_item){
				.node = at_eval,
				.kind = kind,
				.below = below,
				.excess_ns = excess_ns,
				.weight_ns = 1,
				.abnormal = excess_ns >= 0,
			});
}

static void the_hop_with_most_time_is_the_last_one(void **state)
{
	(void)state;
	assert_null(scope_evidence_hop_find(&made->evidence, at_eval));
	item(SCOPE_ITEM_RUN, &lock, 1);
	item(SCOPE_ITEM_WAIT, &memcmp_of, 2);
	assert_ptr_equal(scope_evidence_hop_find(&made->evidence, at_eval), &memcmp_of);
	/* Of equals the first by name. */
	item(SCOPE_ITEM_RUN, &lock, 1);
	assert_ptr_equal(scope_evidence_hop_find(&made->evidence, at_eval), &lock);
	/* What usual units do there does not count; what a spin does, does. */
	item(SCOPE_ITEM_RUN, &memcmp_of, -100);
	assert_ptr_equal(scope_evidence_hop_find(&made->evidence, at_eval), &lock);
	item(SCOPE_ITEM_SPIN, &memcmp_of, 0);
	assert_ptr_equal(scope_evidence_hop_find(&made->evidence, at_eval), &memcmp_of);
}

static void time_of_its_own_is_no_hop(void **state)
{
	(void)state;
	item(SCOPE_ITEM_RUN, &lock, 2);
	item(SCOPE_ITEM_RUN, NULL, 1.5);
	assert_ptr_equal(scope_evidence_hop_find(&made->evidence, at_eval), &lock);
	item(SCOPE_ITEM_RUN, NULL, 0.5);
	assert_null(scope_evidence_hop_find(&made->evidence, at_eval));
}

static void the_circle_of_most_stacks_stays(void **state)
{
	const struct scope_circle by_call = { .function = &eval, .by = { &call }, .count = 1 };
	struct scope_tree *tree = &made->evidence.tree;

	(void)state;
	for (int i = 0; i < 2; i++)
		scope_evidence_tree_vote(tree, at_eval, NULL, 0);
	assert_null(tree->node[at_eval].circle.function);
	for (int i = 0; i < 3; i++)
		scope_evidence_tree_vote(tree, at_eval, &by_call, 1);
	assert_ptr_equal(tree->node[at_eval].circle.function, &eval);
	assert_ptr_equal(tree->node[at_eval].circle.by[0], &call);
	assert_int_equal(tree->node[at_eval].circle.count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_hop_with_most_time_is_the_last_one),
		TEST(time_of_its_own_is_no_hop),
		TEST(the_circle_of_most_stacks_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
