// SPDX-License-Identifier: GPL-2.0-only
/* The time from which a unit is abnormal for its population, and which populations have a baseline of their own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "distributions_case.h"

#define NR 40

static struct distributions_case *made;
static struct scope_detection *detection;
static struct scope_detect_options options;

static int setup(void **state)
{
	(void)state;
	made = distributions_create();
	detection = NULL;
	options = scope_anomaly_detect_defaults;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_anomaly_detection_destroy(detection);
	distributions_destroy(made);
	return 0;
}

static void again(void **state)
{
	teardown(state);
	setup(state);
}

/* The population that units of the vector are in. */
static const struct scope_population *population_of(uint32_t group, uint32_t vector)
{
	if (!detection)
		detection = distributions_detect(made, &options);
	return &detection->population[detection->of_vector[group][vector]];
}

/* One group with one population, whose units all take the same time. */
static const struct scope_population *alike(uint64_t measure_ns, uint64_t units)
{
	const uint32_t group = distributions_group(made, "worker", true),
		       vector = distributions_vector(made, group, 0, 1);

	distributions_units(made, group, vector, measure_ns, units);
	return population_of(group, vector);
}

static void z_is_six_at_least(void **state)
{
	(void)state;
	assert_true(alike(100, 100)->z == 6);
}

/* The z of a normal distribution for 0.01 / 3, three kinds being tested; of two populations for 0.01 / 6. */
static void z_grows_with_the_number_of_tests(void **state)
{
	uint32_t group;

	(void)state;
	options.z_min = 0;
	assert_true(fabs(alike(100, 100)->z - 2.713052) < 1e-5);
	again(state);
	options.z_min = 0;
	group = distributions_group(made, "worker", true);
	distributions_units(made, group, distributions_vector(made, group, 0, 5), 100, 50);
	distributions_units(made, group, distributions_vector(made, group, 20, 5), 100, 50);
	assert_true(fabs(population_of(group, 0)->z - 2.935199) < 1e-5);
	assert_int_equal(detection->populations, 2);
}

/* All alike: six spreads of the floor's 1 us above the median. */
static void a_spread_is_a_microsecond_at_least(void **state)
{
	const struct scope_population *population = alike(100, 100);

	(void)state;
	assert_true(population->median_ns == 100);
	assert_true(population->scale_ns == 1000);
	assert_true(population->threshold_ns == 100 + 6 * 1000);
}

static void slow_is_twice_the_median_at_least(void **state)
{
	const struct scope_population *population = alike(1000000, 100);

	(void)state;
	assert_true(population->threshold_ns == 2 * population->median_ns);
}

/*
 * Units of 1 to 9 ms, by how long peers take, of which they run 100 us. The spread of whole times is
 * 2,000 us / 0.6745: only from 22.8 ms on do they stand out. That of running times is the floor.
 */
static const struct scope_population *peers_vary(void)
{
	const uint32_t group = distributions_group(made, "worker", true),
		       vector = distributions_vector(made, group, 0, 1);

	for (uint64_t i = 1; i <= 9; i++)
		distributions_units(made, group, vector, i * 1000000, 11);
	distributions_run(made, group, vector, 100000, 99);
	return population_of(group, vector);
}

static void running_longer_is_slow_where_it_doubles_a_usual_unit(void **state)
{
	const struct scope_population *population = peers_vary();
	struct scope_unit unit = { .blocked_ns = 1000000 };

	(void)state;
	assert_true(population->threshold_ns > 20e6);
	assert_true(fabs(population->run_threshold_ns - 5.1e6) < 0.01e6);
	unit.run_ns = (uint64_t)population->run_threshold_ns;
	assert_int_equal(scope_anomaly_population_judge(population, &unit, false), SCOPE_UNIT_USUAL);
	unit.run_ns++;
	assert_int_equal(scope_anomaly_population_judge(population, &unit, false), SCOPE_UNIT_SLOW);
}

