/* SPDX-License-Identifier: GPL-2.0-only */
/* The edges of one unit, by their numbers. */
#ifndef SCOPE_VARIANCE_UNIT_EDGES_H
#define SCOPE_VARIANCE_UNIT_EDGES_H

#include "variance/edge_pass.h"

/* The edge of that number, which may be new; where there is no room for another one, SCOPE_EDGE_UNSEEN. */
struct scope_unit_edge *scope_variance_unit_edge(struct scope_unit_edges *edges, uint64_t edge);
/* Adds ns to that part of it, once more. */
void scope_variance_unit_edge_add(struct scope_unit_edges *edges, uint64_t edge, enum scope_edge_part part,
				  uint64_t ns);

#endif
