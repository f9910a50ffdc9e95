// SPDX-License-Identifier: GPL-2.0-only
/* An exploration: each round adds one refinement, at the place with most of the variance or of the latency. */
#include "explore/explore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 2 /* rounds without a result before a tree is left */

void scope_explore_init(struct scope_explore *explore, const struct scope_explore_options *options)
{
	*explore = (struct scope_explore){ .options = *options };
}

void scope_explore_free(struct scope_explore *explore)
{
	for (size_t i = 0; i < explore->trees; i++) {
		scope_explore_call_paths_free(&explore->tree[i].paths);
		scope_explore_search_free(&explore->tree[i].search);
	}
	free(explore->kind);
	free(explore->split);
	*explore = (struct scope_explore){ 0 };
}

static void end_tree(struct scope_explore_tree *tree, enum scope_explore_end end)
{
	tree->phase = SCOPE_EXPLORE_DONE;
	tree->end = end;
	tree->found = tree->search.insides > 0;
	if (tree->found)
		tree->function = tree->search.inside[tree->search.insides - 1];
}

void scope_explore_stop(struct scope_explore *explore, enum scope_explore_end end)
{
	for (size_t i = 0; i < explore->trees; i++)
		if (explore->tree[i].phase != SCOPE_EXPLORE_DONE)
			end_tree(&explore->tree[i], end);
}

/* Adds a step. NULL: there is no room. */
static struct scope_explore_step *add_step(struct scope_explore_tree *tree, unsigned round)
{
	struct scope_explore_step *step;

	if (tree->steps == SCOPE_EXPLORE_STEPS)
		return NULL;
	step = &tree->step[tree->steps++];
	*step = (struct scope_explore_step){ .round = round };
	return step;
}

static void plan_stacks(const struct scope_explore *explore, const struct scope_explore_tree *tree,
			struct scope_explore_plan *plan)
{
	plan->stacks = true;
	plan->samples = !tree->sleeps;
	if (!scope_variance_edge_is_call(tree->edge))
		return;
	plan->nr = scope_variance_point_number(scope_variance_edge_from(tree->edge));
	plan->kernel_stacks = explore->options.kernel;
}

/* Plans the probes of the next function. Returns false if the tree is concluded. */
static bool plan_probes(struct scope_explore *explore, struct scope_explore_tree *tree,
			struct scope_proc_reader *reader, struct scope_explore_plan *plan)
{
	struct scope_probe probe[SCOPE_PLACES_MAX];
	struct scope_error why;
	unsigned count = 0;

	while (tree->steps < SCOPE_EXPLORE_STEPS && !scope_explore_search_next(&tree->search, &plan->function)) {
		struct scope_explore_step *step;

		why.text[0] = '\0';
		if (!scope_explore_places(&tree->paths.function[plan->function], reader, &why, probe, &count))
			break;
		count = 0;
		scope_explore_search_take(&tree->search, plan->function, SCOPE_SEARCH_NO_PLACE);
		step = add_step(tree, explore->rounds + 1);
		if (step) {
			step->function = plan->function;
			step->answer = SCOPE_SEARCH_NO_PLACE;
			step->why = why;
		}
	}
	if (!count) {
		scope_explore_conclude(tree);
		return false;
	}
	for (unsigned i = 0; i < count; i++) {
		plan->probe[i] = (struct scope_probing_one){
			.probe = probe[i],
			.name = tree->paths.function[plan->function].name,
		};
		plan->probe[i].probe.id = (uint16_t)(i + 1);
		plan->span[i] = (struct scope_span_probe){ .id = (uint16_t)(i + 1), .end = i > 0 };
	}
	plan->probes = count;
	return true;
}

bool scope_explore_next(struct scope_explore *explore, struct scope_proc_reader *reader,
			struct scope_explore_plan *ret_plan)
{
	*ret_plan = (struct scope_explore_plan){ .tree = -1, .nr = SCOPE_NR_NONE };
	if (!explore->rounds)
		return true;
	for (size_t i = 0; i < explore->trees; i++) {
		struct scope_explore_tree *tree = &explore->tree[i];

		if (tree->phase == SCOPE_EXPLORE_DONE)
			continue;
		*ret_plan = (struct scope_explore_plan){ .tree = (int)i, .nr = SCOPE_NR_NONE };
		if (tree->phase == SCOPE_EXPLORE_STACKS) {
			plan_stacks(explore, tree, ret_plan);
			return true;
		}
		if (plan_probes(explore, tree, reader, ret_plan))
			return true;
	}
	return false;
}

