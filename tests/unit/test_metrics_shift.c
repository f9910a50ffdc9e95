// SPDX-License-Identifier: GPL-2.0-only
/* The step from which units take longer: a planted step is found where it is; none is found in noise. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metrics/shift.h"

#include "chance.h"

#define STEPS 60
#define TIMES 100

static uint64_t seed = 99;

static double normal(void)
{
	return sqrt(-2 * log(chance_uniform(&seed))) * cos(6.283185307179586 * chance_uniform(&seed));
}

/* Noise of a tenth, each step like the one before as alike says; from step `from` on `times` as much. */
static void make(double alike, size_t from, double times, double *latency)
{
	double x = normal();

	for (size_t i = 0; i < STEPS; i++) {
		x = alike * x + sqrt(1 - alike * alike) * normal();
		latency[i] = 1e6 * (1 + 0.1 * x) * (i >= from ? times : 1);
	}
}

/* Within three steps: those of the longer side that are unlike its others count for the other one. */
static void a_planted_shift_is_found(void **state)
{
	double latency[STEPS];
	unsigned found = 0;
	size_t at;

	(void)state;
	for (unsigned i = 0; i < TIMES; i++) {
		make(0.3, 35, i % 2 ? 2 : 0.5, latency);
		found += !scope_metrics_shift(latency, STEPS, &at) && at >= 32 && at <= 38;
	}
	assert_in_range(found, 98, TIMES);
}

/* At most 3 of 100 windows of noise, though neighbours are alike, and though it drifts by a few percent. */
static void noise_has_none(void **state)
{
	double latency[STEPS];
	unsigned found = 0;
	size_t at;

	(void)state;
	for (unsigned i = 0; i < TIMES; i++) {
		make(i % 2 ? 0.6 : 0, STEPS, 1, latency);
		found += !scope_metrics_shift(latency, STEPS, &at);
	}
	assert_in_range(found, 0, 3);
}

/* A change of a fifth is none, one of a quarter is; 8 steps on both sides, not 7. */
static void its_limits(void **state)
{
	double latency[STEPS];
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < STEPS; i++)
		latency[i] = i < 30 ? 100 : 125;
	assert_int_equal(scope_metrics_shift(latency, STEPS, &at), 0);
	assert_int_equal(at, 30);
	for (size_t i = 30; i < STEPS; i++)
		latency[i] = 124;
	assert_int_equal(scope_metrics_shift(latency, STEPS, &at), -ENODATA);
	for (size_t i = 0; i < STEPS; i++)
		latency[i] = i < 8 ? 300 : 100;
	assert_int_equal(scope_metrics_shift(latency, STEPS, &at), 0);
	assert_int_equal(at, 8);
	latency[7] = 100;
	assert_int_equal(scope_metrics_shift(latency, STEPS, &at), -ENODATA);
}

/* Steps in which no unit ended count nowhere. */
static void gaps_are_left_out(void **state)
{
	double latency[STEPS];
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < STEPS; i++)
		latency[i] = i % 3 ? NAN : i < 30 ? 100 : 400;
	assert_int_equal(scope_metrics_shift(latency, STEPS, &at), 0);
	assert_int_equal(at, 30);
	assert_int_equal(scope_metrics_shift(latency, 10, &at), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_planted_shift_is_found),
		cmocka_unit_test(noise_has_none),
		cmocka_unit_test(its_limits),
		cmocka_unit_test(gaps_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
