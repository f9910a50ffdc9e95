// SPDX-License-Identifier: GPL-2.0-only
/* Sketches, compared with the exact values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anomaly/robust.h"
#include "base/sketch.h"
#include "base/sort.h"

#define VALUES 20000

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Every quantile is within 0.2 % of the exact one, over twelve powers of ten. */
static void quantiles_are_near(void **state)
{
	double *exact = calloc(VALUES, sizeof(*exact));
	struct scope_sketch sketch = { 0 };
	uint64_t random = 88172645463325252;

	(void)state;
	assert_non_null(exact);
	for (size_t i = 0; i < VALUES; i++) {
		uint64_t value = pow(10, 12.0 * (next_random(&random) % 1000000) / 1e6);

		exact[i] = value;
		assert_int_equal(scope_sketch_add(&sketch, value, 1), 0);
	}
	scope_sort_doubles(exact, VALUES);
	for (int i = 0; i <= 1000; i++) {
		double q = i / 1000.0, want = scope_anomaly_quantile_sorted(exact, VALUES, q);
		double got = scope_sketch_quantile(&sketch, q);

		if (fabs(got - want) > 0.002 * want)
			fail_msg("quantile %g is %g, not %g", q, got, want);
	}
	assert_int_equal(sketch.total, VALUES);
	assert_int_equal(sketch.most, (uint64_t)exact[VALUES - 1]);
	scope_sketch_free(&sketch);
	free(exact);
}

static void small_values_are_exact(void **state)
{
	struct scope_sketch sketch = { 0 };
	struct scope_sketch_run *runs;
	size_t count;

	(void)state;
	assert_int_equal(scope_sketch_add(&sketch, 511, 2), 0);
	assert_int_equal(scope_sketch_add(&sketch, 0, 3), 0);
	assert_int_equal(scope_sketch_add(&sketch, 510, 1), 0);
	assert_int_equal(scope_sketch_runs(&sketch, &runs, &count), 0);
	assert_int_equal(count, 3);
	assert_true(runs[0].value == 0 && runs[0].count == 3);
	assert_true(runs[1].value == 510 && runs[1].count == 1);
	assert_true(runs[2].value == 511 && runs[2].count == 2);
	assert_int_equal(scope_sketch_above(&sketch, 510), 2);
	assert_int_equal(scope_sketch_above(&sketch, 509.5), 3);
	free(runs);
	scope_sketch_free(&sketch);
}

/* Two halves merged are the whole, in whichever order values came. */
static void merging_loses_nothing(void **state)
{
	struct scope_sketch whole = { 0 }, half[2] = { { 0 } };
	struct scope_sketch_run *a, *b;
	size_t a_count, b_count;
	uint64_t random = 1;

	(void)state;
	for (size_t i = 0; i < VALUES; i++) {
		uint64_t value = next_random(&random) >> (next_random(&random) % 60);

		assert_int_equal(scope_sketch_add(&whole, value, 1), 0);
		assert_int_equal(scope_sketch_add(&half[i % 2], value, 1), 0);
	}
	assert_int_equal(scope_sketch_merge(&half[1], &half[0]), 0);
	assert_int_equal(scope_sketch_runs(&whole, &a, &a_count), 0);
	assert_int_equal(scope_sketch_runs(&half[1], &b, &b_count), 0);
	assert_int_equal(a_count, b_count);
	assert_memory_equal(a, b, a_count * sizeof(*a));
	assert_int_equal(half[1].most, whole.most);
	free(a);
	free(b);
	scope_sketch_free(&whole);
	scope_sketch_free(&half[0]);
	scope_sketch_free(&half[1]);
}

/* Counting is adding once, from the lowest value to full counts. */
static void counting_is_adding_once(void **state)
{
	struct scope_sketch added = { 0 }, counted = { 0 };
	uint64_t random = 1;

	(void)state;
	for (size_t i = 0; i < VALUES; i++) {
		uint64_t value = next_random(&random) >> next_random(&random) % 64;

		scope_sketch_expect(&counted, value);
		assert_int_equal(scope_sketch_add(&added, value, 1), 0);
		assert_int_equal(scope_sketch_count(&counted, value), 0);
	}
	assert_int_equal(scope_sketch_add(&added, 7, UINT32_MAX), 0);
	assert_int_equal(scope_sketch_add(&counted, 7, UINT32_MAX), 0);
	assert_int_equal(scope_sketch_count(&counted, 7), 0);
	assert_int_equal(counted.total, added.total);
	assert_int_equal(counted.most, added.most);
	assert_int_equal(counted.first, added.first);
	assert_int_equal(counted.length, added.length);
	assert_memory_equal(counted.count, added.count, added.length * sizeof(*added.count));
	scope_sketch_free(&added);
	scope_sketch_free(&counted);
}

static void the_ends_of_the_range_hold(void **state)
{
	struct scope_sketch sketch = { 0 };

	(void)state;
	assert_true(scope_sketch_quantile(&sketch, 0.5) == 0);
	assert_int_equal(scope_sketch_add(&sketch, UINT64_MAX, 1), 0);
	assert_true(fabs(scope_sketch_quantile(&sketch, 0.5) / (double)UINT64_MAX - 1) < 0.002);
	assert_int_equal(scope_sketch_add(&sketch, 0, 1), 0);
	assert_true(scope_sketch_quantile(&sketch, 0) == 0);
	/* A count that is full no longer grows, nor does the total. */
	assert_int_equal(scope_sketch_add(&sketch, 7, UINT64_MAX), 0);
	assert_int_equal(sketch.total, 2ull + UINT32_MAX);
	scope_sketch_free(&sketch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_near),	      cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(merging_loses_nothing),      cmocka_unit_test(counting_is_adding_once),
		cmocka_unit_test(the_ends_of_the_range_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
