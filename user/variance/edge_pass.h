/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pass over a trace that cuts request units into their edges (variance/edge.h).
 *
 * The end of a unit is known only later: it may have ended before a call that takes the next request, or before a
 * sleep. So the last edges of each thread are kept until its unit ends.
 */
#ifndef SCOPE_VARIANCE_EDGE_PASS_H
#define SCOPE_VARIANCE_EDGE_PASS_H

#include "unit/log.h"
#include "unit/run.h"
#include "variance/edge.h"

#define SCOPE_UNIT_EDGES 64   /* different ones of a unit; later ones are SCOPE_EDGE_UNSEEN */
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
	uint8_t slot[SCOPE_EDGE_SLOTS]; /* index of the edge + 1, by a hash of the edge; 0: empty */
};

#define SCOPE_UNIT_SPANS 16 /* no rule */
#define SCOPE_UNIT_KEYS 16  /* no rule */

/* A probe at the begin or the end of calls of a function. It is no trace point, and does not change edges. */
struct scope_span_probe {
	uint16_t id;
	uint8_t span; /* below SCOPE_UNIT_SPANS */
	bool end;
};

/* An argument of a call, or a word of a probe, whose first value in a unit is kept. */
struct scope_unit_key {
	bool probe;
	uint16_t number; /* of the call, or of the probe */
	uint8_t arg;
};

/* Additional data that the pass takes from each unit; a zeroed struct: none. */
struct scope_edge_wanted {
	const struct scope_span_probe *probe;
	size_t probes;
	const struct scope_unit_key *key; /* SCOPE_UNIT_KEYS at most */
	size_t keys;
};

/* Calls of one function in a unit; those inside another one of it are not counted again. */
struct scope_unit_span {
	uint64_t ns;	    /* without waits for a CPU */
	uint64_t before_ns; /* from the trace point before to each begin */
	uint32_t times;
	bool around; /* most of the unit is in calls that begin before it or end after it */
};

/* All zero, and NAN for each key, if it has none. */
struct scope_unit_extras {
	struct scope_unit_span span[SCOPE_UNIT_SPANS];
	double key[SCOPE_UNIT_KEYS];
};

/* A stack taken in an edge of the unit. */
struct scope_unit_edge_stack {
	struct scope_logged_stack stack;
	uint64_t number; /* of the edge, counted over all of the thread */
	uint64_t ns;	 /* time that it represents; 0: a sample, which represents the period */
	uint32_t edge;	 /* index in scope_unit_edges.edge; UINT32_MAX: in none */
};

/* Called for each closed request unit. 0 or -errno, which ends the pass. */
typedef int scope_edge_listener(void *user, const struct scope_unit *unit, const struct scope_unit_edges *edges,
				const struct scope_unit_edge_stack *stack, uint32_t stacks,
				const struct scope_unit_extras *extras);

/*
 * Reads the whole trace once. groups and pickups must be final for its threads. wanted may be NULL. 0, -errno, or what
 * listener returned.
 */
int scope_variance_edge_pass(struct scope_trace *trace, const struct scope_groups *groups,
			     const struct scope_pickups *pickups, const struct scope_edge_wanted *wanted,
			     scope_edge_listener *listener, void *user);

#endif
