// SPDX-License-Identifier: GPL-2.0-only
/* Which units of another trace are the baseline of a population, and how many units that needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/reference.h"
#include "distributions_case.h"

static struct distributions_case *here, *before;
static struct scope_detection *detection;
static struct scope_reference *reference;
static bool may_grow;

static int setup(void **state)
{
	(void)state;
	here = distributions_create();
	before = distributions_create();
	detection = NULL;
	reference = NULL;
	may_grow = false;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (reference) {
		for (size_t i = 0; i < before->groups.count; i++)
			free(reference->of_vector[i]);
		free(reference->of_vector);
		free(reference);
	}
	scope_anomaly_detection_destroy(detection);
	distributions_destroy(here);
	distributions_destroy(before);
	return 0;
}

static void again(void **state)
{
	teardown(state);
	setup(state);
}

static void apply(void)
{
	detection = distributions_detect(here, &scope_anomaly_detect_defaults);
	reference = calloc(1, sizeof(*reference));
	assert_non_null(reference);
	reference->as_a_whole = may_grow;
	reference->groups = &before->groups;
	reference->distributions = &before->distributions;
	assert_int_equal(scope_anomaly_reference_apply(reference, &here->groups, &here->distributions,
						       &scope_anomaly_detect_defaults, detection),
			 0);
}

/* 100 units of 1 ms in one group of that name, and some of 10 us in the other trace's. */
static const struct scope_population *compare(const char *name, uint64_t units)
{
	const uint32_t group = distributions_group(here, "worker", true),
		       other = distributions_group(before, name, true);

	distributions_units(here, group, distributions_vector(here, group, 0, 5), 1000000, 100);
	distributions_units(before, other, distributions_vector(before, other, 0, 5), 10000, units);
	apply();
	return &detection->population[0];
}

/* Twice their median of 10 us, which all units here are beyond. */
static void twenty_units_of_another_trace_are_the_baseline(void **state)
{
	const struct scope_population *population = compare("worker", 20);

	(void)state;
	assert_int_equal(population->reference, 20);
	assert_true(population->median_ns > 9950 && population->median_ns < 10050);
	assert_true(population->threshold_ns == 2 * population->median_ns);
	assert_true(population->scale_ns == 1000);
	assert_int_equal(population->beyond, 100);
}

/* Here units take that long, in another run, or in an earlier part of this one, 1 ms. */
static const struct scope_population *shift(uint64_t here_ns, bool as_a_whole)
{
	const uint32_t group = distributions_group(here, "worker", true),
		       other = distributions_group(before, "worker", true);

	distributions_units(here, group, distributions_vector(here, group, 0, 5), here_ns, 100);
	distributions_units(before, other, distributions_vector(before, other, 0, 5), 1000000, 100);
	may_grow = as_a_whole;
	apply();
	return &detection->population[0];
}

/* Values are within 1 % of what was measured, as sketches keep them. */
static void a_quarter_above_another_run_is_slow_as_a_whole(void **state)
{
	const struct scope_population *population = shift(1280000, true);

	assert_true(population->slower);
	assert_true(population->threshold_ns == 1.25 * population->median_ns);
	assert_int_equal(population->beyond, 100);
	again(state);
	population = shift(1220000, true);
	assert_false(population->slower);
	assert_true(population->threshold_ns == 2 * population->median_ns);
	assert_int_equal(population->beyond, 0);
}

static void the_same_run_before_a_change_needs_twice(void **state)
{
	const struct scope_population *population = shift(1900000, false);

	(void)state;
	assert_false(population->slower);
	assert_true(population->threshold_ns == 2 * population->median_ns);
	assert_int_equal(population->beyond, 0);
}

static void nineteen_are_none(void **state)
{
	const struct scope_population *population = compare("worker", 19);

	(void)state;
	assert_int_equal(population->reference, 0);
	assert_true(population->median_ns > 990000);
	assert_int_equal(population->beyond, 0);
}

static void groups_are_matched_by_name(void **state)
{
	(void)state;
	assert_int_equal(compare("walker", 100)->reference, 0);
	assert_int_equal(reference->of_vector[0][0], SCOPE_POPULATION_NONE);
}

static void groups_are_matched_by_how_they_pick_up_work(void **state)
{
	const uint32_t group = distributions_group(here, "worker", true),
		       other = distributions_group(before, "worker", true);

	(void)state;
	here->group[group].pickup = SCOPE_CALL_POLL;
	distributions_units(here, group, distributions_vector(here, group, 0, 5), 1000000, 100);
	distributions_units(before, other, distributions_vector(before, other, 0, 5), 10000, 100);
	apply();
	assert_int_equal(detection->population[0].reference, 0);
}

