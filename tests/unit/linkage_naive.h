/* SPDX-License-Identifier: GPL-2.0-only */
/* Problems for linkage trees, and a simple O(m^3) program that solves them by the same tie rule. */
#ifndef SCOPE_TESTS_LINKAGE_NAIVE_H
#define SCOPE_TESTS_LINKAGE_NAIVE_H

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
#define STRIDE 64 /* of matrices and points of up to 64 */
#define ROUNDS 400
#define TREES 4 /* linkages that make one */

static inline uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % bound;
}

/* The input of clustering: complete and single linkage read the matrix, the others the points. */
struct problem {
	uint32_t m, dimensions;
	uint8_t distances[M_MAX * STRIDE];
	double points[DIMENSIONS_MAX * STRIDE];
	uint64_t weight[M_MAX];
};

static inline int solve(const struct problem *problem, enum scope_linkage linkage, const uint64_t *weight,
			struct scope_merge **merges)
{
	uint8_t copy[M_MAX * STRIDE];

	memcpy(copy, problem->distances, sizeof(copy));
	switch (linkage) {
	case SCOPE_LINKAGE_COMPLETE:
		return scope_cluster_linkage_complete(copy, problem->m, weight, merges);
	case SCOPE_LINKAGE_SINGLE:
		return scope_cluster_linkage_single(copy, problem->m, weight, merges);
	case SCOPE_LINKAGE_AVERAGE:
		return scope_cluster_linkage_average(problem->points, problem->dimensions, problem->m, weight, merges);
	default:
		return scope_cluster_linkage_ward(problem->points, problem->dimensions, problem->m, weight, merges);
	}
}

/* Few different values, so that nearly every step has a tie to break. */
static inline void invent(struct problem *problem, uint64_t *random, bool weighted)
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
	uint32_t of[M_MAX];   /* cluster of each point, named by its smallest point */
	uint32_t node[M_MAX]; /* by cluster */
};

/* By the matrix; for single linkage also between which pair of points it is. */
static inline double naive_by_matrix(const struct naive *naive, uint32_t a, uint32_t b, uint32_t *lo, uint32_t *hi)
{
	int least = 256, most = -1;

	for (uint32_t i = 0; i < naive->problem->m; i++) {
		for (uint32_t j = i + 1; j < naive->problem->m; j++) {
			int d = naive->problem->distances[i * STRIDE + j];

			if (!(naive->of[i] == a && naive->of[j] == b) && !(naive->of[i] == b && naive->of[j] == a))
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

/* By all pairs of members (average), or by the two means (Ward): twice the growth of squares. */
static inline double naive_by_points(const struct naive *naive, uint32_t a, uint32_t b)
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
				if (naive->linkage == SCOPE_LINKAGE_AVERAGE && naive->of[i] == a && naive->of[j] == b &&
				    value[i] != value[j])
					sum += (double)problem->weight[i] * problem->weight[j];
		}
		if (naive->linkage == SCOPE_LINKAGE_WARD)
			sum += (sum_a * size_b - sum_b * size_a) * (sum_a * size_b - sum_b * size_a);
	}
	if (naive->linkage == SCOPE_LINKAGE_AVERAGE)
		return sum / (size_a * size_b);
	return sqrt(sum / (size_a * size_b * (size_a + size_b) / 2));
}

static inline double naive_distance(const struct naive *naive, uint32_t a, uint32_t b, uint32_t *lo, uint32_t *hi)
{
	*lo = a;
	*hi = b;
	if (naive->linkage == SCOPE_LINKAGE_AVERAGE || naive->linkage == SCOPE_LINKAGE_WARD)
		return naive_by_points(naive, a, b);
	return naive_by_matrix(naive, a, b, lo, hi);
}

static inline void naive_step(struct naive *naive, uint32_t step, struct scope_merge *merge)
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
			if (d < best || (d == best && (lo < best_lo || (lo == best_lo && hi < best_hi)))) {
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
	*merge = (struct scope_merge){ best_lo < best_hi ? best_lo : best_hi, best_lo < best_hi ? best_hi : best_lo,
				       best, size };
	naive->node[best_a] = m + step;
}

static inline void assert_merges_equal(const struct scope_merge *merges, const struct scope_merge *expected,
				       uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		assert_int_equal(merges[k].left, expected[k].left);
		assert_int_equal(merges[k].right, expected[k].right);
		assert_true(merges[k].height == expected[k].height);
		assert_int_equal(merges[k].size, expected[k].size);
	}
}

static inline void naive_start(struct naive *naive)
{
	for (uint32_t i = 0; i < naive->problem->m; i++)
		naive->of[i] = naive->node[i] = i;
}

#endif
