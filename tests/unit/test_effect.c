// SPDX-License-Identifier: GPL-2.0-only
/* Plans, fits and verdicts of delay experiments, for experiments with known answers. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "causal/effect.h"
#include "causal/plan.h"

#define RUNS 1000
#define LEVELS 4
#define REPEATS 8
#define N (LEVELS * REPEATS)

static double uniform(uint64_t *state)
{
	return ((double)(scope_random_next(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller. */
static double normal(uint64_t *state)
{
	const double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * M_PI * uniform(state));
}

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.9g is not within %g of %.9g", got, tolerance, want);
}

static void plan_is_balanced(void **state)
{
	const double value[] = { 50, 200, 1000 };
	struct scope_plan plan, again;

	(void)state;
	assert_int_equal(scope_causal_plan_delays(value, 3, 2, 5, 7, &plan), 0);
	assert_int_equal(plan.count, 4 * 2 * 5);
	/* Each block of 8 has everything once. */
	for (size_t block = 0; block < plan.count; block += 8) {
		unsigned seen = 0;

		for (size_t i = 0; i < 8; i++) {
			const struct scope_plan_step *step = &plan.step[block + i];
			const unsigned which = step->value == 0	    ? 0
					       : step->value == 50  ? 1
					       : step->value == 200 ? 2
								    : 3;

			seen |= 1u << (which + 4 * step->site);
		}
		assert_int_equal(seen, 0xff);
	}
	assert_int_equal(scope_causal_plan_delays(value, 3, 2, 5, 7, &again), 0);
	assert_memory_equal(plan.step, again.step, plan.count * sizeof(*plan.step));
	scope_causal_plan_free(&again);
	assert_int_equal(scope_causal_plan_delays(value, 3, 2, 5, 8, &again), 0);
	assert_memory_not_equal(plan.step, again.step, plan.count * sizeof(*plan.step));
	scope_causal_plan_free(&again);
	scope_causal_plan_free(&plan);
	assert_int_equal(scope_causal_plan_delays(value, 0, 1, 1, 7, &plan), -EINVAL);
	assert_int_equal(scope_causal_plan_delays(value, 3, 0, 1, 7, &plan), -EINVAL);
	assert_int_equal(scope_causal_plan_delays(value, 3, 1, 0, 7, &plan), -EINVAL);
}

static void speedups_are_drawn_as_coz_does(void **state)
{
	struct scope_plan plan;
	size_t zeros = 0, fulls = 0;

	(void)state;
	assert_int_equal(scope_causal_plan_speedups(2, 14000, 1, &plan), 0);
	for (size_t i = 0; i < plan.count; i++) {
		const double steps = plan.step[i].value * 20;

		assert_near(steps, round(steps), 1e-9);
		assert_true(steps >= 0 && steps <= 20);
		zeros += steps == 0;
		fulls += steps == 20;
	}
	/* 8 of 28 and 1 of 28, each within five standard deviations. */
	assert_near((double)zeros, 8000, 5 * sqrt(28000 * 8 / 28.0 * 20 / 28));
	assert_near((double)fulls, 1000, 5 * sqrt(28000 / 28.0 * 27 / 28));
	scope_causal_plan_free(&plan);
}

/* A quarter of a second shared among the visits, within the limits. */
static void delays_by_visits(void **state)
{
	(void)state;
	assert_true(scope_causal_plan_longest_ns(25, 1000000000) == 10e6);
	assert_true(scope_causal_plan_longest_ns(1000, 500000000) == 130e3); /* 125 us, in steps of 10 */
	assert_true(scope_causal_plan_longest_ns(1000000, 1000000000) == SCOPE_PLAN_SHORTEST_NS);
	assert_true(scope_causal_plan_longest_ns(1, 1000000000) == SCOPE_PLAN_LONGEST_NS);
	assert_true(scope_causal_plan_longest_ns(0, 1000000000) == SCOPE_PLAN_LONGEST_NS);
}

