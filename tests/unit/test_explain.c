// SPDX-License-Identifier: GPL-2.0-only
/* The feature that explains how long requests take: bytes at a known rate, the number of calls, or none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/explain.h"

#include "chance.h"

#define COUNT 5000

static struct scope_example example[COUNT];
static uint64_t chance = 42;

static double uniform(void)
{
	return chance_uniform(&chance);
}

/* Zipf's sizes, 1 KB to 10 MB. */
static double size_of_file(void)
{
	return 1024 * pow(10240, pow(uniform(), 2));
}

/* 20 µs a KB and 0.1 ms, each off by a tenth; one of fifty takes 20 ms more. */
static void bytes_explain(void **state)
{
	struct scope_explained one = { .group = 7, .units = 9 };

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		const double bytes = size_of_file();

		example[i] = (struct scope_example){
			.ns = (1e5 + 20e3 / 1024 * bytes) * (0.9 + 0.2 * uniform()) + (i % 50 ? 0 : 2e7),
			.feature = { bytes, 3 + floor(5 * uniform()) },
		};
	}
	assert_true(scope_anomaly_explain(example, COUNT, &one));
	assert_int_equal(one.by, SCOPE_FEATURE_BYTES);
	assert_int_equal(one.group, 7);
	assert_true(fabs(one.rate_ns * 1024 / 20e3 - 1) < 0.02);
	assert_true(fabs(one.base_ns / 1e5 - 1) < 0.3);
	assert_true(one.share > 0.95 && one.share < 1 && one.correlation > 0.9);
}

static void calls_explain(void **state)
{
	struct scope_explained one = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		const double calls = 5 + floor(40 * uniform());

		example[i] = (struct scope_example){
			.ns = 5e4 + 1e4 * calls + 2e4 * uniform(),
			.feature = { size_of_file(), calls },
		};
	}
	assert_true(scope_anomaly_explain(example, COUNT, &one));
	assert_int_equal(one.by, SCOPE_FEATURE_CALLS);
	assert_true(fabs(one.rate_ns / 1e4 - 1) < 0.02 && one.share > 0.95);
}

/* Neither, in 100 programs of all kinds of times. */
static void chance_explains_nothing(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 100; seed++) {
		const size_t count = 100 + 49 * (seed - 1);
		struct scope_explained one = { 0 };

		chance = 88172645463325252ull * seed + 1;
		for (size_t i = 0; i < count; i++)
			example[i] = (struct scope_example){
				.ns = 1e6 * pow(uniform(), -0.7),
				.feature = { size_of_file(), 3 + floor(5 * uniform()) },
			};
		assert_false(scope_anomaly_explain(example, count, &one));
	}
}

/* All of one size; two kinds of which one is rare; too few. */
static void too_little_explains_nothing(void **state)
{
	struct scope_explained one = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		example[i] = (struct scope_example){ .ns = 1e6 * (1 + uniform()), .feature = { 64, 3 } };
	assert_false(scope_anomaly_explain(example, COUNT, &one));
	for (size_t i = 0; i < COUNT; i++)
		example[i] = (struct scope_example){ .ns = i % 20 ? 1e5 : 1e7, .feature = { i % 20 ? 64 : 64e3, 3 } };
	assert_false(scope_anomaly_explain(example, COUNT, &one));
	for (size_t i = 0; i < 99; i++)
		example[i] = (struct scope_example){ .ns = 1e6 * (double)i, .feature = { (double)i, 3 } };
	assert_false(scope_anomaly_explain(example, 99, &one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_explain),
		cmocka_unit_test(calls_explain),
		cmocka_unit_test(chance_explains_nothing),
		cmocka_unit_test(too_little_explains_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
