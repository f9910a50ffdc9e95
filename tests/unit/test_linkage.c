// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linkage trees against hand-worked ones and a naive O(m^3) program with the same tie rule.
 *
 * Called as `test_linkage --merges` it is a filter instead: problems on standard input, merges on
 * standard output, for oracle_linkage.py to compare with other implementations.
 */
#include "linkage_naive.h"

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
		assert_int_equal(scope_cluster_linkage_cut(merges, problem.m, NULL, cut, labels, &count), 0);
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
	assert_int_equal(scope_cluster_linkage_cut(merges, 4, width, 4, labels, &count), 0);
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
		[SCOPE_LINKAGE_WARD] = { { 0, 1, 1, 2 }, { 2, 3, 1, 2 }, { 4, 5, 0, 4 } }, /* height below */
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

		if (linkage == SCOPE_LINKAGE_WARD) /* 2 * 4 / 4 * (1 / 4 + 1 + 1 / 4) */
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
	const size_t stride = scope_cluster_linkage_stride(M);
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
				distances[i * stride + j] += points[k * stride + i] != points[k * stride + j];
		}
	}
	memcpy(copy, distances, M * stride);
	assert_int_equal(scope_cluster_linkage_complete(copy, M, NULL, &merges), 0);
	assert_int_equal(merges[M - 2].size, M);
	/* Clusters at each cut are as wide as the last merge, and no two could be joined below it. */
	for (uint32_t cut = 0; cut < BITS; cut += 3) {
		static uint8_t wide[M][M];
		uint32_t count;

		assert_int_equal(scope_cluster_linkage_cut(merges, M, NULL, cut, cluster, &count), 0);
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
	assert_int_equal(scope_cluster_linkage_average(points, BITS, M, NULL, &merges), 0);
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
			for (uint32_t k = 0; k < 5; k++) /* distinct, and no more */
				problem.points[k * STRIDE + i] = (i + 1) >> k & 1;
			for (uint32_t copies = 0; copies < problem.weight[i]; copies++, total++)
				for (uint32_t k = 0; k < 5; k++)
					spread.points[k * STRIDE + total] = problem.points[k * STRIDE + i];
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
			assert_int_equal(scope_cluster_linkage_cut(merges, problem.m, NULL, 4, &label, &count), 0);
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
	assert_null(scope_cluster_linkage_name(SCOPE_LINKAGE_COUNT));
	assert_int_equal(scope_cluster_linkage_find("singular", &found), -EINVAL);
	assert_int_equal(found, SCOPE_LINKAGE_COUNT);
	for (int linkage = 0; linkage < SCOPE_LINKAGE_COUNT; linkage++) {
		assert_int_equal(scope_cluster_linkage_find(scope_cluster_linkage_name(linkage), &found), 0);
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

/* Reads one problem after its multiplicities and clusters it; NULL when it is no such thing. */
static struct scope_merge *answer(enum scope_linkage linkage, uint32_t m, const uint64_t *weight)
{
	size_t stride = scope_cluster_linkage_stride(m);
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
			scope_cluster_linkage_complete(distances, m, weight, &merges);
		else
			scope_cluster_linkage_single(distances, m, weight, &merges);
	} else if (scanf("%" SCNu32, &dimensions) == 1) {
		points = calloc(dimensions * stride, sizeof(*points));
		assert_non_null(points);
		for (uint32_t k = 0; k < dimensions; k++)
			for (uint32_t i = 0; i < m; i++)
				if (scanf("%lf", &points[k * stride + i]) != 1)
					goto free_all;
		if (linkage == SCOPE_LINKAGE_AVERAGE)
			scope_cluster_linkage_average(points, dimensions, m, weight, &merges);
		else
			scope_cluster_linkage_ward(points, dimensions, m, weight, &merges);
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

		if (m < 2 || m > 1000 || scope_cluster_linkage_find(name, &linkage))
			return 1;
		for (uint32_t i = 0; i < m; i++)
			if (scanf("%" SCNu64, &weight[i]) != 1)
				return 1;
		merges = answer(linkage, m, weight);
		if (!merges)
			return 1;
		for (uint32_t k = 0; k + 1 < m; k++)
			printf("%u %u %.17g %" PRIu64 "\n", merges[k].left, merges[k].right, merges[k].height,
			       merges[k].size);
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