static void length_adapts(void **state)
{
	(void)state;
	assert_int_equal(scope_causal_plan_adapt(500, 5), 500);
	assert_int_equal(scope_causal_plan_adapt(500, 4), 1000);
	assert_int_equal(scope_causal_plan_adapt(5000000000, 0), 8000000000);
	assert_int_equal(scope_causal_plan_adapt(9000000000, 0), 9000000000);
}

/* Calculated without the code: slope 0.6, intercept 2.2, r2 0.6. */
static void line_by_hand(void **state)
{
	const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 2, 4, 5, 4, 5 };
	const double exact[] = { 3, 5, 7, 9, 11 }, same[] = { 2, 2, 2, 2, 2 };
	struct scope_fit fit;

	(void)state;
	assert_int_equal(scope_causal_fit_line(x, y, 5, 1, &fit), 0);
	assert_near(fit.slope, 0.6, 1e-12);
	assert_near(fit.intercept, 2.2, 1e-12);
	assert_near(fit.r2, 0.6, 1e-12);
	assert_true(fit.slope_95.low < 0.6 && fit.slope_95.high > 0.6);
	assert_int_equal(scope_causal_fit_line(x, exact, 5, 1, &fit), 0);
	assert_near(fit.slope, 2, 1e-12);
	assert_near(fit.slope_95.low, 2, 1e-12);
	assert_near(fit.slope_95.high, 2, 1e-12);
	assert_int_equal(scope_causal_fit_line(x, y, 4, 1, &fit), -ENODATA);
	assert_int_equal(scope_causal_fit_line(same, y, 5, 1, &fit), -ENODATA);
}

static void interval_is_the_seeds(void **state)
{
	double x[N], y[N];
	struct scope_fit first, again, other;
	uint64_t random = 5;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		x[i] = (double)i;
		y[i] = x[i] + normal(&random);
	}
	assert_int_equal(scope_causal_fit_line(x, y, N, 3, &first), 0);
	assert_int_equal(scope_causal_fit_line(x, y, N, 3, &again), 0);
	assert_int_equal(scope_causal_fit_line(x, y, N, 4, &other), 0);
	assert_memory_equal(&first, &again, sizeof(first));
	assert_true(first.slope_95.low != other.slope_95.low);
}

/*
 * Of 1,000 synthetic runs of 32 experiments (4 lengths, 8 times) 93 to 97 % have the true slope in
 * their interval: noise that is the same for all, and noise that grows with the period.
 */
static void slope_coverage(bool growing, double *ret_share)
{
	static const double length[LEVELS] = { 0, 50, 200, 1000 };
	unsigned held = 0;

	for (uint64_t run = 0; run < RUNS; run++) {
		uint64_t random = run * 7919 + 1;
		double x[N], y[N];
		struct scope_fit fit;

		for (size_t i = 0; i < N; i++) {
			x[i] = length[i / REPEATS] * (1 + 0.02 * normal(&random));
			y[i] = 500 + 0.7 * x[i];
			y[i] += (growing ? 0.05 * y[i] : 30) * normal(&random);
		}
		assert_int_equal(scope_causal_fit_line(x, y, N, run, &fit), 0);
		held += fit.slope_95.low <= 0.7 && fit.slope_95.high >= 0.7;
	}
	*ret_share = (double)held / RUNS;
}

static void slopes_are_covered(void **state)
{
	double share;

	(void)state;
	slope_coverage(false, &share);
	print_message("slope, even noise, n %d: %.1f %% of %d\n", N, share * 100, RUNS);
	assert_true(share >= 0.93 && share <= 0.97);
	slope_coverage(true, &share);
	print_message("slope, growing noise, n %d: %.1f %% of %d\n", N, share * 100, RUNS);
	assert_true(share >= 0.93 && share <= 0.97);
}

/* The same of changes of a mean: 8 experiments against 8. */
static void changes_are_covered(void **state)
{
	unsigned held = 0;
	double share;

	(void)state;
	for (uint64_t run = 0; run < RUNS; run++) {
		uint64_t random = run * 104729 + 1;
		double base[REPEATS], other[REPEATS];
		struct scope_change change;

		for (size_t i = 0; i < REPEATS; i++) {
			base[i] = 100 * (1 + 0.05 * normal(&random));
			other[i] = 80 * (1 + 0.05 * normal(&random));
		}
		assert_int_equal(scope_causal_fit_change(base, REPEATS, other, REPEATS, run, &change), 0);
		held += change.value_95.low <= 0.2 && change.value_95.high >= 0.2;
	}
	share = (double)held / RUNS;
	print_message("change, n %d: %.1f %% of %d\n", REPEATS, share * 100, RUNS);
	assert_true(share >= 0.93 && share <= 0.97);
}