static void running_times_that_vary_need_six_spreads(void **state)
{
	const uint32_t group = distributions_group(made, "worker", true),
		       vector = distributions_vector(made, group, 0, 1);
	const struct scope_population *population;

	(void)state;
	distributions_units(made, group, vector, 3000000, 99);
	for (uint64_t i = 1; i <= 9; i++)
		distributions_run(made, group, vector, i * 250000, 11);
	population = population_of(group, vector);
	/* The median 1.25 ms, the median distance from it 0.5 ms. */
	assert_true(fabs(population->run_threshold_ns - (1.25e6 + 6 * 0.5e6 / 0.6745)) < 0.02e6);
}

static void what_runs_too_long_is_counted(void **state)
{
	const uint32_t group = distributions_group(made, "worker", true),
		       vector = distributions_vector(made, group, 0, 1);

	(void)state;
	distributions_units(made, group, vector, 3000000, 102);
	distributions_run(made, group, vector, 100000, 99);
	distributions_run(made, group, vector, 3000000, 1);
	distributions_run(made, group, vector, 3200000, 2);
	assert_int_equal(population_of(group, vector)->beyond, 2);
}

/* Of 102 units two are slow enough to be reported. */
static void what_is_beyond_is_counted(void **state)
{
	const uint32_t group = distributions_group(made, "worker", true),
		       vector = distributions_vector(made, group, 0, 1);

	(void)state;
	distributions_units(made, group, vector, 100, 100);
	distributions_units(made, group, vector, 6000, 1);
	distributions_units(made, group, vector, 6200, 1);
	distributions_units(made, group, vector, 7000, 1);
	assert_int_equal(population_of(group, vector)->beyond, 2);
}

/* A group of units of 10 us, and of others that take another time. */
static const struct scope_population *beside(uint64_t usual, uint64_t usual_ns, uint64_t others, uint64_t others_ns)
{
	const uint32_t group = distributions_group(made, "worker", true);
	const uint32_t first = distributions_vector(made, group, 0, 5),
		       second = distributions_vector(made, group, 20, 5);

	distributions_units(made, group, first, usual_ns, usual);
	distributions_units(made, group, second, others_ns, others);
	assert_false(population_of(group, first)->against_group);
	return population_of(group, second);
}

static void fewer_than_twenty_units_are_held_against_their_group(void **state)
{
	const struct scope_population *population = beside(100, 10000, 19, 12000);

	(void)state;
	assert_true(population->against_group);
	assert_true(population->median_ns < 11000);
	again(state);
	population = beside(100, 10000, 20, 12000);
	assert_false(population->against_group);
	assert_true(population->median_ns > 11000);
}

/* 19 of 76 are a quarter; of 77 less. */
static void a_quarter_of_the_group_is_not_rare(void **state)
{
	(void)state;
	assert_false(beside(57, 10000, 19, 12000)->against_group);
	again(state);
	assert_true(beside(58, 10000, 19, 12000)->against_group);
}

static void a_group_of_less_than_twenty_is_no_baseline(void **state)
{
	(void)state;
	assert_false(beside(15, 10000, 4, 90000)->against_group);
	again(state);
	assert_true(beside(16, 10000, 4, 90000)->against_group);
}

/* Of 40 units the median is 2.97 or 3.03 times the group's. */
static void three_times_the_groups_median_is_slow_as_a_whole(void **state)
{
	const struct scope_population *population;

	(void)state;
	assert_false(beside(200, 100000, 40, 297000)->against_group);
	again(state);
	population = beside(200, 100000, 40, 303000);
	assert_true(population->against_group);
	/* Then its units need not be slow one by one. */
	assert_true(population->threshold_ns == 2 * population->median_ns);
	assert_true(population->median_ns < 110000);
}

/*
 * The group's median is 100 ns, its spread 1 us: medians of 40 units of it spread by 1.25 us / sqrt(40),
 * six of which are 1,186 ns. With twice as many units less is enough.
 */