/* Finds the innermost function of the program on the heaviest path that has one. */
static void find_caller(struct scope_explore_tree *tree)
{
	for (size_t i = 0; i < tree->paths.paths; i++)
		for (unsigned at = tree->paths.path[i].depth; at--;) {
			const struct scope_call_function *function =
				&tree->paths.function[tree->paths.path[i].function[at]];

			if (function->library)
				continue;
			memcpy(tree->caller, function->name, sizeof(tree->caller));
			return;
		}
}

/* Continues the search below the call, in the kernel. 0 or -ENOMEM. */
static int go_below(struct scope_explore_tree *tree, const struct scope_call_paths *kernel)
{
	const char *name[SCOPE_CALL_PATH_DEPTH];
	int err = 0;

	scope_explore_call_paths_free(&tree->paths);
	for (size_t i = 0; i < kernel->paths && !err; i++) {
		const struct scope_call_path *path = &kernel->path[i];

		for (unsigned at = 0; at < path->depth; at++)
			name[at] = kernel->function[path->function[at]].name;
		err = scope_explore_call_paths_kernel(&tree->paths, name, path->depth, path->weight_ns);
	}
	scope_explore_call_paths_end(&tree->paths);
	tree->kernel = true;
	return err;
}

static int take_stacks(struct scope_explore *explore, struct scope_explore_tree *tree, const struct scope_round *round,
		       const struct scope_round_kind *kind, const struct scope_round_path *path,
		       struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_call_paths *kernel)
{
	const bool call = scope_variance_edge_is_call(tree->edge);
	const double slow = tree->state == SCOPE_FOREST_SLOW ? -1 : scope_explore_round_mean(kind, path);
	struct scope_explore_step *step;
	int err = scope_explore_call_paths_add(&tree->paths, round, kind->group, tree->hash, tree->edge, slow, trace,
					       symbols);

	if (err)
		return err;
	if (!tree->paths.stacks && ++tree->tries < TRIES)
		return 0;
	scope_explore_call_paths_end(&tree->paths);
	step = add_step(tree, explore->rounds);
	if (step)
		step->stacks = true;
	tree->tries = 0;
	if (call) {
		find_caller(tree);
		if (!kernel || !kernel->paths) {
			end_tree(tree, tree->caller[0] ? SCOPE_EXPLORE_CALLED : SCOPE_EXPLORE_NO_STACKS);
			return 0;
		}
		err = go_below(tree, kernel);
	} else if (!tree->paths.stacks) {
		end_tree(tree, SCOPE_EXPLORE_NO_STACKS);
		return 0;
	}
	tree->search = (struct scope_search){ .paths = &tree->paths, .mode = explore->options.mode };
	tree->phase = SCOPE_EXPLORE_SEARCHES;
	return err;
}

static const struct scope_round_edge *edge_of(const struct scope_round_path *path, uint64_t edge)
{
	for (size_t i = 0; i < path->edges; i++)
		if (path->edge[i].edge == edge)
			return &path->edge[i];
	return NULL;
}

/* Compares requests with a call of the function with those without. */
static void compare_requests(const struct scope_round_kind *kind, const struct scope_round_path *path,
			     struct scope_explore_step *step)
{
	const struct scope_spread *with = &path->span[0].hit;
	struct scope_spread without = path->spread;

	without.units -= with->units;
	without.sum -= with->sum;
	without.squares -= with->squares;
	step->with = with->units;
	step->without = without.units;
	step->with_ns = scope_variance_mean(with, kind->shift_ns);
	step->with_cv = scope_variance_cv(with, kind->shift_ns);
	if (!without.units)
		return;
	step->without_ns = scope_variance_mean(&without, kind->shift_ns);
	step->without_cv = scope_variance_cv(&without, kind->shift_ns);
}

static enum scope_search_answer answer_of(const struct scope_explore_tree *tree, const struct scope_round_kind *kind,
					  const struct scope_round_path *path, uint64_t hits,
					  struct scope_explore_step *step)
{
	const bool slow = tree->state == SCOPE_FOREST_SLOW;
	const struct scope_round_edge *edge = edge_of(path, tree->edge);
	const double edge_share = edge ? scope_explore_share(kind, path, slow, &edge->own) : 0;
	double whole = edge_share, before;