/* Four calls more are within the cut, five are not. */
static void other_vectors_go_to_the_nearest_within_the_cut(void **state)
{
	for (unsigned more = 4; more <= 5; more++) {
		const uint32_t group = distributions_group(here, "worker", true);
		const uint32_t other = distributions_group(before, "worker", true);

		distributions_units(here, group, distributions_vector(here, group, 0, 5), 1000000, 100);
		distributions_units(before, other, distributions_vector(before, other, 0, 5 + more), 10000, 100);
		apply();
		assert_int_equal(detection->population[0].reference, more == 4 ? 100 : 0);
		again(state);
	}
}

/* It is one call from the second, and two from the first. */
static void the_nearest_of_several_is_taken(void **state)
{
	const uint32_t group = distributions_group(here, "worker", true),
		       other = distributions_group(before, "worker", true);
	uint32_t first, second;

	(void)state;
	first = distributions_vector(here, group, 0, 6);
	second = distributions_vector(here, group, 0, 11);
	distributions_units(here, group, first, 1000000, 100);
	distributions_units(here, group, second, 1000000, 50);
	distributions_units(before, other, distributions_vector(before, other, 0, 9), 10000, 30);
	apply();
	assert_int_equal(detection->populations, 2);
	assert_int_equal(detection->population[detection->of_vector[group][first]].reference, 0);
	assert_int_equal(detection->population[detection->of_vector[group][second]].reference, 30);
}

/* As near to both: the first one. */
static void of_equals_the_first_is_taken(void **state)
{
	const uint32_t group = distributions_group(here, "worker", true),
		       other = distributions_group(before, "worker", true);
	uint32_t first;

	(void)state;
	first = distributions_vector(here, group, 0, 6);
	distributions_units(here, group, first, 1000000, 100);
	distributions_units(here, group, distributions_vector(here, group, 0, 12), 1000000, 200);
	distributions_units(before, other, distributions_vector(before, other, 0, 9), 10000, 30);
	apply();
	assert_int_equal(detection->population[detection->of_vector[group][first]].reference, 30);
}

/* The one is a cluster of its own, the other has the calls of a cluster that lies nearer by far. */
static void the_same_calls_go_before_what_is_near(void **state)
{
	const uint32_t group = distributions_group(here, "worker", true),
		       other = distributions_group(before, "worker", true);
	uint32_t same;

	(void)state;
	distributions_units(here, group, distributions_vector(here, group, 0, 5), 1000000, 100);
	same = distributions_vector(here, group, 0, 10);
	distributions_units(here, group, same, 1000000, 50);
	distributions_units(before, other, distributions_vector(before, other, 0, 10), 10000, 30);
	apply();
	assert_int_equal(detection->population[detection->of_vector[group][same]].reference, 30);
}

/* By its own trace it would be rare and slow: its baseline would be the group's. */
static void what_another_trace_knows_is_not_rare(void **state)
{
	const uint32_t group = distributions_group(here, "worker", true),
		       other = distributions_group(before, "worker", true);
	const struct scope_population *population;
	uint32_t rare;

	(void)state;
	distributions_units(here, group, distributions_vector(here, group, 0, 5), 10000, 1000);
	rare = distributions_vector(here, group, 20, 5);
	distributions_units(here, group, rare, 1000000, 100);
	distributions_units(before, other, distributions_vector(before, other, 20, 5), 1000000, 100);
	apply();
	population = &detection->population[detection->of_vector[group][rare]];
	assert_int_equal(population->reference, 100);
	assert_false(population->against_group);
	assert_true(population->median_ns > 990000);
	assert_int_equal(population->beyond, 0);
}

/* There each makes a call twice; here all make it 11 times, for which the limit is 10. */
static void how_often_a_call_is_usual_is_theirs_to_say(void **state)
{
	const uint32_t group = distributions_group(here, "worker", true),
		       other = distributions_group(before, "worker", true);

	(void)state;
	distributions_units(here, group, distributions_vector(here, group, 40, 1), 10000, 100);
	distributions_calls(here, group, 0, 40, 11, 100);
	distributions_units(before, other, distributions_vector(before, other, 40, 1), 10000, 100);
	distributions_calls(before, other, 0, 40, 2, 100);
	apply();
	assert_int_equal(detection->population[0].calls, 1);
	assert_true(detection->population[0].call[0].limit == 10);
	assert_int_equal(detection->population[0].beyond, 100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(twenty_units_of_another_trace_are_the_baseline),
		TEST(a_quarter_above_another_run_is_slow_as_a_whole),
		TEST(the_same_run_before_a_change_needs_twice),
		TEST(nineteen_are_none),
		TEST(groups_are_matched_by_name),
		TEST(groups_are_matched_by_how_they_pick_up_work),
		TEST(other_vectors_go_to_the_nearest_within_the_cut),
		TEST(the_nearest_of_several_is_taken),
		TEST(of_equals_the_first_is_taken),
		TEST(the_same_calls_go_before_what_is_near),
		TEST(what_another_trace_knows_is_not_rare),
		TEST(how_often_a_call_is_usual_is_theirs_to_say),
	};

	return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
