// SPDX-License-Identifier: GPL-2.0-only
/* The conclusion of a tree when nothing is left to probe in it. */
#include <stdio.h>
#include <string.h>

#include "explore/explore.h"

#define MOST 0.5 /* paths decide the conclusion if they have more than this share of the weight of all that match */

static bool is_reachable(const struct scope_call_function *function)
{
	return !function->library && function->known;
}

/* The place after the last function of `inside` on a path; -1: the path does not match. */
static int match(const struct scope_explore_tree *tree, const struct scope_call_path *path)
{
	unsigned found = 0, i;

	for (i = 0; i < path->depth && found < tree->search.insides; i++)
		found += path->function[i] == tree->search.inside[found];
	return found == tree->search.insides ? (int)i : -1;
}

/* The place of the next function of the program on a path, with a name or without; -1: none. */
static int next_of_program(const struct scope_explore_tree *tree, const struct scope_call_path *path, int begin)
{
	for (unsigned i = (unsigned)begin; i < path->depth; i++)
		if (!tree->paths.function[path->function[i]].library)
			return (int)path->function[i];
	return -1;
}

/* Finds out if most of the paths inside are in code without names, or in functions that could not be probed. */
static void look_inside(struct scope_explore_tree *tree, bool *ret_closed)
{
	double all = 0, closed = 0, most = 0;

	for (size_t i = 0; i < tree->paths.paths; i++) {
		const struct scope_call_path *path = &tree->paths.path[i];
		const int begin = match(tree, path), next = begin < 0 ? -1 : next_of_program(tree, path, begin);
		const struct scope_call_function *function = next < 0 ? NULL : &tree->paths.function[next];

		all += begin < 0 ? 0 : path->weight_ns;
		if (!function || (is_reachable(function) && tree->search.answer &&
				  tree->search.answer[next] != SCOPE_SEARCH_NO_PLACE))
			continue;
		closed += path->weight_ns;
		tree->nameless |= !function->known;
		if (path->weight_ns > most) {
			most = path->weight_ns;
			memcpy(tree->inside, function->name, sizeof(tree->inside));
		}
	}
	*ret_closed = all > 0 && closed > MOST * all;
}

/*
 * The sum of the shares of the functions that were probed after the last one that holds the share, and that do not hold
 * it.
 */
static double spread_share(const struct scope_explore_tree *tree, double *ret_whole)
{
	double sum = 0;

	*ret_whole = tree->edge_share;
	for (unsigned i = 0; i < tree->steps; i++) {
		const struct scope_explore_step *step = &tree->step[i];

		if (step->stacks)
			continue;
		if (step->answer == SCOPE_SEARCH_HOLDS) {
			*ret_whole = step->share;
			sum = 0;
		} else if (step->answer != SCOPE_SEARCH_ENCLOSES && step->share > 0) {
			sum += step->share;
		}
	}
	return sum;
}

void scope_explore_conclude(struct scope_explore_tree *tree)
{
	const bool asked = tree->steps > 1;
	double whole, spread;
	bool closed;

	tree->phase = SCOPE_EXPLORE_DONE;
	look_inside(tree, &closed);
	spread = spread_share(tree, &whole);
	tree->found = tree->search.insides > 0;
	if (tree->found)
		tree->function = tree->search.inside[tree->search.insides - 1];
	if (closed)
		tree->end = tree->found || asked ? SCOPE_EXPLORE_NOT_SPLIT : SCOPE_EXPLORE_NO_FUNCTION;
	else if (spread > MOST * whole)
		tree->end = SCOPE_EXPLORE_SPREAD;
	else if (tree->found)
		tree->end = SCOPE_EXPLORE_FOUND;
	else if (tree->caller[0])
		tree->end = SCOPE_EXPLORE_CALLED;
	else
		tree->end = asked ? SCOPE_EXPLORE_SPREAD : SCOPE_EXPLORE_NO_FUNCTION;
	if (!closed)
		tree->inside[0] = '\0';
}
