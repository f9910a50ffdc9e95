// SPDX-License-Identifier: GPL-2.0-only
/* Clustering: the published cut, the description of clusters, and independence of the order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "cluster/packed.h"

#include "vector_case.h"

#define VECTORS 300

static const struct scope_cluster_options defaults = SCOPE_CLUSTER_OPTIONS_DEFAULT;

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % bound;
}

static struct scope_clustering *cluster(const struct scope_vector_set *set, const struct scope_cluster_options *options)
{
	struct scope_clustering *clustering;

	assert_int_equal(scope_cluster_run(set, NULL, options, &clustering), 0);
	return clustering;
}

/* A cluster as brute force describes it. */
struct described {
	uint32_t medoid, vector_count, diameter;
	uint64_t unit_count, sum; /* sum: the distances of all units to the medoid */
};

static struct described describe(const struct scope_vector_set *set, const struct scope_clustering *clustering,
				 uint32_t c)
{
	struct described is = { .medoid = UINT32_MAX, .sum = UINT64_MAX };
	uint32_t count = scope_cluster_vector_set_count(set);

	for (uint32_t i = 0; i < count; i++) {
		const struct scope_vector *at = scope_cluster_vector_set_get(set, i);
		uint64_t sum = 0;

		if (scope_cluster_label(clustering, i) != c)
			continue;
		is.vector_count++;
		is.unit_count += scope_cluster_vector_set_multiplicity(set, i);
		for (uint32_t j = 0; j < count; j++) {
			uint32_t d = scope_cluster_vector_distance(at, scope_cluster_vector_set_get(set, j));

			if (scope_cluster_label(clustering, j) != c)
				continue;
			sum += d * scope_cluster_vector_set_multiplicity(set, j);
			is.diameter = d > is.diameter ? d : is.diameter;
		}
		if (sum < is.sum || (sum == is.sum && scope_cluster_vector_compare(
							      at, scope_cluster_vector_set_get(set, is.medoid)) < 0)) {
			is.sum = sum;
			is.medoid = i;
		}
	}
	return is;
}

static void distance_4_stays_together_and_5_is_apart(void **state)
{
	(void)state;
	for (uint32_t distance = 1; distance < 10; distance++) {
		for (int linkage = 0; linkage < SCOPE_LINKAGE_COUNT; linkage++) {
			struct scope_cluster_options options = defaults;
			struct scope_vector_set *set = new_set();
			struct scope_clustering *clustering;

			options.linkage = linkage;
			add(set, run_of(100, 10), 3);
			add(set, run_of(100, 10 + distance), 2);
			clustering = cluster(set, &options);
			assert_int_equal(scope_cluster_count(clustering), distance <= 4 ? 1 : 2);
			assert_int_equal(scope_cluster_label(clustering, 0), 0);
			assert_int_equal(scope_cluster_label(clustering, 1), distance > 4);
			scope_cluster_destroy(clustering);
			scope_cluster_vector_set_destroy(set);
		}
	}
}

/* Vectors 0, 2, 4 and 6 bits long: a chain of steps of 2, whose ends are 6 apart. */
static void complete_linkage_cuts_a_chain_and_single_does_not(void **state)
{
	struct scope_cluster_options options = defaults;
	struct scope_vector_set *set = new_set();
	struct scope_clustering *clustering;
	struct described first;

	(void)state;
	for (uint32_t bits = 0; bits < 8; bits += 2)
		add(set, run_of(64, bits), 1 + bits);
	clustering = cluster(set, &options);
	assert_int_equal(scope_cluster_count(clustering), 2);
	first = describe(set, clustering, 0);
	/* 4 and 6 bits, 5 and 7 units: the medoid is the heavier one. */
	assert_int_equal(first.unit_count, 12);
	assert_int_equal(first.vector_count, 2);
	assert_int_equal(first.medoid, 3);
	assert_int_equal(first.diameter, 2);
	assert_int_equal(first.sum, 10);
	assert_int_equal(scope_cluster_label(clustering, 0), 1);
	assert_int_equal(scope_cluster_label(clustering, 1), 1);
	scope_cluster_destroy(clustering);

	options.linkage = SCOPE_LINKAGE_SINGLE;
	clustering = cluster(set, &options);
	assert_int_equal(scope_cluster_count(clustering), 1);
	first = describe(set, clustering, 0);
	assert_int_equal(first.diameter, 6);
	/* Sums to 1, 3, 5, 7 units: 68, 38, 20, 22. */
	assert_int_equal(first.medoid, 2);
	assert_int_equal(first.sum, 1 * 4 + 3 * 2 + 7 * 2);
	scope_cluster_destroy(clustering);
	scope_cluster_vector_set_destroy(set);
}

