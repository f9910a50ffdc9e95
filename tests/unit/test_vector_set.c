// SPDX-License-Identifier: GPL-2.0-only
/* The 0/1 vectors that are clustered: each is kept once and counted, and its bits are the numbers of system calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "cluster/cluster.h"

#include "vector_case.h"

static void vectors_are_interned(void **state)
{
	struct scope_vector_set *set = new_set();
	struct scope_vector vector = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(add(set, run_of(i, 3), i + 1), i);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(add(set, run_of(i, 3), 1), i);
	assert_int_equal(scope_cluster_vector_set_count(set), 1000);
	assert_int_equal(units_of(set), 1000 * 1001 / 2 + 1000);
	assert_int_equal(scope_cluster_vector_set_multiplicity(set, 17), 19);
	vector = run_of(17, 3);
	assert_int_equal(scope_cluster_vector_compare(scope_cluster_vector_set_get(set, 17), &vector), 0);

	assert_int_equal(scope_cluster_vector_set_add(set, &vector, 0, NULL), -EINVAL);
	assert_int_equal(scope_cluster_vector_set_add(set, &vector, SCOPE_VECTOR_UNITS_MAX, NULL), -EOVERFLOW);
	assert_int_equal(scope_cluster_vector_set_multiplicity(set, 17), 19);
	assert_int_equal(scope_cluster_vector_set_add(set, &vector, 1, NULL), 0);
	scope_cluster_vector_set_destroy(set);
	scope_cluster_vector_set_destroy(NULL);
}

static void bits_are_syscall_numbers_0_to_1023(void **state)
{
	struct scope_vector a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(scope_cluster_vector_mark(&a, 0), 0);
	assert_int_equal(scope_cluster_vector_mark(&a, 1023), 0);
	assert_int_equal(scope_cluster_vector_mark(&a, 1024), -ERANGE);
	assert_true(scope_cluster_vector_has(&a, 0) && scope_cluster_vector_has(&a, 1023));
	assert_false(scope_cluster_vector_has(&a, 1) || scope_cluster_vector_has(&a, 1024));
	assert_int_equal(scope_cluster_vector_distance(&a, &b), 2);
	assert_int_equal(scope_cluster_vector_mark(&b, 1023), 0);
	assert_int_equal(scope_cluster_vector_distance(&a, &b), 1);
	assert_true(scope_cluster_vector_compare(&a, &b) > 0 && scope_cluster_vector_compare(&b, &a) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_are_interned),
		cmocka_unit_test(bits_are_syscall_numbers_0_to_1023),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
