// SPDX-License-Identifier: GPL-2.0-only
/* Makes the trees of an exploration from the first round: which paths vary or are slow, and in which edge. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "explore/explore.h"

double scope_explore_share(const struct scope_round_kind *kind, const struct scope_round_path *path, bool slow,
			   const struct scope_part_sums *part)
{
	const double all_ns = scope_explore_round_mean(kind, path) * (double)path->spread.units;

	if (slow)
		return all_ns > 0 ? part->sum / all_ns : 0;
	return scope_variance_share(&path->spread, part);
}

static enum scope_forest_state judge(const struct scope_explore *explore, const struct scope_round_kind *kind,
				     const struct scope_round_path *path)
{
	const struct scope_forest_limits *limits = &explore->options.limits;

	if (path->spread.units < SCOPE_EXPLORE_REQUESTS_MIN || path->rest)
		return SCOPE_FOREST_FEW;
	if (scope_explore_round_cv(kind, path) > limits->cv)
		return SCOPE_FOREST_UNPREDICTABLE;
	return scope_explore_round_mean(kind, path) > scope_sketch_quantile(&kind->own, limits->slow)
		       ? SCOPE_FOREST_SLOW
		       : SCOPE_FOREST_EVEN;
}

/* Sums of squared differences from the kind's mean: all of them, and those within a path. */
static double scatter(const struct scope_round_path *path)
{
	return scope_variance_of(&path->spread) * (double)path->spread.units;
}

static double within(const struct scope_round_kind *kind)
{
	double sum = 0;

	for (size_t i = 0; i < kind->paths; i++)
		sum += scatter(&kind->path[i]);
	return sum;
}

static uint64_t requests_of(const struct scope_round_kind *kind, uint64_t edges_hash)
{
	uint64_t requests = 0;

	for (size_t i = 0; i < kind->paths; i++)
		requests += kind->path[i].edges_hash == edges_hash ? kind->path[i].spread.units : 0;
	return requests;
}

/* True if an earlier path has the same edges: only the bin is another one. */
static bool came_before(const struct scope_round_kind *kind, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (kind->path[i].edges_hash == kind->path[at].edges_hash)
			return true;
	return false;
}

/* The path's place among the paths of the kind, by number of requests; bins of a path have the same number. */
static unsigned number_of(const struct scope_round_kind *kind, const struct scope_round_path *path)
{
	const uint64_t requests = requests_of(kind, path->edges_hash);
	unsigned number = 1;

	for (size_t i = 0; i < kind->paths; i++) {
		const uint64_t hash = kind->path[i].edges_hash, others = requests_of(kind, hash);

		if (!came_before(kind, i))
			number += others > requests || (others == requests && hash < path->edges_hash);
	}
	return number;
}

/* Names the bin in which the path's requests are, by its values. */
static void name_bin(const struct scope_explore *explore, const struct scope_round_path *path,
		     struct scope_explore_tree *tree)
{
	for (size_t i = 0; i < explore->splits && path->bin; i++) {
		const struct scope_round_split *split = &explore->split[i];
		const struct scope_key_relation *key;

		if (strcmp(split->kind, tree->group) != 0)
			continue;
		for (size_t k = 0; k < explore->kinds; k++) {
			if (strcmp(explore->kind[k].name, split->kind) != 0)
				continue;
			key = &explore->kind[k].keys.key[split->key];
			memcpy(tree->key, key->name, sizeof(tree->key));
			tree->key_from = key->bin[path->bin - 1].from;
			tree->key_to = key->bin[path->bin - 1].to;
		}
	}
}

static void find_edge(const struct scope_round_kind *kind, const struct scope_round_path *path,
		      struct scope_explore_tree *tree)
{
	const bool slow = tree->state == SCOPE_FOREST_SLOW;
	const struct scope_round_edge *most = NULL;

	for (size_t i = 0; i < path->edges; i++) {
		const double share = scope_explore_share(kind, path, slow, &path->edge[i].own);

		if (most && share <= tree->edge_share)
			continue;
		most = &path->edge[i];
		tree->edge_share = share;
	}
	if (!most)
		return;
	tree->edge = most->edge;
	tree->edge_ns = most->own.sum / (double)path->spread.units;
	tree->sleeps = scope_explore_share(kind, path, slow, &most->sleeps) > tree->edge_share / 2;
}

static void add_tree(struct scope_explore *explore, const struct scope_round_kind *kind,
		     const struct scope_round_path *path, enum scope_forest_state state, double weight)
{
	struct scope_explore_tree *tree = NULL;

	if (explore->trees < SCOPE_EXPLORE_TREES) {
		tree = &explore->tree[explore->trees++];
	} else {
		explore->left_out++;
		for (size_t i = 0; i < explore->trees; i++)
			if (explore->tree[i].weight < weight && (!tree || explore->tree[i].weight < tree->weight))
				tree = &explore->tree[i];
	}
	if (!tree)
		return;
	*tree = (struct scope_explore_tree){
		.hash = path == &kind->all ? 0 : path->hash,
		.number = path == &kind->all ? 0 : number_of(kind, path),
		.state = state,
		.requests = path->spread.units,
		.mean_ns = scope_explore_round_mean(kind, path),
		.cv = scope_explore_round_cv(kind, path),
		.latency_share = scatter(&kind->all) > 0 ? scatter(path) / scatter(&kind->all) : 0,
		.weight = weight,
	};
	memcpy(tree->group, kind->name, sizeof(tree->group));
	name_bin(explore, path, tree);
	find_edge(kind, path, tree);
}

