// SPDX-License-Identifier: GPL-2.0-only
/* Which clusters are split into requests and turns that took none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/asks.h"

/* Two clusters: vectors 0 and 1, and vector 2. Returns how many populations they become; of_vector as they are then. */
static uint32_t split(uint64_t requests, uint64_t turns, uint32_t of_vector[3])
{
	struct scope_distributions_row row[3] = {
		{ .units = requests, .asked = requests },
		{ .units = turns },
		{ .units = 500, .asked = 251 },
	};
	const struct scope_distributions_group group = { .row = row, .rows = 3 };
	uint32_t clusters = 2;

	of_vector[0] = of_vector[1] = 0;
	of_vector[2] = 1;
	assert_int_equal(scope_anomaly_asks_split(&group, 20, of_vector, &clusters), 0);
	return clusters;
}

static void a_cluster_with_twenty_of_each_is_two_populations(void **state)
{
	uint32_t of_vector[3];

	(void)state;
	assert_int_equal(split(20, 20, of_vector), 3);
	assert_int_not_equal(of_vector[0], of_vector[1]);
	assert_int_equal(of_vector[2], 2);
	assert_int_equal(split(19, 1000, of_vector), 2);
	assert_int_equal(of_vector[0], of_vector[1]);
	assert_int_equal(split(1000, 19, of_vector), 2);
	assert_int_equal(of_vector[0], of_vector[1]);
	assert_int_equal(of_vector[2], 1);
}

/* Half of the units, or one more. */
static void most_units_of_a_population_say_what_it_is(void **state)
{
	struct scope_distributions_row row[2] = { { .units = 100, .asked = 50 }, { .units = 100, .asked = 51 } };
	const struct scope_distributions_group group = { .row = row, .rows = 2 };
	const uint32_t of_vector[2] = { 4, 5 };
	const struct scope_baseline_units all = { &group, of_vector };
	struct scope_population population[6] = { [4] = { .units = 100 }, [5] = { .units = 100 } };
	uint32_t kind[2];

	(void)state;
	scope_anomaly_asks_find(&all, population, 4, 2, kind);
	assert_false(population[4].asks);
	assert_true(population[5].asks);
	assert_int_equal(kind[0], SCOPE_KIND_TURN);
	assert_int_equal(kind[1], SCOPE_KIND_ASKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cluster_with_twenty_of_each_is_two_populations),
		cmocka_unit_test(most_units_of_a_population_say_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
