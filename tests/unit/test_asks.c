// SPDX-License-Identifier: GPL-2.0-only
/* Requests and other work are separate populations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "anomaly/asks.h"
#include "cluster/cluster.h"

/* The number of clusters of two units, with calls from 0 on that differ in some. */
static uint32_t clusters(bool first_took, bool second_took, unsigned differ)
{
	const struct scope_cluster_options options = SCOPE_CLUSTER_OPTIONS_DEFAULT;
	const struct scope_unit unit[2] = { { .calls = 1, .asked = first_took },
					    { .calls = (uint16_t)(1 + differ), .asked = second_took } };
	struct scope_unit_call call[8];
	struct scope_clustering *clustering = NULL;
	struct scope_vector_set *set = NULL;
	uint32_t count;

	for (uint16_t i = 0; i < 8; i++)
		call[i] = (struct scope_unit_call){ .nr = (uint16_t)(SYS_getpid + i), .count = 1 };
	assert_int_equal(scope_cluster_vector_set_create(&set), 0);
	for (int i = 0; i < 2; i++) {
		const struct scope_vector vector = scope_unit_vector(&unit[i], call);

		assert_true(scope_unit_vector_took(&vector) == (i ? second_took : first_took));
		assert_int_equal(scope_cluster_vector_set_add(set, &vector, 100, NULL), 0);
	}
	assert_int_equal(scope_cluster_run(set, NULL, &options, &clustering), 0);
	count = scope_cluster_count(clustering);
	scope_cluster_destroy(clustering);
	scope_cluster_vector_set_destroy(set);
	return count;
}

static void no_cluster_has_requests_and_other_work(void **state)
{
	(void)state;
	assert_int_equal(clusters(true, true, 0), 1);
	assert_int_equal(clusters(false, true, 0), 2);
	assert_int_equal(clusters(true, false, 0), 2);
	assert_int_equal(clusters(true, true, SCOPE_CLUSTER_CUT), 1);
	assert_int_equal(clusters(true, true, SCOPE_CLUSTER_CUT + 1), 2);
	assert_int_equal(clusters(false, false, SCOPE_CLUSTER_CUT), 1);
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
		cmocka_unit_test(no_cluster_has_requests_and_other_work),
		cmocka_unit_test(most_units_of_a_population_say_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
