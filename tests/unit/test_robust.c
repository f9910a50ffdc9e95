// SPDX-License-Identifier: GPL-2.0-only
/* Median, spread and normal quantile, compared with values from other calculations or from tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "anomaly/robust.h"

static void assert_near(double value, double expected, double tolerance)
{
	if (fabs(value - expected) > tolerance)
		fail_msg("%.9g is not %.9g", value, expected);
}

static void quantiles_interpolate(void **state)
{
	const double values[] = { 1, 2, 3, 4 };

	(void)state;
	assert_near(scope_anomaly_quantile_sorted(values, 4, 0.5), 2.5, 0);
	assert_near(scope_anomaly_quantile_sorted(values, 4, 0), 1, 0);
	assert_near(scope_anomaly_quantile_sorted(values, 4, 1), 4, 0);
	assert_near(scope_anomaly_quantile_sorted(values, 0, 0.5), 0, 0);
}

static struct scope_spread spread_of(const uint64_t *values, size_t count, double floor)
{
	struct scope_sketch sketch = { 0 };
	struct scope_spread spread;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(scope_sketch_add(&sketch, values[i], 1), 0);
	assert_int_equal(scope_anomaly_spread_of(&sketch, floor, &spread), 0);
	scope_sketch_free(&sketch);
	return spread;
}

static void spread_ignores_an_outlier(void **state)
{
	const uint64_t values[] = { 100000, 3, 1, 2, 5, 4 };
	struct scope_spread spread = spread_of(values, 6, 0.001);

	(void)state;
	/* Sorted 1 2 3 4 5 100000: median 3.5, deviations 0.5 0.5 1.5 1.5 2.5 …, MAD 1.5. */
	assert_near(spread.median, 3.5, 1e-12);
	assert_near(spread.scale, 1.5 / 0.6745, 1e-12);
}

static void spread_falls_back_and_has_a_floor(void **state)
{
	const uint64_t most_equal[] = { 7, 7, 7, 7, 17 }, equal[] = { 7, 7, 7 };
	struct scope_spread spread = spread_of(most_equal, 5, 0.001);

	(void)state;
	/* MAD 0; mean absolute deviation 2. */
	assert_near(spread.scale, 2 * 1.2533, 1e-9);
	spread = spread_of(equal, 3, 5);
	assert_near(spread.median, 7, 0);
	assert_near(spread.scale, 5, 0);
	assert_near(spread_of(equal, 0, 5).scale, 5, 0);
}

static void normal_quantiles(void **state)
{
	(void)state;
	assert_near(scope_anomaly_normal_upper(0.05), 1.6448536, 1e-6);
	assert_near(scope_anomaly_normal_upper(0.01), 2.3263479, 1e-6);
	assert_near(scope_anomaly_normal_upper(1e-9), 5.9978070, 1e-6);
}

/* Against a table of Student's t: never too low, and how much too high. */
static void student_quantiles(void **state)
{
	static const struct {
		double p, degrees, t, over;
	} row[] = {
		{ 0.025, 6, 2.447, 0.01 },  { 0.001, 6, 5.208, 0.04 },	  { 0.005, 10, 3.169, 0.01 },
		{ 0.001, 30, 3.385, 0.01 }, { 0.025, 1000, 1.962, 0.01 }, { 0.001, 2, 22.327, 0.3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const double t = scope_anomaly_student_upper(row[i].p, row[i].degrees);

		if (t < row[i].t * 0.999 || t > row[i].t * (1 + row[i].over))
			fail_msg("p %g, %g degrees: %g is not %g", row[i].p, row[i].degrees, t, row[i].t);
	}
}

/* Against figures calculated from the formula, and what must hold of any. */
static void two_shares_by_chance(void **state)
{
	(void)state;
	assert_true(fabs(scope_anomaly_two_shares_z(0.75, 32, 0.25, 40) - 4.314463639909285) < 1e-9);
	assert_true(fabs(scope_anomaly_two_shares_z(1, 5, 0.1, 20) - 4.079748391349128) < 1e-9);
	assert_true(scope_anomaly_two_shares_z(0.5, 10, 0.5, 10) == 0);
	assert_true(fabs(scope_anomaly_two_shares_z(0.1, 20, 0.6, 10) + scope_anomaly_two_shares_z(0.6, 10, 0.1, 20)) <
		    1e-9);
	/* More of either is more certain. */
	assert_true(scope_anomaly_two_shares_z(0.75, 32, 0.25, 400) > scope_anomaly_two_shares_z(0.75, 32, 0.25, 40));
	assert_true(scope_anomaly_two_shares_z(0.75, 64, 0.25, 40) > scope_anomaly_two_shares_z(0.75, 32, 0.25, 40));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_interpolate),
		cmocka_unit_test(spread_ignores_an_outlier),
		cmocka_unit_test(spread_falls_back_and_has_a_floor),
		cmocka_unit_test(normal_quantiles),
		cmocka_unit_test(student_quantiles),
		cmocka_unit_test(two_shares_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
