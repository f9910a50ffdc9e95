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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/linkage.h"

#define M_MAX 24
#define DIMENSIONS_MAX 12
#define STRIDE 64		/* of matrices and points of up to 64 */
#define ROUNDS 400
#define TREES 4			/* linkages that make one */

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % bound;
}

/* What is clustered: complete and single linkage see the matrix, the others the points. */
struct problem {
	uint32_t m, dimensions;
	uint8_t distances[M_MAX * STRIDE];
	double points[DIMENSIONS_MAX * STRIDE];
	uint64_t weight[M_MAX];
};

static int solve(const struct problem *problem, enum scope_linkage linkage,
		 const uint64_t *weight, struct scope_merge **merges)
{
	uint8_t copy[M_MAX * STRIDE];

	memcpy(copy, problem->distances, sizeof(copy));
	switch (linkage) {
	case SCOPE_LINKAGE_COMPLETE:
		return scope_linkage_complete(copy, problem->m, weight, merges);
	case SCOPE_LINKAGE_SINGLE:
		return scope_linkage_single(copy, problem->m, weight, merges);
	case SCOPE_LINKAGE_AVERAGE:
		return scope_linkage_average(problem->points, problem->dimensions, problem->m,
					     weight, merges);
	default:
		return scope_linkage_ward(problem->points, problem->dimensions, problem->m, weight,
					  merges);
	}
}

/* Few values, so that nearly every step has a tie to break. */
static void invent(struct problem *problem, uint64_t *random, bool weighted)
{
	uint32_t values = 1 + random_below(random, 6);

	problem->m = 2 + random_below(random, M_MAX - 1);
	problem->dimensions = 1 + random_below(random, DIMENSIONS_MAX);
	memset(problem->distances, 77, sizeof(problem->distances));
	for (uint32_t i = 0; i < problem->m; i++) {
		for (uint32_t j = 0; j < i; j++)
			problem->distances[i * STRIDE + j] = problem->distances[j * STRIDE + i] =
				1 + random_below(random, values);
		for (uint32_t k = 0; k < problem->dimensions; k++)
			problem->points[k * STRIDE + i] = random_below(random, 2);
		problem->weight[i] = weighted ? 1 + random_below(random, 1000) : 1;
	}
}

/* The naive program: member lists, every distance from scratch, the best of all pairs. */
struct naive {
	const struct problem *problem;
	enum scope_linkage linkage;
	uint32_t of[M_MAX];		/* cluster of each point, named by its smallest point */
	uint32_t node[M_MAX];		/* by cluster */
};

/* From the matrix; single linkage also says which pair of points it is between. */
static double naive_by_matrix(const struct naive *naive, uint32_t a, uint32_t b, uint32_t *lo,
			      uint32_t *hi)
{
	int least = 256, most = -1;

	for (uint32_t i = 0; i < naive->problem->m; i++) {
		for (uint32_t j = i + 1; j < naive->problem->m; j++) {
			int d = naive->problem->distances[i * STRIDE + j];

			if (!(naive->of[i] == a && naive->of[j] == b) &&
			    !(naive->of[i] == b && naive->of[j] == a))
				continue;
			most = d > most ? d : most;
			if (d < least && naive->linkage == SCOPE_LINKAGE_SINGLE) {
				*lo = i;
				*hi = j;
			}
			least = d < least ? d : least;
		}
	}
	return naive->linkage == SCOPE_LINKAGE_SINGLE ? least : most;
}

