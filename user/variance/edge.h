/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An edge is the stretch between two consecutive trace points of one unit.
 *
 * Trace points are the unit's begin and end, the entry and the return of a call, and a hit of a probe. So a call is an
 * edge, and so is the program's own code between two calls. Edges of a unit do not overlap and leave no gap, so they
 * sum up to its latency. An edge that occurs again in the unit is added to the first one: a loop is one edge for any
 * number of rounds.
 *
 *	  63      56 55      48 47          32 31      24 23      16 15           0
 *	 ┌──────────┬──────────┬──────────────┬──────────┬──────────┬──────────────┐
 *	 │ kind     │ of what  │ number       │ kind     │ of what  │ number       │
 *	 └──────────┴──────────┴──────────────┴──────────┴──────────┴──────────────┘
 *	  from                                 to
 *
 * "of what" is the kind of a call's descriptor (enum scope_fd_kind); "number" is that of the call or the probe.
 */
#ifndef SCOPE_VARIANCE_EDGE_H
#define SCOPE_VARIANCE_EDGE_H

#include <stdint.h>

enum scope_trace_point {
	SCOPE_POINT_UNSEEN, /* not known */
	SCOPE_POINT_END,
	SCOPE_POINT_ENTER,
	SCOPE_POINT_RETURN,
	SCOPE_POINT_PROBE,
};

#define SCOPE_EDGE_UNSEEN 0  /* no rule: the unit's time of which no edge is known */
#define SCOPE_EDGE_EARLIER 1 /* no rule: the work for its request before it was held (unit/held_request.h), … */
#define SCOPE_EDGE_HELD 2    /* no rule: … and the time for which it was held */

enum scope_edge_part {
	SCOPE_EDGE_RUNS,
	SCOPE_EDGE_SLEEPS,
	SCOPE_EDGE_QUEUES, /* in the run queue */
	SCOPE_EDGE_PARTS,
};

static inline uint32_t scope_variance_point(enum scope_trace_point kind, uint8_t of_what, uint16_t number)
{
	return (uint32_t)kind << 24 | (uint32_t)of_what << 16 | number;
}

static inline uint64_t scope_variance_edge(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

static inline uint32_t scope_variance_edge_from(uint64_t edge)
{
	return (uint32_t)(edge >> 32);
}

static inline uint32_t scope_variance_edge_to(uint64_t edge)
{
	return (uint32_t)edge;
}

static inline enum scope_trace_point scope_variance_point_kind(uint32_t point)
{
	return (enum scope_trace_point)(point >> 24);
}

static inline uint8_t scope_variance_point_of_what(uint32_t point)
{
	return (uint8_t)(point >> 16);
}

static inline uint16_t scope_variance_point_number(uint32_t point)
{
	return (uint16_t)point;
}

/* True if the edge is a call. */
static inline int scope_variance_edge_is_call(uint64_t edge)
{
	const uint32_t from = scope_variance_edge_from(edge), to = scope_variance_edge_to(edge);

	return scope_variance_point_kind(from) == SCOPE_POINT_ENTER &&
	       scope_variance_point_kind(to) == SCOPE_POINT_RETURN && (uint16_t)from == (uint16_t)to;
}

#endif
