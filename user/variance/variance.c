// SPDX-License-Identifier: GPL-2.0-only
/* Finds where the latency of each kind of request varies. */
#include "variance/variance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "variance/edge_functions.h"
#include "variance/edge_table.h"

/* Quantiles of a kind's latencies at which the bands begin and end. */
#define MIDDLE_FROM 0.45
#define MIDDLE_UNTIL 0.55
#define HIGH_FROM 0.98
#define HIGH_UNTIL 0.995 /* above it single requests would decide … */
#define HIGH_UNITS 400	 /* … so they are left out if the kind has this many requests */

struct builder {
	const struct scope_distributions *distributions;
	struct scope_variance *variance;
	const struct scope_variance_request *request; /* whose edges are kept; NULL: none */
	struct scope_sketch *latency;		      /* by group */
	struct scope_variance_kind **of_group;	      /* by group; NULL: it has too few requests */
	struct scope_edge_stacks stacks;
	uint64_t edges;
};

enum scope_band scope_variance_band(const struct scope_variance_kind *kind, uint64_t ns)
{
	if (ns >= kind->low_ns && ns <= kind->until_ns)
		return SCOPE_BAND_MIDDLE;
	return ns >= kind->high_ns && ns <= kind->highest_ns && ns > kind->until_ns ? SCOPE_BAND_HIGH : SCOPE_BAND_NONE;
}

static int take_latency(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct builder *builder = user;

	(void)call;
	return scope_unit_is_request(builder->distributions, unit)
		       ? scope_sketch_add(&builder->latency[unit->group], scope_unit_wall(unit), 1)
		       : 0;
}

/* A value of a sketch represents values within 0.2 % of it. */
static uint64_t quantile(const struct scope_sketch *sketch, double q, double times)
{
	return (uint64_t)(times * scope_sketch_quantile(sketch, q));
}

/* Takes ownership of the latencies. */
static void begin_kind(struct scope_variance_kind *kind, uint32_t group, struct scope_sketch *latency)
{
	*kind = (struct scope_variance_kind){
		.group = group,
		.shift_ns = scope_sketch_quantile(latency, 0.5),
		.p50_ns = quantile(latency, 0.5, 1),
		.p99_ns = quantile(latency, 0.99, 1),
		.low_ns = quantile(latency, MIDDLE_FROM, 0.998),
		.until_ns = quantile(latency, MIDDLE_UNTIL, 1.002),
		.high_ns = quantile(latency, HIGH_FROM, 0.998),
		.latency = *latency,
		.highest_ns = latency->total >= HIGH_UNITS ? quantile(latency, HIGH_UNTIL, 1.002) : UINT64_MAX,
	};
	*latency = (struct scope_sketch){ 0 };
}

/* Creates a kind for each group with enough requests, and its distribution of latencies. */
static int begin_kinds(struct builder *builder, const struct scope_groups *groups)
{
	const struct scope_unit_sink sink = { .unit = take_latency, .user = builder };
	struct scope_variance *variance = builder->variance;
	int err = scope_unit_distributions_replay(builder->distributions, groups, &sink);

	for (size_t g = 0; !err && g < groups->count; g++)
		if (builder->latency[g].total >= SCOPE_VARIANCE_UNITS_MIN)
			begin_kind(&variance->kind[variance->kinds++], (uint32_t)g, &builder->latency[g]);
	for (size_t i = 0; !err && i < variance->kinds; i++)
		builder->of_group[variance->kind[i].group] = &variance->kind[i];
	return err;
}

static int keep_stacks(struct builder *builder, const struct scope_variance_kind *kind,
		       const struct scope_unit_edges *edges, const struct scope_unit_edge_stack *stack, uint32_t stacks,
		       uint64_t ns)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < stacks; i++) {
		const struct scope_edge_stack one = {
			.stack = stack[i].stack,
			.kind = (uint32_t)(kind - builder->variance->kind),
			.edge = stack[i].edge < edges->count ? edges->edge[stack[i].edge].edge : SCOPE_EDGE_UNSEEN,
			.band = (uint8_t)scope_variance_band(kind, ns),
			.ns = (double)stack[i].ns,
			.shifted_ns = (double)ns - kind->shift_ns,
		};

		if (stack[i].edge < edges->count)
			err = scope_variance_stacks_add(&builder->stacks, &one);
	}
	return err;
}

static int keep_request(struct scope_variance *variance, const struct scope_unit *unit,
			const struct scope_unit_edges *edges)
{
	if (!variance->request)
		variance->request = malloc(sizeof(*variance->request));
	if (!variance->request)
		return -ENOMEM;
	*variance->request = (struct scope_variance_request){
		.thread = unit->thread,
		.group = unit->group,
		.begin_ns = unit->begin_ns,
		.end_ns = unit->end_ns,
		.edges = *edges,
	};
	return 0;
}