/* Over all pairs of members (average); from the two means (Ward), twice the growth of squares. */
static double naive_by_points(const struct naive *naive, uint32_t a, uint32_t b)
{
	const struct problem *problem = naive->problem;
	double sum = 0, size_a = 0, size_b = 0;

	for (uint32_t i = 0; i < problem->m; i++) {
		size_a += naive->of[i] == a ? problem->weight[i] : 0;
		size_b += naive->of[i] == b ? problem->weight[i] : 0;
	}
	for (uint32_t k = 0; k < problem->dimensions; k++) {
		const double *value = problem->points + k * STRIDE;
		double sum_a = 0, sum_b = 0;

		for (uint32_t i = 0; i < problem->m; i++) {
			sum_a += naive->of[i] == a ? value[i] * problem->weight[i] : 0;
			sum_b += naive->of[i] == b ? value[i] * problem->weight[i] : 0;
			for (uint32_t j = 0; j < problem->m; j++)
				if (naive->linkage == SCOPE_LINKAGE_AVERAGE &&
				    naive->of[i] == a && naive->of[j] == b && value[i] != value[j])
					sum += (double)problem->weight[i] * problem->weight[j];
		}
		if (naive->linkage == SCOPE_LINKAGE_WARD)
			sum += (sum_a * size_b - sum_b * size_a) * (sum_a * size_b - sum_b * size_a);
	}
	if (naive->linkage == SCOPE_LINKAGE_AVERAGE)
		return sum / (size_a * size_b);
	return sqrt(sum / (size_a * size_b * (size_a + size_b) / 2));
}

static double naive_distance(const struct naive *naive, uint32_t a, uint32_t b, uint32_t *lo,
			     uint32_t *hi)
{
	*lo = a;
	*hi = b;
	if (naive->linkage == SCOPE_LINKAGE_AVERAGE || naive->linkage == SCOPE_LINKAGE_WARD)
		return naive_by_points(naive, a, b);
	return naive_by_matrix(naive, a, b, lo, hi);
}

static void naive_step(struct naive *naive, uint32_t step, struct scope_merge *merge)
{
	uint32_t best_a = 0, best_b = 0, best_lo = 0, best_hi = 0, m = naive->problem->m;
	double best = INFINITY;
	uint64_t size = 0;

	for (uint32_t a = 0; a < m; a++) {
		for (uint32_t b = a + 1; b < m; b++) {
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
	for (uint32_t i = 0; i < m; i++) {
		if (naive->of[i] == best_b)
			naive->of[i] = best_a;
		if (naive->of[i] == best_a)
			size += naive->problem->weight[i];
	}
	best_lo = naive->node[best_a];
	best_hi = naive->node[best_b];
	*merge = (struct scope_merge){ best_lo < best_hi ? best_lo : best_hi,
				       best_lo < best_hi ? best_hi : best_lo, best, size };
	naive->node[best_a] = m + step;
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
	for (uint32_t i = 0; i < naive->problem->m; i++)
		naive->of[i] = naive->node[i] = i;
}

static void tied_problems_give_the_naive_tree(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct problem problem = { 0 };

		invent(&problem, &random, round % 2);
		for (int linkage = 0; linkage < TREES; linkage++) {
			struct naive naive = { &problem, linkage, { 0 }, { 0 } };
			struct scope_merge expected[M_MAX], *merges;

			naive_start(&naive);
			for (uint32_t k = 0; k + 1 < problem.m; k++)
				naive_step(&naive, k, &expected[k]);
			assert_int_equal(solve(&problem, linkage, problem.weight, &merges), 0);
			assert_merges_equal(merges, expected, problem.m - 1);
			free(merges);
		}
	}
}

/* The clusters of a cut are those the naive program has when it stops there. */
static void cut_gives_the_naive_clusters(void **state)
{
	uint64_t random = 2;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t labels[M_MAX], count = 0, cut = random_below(&random, 7), seen = 0;
		enum scope_linkage linkage = random_below(&random, TREES);
		struct problem problem = { 0 };
		struct naive naive = { &problem, linkage, { 0 }, { 0 } };
		struct scope_merge *merges, merge;

		invent(&problem, &random, false);
		assert_int_equal(solve(&problem, linkage, NULL, &merges), 0);
		assert_int_equal(scope_linkage_cut(merges, problem.m, NULL, cut, labels, &count), 0);
		naive_start(&naive);
		for (uint32_t k = 0; k + 1 < problem.m && merges[k].height <= cut; k++)
			naive_step(&naive, k, &merge);
		for (uint32_t i = 0; i < problem.m; i++) {
			if (naive.of[i] == i)
				assert_int_equal(labels[i], seen++);
			assert_int_equal(labels[i], labels[naive.of[i]]);
		}
		assert_int_equal(count, seen);
		free(merges);
	}
}

