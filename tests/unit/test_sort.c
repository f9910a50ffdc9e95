// SPDX-License-Identifier: GPL-2.0-only
/* Numbers are sorted as by qsort(), and rows with the same key keep their order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/sort.h"

#define MOST 5000

static int compare_numbers(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static int compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Sizes around those at which the method changes; keys of few and of many different digits. */
static void test_numbers(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 127, 128, 1000, 4095, 4096, MOST };
	static const unsigned shifts[] = { 0, 20, 50, 63 };
	uint64_t *number = calloc(MOST, sizeof(*number)), *same = calloc(MOST, sizeof(*same)), seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		for (size_t j = 0; j < sizeof(shifts) / sizeof(*shifts); j++) {
			for (size_t k = 0; k < counts[i]; k++)
				number[k] = same[k] = scope_random_next(&seed) >> shifts[j] << (j & 1 ? 7 : 0);
			scope_sort_numbers(number, counts[i]);
			qsort(same, counts[i], sizeof(*same), compare_numbers);
			assert_memory_equal(number, same, counts[i] * sizeof(*same));
		}
	free(number);
	free(same);
}

static void test_doubles(void **state)
{
	double *value = calloc(MOST, sizeof(*value)), *same = calloc(MOST, sizeof(*same));
	uint64_t seed = 2;

	(void)state;
	for (size_t count = 10; count <= MOST; count *= 5) {
		for (size_t i = 0; i < count; i++)
			value[i] = same[i] = ((double)scope_random_below(&seed, 1000) - 500) * exp2(i % 40);
		value[0] = same[0] = HUGE_VAL;
		value[1] = same[1] = -HUGE_VAL;
		scope_sort_doubles(value, count);
		qsort(same, count, sizeof(*same), compare_doubles);
		for (size_t i = 0; i < count; i++)
			assert_true(value[i] == same[i]);
	}
	free(value);
	free(same);
}

static void test_rows_are_stable(void **state)
{
	struct scope_sort_row *row = calloc(MOST, 2 * sizeof(*row));
	uint64_t seed = 3;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		row[i] = (struct scope_sort_row){ scope_random_below(&seed, 300) * 1000, i };
	scope_sort_rows(row, row + MOST, MOST);
	for (size_t i = 1; i < MOST; i++)
		assert_true(row[i - 1].key < row[i].key ||
			    (row[i - 1].key == row[i].key && row[i - 1].value < row[i].value));
	free(row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_rows_are_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
