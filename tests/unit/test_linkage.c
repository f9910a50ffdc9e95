// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linkage trees against hand-worked ones and a naive O(m^3) program with the same tie rule.
 *
 * Called as `test_linkage --merges` it is a filter instead: problems on standard input, merges on
 * standard output, for oracle_linkage.py to compare with other implementations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/linkage.h"

#define M_MAX 24
#define PAIRS_MAX (M_MAX * (M_MAX - 1) / 2)
#define ROUNDS 400

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % bound;
}

/* The naive program: member lists, every distance from scratch, the best of all pairs. */
struct naive {
	uint32_t m;
	const uint8_t *distances;
	const uint64_t *weight;
	enum scope_linkage linkage;
	uint32_t of[M_MAX];		/* cluster of each point, named by its smallest point */
	uint32_t node[M_MAX];		/* by cluster */
};

static uint8_t distance_of(const struct naive *naive, uint32_t i, uint32_t j)
{
	return naive->distances[i < j ? scope_linkage_pair(naive->m, i, j) :
					scope_linkage_pair(naive->m, j, i)];
}

/* Distance of two clusters; single linkage also says which pair of points it is between. */
static double naive_distance(const struct naive *naive, uint32_t a, uint32_t b, uint32_t *lo,
			     uint32_t *hi)
{
	uint64_t sum = 0, pairs = 0;
	int least = 256, most = -1;

	*lo = a;
	*hi = b;
	for (uint32_t i = 0; i < naive->m; i++) {
		for (uint32_t j = i + 1; j < naive->m; j++) {
			int d = distance_of(naive, i, j);

			if (!(naive->of[i] == a && naive->of[j] == b) &&
			    !(naive->of[i] == b && naive->of[j] == a))
				continue;
			sum += d * naive->weight[i] * naive->weight[j];
			pairs += naive->weight[i] * naive->weight[j];
			most = d > most ? d : most;
			if (d < least) {
				least = d;
				if (naive->linkage == SCOPE_LINKAGE_SINGLE) {
					*lo = i;
					*hi = j;
				}
			}
		}
	}
	if (naive->linkage == SCOPE_LINKAGE_COMPLETE)
		return most;
	return naive->linkage == SCOPE_LINKAGE_SINGLE ? least : (double)sum / pairs;
}

static void naive_step(struct naive *naive, uint32_t step, struct scope_merge *merge)
{
	uint32_t best_a = 0, best_b = 0, best_lo = 0, best_hi = 0;
	double best = INFINITY;
	uint64_t size = 0;

	for (uint32_t a = 0; a < naive->m; a++) {
		for (uint32_t b = a + 1; b < naive->m; b++) {
			uint32_t lo, hi;
			double d;

			if (naive->of[a] != a || naive->of[b] != b)
				continue;
			d = naive_distance(naive, a, b, &lo, &hi);
			if (d < best || (d == best && (lo < best_lo ||
						       (lo == best_lo && hi < best_hi)))) {
				best = d;
				best_a = a;
				best_b = b;
				best_lo = lo;
				best_hi = hi;
			}
		}
	}
	for (uint32_t i = 0; i < naive->m; i++) {
		if (naive->of[i] == best_b)
			naive->of[i] = best_a;
		if (naive->of[i] == best_a)
			size += naive->weight[i];
	}
	best_lo = naive->node[best_a];
	best_hi = naive->node[best_b];
	*merge = (struct scope_merge){ best_lo < best_hi ? best_lo : best_hi,
				       best_lo < best_hi ? best_hi : best_lo, best, size };
	naive->node[best_a] = naive->m + step;
}

static void assert_merges_equal(const struct scope_merge *merges,
				const struct scope_merge *expected, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		assert_int_equal(merges[k].left, expected[k].left);
		assert_int_equal(merges[k].right, expected[k].right);
		assert_true(merges[k].height == expected[k].height);
		assert_int_equal(merges[k].size, expected[k].size);
	}
}

static void naive_start(struct naive *naive)
{
	for (uint32_t i = 0; i < naive->m; i++)
		naive->of[i] = naive->node[i] = i;
}

/* Random matrices over few values, so that nearly every step has a tie to break. */
static void tied_matrices_give_the_naive_tree(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t m = 2 + random_below(&random, M_MAX - 1);
		uint32_t values = 1 + random_below(&random, 6);
		uint8_t distances[PAIRS_MAX], copy[PAIRS_MAX];
		uint64_t weight[M_MAX];

		for (uint32_t k = 0; k < m * (m - 1) / 2; k++)
			distances[k] = 1 + random_below(&random, values);
		for (uint32_t i = 0; i < m; i++)
			weight[i] = round % 2 ? 1 : 1 + random_below(&random, 1000);
		for (int linkage = 0; linkage < SCOPE_LINKAGE_COUNT; linkage++) {
			struct naive naive = { m, distances, weight, linkage, { 0 }, { 0 } };
			struct scope_merge expected[M_MAX], *merges;

			naive_start(&naive);
			for (uint32_t k = 0; k + 1 < m; k++)
				naive_step(&naive, k, &expected[k]);
			memcpy(copy, distances, sizeof(copy));
			assert_int_equal(scope_linkage_run(linkage, copy, m, weight, &merges), 0);
			assert_merges_equal(merges, expected, m - 1);
			free(merges);
		}
	}
}

