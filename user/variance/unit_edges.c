// SPDX-License-Identifier: GPL-2.0-only
/* The edges of one unit, by their numbers. */
#include "variance/unit_edges.h"

struct scope_unit_edge *scope_variance_unit_edge(struct scope_unit_edges *edges, uint64_t edge)
{
	uint32_t at = (uint32_t)(edge * 0x9e3779b97f4a7c15ull >> 32);

	for (;; at++) {
		uint8_t *slot = &edges->slot[at % SCOPE_EDGE_SLOTS];

		if (*slot && edges->edge[*slot - 1].edge == edge)
			return &edges->edge[*slot - 1];
		if (*slot)
			continue;
		if (edges->count >= SCOPE_UNIT_EDGES && edge != SCOPE_EDGE_UNSEEN)
			return scope_variance_unit_edge(edges, SCOPE_EDGE_UNSEEN);
		edges->edge[edges->count] = (struct scope_unit_edge){ .edge = edge };
		*slot = (uint8_t)++edges->count;
		return &edges->edge[edges->count - 1];
	}
}

void scope_variance_unit_edge_add(struct scope_unit_edges *edges, uint64_t edge, enum scope_edge_part part, uint64_t ns)
{
	struct scope_unit_edge *to = scope_variance_unit_edge(edges, edge);

	to->ns[part] += ns;
	to->times++;
}
