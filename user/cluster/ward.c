// SPDX-License-Identifier: GPL-2.0-only
/* Clusters vectors by how often their units make each call, with Ward's linkage. */
#include "cluster/ward.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cluster/linkage.h"

/* The points, and the clusters of a tree while it is cut. */
struct points {
	double *values; /* dimensions * stride */
	uint64_t *multiplicity;
	uint32_t dimensions, m;
	size_t stride;
};

static void free_points(struct points *points)
{
	free(points->multiplicity);
	free(points->values);
}

static uint32_t list_bits(const struct scope_vector_set *set, const uint32_t *ids, uint32_t m, uint16_t *bits)
{
	struct scope_vector any = { 0 };
	uint32_t count = 0;

	for (uint32_t i = 0; i < m; i++)
		for (int w = 0; w < SCOPE_VECTOR_WORDS; w++)
			any.word[w] |= scope_cluster_vector_set_get(set, ids[i])->word[w];
	for (uint32_t bit = 0; bit < SCOPE_VECTOR_BITS; bit++)
		if (scope_cluster_vector_has(&any, bit))
			bits[count++] = bit;
	return count;
}

static int fill_points(struct points *points, const struct scope_vector_set *set, const struct scope_levels *levels,
		       const uint32_t *ids, const uint16_t *bits)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < points->m; i++) {
		const struct scope_vector *vector = scope_cluster_vector_set_get(set, ids[i]);

		points->multiplicity[i] = scope_cluster_vector_set_multiplicity(set, ids[i]);
		for (uint32_t k = 0; !err && k < points->dimensions; k++) {
			double *value = &points->values[k * points->stride + i];

			if (!scope_cluster_vector_has(vector, bits[k]))
				continue;
			*value = 1;
			if (levels)
				err = levels->level(levels->user, ids[i], bits[k], value);
		}
	}
	return err;
}

static double square_between(const struct points *points, uint32_t a, uint32_t b)
{
	double sum = 0;

	for (uint32_t k = 0; k < points->dimensions; k++) {
		double apart = points->values[k * points->stride + a] - points->values[k * points->stride + b];

		sum += apart * apart;
	}
	return sum;
}

/* The greatest distance between points of two lists, or the first that exceeds the cut. */
static double widest_between(const struct points *points, const uint32_t *next, uint32_t a, uint32_t b, double cut)
{
	double most = 0;

	for (uint32_t i = a; i != UINT32_MAX; i = next[i]) {
		for (uint32_t j = b; j != UINT32_MAX; j = next[j]) {
			double square = square_between(points, i, j);

			most = square > most ? square : most;
			if (most > cut)
				return most;
		}
	}
	return most;
}

/*
 * The diameter of each node as a square, INFINITY above the cut. The points of a node are a list: first[node],
 * next[]..., last[node]. Every pair is measured at most once.
 */
static int measure_nodes(const struct points *points, const struct scope_merge *merges, double cut, double *width)
{
	uint32_t m = points->m, *list = calloc(m, 5 * sizeof(*list));
	uint32_t *next = list, *first = list + m, *last = list + 3ul * m;

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < m; i++) {
		next[i] = UINT32_MAX;
		first[i] = last[i] = i;
	}
	for (uint32_t k = 0; k + 1 < m; k++) {
		uint32_t a = merges[k].left, b = merges[k].right;
		double left = a < m ? 0 : width[a - m], right = b < m ? 0 : width[b - m];

		width[k] = left > right ? left : right;
		if (width[k] <= cut)
			width[k] = fmax(width[k], widest_between(points, next, first[a], first[b], cut));
		if (width[k] > cut) {
			width[k] = INFINITY;
			continue;
		}
		next[last[a]] = first[b];
		first[m + k] = first[a];
		last[m + k] = last[b];
	}
	free(list);
	return 0;
}

static int cut_tree(const struct points *points, double cut, uint32_t *labels, uint32_t *ret_count)
{
	double *width = calloc(points->m + 1ul, sizeof(*width));
	struct scope_merge *merges = NULL;
	int err = -ENOMEM;

	if (width)
		err = scope_cluster_linkage_ward(points->values, points->dimensions, points->m, points->multiplicity,
						 &merges);
	if (!err && points->m > 1)
		err = measure_nodes(points, merges, cut, width);
	if (!err)
		err = scope_cluster_linkage_cut(merges, points->m, width, cut, labels, ret_count);
	free(merges);
	free(width);
	return err;
}

int scope_cluster_ward_run(const struct scope_vector_set *set, const struct scope_levels *levels, const uint32_t *ids,
			   uint32_t m, double cut, uint32_t *labels, uint32_t *ret_count)
{
	uint16_t bits[SCOPE_VECTOR_BITS];
	struct points points = { .m = m, .stride = scope_cluster_linkage_stride(m) };
	int err = -ENOMEM;

	points.dimensions = list_bits(set, ids, m, bits);
	points.values = calloc(points.dimensions * points.stride + 1, sizeof(*points.values));
	points.multiplicity = calloc(m + 1ul, sizeof(*points.multiplicity));
	if (points.values && points.multiplicity)
		err = fill_points(&points, set, levels, ids, bits);
	if (!err)
		err = cut_tree(&points, cut, labels, ret_count);
	free_points(&points);
	return err;
}
