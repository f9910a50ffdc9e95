// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of names: each name has one number, and there is a maximum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "interpreter/name_table.h"

static void names_are_numbered_once(void **state)
{
	struct scope_name_table table = { 0 };

	(void)state;
	assert_int_equal(scope_interpreter_name_table_get(&table, "one"), 0);
	assert_int_equal(scope_interpreter_name_table_get(&table, "two"), 1);
	assert_int_equal(scope_interpreter_name_table_get(&table, "one"), 0);
	assert_int_equal(scope_interpreter_name_table_get(&table, ""), 2);
	assert_int_equal(table.names, 3);
	assert_string_equal(table.name[1], "two");
	scope_interpreter_name_table_free(&table);
	assert_int_equal(table.names, 0);
}

static void there_is_room_for_so_many(void **state)
{
	struct scope_name_table table = { 0 };
	char name[16];

	(void)state;
	for (uint32_t i = 0; i < SCOPE_NAME_TABLE_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		assert_int_equal(scope_interpreter_name_table_get(&table, name), i);
	}
	assert_int_equal(scope_interpreter_name_table_get(&table, "more"), SCOPE_NAME_TABLE_NONE);
	assert_int_equal(scope_interpreter_name_table_get(&table, "77"), 77);
	scope_interpreter_name_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_numbered_once),
		cmocka_unit_test(there_is_room_for_so_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