static void empty_one_and_all_equal(void **state)
{
	struct scope_vector_set *set = new_set();
	struct scope_clustering *clustering = cluster(set, &defaults);
	struct described only;

	(void)state;
	assert_int_equal(scope_cluster_count(clustering), 0);
	assert_false(scope_cluster_sampled(clustering));
	scope_cluster_destroy(clustering);
	for (int times = 0; times < 1000; times++)
		add(set, run_of(5, 7), 2);
	clustering = cluster(set, &defaults);
	assert_int_equal(scope_cluster_count(clustering), 1);
	only = describe(set, clustering, 0);
	assert_int_equal(only.vector_count, 1);
	assert_int_equal(only.unit_count, 2000);
	scope_cluster_destroy(clustering);
	scope_cluster_destroy(NULL);
	scope_cluster_vector_set_destroy(set);
}

static void options_out_of_range_are_refused(void **state)
{
	struct scope_cluster_options wrong[6] = { defaults, defaults, defaults, defaults, defaults, defaults };
	struct scope_vector_set *set = new_set();
	struct scope_clustering *clustering = NULL;

	(void)state;
	wrong[0].linkage = SCOPE_LINKAGE_COUNT;
	wrong[1].cut = -1;
	wrong[2].cut = NAN;
	wrong[3].cut = SCOPE_LINKAGE_FAR;
	wrong[4].cut = INFINITY;
	wrong[5].max_points = 0;
	for (int i = 0; i < 6; i++)
		assert_int_equal(scope_cluster_run(set, NULL, &wrong[i], &clustering), -EINVAL);
	assert_null(clustering);
	scope_cluster_vector_set_destroy(set);
}

/* Vectors scattered around a few centres, as those of a server's units are. */
static void scatter(uint64_t *random, struct scope_vector *vectors)
{
	for (uint32_t i = 0; i < VECTORS; i++) {
		vectors[i] = run_of(20 * random_below(random, 5), 8);
		for (uint32_t flips = random_below(random, 5); flips; flips--) {
			uint32_t bit = random_below(random, 3) ? random_below(random, 100) : 600;

			vectors[i].word[bit / 64] ^= 1ULL << (bit % 64);
		}
	}
}

/* Complete and Ward linkage and division keep the diameter. Medoids are what brute force finds, too. */
static void check_by_brute_force(enum scope_linkage linkage)
{
	struct scope_cluster_options options = defaults;
	struct scope_vector_set *set = new_set();
	struct scope_vector vectors[VECTORS];
	struct scope_clustering *clustering;
	uint64_t random = 5, units = 0, before = UINT64_MAX;
	struct scope_pack *pack;

	options.linkage = linkage;
	scatter(&random, vectors);
	for (uint32_t i = 0; i < VECTORS; i++)
		add(set, vectors[i], 1 + random_below(&random, 9));
	clustering = cluster(set, &options);
	assert_int_equal(scope_cluster_pack_create(set, &pack), 0);
	for (uint32_t c = 0; c < scope_cluster_count(clustering); c++) {
		struct described is = describe(set, clustering, c);
		uint32_t member[VECTORS], members = 0, medoid;
		uint64_t sum;

		for (uint32_t p = 0; p < pack->count; p++)
			if (scope_cluster_label(clustering, pack->id[p]) == c)
				member[members++] = p;
		assert_int_equal(members, is.vector_count);
		scope_cluster_pack_medoid(pack, member, members, &medoid, &sum);
		assert_int_equal(pack->id[medoid], is.medoid);
		assert_int_equal(sum, is.sum);
		assert_true(is.diameter <= 4);
		assert_true(is.unit_count <= before);
		before = is.unit_count;
		units += is.unit_count;
	}
	assert_int_equal(units, units_of(set));
	scope_cluster_pack_destroy(pack);
	scope_cluster_destroy(clustering);
	scope_cluster_vector_set_destroy(set);
}