	for (unsigned i = 0; i + 1 < tree->steps; i++)
		if (tree->step[i].answer == SCOPE_SEARCH_HOLDS)
			whole = tree->step[i].share;
	/* An example is one turn of an event loop: it is called, but not within a request. */
	if (path->span[0].around > path->spread.units / 2)
		return SCOPE_SEARCH_ENCLOSES;
	if (!path->span[0].times)
		return hits ? SCOPE_SEARCH_NOT : SCOPE_SEARCH_ENCLOSES;
	compare_requests(kind, path, step);
	step->calls = (double)path->span[0].times / (double)path->span[0].hit.units;
	step->share = scope_explore_share(kind, path, slow, &path->span[0].own);
	before = scope_explore_share(kind, path, slow, &path->span[0].before);
	if (step->share >= SCOPE_EXPLORE_HOLDS * whole)
		return SCOPE_SEARCH_HOLDS;
	if (before >= SCOPE_EXPLORE_HOLDS * whole)
		return SCOPE_SEARCH_EARLIER;
	if (edge_share - step->share - before >= SCOPE_EXPLORE_HOLDS * whole)
		return SCOPE_SEARCH_LATER;
	return SCOPE_SEARCH_NOT;
}

static void take_probes(struct scope_explore *explore, struct scope_explore_tree *tree,
			const struct scope_explore_plan *plan, const struct scope_probing *probing,
			const struct scope_round_kind *kind, const struct scope_round_path *path)
{
	struct scope_explore_step *step = add_step(tree, explore->rounds);
	const struct scope_probing_one *begin = &probing->one[0];

	if (!step) {
		scope_explore_conclude(tree);
		return;
	}
	step->function = plan->function;
	step->probes = plan->probes;
	explore->probed += begin->was_set;
	if (begin->state == SCOPE_PROBING_SET) {
		step->answer = answer_of(tree, kind, path, begin->hits, step);
	} else {
		step->answer = SCOPE_SEARCH_NO_PLACE;
		step->taken_back = begin->state == SCOPE_PROBING_TAKEN_BACK;
		if (begin->state == SCOPE_PROBING_REFUSED)
			step->why = probing->why;
		else
			scope_error_set(&step->why, -EOVERFLOW,
					step->taken_back ? "its calls are too many: the probes exceeded the budget"
							 : "buffers were more than half full all the time");
	}
	scope_explore_search_take(&tree->search, plan->function, step->answer);
	tree->tries = 0;
}

int scope_explore_take(struct scope_explore *explore, const struct scope_explore_plan *plan,
		       const struct scope_probing *probing, const struct scope_round *round, struct scope_trace *trace,
		       struct scope_symbols *symbols, const struct scope_call_paths *kernel)
{
	struct scope_explore_tree *tree;
	const struct scope_round_kind *kind;
	const struct scope_round_path *path;

	explore->rounds++;
	for (size_t i = 0; i < probing->count; i++)
		explore->probes += probing->one[i].was_set;
	if (plan->tree < 0) {
		scope_explore_plant(explore, round);
		return 0;
	}
	tree = &explore->tree[plan->tree];
	kind = scope_explore_round_kind(round, tree->group);
	path = kind ? scope_explore_round_path(kind, tree->hash) : NULL;
	if (!path || path->spread.units < SCOPE_EXPLORE_REQUESTS_MIN) {
		if (++tree->tries == TRIES)
			end_tree(tree, SCOPE_EXPLORE_FEW);
		return 0;
	}
	if (tree->state == SCOPE_FOREST_UNPREDICTABLE &&
	    scope_explore_round_cv(kind, path) <= explore->options.limits.cv) {
		if (++tree->tries == TRIES)
			end_tree(tree, SCOPE_EXPLORE_GONE);
		return 0;
	}
	if (plan->stacks)
		return take_stacks(explore, tree, round, kind, path, trace, symbols, kernel);
	take_probes(explore, tree, plan, probing, kind, path);
	return 0;
}

const struct scope_explore_tree *scope_explore_tree_of(const struct scope_explore *explore, const char *group,
						       uint64_t hash)
{
	const struct scope_explore_tree *all = NULL;

	for (size_t i = 0; i < explore->trees; i++) {
		const struct scope_explore_tree *tree = &explore->tree[i];

		if (strcmp(tree->group, group) != 0)
			continue;
		if (!tree->hash)
			all = tree;
		else if (tree->hash == hash)
			return tree;
	}
	return all;
}
