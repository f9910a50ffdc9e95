// SPDX-License-Identifier: GPL-2.0-only
/* The call tree of a thread, as counts of its stacks by node, and groups of threads with like trees. */
#include "server/call_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "cluster/chain.h"

#define CHANCE_TIMES 2 /* times the mean distance by chance: up to this there is no difference */

int scope_server_call_tree_add(struct scope_call_tree *tree, uint32_t node)
{
	if (tree->nodes && tree->node[tree->nodes - 1].node == node) {
		tree->node[tree->nodes - 1].count++;
		tree->stacks++;
		return 0;
	}
	if (scope_grow(&tree->node, &tree->capacity, tree->nodes + 1, sizeof(*tree->node)))
		return -ENOMEM;
	tree->node[tree->nodes++] = (struct scope_call_count){ node, 1 };
	tree->stacks++;
	return 0;
}

static int by_node(const void *left, const void *right)
{
	const struct scope_call_count *a = left, *b = right;

	return (a->node > b->node) - (a->node < b->node);
}

void scope_server_call_tree_sort(struct scope_call_tree *tree)
{
	size_t to = 0;

	if (!tree->nodes)
		return;
	qsort(tree->node, tree->nodes, sizeof(*tree->node), by_node);
	for (size_t i = 1; i < tree->nodes; i++) {
		if (tree->node[i].node == tree->node[to].node)
			tree->node[to].count += tree->node[i].count;
		else
			tree->node[++to] = tree->node[i];
	}
	tree->nodes = to + 1;
}

void scope_server_call_tree_free(struct scope_call_tree *tree)
{
	free(tree->node);
	*tree = (struct scope_call_tree){ 0 };
}

/* Walks both at once. *ret_chance: by what two samples of both together would differ on average. */
static double compare(const struct scope_call_tree *a, const struct scope_call_tree *b, double *ret_chance)
{
	const double all = (double)a->stacks + b->stacks, parts = 1.0 / a->stacks + 1.0 / b->stacks;
	double sum = 0, chance = 0;
	size_t i = 0, j = 0;

	while (i < a->nodes || j < b->nodes) {
		const uint32_t left = i < a->nodes ? a->node[i].node : UINT32_MAX;
		const uint32_t right = j < b->nodes ? b->node[j].node : UINT32_MAX;
		const double one = left <= right ? a->node[i++].count : 0,
			     other = right <= left ? b->node[j++].count : 0;
		const double share = (one + other) / all;

		sum += fabs(one / a->stacks - other / b->stacks);
		chance += sqrt(share * (1 - share) * parts);
	}
	/* The mean of the size of a normal variable is sqrt(2 / pi) of its standard deviation. */
	*ret_chance = chance * sqrt(2 / M_PI) / 2;
	return sum / 2;
}

double scope_server_call_tree_apart(const struct scope_call_tree *a, const struct scope_call_tree *b)
{
	double chance, distance = compare(a, b, &chance);

	return fmax(distance - CHANCE_TIMES * chance, 0);
}

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