/* The clusters of a cut are those the naive program has when it stops there. */
static void cut_gives_the_naive_clusters(void **state)
{
	uint64_t random = 2;
	uint64_t weight[M_MAX];

	(void)state;
	for (uint32_t i = 0; i < M_MAX; i++)
		weight[i] = 1;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t m = 2 + random_below(&random, M_MAX - 1), labels[M_MAX], count = 0;
		uint32_t cut = random_below(&random, 10), seen = 0;
		uint8_t distances[PAIRS_MAX], copy[PAIRS_MAX];
		enum scope_linkage linkage = random_below(&random, SCOPE_LINKAGE_COUNT);
		struct naive naive = { m, distances, weight, linkage, { 0 }, { 0 } };
		struct scope_merge *merges, merge;

		for (uint32_t k = 0; k < m * (m - 1) / 2; k++)
			distances[k] = copy[k] = 1 + random_below(&random, 9);
		assert_int_equal(scope_linkage_run(linkage, copy, m, NULL, &merges), 0);
		assert_int_equal(scope_linkage_cut(merges, m, cut, labels, &count), 0);
		naive_start(&naive);
		for (uint32_t k = 0; k + 1 < m && merges[k].height <= cut; k++)
			naive_step(&naive, k, &merge);
		for (uint32_t i = 0; i < m; i++) {
			if (naive.of[i] == i)
				assert_int_equal(labels[i], seen++);
			assert_int_equal(labels[i], labels[naive.of[i]]);
		}
		assert_int_equal(count, seen);
		free(merges);
	}
}

/* Four points at 1, 2, 3, 4: the first and the last two are equally close to the middle. */
static void line_of_four_breaks_ties_by_smallest_index(void **state)
{
	static const uint8_t distances[] = { 1, 2, 3, 1, 2, 1 };
	static const struct scope_merge expected[SCOPE_LINKAGE_COUNT][3] = {
		[SCOPE_LINKAGE_COMPLETE] = { { 0, 1, 1, 2 }, { 2, 3, 1, 2 }, { 4, 5, 3, 4 } },
		[SCOPE_LINKAGE_AVERAGE] = { { 0, 1, 1, 2 }, { 2, 3, 1, 2 }, { 4, 5, 2, 4 } },
		[SCOPE_LINKAGE_SINGLE] = { { 0, 1, 1, 2 }, { 2, 4, 1, 3 }, { 3, 5, 1, 4 } },
	};

	(void)state;
	for (int linkage = 0; linkage < SCOPE_LINKAGE_COUNT; linkage++) {
		struct scope_merge *merges;
		uint8_t copy[6];

		memcpy(copy, distances, sizeof(copy));
		assert_int_equal(scope_linkage_run(linkage, copy, 4, NULL, &merges), 0);
		assert_merges_equal(merges, expected[linkage], 3);
		free(merges);
	}
}

/* A point of multiplicity w is w points at distance 0: the merges above 0 are the same. */
static void multiplicities_are_duplicated_points(void **state)
{
	uint64_t random = 3;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t m = 2 + random_below(&random, 5), total = 0, of[M_MAX];
		uint8_t distances[PAIRS_MAX], spread[PAIRS_MAX];
		struct scope_merge *merges, *duplicated;
		uint64_t weight[M_MAX];

		for (uint32_t i = 0; i < m; i++) {
			weight[i] = 1 + random_below(&random, 4);
			for (uint32_t k = 0; k < weight[i]; k++)
				of[total++] = i;
		}
		for (uint32_t k = 0; k < m * (m - 1) / 2; k++)
			distances[k] = 1 + random_below(&random, 5);
		for (uint32_t i = 0; i < total; i++)
			for (uint32_t j = i + 1; j < total; j++)
				spread[scope_linkage_pair(total, i, j)] = of[i] == of[j] ? 0 :
					distances[scope_linkage_pair(m, of[i], of[j])];
		assert_int_equal(scope_linkage_run(SCOPE_LINKAGE_AVERAGE, distances, m, weight,
						   &merges), 0);
		assert_int_equal(scope_linkage_run(SCOPE_LINKAGE_AVERAGE, spread, total, NULL,
						   &duplicated), 0);
		for (uint32_t k = 0; k < total - m; k++)
			assert_true(duplicated[k].height == 0);
		for (uint32_t k = 0; k + 1 < m; k++) {
			assert_true(merges[k].height == duplicated[total - m + k].height);
			assert_int_equal(merges[k].size, duplicated[total - m + k].size);
		}
		free(duplicated);
		free(merges);
	}
}

