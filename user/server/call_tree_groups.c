// SPDX-License-Identifier: GPL-2.0-only
/* Groups of threads with like call trees. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cluster/chain.h"
#include "server/call_tree.h"

/* Average linkage on a square matrix of distances. */
struct average {
	float *distance; /* rows of `count` */
	uint32_t count;
	uint32_t *size; /* by slot; 0: it is gone */
};

static uint32_t nearest(void *state, uint32_t slot, double *ret_height)
{
	const struct average *average = state;
	const float *row = average->distance + (size_t)slot * average->count;
	uint32_t best = slot;

	for (uint32_t i = 0; i < average->count; i++)
		if (i != slot && average->size[i] && (best == slot || row[i] < row[best]))
			best = i;
	*ret_height = row[best];
	return best;
}

static void join(void *state, uint32_t kept, uint32_t gone)
{
	struct average *average = state;
	float *row = average->distance + (size_t)kept * average->count;
	const float *other = average->distance + (size_t)gone * average->count;
	const float a = (float)average->size[kept], b = (float)average->size[gone];

	for (uint32_t i = 0; i < average->count; i++) {
		if (i == kept || i == gone || !average->size[i])
			continue;
		row[i] = (a * row[i] + b * other[i]) / (a + b);
		average->distance[(size_t)i * average->count + kept] = row[i];
	}
	average->size[kept] += average->size[gone];
	average->size[gone] = 0;
}

static int group_some(const struct scope_call_tree *const *tree, uint32_t count, uint32_t *ret_label,
		      uint32_t *ret_groups)
{
	struct average average = {
		.distance = malloc((size_t)count * count * sizeof(float)),
		.count = count,
		.size = malloc(count * sizeof(uint32_t)),
	};
	const struct scope_chain_clusters clusters = { .state = &average, .nearest = nearest, .join = join };
	struct scope_merge *merges = NULL;
	int err = average.distance && average.size ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < count; i++) {
		average.size[i] = 1;
		average.distance[(size_t)i * count + i] = 0;
		for (uint32_t j = 0; j < i; j++)
			average.distance[(size_t)i * count + j] = average.distance[(size_t)j * count + i] =
				(float)scope_server_call_tree_apart(tree[i], tree[j]);
	}
	if (!err)
		err = scope_cluster_chain_prepare(count, NULL, &merges);
	if (!err && count > 1)
		err = scope_cluster_chain_follow(&clusters, count, merges);
	if (!err)
		err = scope_cluster_chain_finish(err, merges, count, NULL, &merges);
	else
		free(merges);
	if (!err) {
		err = scope_cluster_linkage_cut(merges, count, NULL, SCOPE_CALL_TREE_CUT, ret_label, ret_groups);
		free(merges);
	}
	free(average.distance);
	free(average.size);
	return err;
}

/* The first tree of the nearest group. */
static uint32_t nearest_group(const struct scope_call_tree *const *tree, const uint32_t *label, uint32_t count,
			      const struct scope_call_tree *of)
{
	double least = INFINITY;
	uint32_t best = 0, seen = 0;

	for (uint32_t i = 0; i < count; i++) {
		double apart;

		if (label[i] != seen)
			continue;
		seen++;
		apart = scope_server_call_tree_apart(tree[i], of);
		if (apart < least) {
			least = apart;
			best = label[i];
		}
	}
	return best;
}

int scope_server_call_tree_groups(const struct scope_call_tree *const *tree, size_t count, uint32_t *ret_label,
				  uint32_t *ret_groups)
{
	const uint32_t some = count < SCOPE_CALL_TREES_MAX ? (uint32_t)count : SCOPE_CALL_TREES_MAX;
	int err;

	*ret_groups = 0;
	if (!count)
		return 0;
	err = group_some(tree, some, ret_label, ret_groups);
	for (size_t i = some; !err && i < count; i++)
		ret_label[i] = nearest_group(tree, ret_label, some, tree[i]);
	return err;
}
