// SPDX-License-Identifier: GPL-2.0-only
/* Scaling laws, fitted to points that were computed from such laws. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "report/swept.h"
#include "server/scaling.h"

#define POINTS 8
#define RUNS 1000

static const double clients[POINTS] = { 1, 2, 4, 8, 16, 24, 32, 48 };

static double uniform(uint64_t *random)
{
	return (double)(scope_random_next(random) >> 11) / (double)(1ull << 53);
}

/* Normal, of variance 1 (Box and Muller). */
static double normal(uint64_t *random)
{
	return sqrt(-2 * log(1 - uniform(random))) * cos(2 * M_PI * uniform(random));
}

static double law(double gamma, double alpha, double beta, double n)
{
	return gamma * n / (1 + alpha * (n - 1) + beta * n * (n - 1));
}

static bool holds(const struct scope_scaling_value *value, double truth)
{
	return value->low <= truth && truth <= value->high;
}

static void an_exact_law_comes_back(void **state)
{
	double x[POINTS];
	struct scope_usl usl;

	(void)state;
	for (int i = 0; i < POINTS; i++)
		x[i] = law(1000, 0.05, 0.001, clients[i]);
	usl = scope_server_scaling_usl(clients, x, POINTS);
	assert_true(usl.known && usl.r2 > 0.999999);
	assert_float_equal(usl.gamma.value, 1000, 0.01);
	assert_float_equal(usl.alpha.value, 0.05, 1e-5);
	assert_float_equal(usl.beta.value, 0.001, 1e-6);
	assert_float_equal(usl.most_at, sqrt(0.95 / 0.001), 0.01);
	assert_float_equal(usl.most, law(1000, 0.05, 0.001, sqrt(0.95 / 0.001)), 0.1);
}

/* What SciPy's curve_fit makes of these points, with the errors of its covariance. */
static void it_is_least_squares(void **state)
{
	const double x[POINTS] = { 955, 1890, 3620, 6100, 8900, 9600, 10300, 9700 };
	const struct scope_usl usl = scope_server_scaling_usl(clients, x, POINTS);
	const double t = 2.5706; /* of 5 degrees of freedom */

	(void)state;
	assert_true(usl.known);
	assert_float_equal(usl.gamma.value, 1029.04214, 0.01);
	assert_float_equal(usl.alpha.value, 0.0440096546, 1e-5);
	assert_float_equal(usl.beta.value, 8.92267219e-4, 1e-7);
	/* Student's t is an approximation here, which is too high by a few percent. */
	assert_float_equal((usl.gamma.high - usl.gamma.low) / 2 / (t * 41.4249626), 1.02, 0.03);
	assert_float_equal((usl.alpha.high - usl.alpha.low) / 2 / (t * 6.17311833e-3), 1.02, 0.03);
	assert_float_equal((usl.beta.high - usl.beta.low) / 2 / (t * 8.24273609e-5), 1.02, 0.03);
}

static void bounds_hold(void **state)
{
	double x[POINTS];
	struct scope_usl usl;

	(void)state;
	/* As many clients, as much more: neither contention nor agreement. */
	for (int i = 0; i < POINTS; i++)
		x[i] = 500 * clients[i] * (i % 2 ? 1.01 : 0.99);
	usl = scope_server_scaling_usl(clients, x, POINTS);
	assert_true(usl.known);
	assert_true(usl.alpha.value >= 0 && usl.beta.value >= 0 && usl.alpha.value < 0.01);
	assert_float_equal(usl.gamma.value, 500, 10);
	/* It saturates: all is done one after another. */
	for (int i = 0; i < POINTS; i++)
		x[i] = law(700, 1, 0, clients[i]) + clients[i] / 100;
	usl = scope_server_scaling_usl(clients, x, POINTS);
	assert_true(!usl.known || usl.alpha.value > 0.9);
}

