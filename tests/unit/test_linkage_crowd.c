// SPDX-License-Identifier: GPL-2.0-only
/* Average and Ward linkage of many points with ties, compared with a program that compares all pairs of sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cluster/linkage.h"

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % bound;
}

/* Sums of clusters, and the closest pair of them by comparing all: more than one block holds. */
enum { CROWD = 150, CROWD_BITS = 9 };

struct crowd {
	double sum[CROWD][CROWD_BITS], size[CROWD];
	uint32_t node[CROWD];
	bool gone[CROWD], ward;
};

static double crowd_distance(const struct crowd *crowd, uint32_t a, uint32_t b)
{
	const double *x = crowd->sum[a], *y = crowd->sum[b];
	const double n = crowd->size[a], k = crowd->size[b];
	double sum = 0;

	for (int i = 0; i < CROWD_BITS; i++)
		sum += crowd->ward ? (x[i] * k - y[i] * n) * (x[i] * k - y[i] * n)
				   : x[i] * (k - y[i]) + y[i] * (n - x[i]);
	return crowd->ward ? sqrt(sum / (n * k * (n + k) / 2)) : sum / (n * k);
}

static struct scope_merge crowd_step(struct crowd *crowd, uint32_t step)
{
	uint32_t left = 0, right = 0;
	double least = INFINITY;
	struct scope_merge merge;

	for (uint32_t a = 0; a < CROWD; a++) {
		for (uint32_t b = a + 1; !crowd->gone[a] && b < CROWD; b++) {
			if (crowd->gone[b] || crowd_distance(crowd, a, b) >= least)
				continue;
			least = crowd_distance(crowd, a, b);
			left = a;
			right = b;
		}
	}
	for (int i = 0; i < CROWD_BITS; i++)
		crowd->sum[left][i] += crowd->sum[right][i];
	crowd->size[left] += crowd->size[right];
	crowd->gone[right] = true;
	merge = (struct scope_merge){ crowd->node[left], crowd->node[right], least, (uint64_t)crowd->size[left] };
	if (merge.left > merge.right) {
		merge.left = merge.right;
		merge.right = crowd->node[left];
	}
	crowd->node[left] = CROWD + step;
	return merge;
}

/* Nearly all distances are tied, and the numbers small enough to be exact. */
static void crowds_give_the_naive_tree(void **state)
{
	static double points[CROWD_BITS * 192];
	const size_t stride = scope_cluster_linkage_stride(CROWD);
	uint64_t random = 5;

	(void)state;
	assert_true(stride * CROWD_BITS <= sizeof(points) / sizeof(*points));
	for (int round = 0; round < 8; round++) {
		static struct scope_merge expected[CROWD];
		struct crowd crowd = { .ward = round % 2 };
		uint64_t weight[CROWD];
		struct scope_merge *merges;

		for (uint32_t i = 0; i < CROWD; i++) {
			weight[i] = crowd.ward ? 1 : 1 + random_below(&random, 1000);
			crowd.size[i] = weight[i];
			crowd.node[i] = i;
			for (int k = 0; k < CROWD_BITS; k++) {
				/* Ward's values need not be 0 and 1. */
				points[k * stride + i] = crowd.ward ? random_below(&random, 4) - 1.
								    : random_below(&random, 2);
				crowd.sum[i][k] = points[k * stride + i] * weight[i];
			}
		}
		for (uint32_t k = 0; k + 1 < CROWD; k++)
			expected[k] = crowd_step(&crowd, k);
		assert_int_equal(crowd.ward ? scope_cluster_linkage_ward(points, CROWD_BITS, CROWD, weight, &merges)
					    : scope_cluster_linkage_average(points, CROWD_BITS, CROWD, weight, &merges),
				 0);
		for (uint32_t k = 0; k + 1 < CROWD; k++) {
			assert_int_equal(merges[k].left, expected[k].left);
			assert_int_equal(merges[k].right, expected[k].right);
			assert_true(merges[k].height == expected[k].height);
			assert_int_equal(merges[k].size, expected[k].size);
		}
		free(merges);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(crowds_give_the_naive_tree) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