static void clusters_are_what_brute_force_finds(void **state)
{
	(void)state;
	check_by_brute_force(SCOPE_LINKAGE_COMPLETE);
	check_by_brute_force(SCOPE_LINKAGE_WARD);
	check_by_brute_force(SCOPE_LINKAGE_DIVISIVE);
}

/* The level of bit 70 is 1 in vectors of an even id and 4 in those of an odd one. */
static int level_by_id(const void *user, uint32_t id, uint32_t bit, double *ret_level)
{
	assert_ptr_equal(user, &defaults);
	*ret_level = bit == 70 && id % 2 ? 4 : 1;
	return 0;
}

/* Eight vectors within distance 2 of one another, of which half make one call far more often. */
static void ward_separates_by_how_often_a_call_is_made(void **state)
{
	const struct scope_levels levels = { level_by_id, &defaults };
	struct scope_cluster_options options = defaults;
	struct scope_vector_set *set = new_set();
	struct scope_clustering *clustering;

	(void)state;
	options.linkage = SCOPE_LINKAGE_WARD;
	for (uint32_t i = 0; i < 8; i++) {
		struct scope_vector vector = run_of(70, 2);

		scope_cluster_vector_mark(&vector, 100 + i);
		add(set, vector, 10 - i);
	}
	clustering = cluster(set, &options);
	assert_int_equal(scope_cluster_count(clustering), 1);
	scope_cluster_destroy(clustering);
	assert_int_equal(scope_cluster_run(set, &levels, &options, &clustering), 0);
	assert_int_equal(scope_cluster_count(clustering), 2);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(scope_cluster_label(clustering, i), i % 2);
	scope_cluster_destroy(clustering);
	scope_cluster_vector_set_destroy(set);
}

/* A chain of steps of 2 bits: around 1 and 5 of 0 to 7, between which 3 is a tie. */
static void division_splits_a_chain_in_the_middle(void **state)
{
	struct scope_cluster_options options = defaults;
	struct scope_vector_set *set = new_set();
	struct scope_clustering *clustering;

	(void)state;
	options.linkage = SCOPE_LINKAGE_DIVISIVE;
	for (uint32_t bits = 0; bits < 16; bits += 2)
		add(set, run_of(64, bits), 1);
	options.cut = 13;
	clustering = cluster(set, &options);
	assert_int_equal(scope_cluster_count(clustering), 2);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(scope_cluster_label(clustering, i) == scope_cluster_label(clustering, 0), i < 3);
	scope_cluster_destroy(clustering);
	options.cut = 14;
	clustering = cluster(set, &options);
	assert_int_equal(scope_cluster_count(clustering), 1);
	scope_cluster_destroy(clustering);
	scope_cluster_vector_set_destroy(set);
}

static void assert_same_clustering(const struct scope_vector_set *set_a, const struct scope_clustering *a,
				   struct scope_vector_set *set_b, const struct scope_clustering *b)
{
	assert_int_equal(scope_cluster_count(a), scope_cluster_count(b));
	assert_int_equal(scope_cluster_sampled(a), scope_cluster_sampled(b));
	for (uint32_t c = 0; c < scope_cluster_count(a); c++) {
		struct described x = describe(set_a, a, c), y = describe(set_b, b, c);

		assert_memory_equal(scope_cluster_vector_set_get(set_a, x.medoid),
				    scope_cluster_vector_set_get(set_b, y.medoid), sizeof(struct scope_vector));
		assert_int_equal(x.unit_count, y.unit_count);
	}
	for (uint32_t id = 0; id < scope_cluster_vector_set_count(set_a); id++) {
		uint32_t other = add(set_b, *scope_cluster_vector_set_get(set_a, id), 1);

		assert_int_equal(scope_cluster_label(a, id), scope_cluster_label(b, other));
	}
}

