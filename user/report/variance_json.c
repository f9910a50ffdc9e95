// SPDX-License-Identifier: GPL-2.0-only
/* Where latencies vary, as JSON. */
#include <jansson.h>
#include <math.h>

#include "base/syscall_name.h"
#include "report/json_part.h"
#include "report/variance_text.h"
#include "report/waits_text.h"

#define EDGES 32     /* no rule: of a kind, and of a path */
#define PATHS 16     /* no rule: of a kind */
#define FUNCTIONS 16 /* no rule: of an edge */

static json_t *make_functions(const struct scope_variance_kind *kind, uint64_t edge)
{
	json_t *array = json_array();

	for (size_t i = 0; i < kind->functions && json_array_size(array) < FUNCTIONS; i++) {
		const struct scope_edge_function *one = &kind->function[i];

		if (one->edge == edge && one->function)
			json_array_append_new(array, json_pack("{s:o, s:f, s:I}", "function",
							       scope_report_json_function(one->function), "share",
							       one->share, "stacks", (json_int_t)one->stacks));
	}
	return array;
}

static json_t *make_edge(const struct scope_analysis *analysis, const struct scope_variance_kind *kind,
			 const struct scope_edge_sums *edge)
{
	const struct scope_spread *spread = &kind->spread;
	struct scope_edge_text name;

	return json_pack("{s:o, s:f, s:o, s:f, s:I, s:I, s:f, s:f, s:f, s:o}", "edge",
			 scope_report_json_string(scope_report_edge(&name, analysis, edge->edge)), "share", edge->share,
			 "tail_share", scope_report_json_number(edge->tail_share), "mean_ns",
			 edge->all.sum / (double)spread->units, "requests", (json_int_t)edge->units, "times",
			 (json_int_t)edge->times, "runs_share",
			 scope_variance_share(spread, &edge->part[SCOPE_EDGE_RUNS]), "sleeps_share",
			 scope_variance_share(spread, &edge->part[SCOPE_EDGE_SLEEPS]), "queue_share",
			 scope_variance_share(spread, &edge->part[SCOPE_EDGE_QUEUES]), "functions",
			 make_functions(kind, edge->edge));
}

static json_t *make_wait(const struct scope_analysis *analysis, const struct scope_variance_wait *one)
{
	const struct scope_groups *groups = analysis->found.groups;
	const bool outside = one->end == SCOPE_END_OUTSIDE || one->end == SCOPE_END_PROCESS;
	const char *call = one->nr == SCOPE_NR_NONE ? NULL : scope_syscall_name(one->nr);

	return json_pack("{s:o, s:s, s:o, s:f}", "call", scope_report_json_string(call), "end",
			 scope_report_end(one->end, one->class), "group",
			 scope_report_json_string(
				 !outside && one->group < groups->count ? groups->group[one->group].name : NULL),
			 "share", one->share);
}

static json_t *make_path(const struct scope_analysis *analysis, const struct scope_variance_path *path)
{
	json_t *edges = json_array();

	for (size_t i = 0; i < path->edges && i < EDGES; i++) {
		struct scope_edge_text name;

		json_array_append_new(edges,
				      scope_report_json_string(scope_report_edge(&name, analysis, path->edge[i].edge)));
	}
	return json_pack(
		"{s:I, s:f, s:f, s:f, s:b, s:o, s:o, s:I, s:I}", "requests", (json_int_t)path->spread.units, "mean_ns",
		path->mean_ns, "cv", path->cv, "share", path->share, "rest", path->rest, "edges", edges,
		"slowest_thread",
		scope_report_json_thread(scope_timeline_threads_at(analysis->units->timeline->threads, path->thread)),
		"slowest_begin_ns", (json_int_t)path->begin_ns, "slowest_end_ns", (json_int_t)path->end_ns);
}

static json_t *make_kind(const struct scope_analysis *analysis, const struct scope_variance_kind *kind)
{
	json_t *edges = json_array(), *waits = json_array(), *paths = json_array();

	for (size_t i = 0; i < kind->edges && i < EDGES; i++)
		json_array_append_new(edges, make_edge(analysis, kind, &kind->edge[i]));
	for (size_t i = 0; i < kind->waits; i++)
		json_array_append_new(waits, make_wait(analysis, &kind->wait[i]));
	for (size_t i = 0; i < kind->paths && i < PATHS; i++)
		json_array_append_new(paths, make_path(analysis, kind->path[i]));
	return json_pack("{s:o, s:I, s:f, s:f, s:I, s:I, s:f, s:I, s:{s:f, s:f, s:f}, s:o, s:o, s:o}", "group",
			 scope_report_json_string(analysis->found.groups->group[kind->group].name), "requests",
			 (json_int_t)kind->spread.units, "mean_ns", kind->mean_ns, "cv", kind->cv, "p50_ns",
			 (json_int_t)kind->p50_ns, "p99_ns", (json_int_t)kind->p99_ns, "between_paths", kind->between,
			 "paths_count", (json_int_t)kind->paths, "correlation", "bytes", kind->key[SCOPE_KEY_BYTES],
			 "calls", kind->key[SCOPE_KEY_CALLS], "pause_ns", kind->key[SCOPE_KEY_PAUSE], "edges", edges,
			 "waits_for", waits, "paths", paths);
}

json_t *scope_report_variance_json(const struct scope_analysis *analysis)
{
	json_t *array;

	if (!analysis->variance)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < analysis->variance->kinds; i++)
		json_array_append_new(array, make_kind(analysis, &analysis->variance->kind[i]));
	return array;
}
