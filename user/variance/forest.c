// SPDX-License-Identifier: GPL-2.0-only
/* The hypotheses about each path of a kind. */
#include "variance/forest.h"

const struct scope_forest_limits scope_variance_forest_defaults = {
	.cv = 0.1,
	.slow = 0.95,
};

double scope_variance_slow_ns(const struct scope_variance_kind *kind, const struct scope_forest_limits *limits)
{
	return scope_sketch_quantile(&kind->latency, limits->slow);
}

enum scope_forest_state scope_variance_judge(const struct scope_variance_kind *kind,
					     const struct scope_variance_path *path,
					     const struct scope_forest_limits *limits)
{
	if (path->spread.units < SCOPE_FOREST_REQUESTS_MIN)
		return SCOPE_FOREST_FEW;
	if (path->cv > limits->cv)
		return SCOPE_FOREST_UNPREDICTABLE;
	return path->mean_ns > scope_variance_slow_ns(kind, limits) ? SCOPE_FOREST_SLOW : SCOPE_FOREST_EVEN;
}

const struct scope_edge_sums *scope_variance_suspect(const struct scope_variance_path *path,
						     enum scope_forest_state state, double *ret_share)
{
	const double all_ns = path->mean_ns * (double)path->spread.units;
	const struct scope_edge_sums *most = NULL;

	if (state != SCOPE_FOREST_UNPREDICTABLE && state != SCOPE_FOREST_SLOW)
		return NULL;
	for (size_t i = 0; i < path->edges; i++) {
		const double share = state == SCOPE_FOREST_SLOW
					     ? path->edge[i].all.sum / all_ns
					     : scope_variance_share(&path->spread, &path->edge[i].all);

		if (most && share <= *ret_share)
			continue;
		most = &path->edge[i];
		*ret_share = share;
	}
	return most;
}

static bool is_path(const struct scope_variance_path *path, const struct scope_unit_edges *edges)
{
	if (path->rest || path->edges != edges->count)
		return false;
	for (uint32_t i = 0; i < edges->count; i++)
		if (path->edge[i].edge != edges->edge[i].edge)
			return false;
	return true;
}

/* The path of a kind that the request took, and its number from 1 on; NULL: none. */
static const struct scope_variance_path *find_path(const struct scope_variance_kind *kind,
						   const struct scope_unit_edges *edges, size_t *ret_number)
{
	const struct scope_variance_path *rest = NULL;

	for (size_t i = 0; i < kind->paths; i++) {
		if (!kind->path[i]->rest && !is_path(kind->path[i], edges))
			continue;
		*ret_number = i + 1;
		if (!kind->path[i]->rest)
			return kind->path[i];
		rest = kind->path[i];
	}
	return rest;
}

struct scope_forest_place scope_variance_place(const struct scope_variance *variance,
					       const struct scope_variance_request *request,
					       const struct scope_forest_limits *limits)
{
	struct scope_forest_place place = { .state = SCOPE_FOREST_FEW };

	for (size_t i = 0; i < variance->kinds; i++)
		if (variance->kind[i].group == request->group)
			place.kind = &variance->kind[i];
	if (place.kind)
		place.path = find_path(place.kind, &request->edges, &place.number);
	if (!place.path)
		return place;
	place.state = scope_variance_judge(place.kind, place.path, limits);
	place.suspect = scope_variance_suspect(place.path, place.state, &place.share);
	return place;
}

double scope_variance_excess(const struct scope_variance_path *path, const struct scope_unit_edge *edge)
{
	double ns = 0;

	for (unsigned part = 0; part < SCOPE_EDGE_PARTS; part++)
		ns += (double)edge->ns[part];
	for (size_t i = 0; i < path->edges; i++)
		if (path->edge[i].edge == edge->edge)
			ns -= path->edge[i].all.sum / (double)path->spread.units;
	return ns;
}
