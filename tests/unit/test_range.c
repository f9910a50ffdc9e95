// SPDX-License-Identifier: GPL-2.0-only
/* The innermost of nested ranges is found; if ranges are replaced, the last one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbol/range.h"

static void test_ranges(void **state)
{
	struct scope_ranges ranges = { 0 };

	(void)state;
	assert_null(scope_symbol_ranges_find(&ranges, 5));
	assert_int_equal(scope_symbol_ranges_add(&ranges, 30, 40, 3), 0);
	assert_int_equal(scope_symbol_ranges_add(&ranges, 10, 100, 1), 0);
	assert_int_equal(scope_symbol_ranges_add(&ranges, 10, 20, 2), 0);
	assert_int_equal(scope_symbol_ranges_add(&ranges, 200, 200, 4), 0);
	assert_int_equal(scope_symbol_ranges_add(&ranges, 300, 301, 5), 0);
	assert_int_equal(scope_symbol_ranges_add(&ranges, 300, 301, 6), 0);
	scope_symbol_ranges_sort(&ranges);
	assert_null(scope_symbol_ranges_find(&ranges, 9));
	assert_int_equal(scope_symbol_ranges_find(&ranges, 10)->value, 2);
	assert_int_equal(scope_symbol_ranges_find(&ranges, 20)->value, 1);
	assert_int_equal(scope_symbol_ranges_find(&ranges, 39)->value, 3);
	assert_int_equal(scope_symbol_ranges_find(&ranges, 40)->value, 1);
	assert_null(scope_symbol_ranges_find(&ranges, 100));
	assert_null(scope_symbol_ranges_find(&ranges, 200));
	assert_int_equal(scope_symbol_ranges_find(&ranges, 300)->value, 6);
	assert_null(scope_symbol_ranges_find(&ranges, ~0ull));
	/* What was added later is in the place of what was there. */
	ranges.replaced = true;
	assert_int_equal(scope_symbol_ranges_find(&ranges, 15)->value, 2);
	assert_int_equal(scope_symbol_ranges_find(&ranges, 35)->value, 3);
	assert_int_equal(scope_symbol_ranges_add(&ranges, 5, 90, 7), 0);
	scope_symbol_ranges_sort(&ranges);
	assert_int_equal(scope_symbol_ranges_find(&ranges, 15)->value, 7);
	assert_int_equal(scope_symbol_ranges_find(&ranges, 35)->value, 7);
	assert_int_equal(scope_symbol_ranges_find(&ranges, 95)->value, 1);
	scope_symbol_ranges_free(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