static void its_median_is_above_the_groups_by_more_than_chance(void **state)
{
	const struct scope_population *population;

	(void)state;
	assert_false(beside(200, 100, 40, 1272)->against_group);
	again(state);
	population = beside(200, 100, 40, 1300);
	assert_true(population->against_group);
	/* Of twice the group's median alone, whatever its spread. */
	assert_true(population->threshold_ns == 200);
	again(state);
	assert_true(beside(400, 100, 80, 1272)->against_group);
}

/* 19 of them are slow by the group's limit, 20 by twice its median. */
static void a_small_population_has_the_limit_of_its_group(void **state)
{
	(void)state;
	assert_true(beside(200, 100, 19, 9000)->threshold_ns == 100 + 6 * 1000);
	again(state);
	assert_true(beside(200, 100, 20, 9000)->threshold_ns == 200);
}

/* n units make a call twice each, and one of them makes it more often. */
static const struct scope_population *callers(uint64_t units, uint64_t most)
{
	const uint32_t group = distributions_group(made, "worker", true),
		       vector = distributions_vector(made, group, NR, 1);

	distributions_units(made, group, vector, 100, units);
	distributions_calls(made, group, vector, NR, 2, units - 1);
	distributions_calls(made, group, vector, NR, most, 1);
	return population_of(group, vector);
}

static bool is_frequent(const struct scope_population *population, uint16_t count)
{
	return scope_anomaly_population_frequent(population, &(struct scope_unit_call){ NR, count }, 1);
}

/* The median is 2, and the spread 1 at least: 2 * 2 + 6 * 1. */
static void twice_the_median_and_six_spreads_are_often(void **state)
{
	const struct scope_population *population = callers(100, 50);

	(void)state;
	assert_int_equal(population->calls, 1);
	assert_true(population->call[0].limit == 10);
	assert_false(is_frequent(population, 10));
	assert_true(is_frequent(population, 11));
	assert_false(scope_anomaly_population_frequent(population, &(struct scope_unit_call){ NR + 1, 50 }, 1));
	assert_int_equal(population->beyond, 1);
}

static void nineteen_units_do_not_say_what_is_often(void **state)
{
	(void)state;
	assert_int_equal(callers(19, 50)->calls, 0);
	again(state);
	assert_int_equal(callers(20, 50)->calls, 1);
}

/* What none makes more often than z times can be no limit: it is not asked for. */
static void a_call_that_nobody_makes_often_has_no_limit(void **state)
{
	(void)state;
	assert_int_equal(callers(100, 6)->calls, 0);
	again(state);
	assert_int_equal(callers(100, 7)->calls, 1);
}

/* Two of three of them do not make it at all: their 0 is the median. */
static void units_without_the_call_count_as_none(void **state)
{
	const uint32_t group = distributions_group(made, "worker", true),
		       vector = distributions_vector(made, group, NR, 1);

	(void)state;
	distributions_units(made, group, vector, 100, 90);
	distributions_calls(made, group, vector, NR, 8, 30);
	/* The mean deviation from it is 8 / 3. */
	assert_true(fabs(population_of(group, vector)->call[0].limit - 6 * 1.2533 * 8 / 3) < 1e-9);
}

/* Units that serve, and others beside them: is what these do background work? */
static bool is_background(uint64_t serving, uint64_t serving_ns, uint64_t others, uint64_t others_ns)
{
	const uint32_t first = distributions_group(made, "server", true),
		       second = distributions_group(made, "writer", false);
	bool background;
	void *state = NULL;

	distributions_units(made, first, distributions_vector(made, first, 0, 1), serving_ns, serving);
	distributions_units(made, second, distributions_vector(made, second, 0, 1), others_ns, others);
	assert_false(population_of(first, 0)->background);
	background = population_of(second, 0)->background;
	again(&state);
	return background;
}

static void work_for_nobody_is_background_beside_twenty_units_that_serve(void **state)
{
	(void)state;
	assert_true(is_background(20, 1000, 20, 1000));
	assert_false(is_background(19, 1000, 20, 1000));
}