/* Widths need not be heights: a cut by another measure may keep a late merge and no earlier one. */
static void cut_takes_other_widths(void **state)
{
	static const struct scope_merge merges[] = { { 0, 1, 1, 2 }, { 2, 3, 2, 2 }, { 4, 5, 3, 4 } };
	static const double width[] = { 5, 1, 5 };
	uint32_t labels[4], count;

	(void)state;
	assert_int_equal(scope_linkage_cut(merges, 4, width, 4, labels, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(labels[2], 2);
	assert_int_equal(labels[3], 2);
}

/* Four points at 1, 2, 3, 4: the first and the last two are equally close to the middle. */
static void line_of_four_breaks_ties_by_smallest_index(void **state)
{
	static const struct scope_merge expected[TREES][3] = {
		[SCOPE_LINKAGE_COMPLETE] = { { 0, 1, 1, 2 }, { 2, 3, 1, 2 }, { 4, 5, 3, 4 } },
		[SCOPE_LINKAGE_AVERAGE] = { { 0, 1, 1, 2 }, { 2, 3, 1, 2 }, { 4, 5, 2, 4 } },
		[SCOPE_LINKAGE_SINGLE] = { { 0, 1, 1, 2 }, { 2, 4, 1, 3 }, { 3, 5, 1, 4 } },
		[SCOPE_LINKAGE_WARD] = { { 0, 1, 1, 2 }, { 2, 3, 1, 2 }, { 4, 5, 0, 4 } },	/* height below */
	};
	struct problem problem = { .m = 4, .dimensions = 3 };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t j = 0; j < 4; j++)
			problem.distances[i * STRIDE + j] = i < j ? j - i : i - j;
		for (uint32_t k = 0; k < 3; k++)
			problem.points[k * STRIDE + i] = i > k;
	}
	for (int linkage = 0; linkage < TREES; linkage++) {
		struct scope_merge *merges, last = expected[linkage][2];

		if (linkage == SCOPE_LINKAGE_WARD)	/* 2 * 4 / 4 * (1 / 4 + 1 + 1 / 4) */
			last.height = sqrt(3);
		assert_int_equal(solve(&problem, linkage, NULL, &merges), 0);
		assert_merges_equal(merges, expected[linkage], 2);
		assert_merges_equal(merges + 2, &last, 1);
		free(merges);
	}
}

/* Large enough for the matrix to shrink, several times over. */
static void long_chains_shrink_and_give_the_same_tree(void **state)
{
	enum { M = 1100, BITS = 40 };
	const size_t stride = scope_linkage_stride(M);
	uint8_t *distances = malloc(M * stride), *copy = malloc(M * stride);
	double *points = calloc(BITS * stride, sizeof(*points));
	uint32_t *cluster = calloc(M, sizeof(*cluster));
	struct scope_merge *merges;
	uint64_t random = 3;

	(void)state;
	assert_true(distances && copy && points && cluster);
	for (uint32_t i = 0; i < M; i++)
		for (uint32_t k = 0; k < BITS; k++)
			points[k * stride + i] = random_below(&random, 1 + k) < 2;
	for (uint32_t i = 0; i < M; i++) {
		for (uint32_t j = 0; j < M; j++) {
			distances[i * stride + j] = 0;
			for (uint32_t k = 0; k < BITS; k++)
				distances[i * stride + j] += points[k * stride + i] !=
							     points[k * stride + j];
		}
	}
	memcpy(copy, distances, M * stride);
	assert_int_equal(scope_linkage_complete(copy, M, NULL, &merges), 0);
	assert_int_equal(merges[M - 2].size, M);
	/* Clusters at each cut are as wide as the last merge, and no two could be joined below it. */
	for (uint32_t cut = 0; cut < BITS; cut += 3) {
		static uint8_t wide[M][M];
		uint32_t count;

		assert_int_equal(scope_linkage_cut(merges, M, NULL, cut, cluster, &count), 0);
		memset(wide, 0, sizeof(wide));
		for (uint32_t i = 0; i < M; i++)
			for (uint32_t j = 0; j < M; j++)
				if (wide[cluster[i]][cluster[j]] < distances[i * stride + j])
					wide[cluster[i]][cluster[j]] = distances[i * stride + j];
		for (uint32_t a = 0; a < count; a++)
			for (uint32_t b = 0; b < count; b++)
				assert_true((wide[a][b] <= cut) == (a == b));
	}
	free(merges);
	assert_int_equal(scope_linkage_average(points, BITS, M, NULL, &merges), 0);
	assert_int_equal(merges[M - 2].size, M);
	for (uint32_t k = 1; k + 1 < M; k++)
		assert_true(merges[k - 1].height <= merges[k].height);
	free(merges);
	free(cluster);
	free(points);
	free(copy);
	free(distances);
}

