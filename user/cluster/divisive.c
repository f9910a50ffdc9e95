// SPDX-License-Identifier: GPL-2.0-only
/* Splits the points of a pack from the top, until no cluster is wider than the cut. */
#include "cluster/divisive.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 20

struct split {
	const struct scope_pack *pack;
	double cut;
	uint32_t *points; /* by cluster, ascending within each */
	uint32_t *spare;  /* room for as many */
};

/* The first of the points farthest from @from. */
static uint32_t farthest(const struct split *split, const uint32_t *points, uint32_t n, uint32_t from,
			 uint32_t *ret_distance)
{
	uint32_t best = points[0], most = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t d = scope_cluster_pack_distance(split->pack, from, points[i]);

		if (d > most) {
			most = d;
			best = points[i];
		}
	}
	*ret_distance = most;
	return best;
}

/* Finds two points farther apart than the cut, to begin with. Returns false if there are none. */
static bool find_seeds(const struct split *split, const uint32_t *points, uint32_t n, uint32_t seeds[2])
{
	uint32_t medoid, radius, most;
	uint64_t sum;

	scope_cluster_pack_medoid(split->pack, points, n, &medoid, &sum);
	seeds[0] = farthest(split, points, n, medoid, &radius);
	if (2 * radius <= split->cut)
		return false;
	seeds[1] = farthest(split, points, n, seeds[0], &most);
	if (most > split->cut)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = i + 1; j < n; j++) {
			uint32_t d = scope_cluster_pack_distance(split->pack, points[i], points[j]);

			if (d > most) {
				most = d;
				seeds[0] = points[i];
				seeds[1] = points[j];
			}
		}
	}
	return most > split->cut;
}

/* Puts the points nearer to the first seed before the others. Returns how many they are. */
static uint32_t part(struct split *split, uint32_t *points, uint32_t n, const uint32_t seeds[2])
{
	uint32_t near = 0, far = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t p = points[i];

		if (scope_cluster_pack_distance(split->pack, p, seeds[0]) <=
		    scope_cluster_pack_distance(split->pack, p, seeds[1]))
			points[near++] = p;
		else
			split->spare[far++] = p;
	}
	memcpy(points + near, split->spare, far * sizeof(*points));
	return near;
}

static int compare_points(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Splits in two; returns the size of the first part, or @n if no split is needed. */
static uint32_t split_in_two(struct split *split, uint32_t *points, uint32_t n)
{
	uint32_t seeds[2], near = n;

	if (n < 2 || !find_seeds(split, points, n, seeds))
		return n;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		uint32_t medoids[2];
		uint64_t sum;

		/* Ties between medoids are decided by the order of points, which splitting has changed. */
		if (round)
			qsort(points, n, sizeof(*points), compare_points);
		near = part(split, points, n, seeds);
		scope_cluster_pack_medoid(split->pack, points, near, &medoids[0], &sum);
		scope_cluster_pack_medoid(split->pack, points + near, n - near, &medoids[1], &sum);
		if (!memcmp(medoids, seeds, sizeof(seeds)))
			break;
		memcpy(seeds, medoids, sizeof(seeds));
	}
	return near;
}

/* Splits until no cluster needs a split; marks in @starts where clusters begin. */
static void split_all(struct split *split, uint32_t m, bool *starts)
{
	uint32_t at = 0;

	starts[0] = true;
	while (at < m) {
		uint32_t end = at + 1, near;

		while (end < m && !starts[end])
			end++;
		near = split_in_two(split, split->points + at, end - at);
		if (near == end - at)
			at = end;
		else
			starts[at + near] = true;
	}
}

int scope_cluster_divisive_run(const struct scope_pack *pack, const uint32_t *points, uint32_t m, double cut,
			       uint32_t *labels, uint32_t *ret_count)
{
	uint32_t *room = calloc(m + 1ul, 3 * sizeof(*room));
	bool *starts = calloc(m + 1ul, sizeof(*starts));
	struct split split = { pack, cut, room, room ? room + m + 1 : NULL };
	uint32_t cluster = 0, count = 0, *number = room ? room + 2 * (m + 1ul) : NULL;
	int err = -ENOMEM;

	if (!room || !starts)
		goto free_all;
	memcpy(split.points, points, m * sizeof(*points));
	split_all(&split, m, starts);
	/* Labels first by cluster, then renumbers by the first point of each. */
	for (uint32_t i = 0; i < m; i++) {
		const uint32_t *at = bsearch(&split.points[i], points, m, sizeof(*points), compare_points);

		cluster += i && starts[i];
		labels[at - points] = cluster;
	}
	for (uint32_t i = 0; i < m; i++) {
		if (!number[labels[i]])
			number[labels[i]] = ++count;
		labels[i] = number[labels[i]] - 1;
	}
	*ret_count = count;
	err = 0;
free_all:
	free(starts);
	free(room);
	return err;
}
