// SPDX-License-Identifier: GPL-2.0-only
/* The hypotheses about where latencies come from, as JSON. */
#include <jansson.h>

#include <scope/abi.h>

#include "report/json.h"
#include "report/json_part.h"
#include "report/variance_text.h"

static const char *const states[] = {
	[SCOPE_FOREST_FEW] = "few",
	[SCOPE_FOREST_EVEN] = "even",
	[SCOPE_FOREST_UNPREDICTABLE] = "unpredictable",
	[SCOPE_FOREST_SLOW] = "consistently-slow",
};

static json_t *make_node(const struct scope_analysis *analysis, const struct scope_variance_kind *kind, size_t number,
			 const struct scope_forest_limits *limits)
{
	const struct scope_variance_path *path = kind->path[number];
	const enum scope_forest_state state = scope_variance_judge(kind, path, limits);
	double share = 0;
	const struct scope_edge_sums *edge = scope_variance_suspect(path, state, &share);
	struct scope_edge_text name;

	return json_pack("{s:o, s:I, s:s, s:I, s:f, s:f, s:f, s:o, s:o}", "group",
			 scope_report_json_string(analysis->found.groups->group[kind->group].name), "path",
			 (json_int_t)number + 1, "state", states[state], "requests", (json_int_t)path->spread.units,
			 "mean_ns", path->mean_ns, "cv", path->cv, "slow_ns", scope_variance_slow_ns(kind, limits),
			 "edge", scope_report_json_string(edge ? scope_report_edge(&name, analysis, edge->edge) : NULL),
			 "share", edge ? json_real(share) : json_null());
}

static json_t *make_forest(const struct scope_analysis *analysis, const struct scope_forest_limits *limits)
{
	const struct scope_variance *variance = analysis->variance;
	json_t *array = json_array();

	for (size_t i = 0; i < variance->kinds; i++)
		for (size_t j = 0; j < variance->kind[i].paths; j++)
			json_array_append_new(array, make_node(analysis, &variance->kind[i], j, limits));
	return array;
}

static json_t *make_why_edges(const struct scope_analysis *analysis, const struct scope_variance_request *request,
			      const struct scope_forest_place *place)
{
	json_t *edges = json_array();

	for (uint32_t i = 0; i < request->edges.count; i++) {
		const struct scope_unit_edge *edge = &request->edges.edge[i];
		struct scope_edge_text name;

		json_array_append_new(
			edges,
			json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "edge",
				  scope_report_json_string(scope_report_edge(&name, analysis, edge->edge)), "times",
				  (json_int_t)edge->times, "run_ns", (json_int_t)edge->ns[SCOPE_EDGE_RUNS], "sleep_ns",
				  (json_int_t)edge->ns[SCOPE_EDGE_SLEEPS], "queue_ns",
				  (json_int_t)edge->ns[SCOPE_EDGE_QUEUES], "longer_ns",
				  place->path ? json_real(scope_variance_excess(place->path, edge)) : json_null()));
	}
	return edges;
}

/* The request of --why, the path that it is of, and the hypothesis about that. */
static json_t *make_why(const struct scope_analysis *analysis, const struct scope_forest_limits *limits)
{
	const struct scope_variance_request *request = analysis->variance->request;
	struct scope_forest_place place;
	struct scope_edge_text name;

	if (!request)
		return json_null();
	place = scope_variance_place(analysis->variance, request, limits);
	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:o}", "group",
			 scope_report_json_string(analysis->found.groups->group[request->group].name), "thread",
			 scope_report_json_thread(
				 scope_timeline_threads_at(analysis->units->timeline->threads, request->thread)),
			 "begin_ns", (json_int_t)request->begin_ns, "end_ns", (json_int_t)request->end_ns, "path",
			 (json_int_t)place.number, "state", states[place.state], "path_mean_ns",
			 place.path ? json_real(place.path->mean_ns) : json_null(), "edge",
			 scope_report_json_string(
				 place.suspect ? scope_report_edge(&name, analysis, place.suspect->edge) : NULL),
			 "share", place.suspect ? json_real(place.share) : json_null(), "edges",
			 make_why_edges(analysis, request, &place));
}

int scope_report_explore_json(const struct scope_analysis *analysis, const struct scope_forest_limits *limits,
			      FILE *out)
{
	return scope_report_explore_json_with(analysis, limits, json_null(), out);
}

int scope_report_explore_json_with(const struct scope_analysis *analysis, const struct scope_forest_limits *limits,
				   json_t *exploration, FILE *out)
{
	json_t *all = json_pack("{s:i, s:s, s:s, s:f, s:f, s:o, s:o, s:o, s:o}", "schema", SCOPE_REPORT_SCHEMA, "scope",
				SCOPE_VERSION, "command", "explore", "cv", limits->cv, "slow", limits->slow, "forest",
				make_forest(analysis, limits), "why", make_why(analysis, limits), "variance",
				scope_report_variance_json(analysis), "exploration", exploration);

	return scope_report_json_write(all, JSON_INDENT(1), out);
}