/* One second in which each of the visits is delayed, once per visit of the progress point. */
static struct scope_experiment delayed(double delay_ns, double period_ns)
{
	const uint64_t visits = (uint64_t)(1e9 / period_ns);

	return (struct scope_experiment){
		.value = delay_ns,
		.elapsed_ns = 1000000000,
		.progress = visits,
		.visits = visits,
		.served = delay_ns > 0 ? visits : 0,
		.asked_ns = visits * (uint64_t)delay_ns,
		.served_ns = visits * (uint64_t)delay_ns,
	};
}

static enum scope_effect_verdict verdict_of(double slope, double noise)
{
	struct scope_experiment experiment[N];
	struct scope_effect effect;
	uint64_t random = 11;

	for (size_t i = 0; i < N; i++) {
		const double delay = (double)(i % LEVELS) * 1e5;

		experiment[i] = delayed(delay, 1e6 + slope * delay + noise * normal(&random));
	}
	assert_int_equal(scope_causal_effect_compute(experiment, N, 0, SCOPE_CAUSAL_SENSITIVITY, 1, &effect), 0);
	assert_int_equal(effect.n, N);
	assert_int_equal(effect.levels, LEVELS);
	if (effect.verdict == SCOPE_EFFECT_IS_UNDECIDED)
		assert_true(effect.enough_s >= 1.5 * N);
	else
		assert_near(effect.enough_s, 0, 0);
	return effect.verdict;
}

static void verdicts(void **state)
{
	(void)state;
	assert_int_equal(verdict_of(1, 1e3), SCOPE_EFFECT_IS_STRONG);
	assert_int_equal(verdict_of(0.25, 1e3), SCOPE_EFFECT_IS_MODERATE);
	assert_int_equal(verdict_of(0, 1e3), SCOPE_EFFECT_IS_NONE);
	assert_int_equal(verdict_of(-0.3, 1e3), SCOPE_EFFECT_IS_CONTENTION);
	assert_int_equal(verdict_of(0.1, 4e5), SCOPE_EFFECT_IS_UNDECIDED);
	assert_string_equal(scope_causal_effect_word(SCOPE_EFFECT_IS_CONTENTION), "contention");
}

static void exact_slope_and_levels(void **state)
{
	struct scope_experiment experiment[N];
	struct scope_effect effect;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		const double delay = (double)(i % LEVELS) * 1e6;

		experiment[i] = delayed(delay, 1e6 + delay);
		experiment[i].missed = i % LEVELS ? 1 : 0;
	}
	experiment[0].site = 1;
	assert_int_equal(scope_causal_effect_compute(experiment, N, 0, SCOPE_CAUSAL_SENSITIVITY, 1, &effect), 0);
	assert_int_equal(effect.n, N - 1);
	assert_near(effect.fit.slope, 1, 1e-3);
	assert_near(effect.fit.intercept, 1e6, 1e3);
	assert_near(effect.fit.r2, 1, 1e-5);
	assert_int_equal(effect.missed, N - REPEATS);
	assert_near(effect.level[1].value, 1e6, 0);
	assert_near(effect.level[1].served_ns, 1e6, 0);
	assert_true(effect.level[1].known);
	assert_near(effect.level[1].change.value, -1, 1e-3);
	assert_false(effect.latency_known);
}

