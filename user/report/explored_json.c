// SPDX-License-Identifier: GPL-2.0-only
/* The results of an exploration, as JSON. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "report/explored.h"
#include "report/json.h"
#include "report/json_part.h"
#include "report/variance_text.h"

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *make_step(const struct scope_explore_tree *tree, const struct scope_explore_step *step)
{
	static const char *const answers[] = {
		[SCOPE_SEARCH_NOT_ASKED] = "nothing",	[SCOPE_SEARCH_HOLDS] = "holds",
		[SCOPE_SEARCH_NOT] = "does-not-hold",	[SCOPE_SEARCH_EARLIER] = "earlier",
		[SCOPE_SEARCH_LATER] = "later",		[SCOPE_SEARCH_ENCLOSES] = "encloses-requests",
		[SCOPE_SEARCH_NO_PLACE] = "not-probed",
	};
	const struct scope_call_function *function =
		step->stacks || step->function >= tree->paths.functions ? NULL : &tree->paths.function[step->function];

	return json_pack("{s:I, s:s, s:o, s:o, s:s, s:o, s:b, s:o, s:I, s:o, s:o, s:I, s:o, s:o}", "round",
			 (json_int_t)step->round, "refinement", step->stacks ? "stacks" : "probes", "function",
			 scope_report_json_string(function ? function->name : NULL), "module",
			 scope_report_json_string(function ? function->module : NULL), "answer",
			 step->stacks ? "holds" : answers[step->answer], "share",
			 step->with ? number(step->share) : json_null(), "taken_back", step->taken_back, "why",
			 scope_report_json_string(step->why.text[0] ? step->why.text : NULL), "with",
			 (json_int_t)step->with, "with_mean_ns", number(step->with_ns), "with_cv",
			 number(step->with_cv), "without", (json_int_t)step->without, "without_mean_ns",
			 number(step->without_ns), "without_cv", number(step->without_cv));
}

static json_t *make_tree(const struct scope_analysis *first, const struct scope_explore_tree *tree)
{
	static const char *const ends[] = {
		[SCOPE_EXPLORE_OPEN] = "open",
		[SCOPE_EXPLORE_FOUND] = "found",
		[SCOPE_EXPLORE_CALLED] = "call",
		[SCOPE_EXPLORE_NOT_SPLIT] = "cannot-be-split",
		[SCOPE_EXPLORE_NO_STACKS] = "no-stacks",
		[SCOPE_EXPLORE_NO_FUNCTION] = "no-function",
		[SCOPE_EXPLORE_SPREAD] = "spread",
		[SCOPE_EXPLORE_FEW] = "too-few-requests",
		[SCOPE_EXPLORE_GONE] = "did-not-vary-again",
		[SCOPE_EXPLORE_BUDGET] = "budget",
	};
	const struct scope_call_function *function =
		tree->found && tree->function < tree->paths.functions ? &tree->paths.function[tree->function] : NULL;
	struct scope_edge_text name;
	json_t *steps = json_array(), *bin = json_null();

	if (tree->key[0])
		bin = json_pack("{s:o, s:o, s:o}", "key", scope_report_json_string(tree->key), "from",
				number(tree->key_from), "to", number(tree->key_to));
	for (unsigned i = 0; i < tree->steps; i++)
		json_array_append_new(steps, make_step(tree, &tree->step[i]));
	return json_pack("{s:o, s:I, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:s, s:o, s:o, s:b, s:o, s:o}",
			 "group", scope_report_json_string(tree->group), "path", (json_int_t)tree->number, "bin", bin,
			 "state", tree->state == SCOPE_FOREST_SLOW ? "consistently-slow" : "unpredictable", "requests",
			 (json_int_t)tree->requests, "mean_ns", number(tree->mean_ns), "cv", number(tree->cv), "edge",
			 scope_report_json_string(scope_report_edge(&name, first, tree->edge)), "edge_share",
			 number(tree->edge_share), "edge_mean_ns", number(tree->edge_ns), "sleeps", tree->sleeps,
			 "nodes", steps, "end", ends[tree->end], "function",
			 scope_report_json_string(function ? function->name : NULL), "module",
			 scope_report_json_string(function ? function->module : NULL), "kernel", tree->kernel, "caller",
			 scope_report_json_string(tree->caller[0] ? tree->caller : NULL), "inside",
			 scope_report_json_string(tree->inside[0] ? tree->inside : NULL));
}

static json_t *make_key(const struct scope_key_relation *key)
{
	json_t *bins = json_array();

	for (unsigned i = 0; i < key->bins; i++)
		json_array_append_new(bins,
				      json_pack("{s:o, s:o, s:I, s:o, s:o}", "from", number(key->bin[i].from), "to",
						number(key->bin[i].to), "requests", (json_int_t)key->bin[i].requests,
						"mean_ns", number(key->bin[i].mean_ns), "cv", number(key->bin[i].cv)));
	return json_pack("{s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "key",
			 scope_report_json_string(key->name), "asked", key->asked, "holds",
			 scope_explore_key_holds(key), "r", key->none ? json_null() : number(key->latency.r), "r_low",
			 key->none ? json_null() : number(key->latency.low), "r_high",
			 key->none ? json_null() : number(key->latency.high), "rho",
			 key->none ? json_null() : number(key->latency.rho), "p",
			 key->none ? json_null() : number(key->latency.p), "queue_r",
			 key->queue_none ? json_null() : number(key->queue.r), "explained",
			 key->bins ? number(key->explained) : json_null(), "bins", bins);
}

static json_t *make_kind(const struct scope_explore_kind *kind)
{
	json_t *keys = json_array();

	for (unsigned i = 0; i < kind->keys.keys; i++)
		json_array_append_new(keys, make_key(&kind->keys.key[i]));
	return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "group", scope_report_json_string(kind->name),
			 "requests", (json_int_t)kind->requests, "mean_ns", number(kind->mean_ns), "cv",
			 number(kind->cv), "wall_cv", number(kind->wall_cv), "queue_share", number(kind->queues),
			 "keys", keys);
}

static json_t *make_exploration(const struct scope_explored *explored, const struct scope_analysis *first)
{
	const struct scope_explore *explore = explored->explore;
	const struct scope_variance_request *why = first->variance->request;
	const struct scope_explore_tree *tree =
		why ? scope_explore_tree_of(explore, first->found.groups->group[why->group].name, explored->why_hash)
		    : NULL;
	json_t *kinds = json_array(), *trees = json_array();

	for (size_t i = 0; i < explore->kinds; i++)
		json_array_append_new(kinds, make_kind(&explore->kind[i]));
	for (size_t i = 0; i < explore->trees; i++)
		json_array_append_new(trees, make_tree(first, &explore->tree[i]));
	return json_pack("{s:s, s:I, s:o, s:s, s:I, s:I, s:I, s:o, s:o, s:I, s:o, s:I, s:b, s:b, s:I, s:o, s:o, s:o}",
			 "source", explored->source, "rounds", (json_int_t)explore->rounds, "round_s",
			 json_real((double)explored->round_ns / 1e9), "search",
			 explore->options.mode == SCOPE_SEARCH_FLAT ? "flat" : "hierarchical", "functions",
			 (json_int_t)explore->functions_seen, "functions_probed", (json_int_t)explore->probed, "probes",
			 (json_int_t)explore->probes, "budget", json_real(explored->budget / 1000.0), "overhead",
			 json_real(explored->share_most / 1000.0), "pauses", (json_int_t)explored->pauses,
			 "looks_apart_s", json_real((double)explored->looks_apart_ns / 1e9), "lost",
			 (json_int_t)explored->lost, "over_budget", explored->over, "interrupted",
			 explored->interrupted, "left_out", (json_int_t)explore->left_out, "kinds", kinds, "trees",
			 trees, "why_tree", tree ? json_integer(tree - explore->tree) : json_null());
}

int scope_report_explored_json(const struct scope_explored *explored, const struct scope_analysis *first,
			       const struct scope_forest_limits *limits, FILE *out)
{
	return scope_report_explore_json_with(first, limits, make_exploration(explored, first), out);
}