static void no_point_and_one_point_have_no_merges(void **state)
{
	uint32_t label = 7, count = 7;
	double real = 0;
	uint8_t byte = 0;

	(void)state;
	for (uint32_t m = 0; m < 2; m++) {
		struct scope_merge *merges;

		for (int linkage = 0; linkage < SCOPE_LINKAGE_COUNT; linkage++) {
			assert_int_equal(scope_linkage_run(linkage, &byte, m, NULL, &merges), 0);
			assert_int_equal(scope_linkage_cut(merges, m, 4, &label, &count), 0);
			assert_int_equal(count, m);
			free(merges);
		}
		assert_int_equal(scope_linkage_run_average(&real, m, NULL, &merges), 0);
		free(merges);
	}
	assert_int_equal(label, 0);
}

static void wrong_arguments_are_refused(void **state)
{
	uint64_t weight[2] = { 1, 0 };
	struct scope_merge *merges = NULL;
	double reals[3] = { 1, NAN, 1 };
	uint8_t byte = 1;

	(void)state;
	assert_int_equal(scope_linkage_run(SCOPE_LINKAGE_COUNT, &byte, 2, NULL, &merges), -EINVAL);
	assert_int_equal(scope_linkage_run(SCOPE_LINKAGE_COMPLETE, &byte, 2, weight, &merges),
			 -EINVAL);
	assert_int_equal(scope_linkage_run_average(reals, 3, NULL, &merges), -EINVAL);
	reals[1] = -1;
	assert_int_equal(scope_linkage_run_average(reals, 3, NULL, &merges), -EINVAL);
	assert_null(merges);
	assert_null(scope_linkage_name(SCOPE_LINKAGE_COUNT));
	assert_string_equal(scope_linkage_name(SCOPE_LINKAGE_SINGLE), "single");
}

/* Real distances whose sums round: the chain must come to an end and lose no point. */
static void rounded_means_give_a_whole_tree(void **state)
{
	uint64_t random = 4;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct scope_merge *merges;
		double reals[PAIRS_MAX];

		for (uint32_t k = 0; k < PAIRS_MAX; k++)
			reals[k] = 0.1 * (1 + random_below(&random, 3));
		assert_int_equal(scope_linkage_run_average(reals, M_MAX, NULL, &merges), 0);
		assert_int_equal(merges[M_MAX - 2].size, M_MAX);
		for (uint32_t k = 0; k + 1 < M_MAX; k++) {
			assert_true(merges[k].left < merges[k].right);
			assert_true(merges[k].right < M_MAX + k);
			assert_true(!k || merges[k - 1].height <= merges[k].height);
		}
		free(merges);
	}
}

/* Reads the distances of one problem and clusters them; NULL when they are no such thing. */
static struct scope_merge *solve(const char *name, uint32_t m, const uint64_t *weight)
{
	size_t pairs = (size_t)m * (m - 1) / 2;
	double *reals = calloc(pairs, sizeof(*reals));
	uint8_t *bytes = calloc(pairs, 1);
	struct scope_merge *merges = NULL;
	int linkage = 0;

	assert_non_null(reals);
	assert_non_null(bytes);
	for (size_t k = 0; k < pairs; k++) {
		if (scanf("%lf", &reals[k]) != 1)
			goto free_all;
		bytes[k] = reals[k] < UINT8_MAX ? reals[k] : UINT8_MAX;
	}
	while (linkage < SCOPE_LINKAGE_COUNT && strcmp(name, scope_linkage_name(linkage)))
		linkage++;
	if (!strcmp(name, "real"))
		scope_linkage_run_average(reals, m, weight, &merges);
	else
		scope_linkage_run(linkage, bytes, m, weight, &merges);
free_all:
	free(bytes);
	free(reals);
	return merges;
}

/*
 * Problems: a linkage name ("real" for average of real distances), m, m multiplicities, the
 * condensed distances. Answers: one merge a line.
 */
static int filter(void)
{
	char name[16];
	uint32_t m;

	while (scanf("%15s %" SCNu32, name, &m) == 2) {
		struct scope_merge *merges;
		uint64_t weight[1000];

		if (m < 2 || m > 1000)
			return 1;
		for (uint32_t i = 0; i < m; i++)
			if (scanf("%" SCNu64, &weight[i]) != 1)
				return 1;
		merges = solve(name, m, weight);
		if (!merges)
			return 1;
		for (uint32_t k = 0; k + 1 < m; k++)
			printf("%u %u %.17g %" PRIu64 "\n", merges[k].left, merges[k].right,
			       merges[k].height, merges[k].size);
		free(merges);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_of_four_breaks_ties_by_smallest_index),
		cmocka_unit_test(tied_matrices_give_the_naive_tree),
		cmocka_unit_test(cut_gives_the_naive_clusters),
		cmocka_unit_test(multiplicities_are_duplicated_points),
		cmocka_unit_test(no_point_and_one_point_have_no_merges),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(rounded_means_give_a_whole_tree),
	};

	if (argc > 1 && !strcmp(argv[1], "--merges"))
		return filter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