static int take_edges(void *user, const struct scope_unit *unit, const struct scope_unit_edges *edges,
		      const struct scope_unit_edge_stack *stack, uint32_t stacks,
		      const struct scope_unit_extras *extras)
{
	struct builder *builder = user;
	const struct scope_variance_kind *kind = builder->of_group[unit->group];
	const uint64_t ns = scope_unit_wall(unit);
	int err;

	(void)extras;
	if (!kind || !scope_unit_is_request(builder->distributions, unit) ||
	    unit->end_ns < builder->distributions->from_ns ||
	    !scope_unit_distributions_counts(builder->distributions, unit->thread))
		return 0;
	if (builder->request && unit->thread == builder->request->thread &&
	    unit->begin_ns == builder->request->begin_ns && keep_request(builder->variance, unit, edges))
		return -ENOMEM;
	for (uint32_t i = 0; i < edges->count; i++)
		builder->edges += edges->edge[i].times;
	err = scope_variance_table_add(builder->variance->table, (uint32_t)(kind - builder->variance->kind), unit,
				       edges, (double)ns - kind->shift_ns, scope_variance_band(kind, ns));
	return err ? err : keep_stacks(builder, kind, edges, stack, stacks, ns);
}

/* By absolute share, because a part that is short when the rest is long matters, too. */
static int by_share(double left, double right)
{
	const double a = fabs(left), b = fabs(right);

	return a == b ? 0 : a > b ? -1 : 1;
}

static int compare_edges(const void *left, const void *right)
{
	const struct scope_edge_sums *a = left, *b = right;
	const int order = by_share(a->share, b->share);

	return order ? order : (a->edge > b->edge) - (a->edge < b->edge);
}

static int compare_waits(const void *left, const void *right)
{
	const struct scope_variance_wait *a = left, *b = right;
	const int order = by_share(a->share, b->share);

	if (order)
		return order;
	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->class != b->class ? (a->class > b->class) - (a->class < b->class)
				    : (a->group > b->group) - (a->group < b->group);
}

static int compare_functions(const void *left, const void *right)
{
	const struct scope_edge_function *a = left, *b = right;
	const int order = by_share(a->share, b->share);

	if (order)
		return order;
	if (!a->function || !b->function)
		return !a->function - !b->function;
	return strcmp(a->function->name, b->function->name);
}

static int compare_paths(const void *left, const void *right)
{
	struct scope_variance_path *const *a = left, *const *b = right;

	if ((*a)->spread.units != (*b)->spread.units)
		return (*a)->spread.units > (*b)->spread.units ? -1 : 1;
	return ((*a)->hash > (*b)->hash) - ((*a)->hash < (*b)->hash);
}

/* The sums of a kind are those of its paths. */
static int merge_paths(struct scope_variance *variance, struct scope_variance_kind *kind)
{
	const uint32_t number = (uint32_t)(kind - variance->kind);
	struct scope_variance_path all = { .kind = number };
	int err = 0;

	kind->path = calloc(variance->table->count + 1, sizeof(*kind->path));
	if (!kind->path)
		return -ENOMEM;
	for (size_t i = 0; !err && i < variance->table->count; i++) {
		if (variance->table->path[i].kind != number)
			continue;
		kind->path[kind->paths++] = &variance->table->path[i];
		err = scope_variance_table_merge(&all, &variance->table->path[i]);
	}
	kind->spread = all.spread;
	kind->edge = all.edge;
	kind->edges = all.edges;
	if (kind->paths)
		qsort(kind->path, kind->paths, sizeof(*kind->path), compare_paths);
	return err;
}

static void sum_up_paths(struct scope_variance_kind *kind)
{
	const double all = scope_variance_of(&kind->spread) * (double)kind->spread.units;

	kind->between = all > 0;
	for (size_t i = 0; i < kind->paths; i++) {
		struct scope_variance_path *path = kind->path[i];
		const double own = scope_variance_of(&path->spread) * (double)path->spread.units;

		path->mean_ns = scope_variance_mean(&path->spread, kind->shift_ns);
		path->cv = scope_variance_cv(&path->spread, kind->shift_ns);
		path->share = all > 0 ? own / all : 0;
		kind->between -= path->share;
	}
	/* In a single path rounding may leave a little, although there is none. */
	if (kind->between < 1e-9)
		kind->between = 0;
}