/* 20,000 of 200,000 ns serve, or of 200,100. */
static void what_serves_has_a_tenth_of_the_busy_time(void **state)
{
	(void)state;
	assert_true(is_background(20, 1000, 10, 18000));
	assert_false(is_background(20, 1000, 10, 18010));
}

static const struct scope_population limits = {
	.median_ns = 100,
	.scale_ns = 20,
	.threshold_ns = 250,
	.run_threshold_ns = 250,
};

static uint8_t judge(const struct scope_population *population, uint64_t run_ns, uint64_t blocked_ns, bool frequent)
{
	const struct scope_unit unit = {
		.begin_ns = 0,
		.end_ns = 10000,
		.run_ns = run_ns,
		.blocked_ns = blocked_ns,
		.queue_ns = 5000,
	};

	return scope_anomaly_population_judge(population, &unit, frequent);
}

static void a_unit_is_slow_beyond_the_threshold(void **state)
{
	(void)state;
	assert_int_equal(judge(&limits, 250, 0, false), SCOPE_UNIT_BETWEEN);
	assert_int_equal(judge(&limits, 251, 0, false), SCOPE_UNIT_SLOW);
	assert_int_equal(judge(&limits, 51, 200, false), SCOPE_UNIT_SLOW);
}

static void a_unit_is_usual_up_to_one_spread_above_the_median(void **state)
{
	(void)state;
	assert_int_equal(judge(&limits, 120, 0, false), SCOPE_UNIT_USUAL);
	assert_int_equal(judge(&limits, 121, 0, false), SCOPE_UNIT_BETWEEN);
	assert_int_equal(judge(&limits, 0, 0, false), SCOPE_UNIT_USUAL);
}

static void calling_often_without_taking_longer_costs_nothing(void **state)
{
	(void)state;
	assert_int_equal(judge(&limits, 100, 0, true), SCOPE_UNIT_USUAL);
	assert_int_equal(judge(&limits, 101, 0, true), SCOPE_UNIT_FREQUENT);
	assert_int_equal(judge(&limits, 251, 0, true), SCOPE_UNIT_FREQUENT | SCOPE_UNIT_SLOW);
}

static void background_work_is_never_abnormal(void **state)
{
	struct scope_population population = limits;

	(void)state;
	population.background = true;
	assert_int_equal(judge(&population, 100000, 0, true), SCOPE_UNIT_BETWEEN);
	assert_int_equal(judge(&population, 100, 0, true), SCOPE_UNIT_USUAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(z_is_six_at_least),
		TEST(z_grows_with_the_number_of_tests),
		TEST(a_spread_is_a_microsecond_at_least),
		TEST(slow_is_twice_the_median_at_least),
		TEST(running_longer_is_slow_where_it_doubles_a_usual_unit),
		TEST(running_times_that_vary_need_six_spreads),
		TEST(what_runs_too_long_is_counted),
		TEST(what_is_beyond_is_counted),
		TEST(fewer_than_twenty_units_are_held_against_their_group),
		TEST(a_quarter_of_the_group_is_not_rare),
		TEST(a_group_of_less_than_twenty_is_no_baseline),
		TEST(three_times_the_groups_median_is_slow_as_a_whole),
		TEST(its_median_is_above_the_groups_by_more_than_chance),
		TEST(a_small_population_has_the_limit_of_its_group),
		TEST(twice_the_median_and_six_spreads_are_often),
		TEST(nineteen_units_do_not_say_what_is_often),
		TEST(a_call_that_nobody_makes_often_has_no_limit),
		TEST(units_without_the_call_count_as_none),
		TEST(work_for_nobody_is_background_beside_twenty_units_that_serve),
		TEST(what_serves_has_a_tenth_of_the_busy_time),
		TEST(a_unit_is_slow_beyond_the_threshold),
		TEST(a_unit_is_usual_up_to_one_spread_above_the_median),
		TEST(calling_often_without_taking_longer_costs_nothing),
		TEST(background_work_is_never_abnormal),
	};

	return cmocka_run_group_tests_name("detect", tests, NULL, NULL);
}