static void plant_kind(struct scope_explore *explore, const struct scope_round_kind *kind)
{
	const double all = scatter(&kind->all), mean = scope_explore_round_mean(kind, &kind->all);
	bool slow = false;

	for (size_t i = 0; i < kind->paths; i++) {
		const struct scope_round_path *path = &kind->path[i];
		const enum scope_forest_state state = judge(explore, kind, path);
		const double above = scope_explore_round_mean(kind, path) - mean;

		if (state == SCOPE_FOREST_UNPREDICTABLE && scatter(path) >= SCOPE_EXPLORE_SHARE_MIN * all)
			add_tree(explore, kind, path, state, scatter(path));
		if (state == SCOPE_FOREST_SLOW) {
			add_tree(explore, kind, path, state, above * above * (double)path->spread.units);
			slow = true;
		}
	}
	/* The paths vary little, but differ from each other: the tree is that of the whole kind. */
	if (!slow && all > 0 && 1 - within(kind) / all >= SCOPE_EXPLORE_BETWEEN &&
	    scope_explore_round_cv(kind, &kind->all) > explore->options.limits.cv)
		add_tree(explore, kind, &kind->all, SCOPE_FOREST_UNPREDICTABLE, all - within(kind));
}

static int by_weight(const void *left, const void *right)
{
	const struct scope_explore_tree *a = left, *b = right;

	return a->weight == b->weight ? strcmp(a->group, b->group) : a->weight > b->weight ? -1 : 1;
}

static_assert(SCOPE_KEY_BINS_MAX <= SCOPE_ROUND_SPLIT_BINS, "a split has all bins of a key");

/* The requested key that explains most of the kind's variance divides its requests. */
static int split_kind(struct scope_explore *explore, const struct scope_explore_kind *kind)
{
	const struct scope_key_relation *most = NULL;
	struct scope_round_split *split;
	unsigned key = 0;

	for (unsigned i = SCOPE_ROUND_KEYS; i < kind->keys.keys; i++) {
		const struct scope_key_relation *one = &kind->keys.key[i];

		if (!scope_explore_key_holds(one) || one->bins < 2 || one->explained < SCOPE_KEY_EXPLAINS ||
		    (most && one->explained <= most->explained))
			continue;
		most = one;
		key = i;
	}
	if (!most)
		return 0;
	split = realloc(explore->split, (explore->splits + 1) * sizeof(*split));
	if (!split)
		return -ENOMEM;
	explore->split = split;
	split += explore->splits++;
	*split = (struct scope_round_split){ .key = (uint8_t)key, .bins = most->bins };
	memcpy(split->kind, kind->name, sizeof(split->kind));
	for (unsigned i = 0; i < most->bins; i++)
		split->from[i] = most->bin[i].from;
	return 0;
}

bool scope_explore_splits_by(const struct scope_explore *explore, size_t key)
{
	for (size_t i = 0; i < explore->splits; i++)
		if (explore->split[i].key == SCOPE_ROUND_KEYS + key)
			return true;
	return false;
}

int scope_explore_relate(struct scope_explore *explore, const struct scope_round *round)
{
	int err = 0;

	explore->kind = calloc(round->kinds + 1, sizeof(*explore->kind));
	if (!explore->kind)
		return -ENOMEM;
	for (size_t i = 0; i < round->kinds && !err; i++) {
		const struct scope_round_kind *kind = &round->kind[i];
		struct scope_explore_kind *one = &explore->kind[explore->kinds];

		if (kind->all.spread.units < SCOPE_EXPLORE_REQUESTS_MIN)
			continue;
		explore->kinds++;
		memcpy(one->name, kind->name, sizeof(one->name));
		one->requests = kind->all.spread.units;
		one->mean_ns = scope_explore_round_mean(kind, &kind->all);
		one->cv = scope_explore_round_cv(kind, &kind->all);
		one->wall_cv = scope_variance_cv(&kind->wall, kind->wall_shift_ns);
		one->queues = scope_explore_round_queues(kind);
		err = scope_explore_keys(kind, explore->options.key, explore->options.keys, &one->keys);
		if (!err)
			err = split_kind(explore, one);
	}
	return err;
}

void scope_explore_plant(struct scope_explore *explore, const struct scope_round *round)
{
	for (size_t i = 0; i < round->kinds; i++)
		if (round->kind[i].all.spread.units >= SCOPE_EXPLORE_REQUESTS_MIN)
			plant_kind(explore, &round->kind[i]);
	if (explore->trees)
		qsort(explore->tree, explore->trees, sizeof(*explore->tree), by_weight);
}