/* With noise of 2 % the intervals hold what the points were made of in 93 to 97 of 100 runs. */
static void intervals_hold_the_truth(void **state)
{
	uint64_t random = 3;
	unsigned held[3] = { 0 };

	(void)state;
	for (int run = 0; run < RUNS; run++) {
		double x[POINTS];
		struct scope_usl usl;

		for (int i = 0; i < POINTS; i++)
			x[i] = law(1000, 0.05, 0.001, clients[i]) + 150 * normal(&random);
		usl = scope_server_scaling_usl(clients, x, POINTS);
		held[0] += holds(&usl.gamma, 1000);
		held[1] += holds(&usl.alpha, 0.05);
		held[2] += holds(&usl.beta, 0.001);
	}
	for (int k = 0; k < 3; k++)
		if (held[k] < 0.92 * RUNS || held[k] > 0.98 * RUNS)
			fail_msg("interval %d holds the truth in %u of %d runs", k, held[k], RUNS);
}

static void too_few_points_make_no_law(void **state)
{
	const double few[] = { 1, 2, 2 }, x[] = { 100, 190, 195 };
	double noise[POINTS];
	struct scope_usl usl = scope_server_scaling_usl(few, x, 3);

	(void)state;
	assert_false(usl.known);
	/* What does not depend on the number of clients is no law of it. */
	for (int i = 0; i < POINTS; i++)
		noise[i] = i % 2 ? 100 : 900;
	usl = scope_server_scaling_usl(clients, noise, POINTS);
	assert_false(usl.known);
}

static void a_line_comes_back(void **state)
{
	const double x[] = { 100, 200, 400, 800 }, y[] = { 30, 50, 90, 170 }, flat[] = { 5, 5, 5, 5 };
	const double rough[] = { 31, 49, 91, 169 };
	struct scope_scaling_line line = scope_server_scaling_line(x, y, 4);

	(void)state;
	assert_true(line.known);
	assert_float_equal(line.slope.value, 0.2, 1e-9);
	assert_float_equal(line.intercept.value, 10, 1e-9);
	assert_false(scope_server_scaling_line(x, flat, 4).known);
	assert_false(scope_server_scaling_line(x, y, 2).known);
	/* NumPy's polyfit. */
	line = scope_server_scaling_line(x, rough, 4);
	assert_true(line.known);
	assert_float_equal(line.slope.value, 0.1982608696, 1e-9);
	assert_float_equal(line.intercept.value, 10.652173913, 1e-7);
	/* ± 0.01004 and ± 4.628 by the exact t of 2 degrees of freedom, which is approximated from above. */
	assert_true(line.slope.high - line.slope.value >= 0.01003 && line.slope.high - line.slope.value < 0.0125);
	assert_true(line.intercept.value - line.intercept.low >= 4.62 &&
		    line.intercept.value - line.intercept.low < 5.8);
}

/* What a sweep of these throughputs says in text. The caller frees. */
static char *text_of(const double *per_s, unsigned count)
{
	struct scope_sweep_point point[8] = { 0 };
	struct scope_swept swept = { .load = "load", .point = point, .points = count, .planned = count };
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	for (unsigned i = 0; i < count; i++) {
		point[i] = (struct scope_sweep_point){ .conns = i + 1, .per_s = per_s[i], .threads = 1 };
		swept.sweep.conns[swept.sweep.conns_count++] = i + 1;
	}
	scope_report_swept_fit(&swept);
	assert_int_equal(scope_report_swept_text(&swept, out), 0);
	fclose(out);
	return text;
}

static void what_does_not_rise_is_said(void **state)
{
	static const double flat[] = { 886, 924, 635, 632, 917, 890, 880 },
			    falls[] = { 900, 500, 910, 520, 480, 505, 470 },
			    rises[] = { 100, 900, 120, 880, 1500, 300, 1600 };
	char *text = text_of(flat, 7);

	(void)state;
	assert_non_null(strstr(text, "does not rise with clients: 760 a second with up to 4, 890 with more"));
	free(text);
	text = text_of(falls, 7);
	assert_non_null(strstr(text, "does not rise with clients"));
	free(text);
	text = text_of(rises, 7);
	assert_null(strstr(text, "does not rise"));
	free(text);
	text = text_of(flat, 3);
	assert_null(strstr(text, "does not rise"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_law_comes_back),
		cmocka_unit_test(it_is_least_squares),
		cmocka_unit_test(bounds_hold),
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(too_few_points_make_no_law),
		cmocka_unit_test(a_line_comes_back),
		cmocka_unit_test(what_does_not_rise_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
