/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pass over a trace that cuts request units into their edges (variance/edge.h).
 *
 * The calls of a unit are known as they come, and its end may be known later: it may be over since a call that turned
 * out to take the next request, or since a sleep. So the last edges of each thread are kept apart until its unit ends.
 */
#ifndef SCOPE_VARIANCE_EDGE_PASS_H
#define SCOPE_VARIANCE_EDGE_PASS_H

#include "unit/log.h"
#include "unit/run.h"
#include "variance/edge.h"

#define SCOPE_UNIT_EDGES 64   /* different ones of a unit; what comes after them is SCOPE_EDGE_UNSEEN */
#define SCOPE_UNIT_STACKS 64  /* no rule: of a unit, the first ones */
#define SCOPE_EDGE_SLOTS 128u /* no rule: a power of two, twice as many as edges */

struct scope_unit_edge {
	uint64_t edge;
	uint64_t ns[SCOPE_EDGE_PARTS];
	uint32_t times;
};

/* In the order in which they first came. */
struct scope_unit_edges {
	struct scope_unit_edge edge[SCOPE_UNIT_EDGES + 1];
	uint32_t count;
	uint8_t slot[SCOPE_EDGE_SLOTS]; /* place and 1 more, by a hash of the edge; 0: empty */
};

/* A stack taken in an edge of the unit. */
struct scope_unit_edge_stack {
	struct scope_logged_stack stack;
	uint64_t number; /* of the edge, of all of the thread */
	uint64_t ns;	 /* that it stands for; of a sample 0: the period */
	uint32_t edge;	 /* its place in scope_unit_edges.edge; UINT32_MAX: in none */
};

/* Hears of closed request units. 0 or -errno, which ends the pass. */
typedef int scope_edge_listener(void *user, const struct scope_unit *unit, const struct scope_unit_edges *edges,
				const struct scope_unit_edge_stack *stack, uint32_t stacks);

/* Reads the whole trace once. What groups and pickups say of its threads is final. 0, -errno, or what listener returned. */
int scope_variance_edge_pass(struct scope_trace *trace, const struct scope_groups *groups,
			     const struct scope_pickups *pickups, scope_edge_listener *listener, void *user);

#endif
