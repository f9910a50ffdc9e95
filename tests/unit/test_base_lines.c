// SPDX-License-Identifier: GPL-2.0-only
/* The lines of a text in memory, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/lines.h"

static void lines_of_a_text_are_taken_one_by_one(void **state)
{
	const char *text = "first\n\nthird is cut\nlast", *none = NULL, *empty = "";
	char line[8];

	(void)state;
	assert_true(scope_lines_take(&text, line, sizeof(line)));
	assert_string_equal(line, "first");
	assert_true(scope_lines_take(&text, line, sizeof(line)));
	assert_string_equal(line, "");
	assert_true(scope_lines_take(&text, line, sizeof(line)));
	assert_string_equal(line, "third i");
	assert_true(scope_lines_take(&text, line, sizeof(line)));
	assert_string_equal(line, "last");
	assert_false(scope_lines_take(&text, line, sizeof(line)));
	assert_false(scope_lines_take(&none, line, sizeof(line)));
	assert_false(scope_lines_take(&empty, line, sizeof(line)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_text_are_taken_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
