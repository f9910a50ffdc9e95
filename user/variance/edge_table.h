/* SPDX-License-Identifier: GPL-2.0-only */
/* The sums of all paths, found by kind and path. */
#ifndef SCOPE_VARIANCE_EDGE_TABLE_H
#define SCOPE_VARIANCE_EDGE_TABLE_H

#include "variance/variance.h"

/* A zeroed struct is empty. */
struct scope_edge_table {
	struct scope_variance_path *path;
	size_t count, capacity;
	uint32_t slot[2 * SCOPE_VARIANCE_PATHS]; /* number of the path + 1, by a hash; 0: empty */
	uint32_t *rest;				 /* by kind: the same, of the path that further ones share */
	size_t kinds, rest_capacity;
};

/* Adds one request of a kind. 0 or -ENOMEM. */
int scope_variance_table_add(struct scope_edge_table *table, uint32_t kind, const struct scope_unit *unit,
			     const struct scope_unit_edges *edges, double shifted_ns, enum scope_band band);
/* Adds the sums of one path to those of another, edge by edge. 0 or -ENOMEM. */
int scope_variance_table_merge(struct scope_variance_path *to, const struct scope_variance_path *from);
void scope_variance_table_free(struct scope_edge_table *table);

#endif