static void few_visits_are_dropped(void **state)
{
	struct scope_experiment experiment[N];
	struct scope_effect effect;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		experiment[i] = delayed((double)(i % LEVELS) * 1e6, 1e7);
		experiment[i].progress = i < 3 ? 4 : 5;
	}
	assert_int_equal(scope_causal_effect_compute(experiment, N, 0, SCOPE_CAUSAL_SENSITIVITY, 1, &effect), 0);
	assert_int_equal(effect.dropped_few, 3);
	assert_int_equal(effect.n, N - 3);
	assert_int_equal(scope_causal_effect_compute(experiment, 3, 0, SCOPE_CAUSAL_SENSITIVITY, 1, &effect), 0);
	assert_int_equal(effect.verdict, SCOPE_EFFECT_IS_UNKNOWN);
	assert_int_equal(scope_causal_effect_compute(experiment, 0, 0, SCOPE_CAUSAL_SENSITIVITY, 1, &effect), 0);
	assert_int_equal(effect.verdict, SCOPE_EFFECT_IS_UNKNOWN);
}

/* A site that is 40 % of the period, on the critical path; one wild measurement. */
static void speedup_of_a_part(void **state)
{
	struct scope_experiment experiment[N + 1];
	struct scope_effect effect;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		const double speedup = 0.25 * (double)(i % LEVELS);
		const uint64_t visits = (uint64_t)(1e9 / (1e5 * (1 - 0.4 * speedup)));

		experiment[i] = (struct scope_experiment){
			.value = speedup,
			.elapsed_ns = 1300000000,
			.inserted_ns = 300000000,
			.progress = visits,
			.visits = 1000,
		};
	}
	experiment[N] = experiment[1];
	experiment[N].progress /= 4;
	assert_int_equal(scope_causal_effect_compute(experiment, N + 1, 0, SCOPE_CAUSAL_SPEEDUP, 1, &effect), 0);
	assert_int_equal(effect.dropped_far, 1);
	assert_near(effect.fit.slope, 0.4, 1e-3);
	assert_near(effect.level[3].change.value, 0.3, 1e-3);
	assert_int_equal(effect.verdict, SCOPE_EFFECT_IS_MODERATE);
}

/* Ten in flight at a thousand ends a second are there for 10 ms; delays add to that. */
static void latency_by_littles_law(void **state)
{
	struct scope_experiment experiment[N];
	struct scope_effect effect;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		const double delay = (double)(i % LEVELS) * 1e6;

		experiment[i] = delayed(delay, 1e6);
		experiment[i].in_flight = 10 + delay / 1e6;
	}
	assert_int_equal(scope_causal_effect_compute(experiment, N, 0, SCOPE_CAUSAL_SENSITIVITY, 1, &effect), 0);
	assert_near(effect.latency_ns, 1e7, 1);
	assert_true(effect.latency_known);
	assert_near(effect.latency.slope, 1, 1e-6);
	assert_int_equal(effect.verdict, SCOPE_EFFECT_IS_NONE);
}

static void drift_is_seen(void **state)
{
	struct scope_experiment experiment[N];
	struct scope_effect effect;
	uint64_t random = 3;

	(void)state;
	for (size_t i = 0; i < N; i++)
		experiment[i] =
			delayed((double)(i % LEVELS) * 1e5, 1e6 * (1 + 0.2 * (double)i / N + 0.001 * normal(&random)));
	assert_int_equal(scope_causal_effect_compute(experiment, N, 0, SCOPE_CAUSAL_SENSITIVITY, 1, &effect), 0);
	assert_true(effect.drift_known);
	/* From the first experiment without delay to the last: 28 of 32 steps, of the mean period. */
	assert_near(effect.drift, 0.2 * 28 / 32 / 1.0875, 0.005);
	assert_true(effect.drift_95.low > 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_is_balanced),
		cmocka_unit_test(speedups_are_drawn_as_coz_does),
		cmocka_unit_test(length_adapts),
		cmocka_unit_test(delays_by_visits),
		cmocka_unit_test(line_by_hand),
		cmocka_unit_test(interval_is_the_seeds),
		cmocka_unit_test(slopes_are_covered),
		cmocka_unit_test(changes_are_covered),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(exact_slope_and_levels),
		cmocka_unit_test(few_visits_are_dropped),
		cmocka_unit_test(speedup_of_a_part),
		cmocka_unit_test(latency_by_littles_law),
		cmocka_unit_test(drift_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
