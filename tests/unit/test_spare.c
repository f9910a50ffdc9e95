// SPDX-License-Identifier: GPL-2.0-only
/* The part of the host's idle time that work of low priority may use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/spare.h"

#define MS 1000000ull

static void test_half_of_what_was_idle(void **state)
{
	struct scope_spare spare = { 0 };

	(void)state;
	/* The first look has nothing to compare with. */
	scope_capture_spare_look(&spare, 1000 * MS, "100.00 50.00\n");
	assert_int_equal(spare.left_ns, 0);
	scope_capture_spare_look(&spare, 1200 * MS, "100.20 50.10\n");
	assert_int_equal(spare.left_ns, 50 * MS);
	scope_capture_spare_use(&spare, 20 * MS);
	assert_int_equal(spare.left_ns, 30 * MS);
	scope_capture_spare_use(&spare, 40 * MS);
	assert_int_equal(spare.left_ns, 0);
	/* A busy host. */
	scope_capture_spare_look(&spare, 1400 * MS, "100.40 50.10\n");
	assert_int_equal(spare.left_ns, 0);
	/* Many idle CPUs: one is used. */
	scope_capture_spare_look(&spare, 1600 * MS, "100.60 62.90\n");
	assert_int_equal(spare.left_ns, 100 * MS);
}

static void test_what_cannot_be_read(void **state)
{
	struct scope_spare spare = { 0 };

	(void)state;
	scope_capture_spare_look(&spare, 1000 * MS, "100.00 50.00\n");
	scope_capture_spare_look(&spare, 1200 * MS, "no numbers");
	assert_int_equal(spare.left_ns, 0);
	scope_capture_spare_look(&spare, 1400 * MS, "100.40 99.00\n");
	assert_int_equal(spare.left_ns, 0);
	/* A CPU that was taken offline takes its idle time with it. */
	scope_capture_spare_look(&spare, 1600 * MS, "100.60 9.00\n");
	assert_int_equal(spare.left_ns, 0);
	/* The host's own. */
	spare = (struct scope_spare){ 0 };
	scope_capture_spare_look(&spare, 1000 * MS, NULL);
	assert_int_equal(spare.look_ns, 1000 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_of_what_was_idle),
		cmocka_unit_test(test_what_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
