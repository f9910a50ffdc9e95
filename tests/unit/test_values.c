// SPDX-License-Identifier: GPL-2.0-only
/*
 * Distributions of values, of which only a few are frequent, and the rows that represent them, compared with the values
 * themselves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/values.h"

#define VALUES 20000

static double uniform(uint64_t *random)
{
	return (double)(scope_random_next(random) >> 11) / (double)(1ull << 53);
}

/* Sizes that follow Zipf's law, as those of files and objects do: P(size > x) = x^-1.1, up to 16 MB. */
static uint64_t zipf(uint64_t *random)
{
	const double size = pow(1 - uniform(random), -1 / 1.1);

	return size > 1 << 24 ? 1 << 24 : (uint64_t)size;
}

/* Requests of 100 bytes, and bodies of nearly a page. */
static uint64_t bimodal(uint64_t *random)
{
	return uniform(random) < 0.7 ? 100 : 4000 + scope_random_below(random, 97);
}

/* Sizes of all kinds, so that there are too many to count them one by one. */
static uint64_t spread(uint64_t *random)
{
	return (uint64_t)exp(uniform(random) * log(1e9));
}

/* A page and its double, between many others that come first. */
static uint64_t pages(uint64_t *random)
{
	const double u = uniform(random);

	return u < 0.4 ? 4096 : u < 0.5 ? 8192 : scope_random_below(random, 1000000);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* The share of what the rows stand for that is not above x. */
static double share_up_to(const struct scope_values_row *rows, size_t count, uint64_t total, double x)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const double width = (double)(rows[i].high - rows[i].low) + 1;
		double part = x < (double)rows[i].low ? 0 : (floor(x) - (double)rows[i].low + 1) / width;

		sum += (double)rows[i].count * (part > 1 ? 1 : part);
	}
	return sum / (double)total;
}

/* The distance of Kolmogorov and Smirnov; of two distributions of whole numbers it is at one of the values, or just below. */
static double distance(const uint64_t *sorted, const struct scope_values_row *rows, size_t count)
{
	double most = 0;

	for (size_t i = 0; i < VALUES; i++) {
		const double at = share_up_to(rows, count, VALUES, (double)sorted[i]);
		const double before = share_up_to(rows, count, VALUES, (double)sorted[i] - 1);

		if (i + 1 == VALUES || sorted[i + 1] != sorted[i])
			most = fmax(most, fabs(at - (double)(i + 1) / VALUES));
		if (!i || sorted[i - 1] != sorted[i])
			most = fmax(most, fabs(before - (double)i / VALUES));
	}
	return most;
}

static void check(uint64_t (*next)(uint64_t *random), double ks_max, double mean_max, size_t rows_max)
{
	static uint64_t value[VALUES];
	struct scope_values values = { 0 };
	struct scope_values_row *rows;
	double sum = 0, of_rows = 0, ks;
	uint64_t random = 25, total = 0;
	size_t count;

	for (size_t i = 0; i < VALUES; i++) {
		value[i] = next(&random);
		sum += (double)value[i];
		assert_int_equal(scope_values_count(&values, value[i]), 0);
	}
	qsort(value, VALUES, sizeof(*value), by_value);
	assert_int_equal(scope_values_rows(&values, &rows, &count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(rows[i].low <= rows[i].high && rows[i].count);
		assert_true(!i || rows[i - 1].low <= rows[i].low);
		of_rows += ((double)rows[i].low + (double)rows[i].high) / 2 * (double)rows[i].count;
		total += rows[i].count;
	}
	ks = distance(value, rows, count);
	if (ks > ks_max || count > rows_max)
		fail_msg("distance %g with %zu rows", ks, count);
	assert_int_equal(total, VALUES);
	assert_int_equal(values.total, VALUES);
	assert_true(values.sum == sum);
	if (fabs(of_rows / sum - 1) > mean_max)
		fail_msg("mean %g instead of %g", of_rows / VALUES, sum / VALUES);
	assert_int_equal(scope_values_most(&values), value[VALUES - 1]);
	for (unsigned percent = 0; percent <= 100; percent++) {
		const double at = percent / 100.0 * (VALUES - 1);
		const double exact = (double)value[(size_t)at] +
				     (at - floor(at)) * (double)(value[(size_t)ceil(at)] - value[(size_t)at]);

		assert_true(fabs(scope_values_quantile(&values, percent / 100.0) - exact) <= 0.004 * exact + 0.5);
	}
	free(rows);
	scope_values_free(&values);
}

static void zipf_sizes(void **state)
{
	(void)state;
	check(zipf, 0.002, 0.01, 1024);
}

static void bimodal_sizes(void **state)
{
	(void)state;
	check(bimodal, 0.0001, 0.0001, 98);
}

static void sizes_of_all_kinds(void **state)
{
	(void)state;
	check(spread, 0.005, 0.01, 1024);
}

/* 4,096 bytes have nearly half of the mass, and lie in a bucket with 15 others. */
static void frequent_sizes_keep_their_mass(void **state)
{
	(void)state;
	check(pages, 0.005, 0.01, 1024);
}

static void few_values_have_a_row_each(void **state)
{
	struct scope_values values = { 0 };
	struct scope_values_row *rows;
	size_t count;

	(void)state;
	assert_int_equal(scope_values_rows(&values, &rows, &count), 0);
	assert_int_equal(count, 0);
	assert_true(scope_values_quantile(&values, 0.5) == 0);
	for (uint64_t i = 0; i < SCOPE_VALUES_ROWS; i++)
		assert_int_equal(scope_values_count(&values, 1000 + i), 0);
	assert_int_equal(scope_values_rows(&values, &rows, &count), 0);
	assert_int_equal(count, SCOPE_VALUES_ROWS);
	free(rows);
	scope_values_free(&values);
}

static void sketches_have_the_bounds_of_their_buckets(void **state)
{
	struct scope_sketch sketch = { 0 };
	struct scope_values_row *rows;
	size_t count;

	(void)state;
	assert_int_equal(scope_sketch_add(&sketch, 3, 2), 0);
	assert_int_equal(scope_sketch_add(&sketch, 4100, 1), 0);
	assert_int_equal(scope_sketch_add(&sketch, 9000, 1), 0);
	assert_int_equal(scope_values_sketch_rows(&sketch, &rows, &count), 0);
	assert_int_equal(count, 3);
	assert_true(rows[0].low == 3 && rows[0].high == 3 && rows[0].count == 2);
	assert_true(rows[1].low == 4096 && rows[1].high == 4111 && rows[1].count == 1);
	/* The last one ends at the largest value. */
	assert_true(rows[2].low == 8992 && rows[2].high == 9000 && rows[2].count == 1);
	free(rows);
	scope_sketch_free(&sketch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zipf_sizes),
		cmocka_unit_test(bimodal_sizes),
		cmocka_unit_test(sizes_of_all_kinds),
		cmocka_unit_test(frequent_sizes_keep_their_mass),
		cmocka_unit_test(few_values_have_a_row_each),
		cmocka_unit_test(sketches_have_the_bounds_of_their_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