/* The same units in another order, one by one or together, give the same clusters. */
static void order_of_adding_plays_no_part(void **state)
{
	struct scope_vector vectors[VECTORS];
	uint64_t random = 6;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct scope_cluster_options options = defaults;
		struct scope_vector_set *set_a = new_set(), *set_b = new_set();
		struct scope_clustering *a, *b;

		options.linkage = round % SCOPE_LINKAGE_COUNT;
		options.max_points = round / SCOPE_LINKAGE_COUNT % 2 ? 40 : 1000;
		options.seed = round;
		scatter(&random, vectors);
		for (uint32_t i = 0; i < VECTORS; i++)
			add(set_a, vectors[i], 3);
		for (uint32_t i = VECTORS; i > 0; i--) {
			uint32_t k = random_below(&random, i);
			struct scope_vector swap = vectors[k];

			vectors[k] = vectors[i - 1];
			vectors[i - 1] = swap;
			add(set_b, swap, 1);
		}
		for (uint32_t i = 0; i < VECTORS; i++)
			add(set_b, vectors[i], 2);
		a = cluster(set_a, &options);
		b = cluster(set_b, &options);
		assert_same_clustering(set_a, a, set_b, b);
		scope_cluster_destroy(b);
		scope_cluster_destroy(a);
		scope_cluster_vector_set_destroy(set_b);
		scope_cluster_vector_set_destroy(set_a);
	}
}

/* Groups farther apart than the cut, each within reach of any member: a sample finds them all. */
static void sample_finds_groups_that_are_far_apart(void **state)
{
	struct scope_cluster_options options = defaults;
	struct scope_vector_set *set = new_set();
	struct scope_clustering *clustering;

	(void)state;
	for (uint32_t group = 0; group < 4; group++) {
		for (uint32_t i = 0; i < 28; i++) {
			struct scope_vector vector = run_of(group * 20, 6);

			scope_cluster_vector_mark(&vector, 100 + i % 8);
			scope_cluster_vector_mark(&vector, 100 + i % 8 + 1 + i / 8);
			add(set, vector, 1 + group);
		}
	}
	for (options.seed = 0; options.seed < 50; options.seed++) {
		options.max_points = 1 + options.seed;
		clustering = cluster(set, &options);
		assert_true(scope_cluster_sampled(clustering));
		assert_int_equal(scope_cluster_count(clustering), 4);
		for (uint32_t id = 0; id < scope_cluster_vector_set_count(set); id++)
			assert_int_equal(scope_cluster_label(clustering, id), 3 - id / 28);
		for (uint32_t c = 0; c < 4; c++) {
			struct described is = describe(set, clustering, c);

			assert_int_equal(is.vector_count, 28);
			assert_int_equal(is.diameter, 4);
		}
		scope_cluster_destroy(clustering);
	}
	scope_cluster_vector_set_destroy(set);
}

/* A greater number of differing syscalls than the matrix holds is still far, never near. */
static void distances_above_254_are_far(void **state)
{
	struct scope_vector_set *set = new_set();
	struct scope_cluster_options options = defaults;
	struct scope_clustering *clustering;

	(void)state;
	options.cut = 253;
	add(set, run_of(0, 512), 1);
	add(set, run_of(512, 512), 1);
	add(set, run_of(0, 259), 1);
	clustering = cluster(set, &options);
	assert_int_equal(scope_cluster_count(clustering), 2);
	assert_int_equal(scope_cluster_label(clustering, 0), scope_cluster_label(clustering, 2));
	scope_cluster_destroy(clustering);
	scope_cluster_vector_set_destroy(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_4_stays_together_and_5_is_apart),
		cmocka_unit_test(complete_linkage_cuts_a_chain_and_single_does_not),
		cmocka_unit_test(empty_one_and_all_equal),
		cmocka_unit_test(options_out_of_range_are_refused),
		cmocka_unit_test(clusters_are_what_brute_force_finds),
		cmocka_unit_test(ward_separates_by_how_often_a_call_is_made),
		cmocka_unit_test(division_splits_a_chain_in_the_middle),
		cmocka_unit_test(order_of_adding_plays_no_part),
		cmocka_unit_test(sample_finds_groups_that_are_far_apart),
		cmocka_unit_test(distances_above_254_are_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
