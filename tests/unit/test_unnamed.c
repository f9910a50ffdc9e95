// SPDX-License-Identifier: GPL-2.0-only
/* The part of a finding's extra time that is in code compiled at run time without names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rank/unnamed.h"

static struct scope_function named = { .name = "call_script", .path = "/usr/bin/node", .known = true };
static struct scope_function perf_map = { .name = "~search", .path = "[anonymous]", .known = true };
static struct scope_function compiled = { .name = "[anonymous]+0x1000", .path = "[anonymous]" };

/* 0 ─ 1 ┬ 2 ─ 3     and beside it 5, which is not below 1 */
/*       └ 4         */
static double share_of(struct scope_function *second, struct scope_function *third, struct scope_function *fourth)
{
	struct scope_tree_node node[] = {
		[0] = { .child = 1 },
		[1] = { .function = &named, .child = 2, .sibling = 5, .total_ns = 100 },
		[2] = { .function = second, .parent = 1, .child = 3, .sibling = 4, .total_ns = 60 },
		[3] = { .function = third, .parent = 2, .total_ns = 50 },
		[4] = { .function = fourth, .parent = 1, .total_ns = 30 },
		[5] = { .function = &compiled, .total_ns = 1000 },
	};
	const struct scope_evidence evidence = { .tree = { .node = node, .count = 6 } };
	const struct scope_finding finding = { .function = &named, .evidence = &evidence, .node = 1 };

	return scope_rank_unnamed_share(&finding);
}

static void code_without_names_below_counts_once(void **state)
{
	(void)state;
	assert_float_equal(share_of(&named, &named, &named), 0, 1e-9);
	assert_float_equal(share_of(&compiled, &compiled, &named), 0.6, 1e-9);
	assert_float_equal(share_of(&named, &compiled, &named), 0.5, 1e-9);
	assert_float_equal(share_of(&compiled, &named, &compiled), 0.9, 1e-9);
	assert_float_equal(share_of(&perf_map, &perf_map, &perf_map), 0, 1e-9);
}

static void a_function_without_a_name_is_all_of_it(void **state)
{
	struct scope_tree_node node[] = { { .child = 0 } };
	const struct scope_evidence evidence = { .tree = { .node = node, .count = 1 } };
	const struct scope_finding finding = { .function = &compiled, .evidence = &evidence };
	const struct scope_finding none = { .function = &named, .evidence = &evidence };

	(void)state;
	assert_float_equal(scope_rank_unnamed_share(&finding), 1, 1e-9);
	assert_float_equal(scope_rank_unnamed_share(&none), 0, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_without_names_below_counts_once),
		cmocka_unit_test(a_function_without_a_name_is_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
