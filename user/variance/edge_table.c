// SPDX-License-Identifier: GPL-2.0-only
/* The sums of all paths, found by kind and path. */
#include "variance/edge_table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define SLOTS (2u * SCOPE_VARIANCE_PATHS) /* no rule */

static uint64_t hash_of(uint32_t kind, const struct scope_unit_edges *edges)
{
	uint64_t hash = (kind + 1ull) * 0x9e3779b97f4a7c15ull;

	for (uint32_t i = 0; i < edges->count; i++)
		hash = (hash ^ hash >> 29 ^ edges->edge[i].edge) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

static struct scope_variance_path *add_path(struct scope_edge_table *table, uint32_t kind, uint64_t hash)
{
	if (scope_grow(&table->path, &table->capacity, table->count + 1, sizeof(*table->path)))
		return NULL;
	table->path[table->count] = (struct scope_variance_path){ .kind = kind, .hash = hash };
	return &table->path[table->count++];
}

/* The path of a kind that is used for all paths without room. */
static struct scope_variance_path *rest_of(struct scope_edge_table *table, uint32_t kind)
{
	struct scope_variance_path *path;

	if (scope_grow(&table->rest, &table->rest_capacity, kind + 1ul, sizeof(*table->rest)))
		return NULL;
	while (table->kinds <= kind)
		table->rest[table->kinds++] = 0;
	if (table->rest[kind])
		return &table->path[table->rest[kind] - 1];
	path = add_path(table, kind, 0);
	if (path) {
		path->rest = true;
		table->rest[kind] = (uint32_t)table->count;
	}
	return path;
}

static bool is_path(const struct scope_variance_path *path, uint32_t kind, uint64_t hash,
		    const struct scope_unit_edges *edges)
{
	if (path->hash != hash || path->kind != kind || path->edges != edges->count)
		return false;
	for (uint32_t i = 0; i < edges->count; i++)
		if (path->edge[i].edge != edges->edge[i].edge)
			return false;
	return true;
}

static struct scope_variance_path *find_path(struct scope_edge_table *table, uint32_t kind,
					     const struct scope_unit_edges *edges)
{
	const uint64_t hash = hash_of(kind, edges);
	struct scope_variance_path *path;
	uint32_t at = (uint32_t)hash % SLOTS;

	for (; table->slot[at]; at = (at + 1) % SLOTS)
		if (is_path(&table->path[table->slot[at] - 1], kind, hash, edges))
			return &table->path[table->slot[at] - 1];
	if (table->count >= SCOPE_VARIANCE_PATHS)
		return rest_of(table, kind);
	path = add_path(table, kind, hash);
	if (!path || scope_grow(&path->edge, &path->capacity, edges->count, sizeof(*path->edge)))
		return NULL;
	for (uint32_t i = 0; i < edges->count; i++)
		path->edge[path->edges++] = (struct scope_edge_sums){ .edge = edges->edge[i].edge };
	table->slot[at] = (uint32_t)table->count;
	return path;
}

/* The edge of a path, added if it is new. NULL: no memory. */
static struct scope_edge_sums *find_edge(struct scope_variance_path *path, uint64_t edge)
{
	for (size_t i = 0; i < path->edges; i++)
		if (path->edge[i].edge == edge)
			return &path->edge[i];
	if (path->edges >= SCOPE_VARIANCE_KIND_EDGES && edge != SCOPE_EDGE_UNSEEN)
		return find_edge(path, SCOPE_EDGE_UNSEEN);
	if (scope_grow(&path->edge, &path->capacity, path->edges + 1, sizeof(*path->edge)))
		return NULL;
	path->edge[path->edges] = (struct scope_edge_sums){ .edge = edge };
	return &path->edge[path->edges++];
}

static void add_edge(struct scope_edge_sums *sums, const struct scope_unit_edge *edge, double shifted_ns,
		     enum scope_band band)
{
	double all_ns = 0;

	sums->units++;
	sums->times += edge->times;
	for (unsigned part = 0; part < SCOPE_EDGE_PARTS; part++) {
		if (!edge->ns[part])
			continue;
		all_ns += (double)edge->ns[part];
		scope_variance_part_add(&sums->part[part], (double)edge->ns[part], shifted_ns, band);
	}
	scope_variance_part_add(&sums->all, all_ns, shifted_ns, band);
}

int scope_variance_table_add(struct scope_edge_table *table, uint32_t kind, const struct scope_unit *unit,
			     const struct scope_unit_edges *edges, double shifted_ns, enum scope_band band)
{
	struct scope_variance_path *path = find_path(table, kind, edges);

	if (!path)
		return -ENOMEM;
	if (!path->spread.units || scope_unit_wall(unit) > path->end_ns - path->begin_ns) {
		path->thread = unit->thread;
		path->begin_ns = unit->begin_ns;
		path->end_ns = unit->end_ns;
	}
	scope_variance_spread_add(&path->spread, shifted_ns, band);
	for (uint32_t i = 0; i < edges->count; i++) {
		struct scope_edge_sums *sums = path->rest ? find_edge(path, edges->edge[i].edge) : &path->edge[i];

		if (!sums)
			return -ENOMEM;
		add_edge(sums, &edges->edge[i], shifted_ns, band);
	}
	return 0;
}

int scope_variance_table_merge(struct scope_variance_path *to, const struct scope_variance_path *from)
{
	scope_variance_spread_merge(&to->spread, &from->spread);
	for (size_t i = 0; i < from->edges; i++) {
		struct scope_edge_sums *sums = find_edge(to, from->edge[i].edge);

		if (!sums)
			return -ENOMEM;
		sums->units += from->edge[i].units;
		sums->times += from->edge[i].times;
		for (unsigned part = 0; part < SCOPE_EDGE_PARTS; part++)
			scope_variance_part_merge(&sums->part[part], &from->edge[i].part[part]);
		scope_variance_part_merge(&sums->all, &from->edge[i].all);
	}
	return 0;
}

void scope_variance_table_free(struct scope_edge_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->path[i].edge);
	free(table->path);
	free(table->rest);
	*table = (struct scope_edge_table){ 0 };
}
