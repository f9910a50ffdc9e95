// SPDX-License-Identifier: GPL-2.0-only
/* The results of one round of an exploration. */
#include "explore/round_sums.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct taker {
	struct scope_round *round;
	const struct scope_distributions *distributions;
	uint64_t *last_ns; /* by thread: when its last request ended; 0: there was none */
	size_t threads;
	const struct scope_round_wanted *wanted;
	const struct scope_round_split **split; /* by kind; NULL: no split */
};

static uint64_t hash_of(const struct scope_unit_edges *edges)
{
	uint64_t hash = 0x9e3779b97f4a7c15ull;

	for (uint32_t i = 0; i < edges->count; i++) {
		/* The parts of a request that were not recorded are random, so they do not count. */
		if (edges->edge[i].edge == SCOPE_EDGE_UNSEEN)
			continue;
		hash = (hash ^ hash >> 29 ^ edges->edge[i].edge) * 0xbf58476d1ce4e5b9ull;
	}
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

static struct scope_round_path *find_path(struct scope_round_kind *kind, uint64_t edges_hash, unsigned bin)
{
	const uint64_t hash = edges_hash ^ bin * 0x9e3779b97f4a7c15ull;
	struct scope_round_path *path;

	for (size_t i = 0; i < kind->paths; i++)
		if (kind->path[i].edges_hash == edges_hash && kind->path[i].bin == bin)
			return &kind->path[i];
	if (kind->paths == SCOPE_ROUND_PATHS)
		return &kind->path[kind->paths - 1];
	if (scope_grow(&kind->path, &kind->path_capacity, kind->paths + 1, sizeof(*kind->path)))
		return NULL;
	path = &kind->path[kind->paths++];
	*path = (struct scope_round_path){ .hash = hash ? hash : 1, .edges_hash = edges_hash, .bin = bin };
	path->rest = kind->paths == SCOPE_ROUND_PATHS;
	return path;
}

static struct scope_round_edge *find_edge(struct scope_round_path *path, uint64_t edge)
{
	for (size_t i = 0; i < path->edges; i++)
		if (path->edge[i].edge == edge)
			return &path->edge[i];
	if (scope_grow(&path->edge, &path->capacity, path->edges + 1, sizeof(*path->edge)))
		return NULL;
	path->edge[path->edges] = (struct scope_round_edge){ .edge = edge };
	return &path->edge[path->edges++];
}

static int add_to_path(struct scope_round_path *path, const struct scope_unit_edges *edges,
		       const struct scope_unit_extras *extras, double shifted_ns)
{
	scope_variance_spread_add(&path->spread, shifted_ns, SCOPE_BAND_NONE);
	for (uint32_t i = 0; i < edges->count; i++) {
		const uint64_t *ns = edges->edge[i].ns;
		struct scope_round_edge *edge = find_edge(path, edges->edge[i].edge);

		if (!edge)
			return -ENOMEM;
		edge->units++;
		scope_variance_part_add(&edge->own, (double)(ns[SCOPE_EDGE_RUNS] + ns[SCOPE_EDGE_SLEEPS]), shifted_ns,
					SCOPE_BAND_NONE);
		scope_variance_part_add(&edge->sleeps, (double)ns[SCOPE_EDGE_SLEEPS], shifted_ns, SCOPE_BAND_NONE);
	}
	for (unsigned i = 0; i < SCOPE_UNIT_SPANS; i++) {
		const struct scope_unit_span *one = &extras->span[i];

		path->span[i].around += one->around;
		if (!one->times)
			continue;
		path->span[i].times += one->times;
		scope_variance_part_add(&path->span[i].own, (double)one->ns, shifted_ns, SCOPE_BAND_NONE);
		scope_variance_part_add(&path->span[i].before, (double)one->before_ns, shifted_ns, SCOPE_BAND_NONE);
		scope_variance_spread_add(&path->span[i].hit, shifted_ns, SCOPE_BAND_NONE);
	}
	return 0;
}

/*
 * Describes a request, without its path and without the number of requests in progress, which is known only at the end.
 */
static struct scope_round_request describe(struct taker *taker, const struct scope_unit *unit,
					   const struct scope_unit_edges *edges, const struct scope_unit_extras *extras,
					   double own_ns)
{
	struct scope_round_request one = { .begin_ns = unit->begin_ns, .end_ns = unit->end_ns, .own_ns = own_ns };
	uint64_t *last_ns = unit->thread < taker->threads ? &taker->last_ns[unit->thread] : NULL;
	uint64_t calls = 0;

	for (uint32_t i = 0; i < edges->count; i++)
		if (scope_variance_edge_is_call(edges->edge[i].edge))
			calls += edges->edge[i].times;
	one.key[SCOPE_ROUND_BYTES] = (double)unit->bytes;
	one.key[SCOPE_ROUND_CALLS] = (double)calls;
	one.key[SCOPE_ROUND_PAUSE] =
		last_ns && *last_ns && unit->begin_ns > *last_ns ? (double)(unit->begin_ns - *last_ns) : NAN;
	one.key[SCOPE_ROUND_QUEUE] = NAN;
	memcpy(one.key + SCOPE_ROUND_KEYS, extras->key, sizeof(extras->key));
	if (last_ns)
		*last_ns = unit->end_ns;
	return one;
}

static int keep_request(struct scope_round_kind *kind, const struct scope_round_request *request)
{
	if (kind->requests == SCOPE_ROUND_REQUESTS)
		return 0;
	if (scope_grow(&kind->request, &kind->request_capacity, kind->requests + 1, sizeof(*kind->request)))
		return -ENOMEM;
	kind->request[kind->requests++] = *request;
	return 0;
}

static int keep_stacks(struct scope_round *round, uint32_t kind, uint64_t hash, const struct scope_unit_edges *edges,
		       const struct scope_unit_edge_stack *stack, uint32_t stacks, double own_ns)
{
	for (uint32_t i = 0; i < stacks && round->stacks < SCOPE_ROUND_STACKS; i++) {
		if (stack[i].edge >= edges->count)
			continue;
		if (scope_grow(&round->stack, &round->stack_capacity, round->stacks + 1, sizeof(*round->stack)))
			return -ENOMEM;
		round->stack[round->stacks++] = (struct scope_round_stack){
			.stack = stack[i].stack,
			.edge = edges->edge[stack[i].edge].edge,
			.hash = hash,
			.kind = kind,
			.own_ns = own_ns,
			.ns = (double)stack[i].ns,
		};
	}
	return 0;
}

static int take_unit(void *user, const struct scope_unit *unit, const struct scope_unit_edges *edges,
		     const struct scope_unit_edge_stack *stack, uint32_t stacks, const struct scope_unit_extras *extras)
{
	struct taker *taker = user;
	const struct scope_round_split *split;
	struct scope_round_request request;
	struct scope_round_kind *kind;
	struct scope_round_path *path;
	const double wall_ns = (double)scope_unit_wall(unit);
	double queued_ns = 0, own_ns;
	int err;

	if (unit->group >= taker->round->kinds || unit->begin_ns < taker->wanted->from_ns ||
	    !scope_unit_is_request(taker->distributions, unit))
		return 0;
	kind = &taker->round->kind[unit->group];
	for (uint32_t i = 0; i < edges->count; i++)
		queued_ns += (double)edges->edge[i].ns[SCOPE_EDGE_QUEUES];
	own_ns = wall_ns - queued_ns;
	if (!kind->all.spread.units) {
		kind->shift_ns = own_ns;
		kind->wall_shift_ns = wall_ns;
	}
	scope_variance_spread_add(&kind->wall, wall_ns - kind->wall_shift_ns, SCOPE_BAND_NONE);
	scope_variance_part_add(&kind->queues, queued_ns, wall_ns - kind->wall_shift_ns, SCOPE_BAND_NONE);
	request = describe(taker, unit, edges, extras, own_ns);
	split = taker->split[unit->group];
	path = find_path(kind, hash_of(edges), split ? scope_explore_round_bin(split, request.key[split->key]) : 0);
	if (!path || scope_sketch_add(&kind->own, (uint64_t)own_ns, 1))
		return -ENOMEM;
	if (unit->thread == taker->wanted->asked.thread && unit->begin_ns == taker->wanted->asked.begin_ns)
		taker->round->asked_hash = path->hash;
	err = add_to_path(path, edges, extras, own_ns - kind->shift_ns);
	if (!err)
		err = add_to_path(&kind->all, edges, extras, own_ns - kind->shift_ns);
	if (!err)
		request.path = (uint32_t)(path - kind->path);
	if (!err)
		err = keep_request(kind, &request);
	return err ? err : keep_stacks(taker->round, unit->group, path->hash, edges, stack, stacks, own_ns);
}

static int by_time(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* How many of the sorted times are before `ns`. */
static size_t before(const uint64_t *time, size_t count, uint64_t ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (time[middle] < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The number of requests in progress at a time is the number of requests that began before it minus the number that
 * ended before it.
 */
static int count_queues(struct scope_round_kind *kind)
{
	uint64_t *time = malloc((2 * kind->requests + 1) * sizeof(*time));
	uint64_t *end = time ? time + kind->requests : NULL;

	if (!time)
		return -ENOMEM;
	for (size_t i = 0; i < kind->requests; i++) {
		time[i] = kind->request[i].begin_ns;
		end[i] = kind->request[i].end_ns;
	}
	qsort(time, kind->requests, sizeof(*time), by_time);
	qsort(end, kind->requests, sizeof(*end), by_time);
	for (size_t i = 0; i < kind->requests; i++) {
		const uint64_t begin_ns = kind->request[i].begin_ns;
		const size_t begun = before(time, kind->requests, begin_ns),
			     ended = before(end, kind->requests, begin_ns);

		kind->request[i].key[SCOPE_ROUND_QUEUE] = begun > ended ? (double)(begun - ended) : 0;
	}
	free(time);
	return 0;
}

static int fill(struct taker *taker, struct scope_trace *trace, const struct scope_groups *groups,
		const struct scope_pickups *pickups)
{
	struct scope_round *round = taker->round;
	int err;

	for (size_t g = 0; g < groups->count; g++) {
		round->kind[g].group = (uint32_t)g;
		memcpy(round->kind[g].name, groups->group[g].name, sizeof(round->kind[g].name));
	}
	round->kinds = groups->count;
	err = scope_variance_edge_pass(trace, groups, pickups, taker->wanted->extras, take_unit, taker);
	for (size_t g = 0; g < round->kinds && !err; g++)
		err = count_queues(&round->kind[g]);
	return err;
}

int scope_explore_round_create(struct scope_trace *trace, const struct scope_distributions *distributions,
			       const struct scope_groups *groups, const struct scope_pickups *pickups,
			       const struct scope_round_wanted *wanted, struct scope_round **ret_round)
{
	struct taker taker = {
		.wanted = wanted,
		.round = calloc(1, sizeof(*taker.round)),
		.distributions = distributions,
		.threads = scope_timeline_threads_count(distributions->run->timeline->threads),
	};
	int err = -ENOMEM;

	taker.last_ns = calloc(taker.threads + 1, sizeof(*taker.last_ns));
	taker.split = calloc(groups->count + 1, sizeof(*taker.split));
	for (size_t g = 0; taker.split && g < groups->count; g++)
		for (size_t i = 0; i < wanted->splits; i++)
			if (!strcmp(wanted->split[i].kind, groups->group[g].name))
				taker.split[g] = &wanted->split[i];
	if (taker.round)
		taker.round->kind = calloc(groups->count + 1, sizeof(*taker.round->kind));
	if (taker.round && taker.round->kind && taker.last_ns && taker.split)
		err = fill(&taker, trace, groups, pickups);
	free(taker.last_ns);
	free(taker.split);
	if (err)
		scope_explore_round_destroy(taker.round);
	else
		*ret_round = taker.round;
	return err;
}

static void free_kind(struct scope_round_kind *kind)
{
	for (size_t i = 0; i < kind->paths; i++)
		free(kind->path[i].edge);
	free(kind->path);
	free(kind->all.edge);
	free(kind->request);
	scope_sketch_free(&kind->own);
}

void scope_explore_round_destroy(struct scope_round *round)
{
	if (!round)
		return;
	for (size_t i = 0; round->kind && i < round->kinds; i++)
		free_kind(&round->kind[i]);
	free(round->kind);
	free(round->stack);
	free(round);
}

const struct scope_round_kind *scope_explore_round_kind(const struct scope_round *round, const char *name)
{
	for (size_t i = 0; i < round->kinds; i++)
		if (round->kind[i].all.spread.units && !strcmp(round->kind[i].name, name))
			return &round->kind[i];
	return NULL;
}

const struct scope_round_path *scope_explore_round_path(const struct scope_round_kind *kind, uint64_t hash)
{
	if (!hash)
		return &kind->all;
	for (size_t i = 0; i < kind->paths; i++)
		if (kind->path[i].hash == hash)
			return &kind->path[i];
	return NULL;
}

double scope_explore_round_mean(const struct scope_round_kind *kind, const struct scope_round_path *path)
{
	return scope_variance_mean(&path->spread, kind->shift_ns);
}

double scope_explore_round_cv(const struct scope_round_kind *kind, const struct scope_round_path *path)
{
	return scope_variance_cv(&path->spread, kind->shift_ns);
}

double scope_explore_round_queues(const struct scope_round_kind *kind)
{
	return scope_variance_share(&kind->wall, &kind->queues);
}
