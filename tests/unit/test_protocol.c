// SPDX-License-Identifier: GPL-2.0-only
/* The protocol that a program and a module of different releases use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/control.c"

static void test_newest_of_both(void **state)
{
	const uint32_t low = SCOPE_PROTOCOL_MIN, high = SCOPE_PROTOCOL;

	(void)state;
	assert_int_equal(common_protocol(low, high), high);
	assert_int_equal(common_protocol(low, high + 5), high);
	assert_int_equal(common_protocol(high, high + 5), high);
	assert_int_equal(common_protocol(low, low), low);
	assert_int_equal(common_protocol(0, low), low);
	assert_int_equal(common_protocol(high + 1, high + 5), 0);
	assert_int_equal(common_protocol(low - 1, low - 1), 0);
	/* A range that is none. */
	assert_int_equal(common_protocol(high, low), low == high ? high : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newest_of_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
