// SPDX-License-Identifier: GPL-2.0-only
/* The share from which on a function is reported as one of the first requests of connections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rank/first.h"

static void nine_in_ten_of_its_units_are_first_requests(void **state)
{
	(void)state;
	assert_true(scope_rank_first_requests(&(struct scope_first_counts){ 100, 90, 100, 100, 1000 }));
	assert_false(scope_rank_first_requests(&(struct scope_first_counts){ 100, 89, 100, 100, 1000 }));
}

static void twenty_first_requests_are_needed(void **state)
{
	(void)state;
	assert_true(scope_rank_first_requests(&(struct scope_first_counts){ 10, 10, 20, 20, 1000 }));
	assert_false(scope_rank_first_requests(&(struct scope_first_counts){ 10, 10, 19, 19, 1000 }));
}

/* A bug that meets some connections is one of these. */
static void half_of_the_first_requests_are_slow(void **state)
{
	(void)state;
	assert_true(scope_rank_first_requests(&(struct scope_first_counts){ 50, 50, 100, 50, 1000 }));
	assert_false(scope_rank_first_requests(&(struct scope_first_counts){ 49, 49, 100, 49, 1000 }));
}

/* Where each connection has one or two requests, the first is like any other. */
static void most_requests_are_not_first(void **state)
{
	(void)state;
	assert_true(scope_rank_first_requests(&(struct scope_first_counts){ 100, 100, 100, 100, 201 }));
	assert_false(scope_rank_first_requests(&(struct scope_first_counts){ 100, 100, 100, 100, 200 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nine_in_ten_of_its_units_are_first_requests),
		cmocka_unit_test(twenty_first_requests_are_needed),
		cmocka_unit_test(half_of_the_first_requests_are_slow),
		cmocka_unit_test(most_requests_are_not_first),
	};

	return cmocka_run_group_tests_name("first requests", tests, NULL, NULL);
}