/* A point of multiplicity w is w points at distance 0: the merges above 0 are the same. */
static void multiplicities_are_duplicated_points(void **state)
{
	static const enum scope_linkage linkages[] = { SCOPE_LINKAGE_AVERAGE, SCOPE_LINKAGE_WARD };
	uint64_t random = 3;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct problem problem = { 0 }, spread = { 0 };
		struct scope_merge *merges, *duplicated;
		uint32_t m, total = 0;

		invent(&problem, &random, false);
		m = problem.m = 2 + problem.m % 5;
		spread.dimensions = problem.dimensions = 5;
		for (uint32_t i = 0; i < m; i++) {
			problem.weight[i] = 1 + random_below(&random, 4);
			for (uint32_t k = 0; k < 5; k++)	/* distinct, and no more */
				problem.points[k * STRIDE + i] = (i + 1) >> k & 1;
			for (uint32_t copies = 0; copies < problem.weight[i]; copies++, total++)
				for (uint32_t k = 0; k < 5; k++)
					spread.points[k * STRIDE + total] =
						problem.points[k * STRIDE + i];
		}
		spread.m = total;
		for (size_t l = 0; l < 2; l++) {
			assert_int_equal(solve(&problem, linkages[l], problem.weight, &merges), 0);
			assert_int_equal(solve(&spread, linkages[l], NULL, &duplicated), 0);
			for (uint32_t k = 0; k < total - m; k++)
				assert_true(duplicated[k].height == 0);
			assert_int_equal(merges[m - 2].size, total);
			for (uint32_t k = 0; k + 1 < m; k++) {
				assert_true(merges[k].height == duplicated[total - m + k].height);
				assert_int_equal(merges[k].size, duplicated[total - m + k].size);
			}
			free(duplicated);
			free(merges);
		}
	}
}

static void no_point_and_one_point_have_no_merges(void **state)
{
	uint32_t label = 7, count = 7;
	struct problem problem = { 0 };

	(void)state;
	for (problem.m = 0; problem.m < 2; problem.m++) {
		for (int linkage = 0; linkage < TREES; linkage++) {
			struct scope_merge *merges;

			assert_int_equal(solve(&problem, linkage, NULL, &merges), 0);
			assert_int_equal(scope_linkage_cut(merges, problem.m, NULL, 4, &label, &count), 0);
			assert_int_equal(count, problem.m);
			free(merges);
		}
	}
	assert_int_equal(label, 0);
}

static void wrong_arguments_are_refused(void **state)
{
	struct problem problem = { .m = 2, .dimensions = 1 };
	const uint64_t weight[2] = { 1, 0 };
	struct scope_merge *merges = NULL;
	enum scope_linkage found = SCOPE_LINKAGE_COUNT;

	(void)state;
	for (int linkage = 0; linkage < TREES; linkage++)
		assert_int_equal(solve(&problem, linkage, weight, &merges), -EINVAL);
	problem.m = 1u << 24;
	for (int linkage = 0; linkage < TREES; linkage++)
		assert_int_equal(solve(&problem, linkage, NULL, &merges), -EINVAL);
	assert_null(merges);
	assert_null(scope_linkage_name(SCOPE_LINKAGE_COUNT));
	assert_int_equal(scope_linkage_find("singular", &found), -EINVAL);
	assert_int_equal(found, SCOPE_LINKAGE_COUNT);
	for (int linkage = 0; linkage < SCOPE_LINKAGE_COUNT; linkage++) {
		assert_int_equal(scope_linkage_find(scope_linkage_name(linkage), &found), 0);
		assert_int_equal(found, linkage);
	}
}

