// SPDX-License-Identifier: GPL-2.0-only
/* Related series: planted correlations are inside their intervals, and chance is reported as chance. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metrics/relate.h"

#include "chance.h"

#define STEPS 90
#define TIMES 200

static uint64_t seed = 4711;

static double uniform(void)
{
	return chance_uniform(&seed);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Two series that vary together as r says, each like itself one step later as alike says. */
static void make(double r, double alike, double *a, double *b)
{
	double x = normal(), y = normal();

	for (size_t i = 0; i < STEPS; i++) {
		const double both = normal(), own = normal(), rest = sqrt(1 - alike * alike);

		x = alike * x + rest * both;
		y = alike * y + rest * (r * both + sqrt(1 - r * r) * own);
		a[i] = 1000 + 20 * x;
		b[i] = 0.5 + 0.1 * y;
	}
}

/* Returns in how many of TIMES pairs r is inside its interval, and p is below a twentieth. */
static void count(double r, double alike, unsigned *ret_inside, unsigned *ret_found)
{
	double a[STEPS], b[STEPS];

	*ret_inside = *ret_found = 0;
	for (unsigned i = 0; i < TIMES; i++) {
		struct scope_relation relation;

		make(r, alike, a, b);
		assert_int_equal(scope_metrics_relate(a, b, STEPS, &relation), 0);
		assert_true(relation.low < relation.r && relation.r < relation.high);
		*ret_inside += relation.low <= r && r <= relation.high;
		*ret_found += relation.p < 0.05;
	}
}

static void a_planted_one_is_inside_its_interval(void **state)
{
	unsigned inside, found;

	(void)state;
	count(0.6, 0, &inside, &found);
	assert_in_range(inside, 182, 200); /* 95 % of 200 is 190, and three standard errors are 9 */
	assert_in_range(found, 195, 200);
	count(0.6, 0.6, &inside, &found);
	assert_in_range(inside, 178, 200);
	assert_in_range(found, 180, 200);
}

/* Slow waves vary together by chance: blocks know that, single steps would not. */
static void chance_is_not_found(void **state)
{
	unsigned inside, found;

	(void)state;
	count(0, 0, &inside, &found);
	assert_in_range(found, 0, 20);
	count(0, 0.6, &inside, &found);
	assert_in_range(found, 0, 30);
}

static void ranks_see_what_is_not_a_line(void **state)
{
	double a[STEPS], b[STEPS];
	struct scope_relation relation;

	(void)state;
	for (size_t i = 0; i < STEPS; i++) {
		a[i] = (double)((i * 37) % STEPS);
		b[i] = exp(a[i] / 5);
	}
	assert_int_equal(scope_metrics_relate(a, b, STEPS, &relation), 0);
	assert_true(fabs(relation.rho - 1) < 1e-9);
	assert_true(relation.r < 0.7);
}

static void what_never_changes_says_nothing(void **state)
{
	double a[STEPS], b[STEPS];
	struct scope_relation relation;

	(void)state;
	make(0.9, 0, a, b);
	for (size_t i = 0; i < STEPS; i++)
		a[i] = 0.3;
	assert_int_equal(scope_metrics_relate(a, b, STEPS, &relation), -ENODATA);
	make(0.9, 0, a, b);
	assert_int_equal(scope_metrics_relate(a, b, SCOPE_RELATE_STEPS_MIN - 1, &relation), -ENODATA);
	for (size_t i = 0; i < STEPS; i++)
		if (i % 2)
			b[i] = NAN;
	assert_int_equal(scope_metrics_relate(a, b, STEPS, &relation), 0);
	assert_int_equal(relation.steps, STEPS / 2);
}

/* Holm: the least p times all, the next times all but one, and never less than the one before. */
static void p_is_corrected_for_all_that_were_tried(void **state)
{
	struct scope_relation relation[] = { { .p = 0.04 }, { .p = 0.001 }, { .p = 0.03 }, { .p = 0.9 } };
	const double wanted[] = { 0.09, 0.004, 0.09, 0.9 };

	(void)state;
	assert_int_equal(scope_metrics_relate_correct(relation, 4), 0);
	for (size_t i = 0; i < 4; i++)
		assert_true(fabs(relation[i].p - wanted[i]) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_planted_one_is_inside_its_interval),
		cmocka_unit_test(chance_is_not_found),
		cmocka_unit_test(ranks_see_what_is_not_a_line),
		cmocka_unit_test(what_never_changes_says_nothing),
		cmocka_unit_test(p_is_corrected_for_all_that_were_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