static void sum_up(struct scope_variance_kind *kind)
{
	const struct scope_spread *spread = &kind->spread;

	kind->mean_ns = scope_variance_mean(spread, kind->shift_ns);
	kind->cv = scope_variance_cv(spread, kind->shift_ns);
	sum_up_paths(kind);
	for (size_t i = 0; i < kind->edges; i++) {
		kind->edge[i].share = scope_variance_share(spread, &kind->edge[i].all);
		kind->edge[i].tail_share = scope_variance_tail_share(spread, &kind->edge[i].all);
	}
	for (size_t i = 0; i < kind->waits; i++)
		kind->wait[i].share = scope_variance_share(spread, &kind->wait[i].sums);
	for (size_t i = 0; i < kind->functions; i++)
		kind->function[i].share = scope_variance_share(spread, &kind->function[i].sums);
	if (kind->edges)
		qsort(kind->edge, kind->edges, sizeof(*kind->edge), compare_edges);
	if (kind->waits)
		qsort(kind->wait, kind->waits, sizeof(*kind->wait), compare_waits);
	if (kind->functions)
		qsort(kind->function, kind->functions, sizeof(*kind->function), compare_functions);
}

/* By what they would gain if latencies were equal: the sum of the variance over all requests of the kind. */
static int compare_kinds(const void *left, const void *right)
{
	const struct scope_variance_kind *a = left, *b = right;
	const double x = scope_variance_of(&a->spread) * (double)a->spread.units;
	const double y = scope_variance_of(&b->spread) * (double)b->spread.units;

	return x != y ? (x > y ? -1 : 1) : (a->group > b->group) - (a->group < b->group);
}

static int build(struct builder *builder, struct scope_trace *trace, const struct scope_groups *groups,
		 const struct scope_pickups *pickups, struct scope_symbols *symbols)
{
	struct scope_variance *variance = builder->variance;
	int err = begin_kinds(builder, groups);

	if (err || !variance->kinds)
		return err;
	err = scope_variance_edge_pass(trace, groups, pickups, NULL, take_edges, builder);
	variance->edges = builder->edges;
	for (size_t i = 0; !err && i < variance->kinds; i++)
		err = merge_paths(variance, &variance->kind[i]);
	if (!err)
		err = scope_variance_propagate(builder->distributions, groups, builder->of_group);
	if (!err)
		err = scope_variance_keys(builder->distributions, groups, builder->of_group);
	if (!err && symbols)
		err = scope_variance_stacks_name(&builder->stacks, trace, symbols, variance->kind, variance->kinds);
	for (size_t i = 0; !err && i < variance->kinds; i++)
		sum_up(&variance->kind[i]);
	if (!err)
		qsort(variance->kind, variance->kinds, sizeof(*variance->kind), compare_kinds);
	return err;
}

int scope_variance_create(struct scope_trace *trace, const struct scope_distributions *distributions,
			  const struct scope_groups *groups, const struct scope_pickups *pickups,
			  struct scope_symbols *symbols, const struct scope_variance_request *request,
			  struct scope_variance **ret_variance)
{
	const size_t count = groups->count + 1;
	struct scope_variance *variance = calloc(1, sizeof(*variance));
	struct builder builder = {
		.distributions = distributions,
		.variance = variance,
		.request = request,
		.latency = calloc(count, sizeof(*builder.latency)),
		.of_group = calloc(count, sizeof(*builder.of_group)),
	};
	int err = -ENOMEM;

	if (variance) {
		variance->kind = calloc(count, sizeof(*variance->kind));
		variance->table = calloc(1, sizeof(*variance->table));
	}
	if (variance && variance->kind && variance->table && builder.latency && builder.of_group)
		err = build(&builder, trace, groups, pickups, symbols);
	for (size_t g = 0; builder.latency && g < count; g++)
		scope_sketch_free(&builder.latency[g]);
	free(builder.latency);
	free(builder.of_group);
	scope_variance_stacks_free(&builder.stacks);
	if (err)
		scope_variance_destroy(variance);
	else
		*ret_variance = variance;
	return err;
}

static void free_kind(struct scope_variance_kind *kind)
{
	scope_sketch_free(&kind->latency);
	free(kind->edge);
	free(kind->path);
	free(kind->wait);
	free(kind->function);
}

void scope_variance_destroy(struct scope_variance *variance)
{
	if (!variance)
		return;
	for (size_t i = 0; variance->kind && i < variance->kinds; i++)
		free_kind(&variance->kind[i]);
	if (variance->table)
		scope_variance_table_free(variance->table);
	free(variance->table);
	free(variance->request);
	free(variance->kind);
	free(variance);
}