/* Real values whose sums round: the chain must come to an end and lose no point. */
static void rounded_sums_give_a_whole_tree(void **state)
{
	uint64_t random = 4;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct problem problem = { .m = M_MAX, .dimensions = 4 };
		struct scope_merge *merges;

		for (uint32_t k = 0; k < 4; k++)
			for (uint32_t i = 0; i < M_MAX; i++)
				problem.points[k * STRIDE + i] = 0.1 * (1 + random_below(&random, 3));
		assert_int_equal(solve(&problem, SCOPE_LINKAGE_WARD, NULL, &merges), 0);
		assert_int_equal(merges[M_MAX - 2].size, M_MAX);
		for (uint32_t k = 0; k + 1 < M_MAX; k++) {
			assert_true(merges[k].left < merges[k].right);
			assert_true(merges[k].right < M_MAX + k);
			assert_true(!k || merges[k - 1].height <= merges[k].height);
		}
		free(merges);
	}
}

/* Reads one problem behind its multiplicities and clusters it; NULL when it is no such thing. */
static struct scope_merge *answer(enum scope_linkage linkage, uint32_t m, const uint64_t *weight)
{
	size_t stride = scope_linkage_stride(m);
	uint8_t *distances = calloc(m, stride);
	struct scope_merge *merges = NULL;
	double *points = NULL, value;
	uint32_t dimensions = 0;

	assert_non_null(distances);
	if (linkage == SCOPE_LINKAGE_COMPLETE || linkage == SCOPE_LINKAGE_SINGLE) {
		for (uint32_t i = 0; i < m; i++)
			for (uint32_t j = i + 1; j < m; j++)
				if (scanf("%lf", &value) == 1)
					distances[i * stride + j] = distances[j * stride + i] = value;
		if (linkage == SCOPE_LINKAGE_COMPLETE)
			scope_linkage_complete(distances, m, weight, &merges);
		else
			scope_linkage_single(distances, m, weight, &merges);
	} else if (scanf("%" SCNu32, &dimensions) == 1) {
		points = calloc(dimensions * stride, sizeof(*points));
		assert_non_null(points);
		for (uint32_t k = 0; k < dimensions; k++)
			for (uint32_t i = 0; i < m; i++)
				if (scanf("%lf", &points[k * stride + i]) != 1)
					goto free_all;
		if (linkage == SCOPE_LINKAGE_AVERAGE)
			scope_linkage_average(points, dimensions, m, weight, &merges);
		else
			scope_linkage_ward(points, dimensions, m, weight, &merges);
	}
free_all:
	free(points);
	free(distances);
	return merges;
}

/*
 * Problems: a linkage's name, m, m multiplicities; then the condensed distances, or the number of
 * dimensions and m values for each. Answers: one merge a line.
 */
static int filter(void)
{
	char name[16];
	uint32_t m;

	while (scanf("%15s %" SCNu32, name, &m) == 2) {
		enum scope_linkage linkage;
		struct scope_merge *merges;
		uint64_t weight[1000];

		if (m < 2 || m > 1000 || scope_linkage_find(name, &linkage))
			return 1;
		for (uint32_t i = 0; i < m; i++)
			if (scanf("%" SCNu64, &weight[i]) != 1)
				return 1;
		merges = answer(linkage, m, weight);
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
		cmocka_unit_test(tied_problems_give_the_naive_tree),
		cmocka_unit_test(cut_gives_the_naive_clusters),
		cmocka_unit_test(cut_takes_other_widths),
		cmocka_unit_test(long_chains_shrink_and_give_the_same_tree),
		cmocka_unit_test(multiplicities_are_duplicated_points),
		cmocka_unit_test(no_point_and_one_point_have_no_merges),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(rounded_sums_give_a_whole_tree),
	};

	if (argc > 1 && !strcmp(argv[1], "--merges"))
		return filter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
