// SPDX-License-Identifier: GPL-2.0-only
/* Names of functions that are defined inside other functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rank/closure.h"
#include "rank_case.h"

/* The number of the function that is named, of outer (1) and inner (2). */
static unsigned named(const char *outer, const char *inner, const char *symbol)
{
	struct scope_function function[] = { { .name = "main", .symbol = "main", .module = "shop" },
					     { .name = outer, .symbol = symbol ? symbol : outer, .module = "shop" },
					     { .name = inner, .symbol = symbol ? symbol : inner, .module = "shop" } };
	const struct scope_function *path[] = { &function[0], &function[1], &function[2] };
	struct rank_case *made = case_create();
	uint32_t node = case_node(made, path, 3),
		 of = scope_rank_closure_of(&made->evidence.tree, SCOPE_TREE_ROOT, node);
	unsigned number = 0;

	while (made->evidence.tree.node[of].function != &function[number])
		number++;
	/* It is not looked for above where the excess splits. */
	assert_int_equal(scope_rank_closure_of(&made->evidence.tree, node, node), node);
	/* Another file's function of that name is another one. */
	function[1].module = "other";
	assert_int_equal(scope_rank_closure_of(&made->evidence.tree, SCOPE_TREE_ROOT, node), node);
	case_destroy(made);
	return number;
}

static void what_is_written_in_a_caller_is_a_part_of_it(void **state)
{
	(void)state;
	assert_int_equal(named("order_stock", "order_stock.<locals>.<lambda>", NULL), 1);
	assert_int_equal(named("main.orderStock", "main.orderStock.func1", NULL), 1);
	assert_int_equal(named("shop::order", "shop::order::{{closure}}", NULL), 1);
	assert_int_equal(named("order(int)", "order(int)::{lambda(int)#1}::operator()(int) const", NULL), 1);
	assert_int_equal(named("orderStock", "(anonymous at 20:30)", "js::x:/srv/shop.js"), 1);
}

static void what_has_a_name_or_another_caller_stays(void **state)
{
	(void)state;
	assert_int_equal(named("order_stock", "order_stock.<locals>.compare", NULL), 2);
	assert_int_equal(named("order", "order_stock.<locals>.<lambda>", NULL), 2);
	assert_int_equal(named("main.sell", "main.orderStock.func1", NULL), 2);
	assert_int_equal(named("orderStock", "(anonymous at 20:30)", NULL), 2);
	assert_int_equal(named("(anonymous at 4:2)", "(anonymous at 20:30)", "js::x:/srv/shop.js"), 2);
	/* The script itself is no function. */
	assert_int_equal(named("<module>", "<module>.<locals>.<lambda>", NULL), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_in_a_caller_is_a_part_of_it),
		cmocka_unit_test(what_has_a_name_or_another_caller_stays),
	};

	return cmocka_run_group_tests_name("closure", tests, NULL, NULL);
}
