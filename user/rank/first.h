/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first request of a connection may agree on keys, or log in, and takes longer than those that follow. This is so
 * on each connection, and can be known before its time is known. A function that only such requests run may be how the
 * server works.
 */
#ifndef SCOPE_RANK_FIRST_H
#define SCOPE_RANK_FIRST_H

#include "rank/rank.h"

#define SCOPE_FIRST_MIN 20   /* first requests */
#define SCOPE_FIRST_OF 0.9   /* share of the function's units, at least */
#define SCOPE_FIRST_SLOW 0.5 /* share of all first requests, at least: of fewer the bug would choose some */
#define SCOPE_FIRST_PART 0.5 /* share of all requests, at most: if connections have one, the first is like any other */

struct scope_first_counts {
	uint64_t units, first; /* of a function; of them the first requests of their connections */
	uint64_t all, slow;    /* first requests of its group; of them slow ones */
	uint64_t requests;     /* of its group */
};

/* True if it is slow in first requests, as most of them are, and others follow them. */
static inline bool scope_rank_first_requests(const struct scope_first_counts *counts)
{
	return counts->all >= SCOPE_FIRST_MIN && (double)counts->first >= SCOPE_FIRST_OF * (double)counts->units &&
	       (double)counts->slow >= SCOPE_FIRST_SLOW * (double)counts->all &&
	       (double)counts->all < SCOPE_FIRST_PART * (double)counts->requests;
}

/* The same for the units of a function, by their numbers. */
bool scope_rank_in_first_requests(const struct scope_rank_input *input, const uint32_t *unit, size_t units,
				  uint32_t group);

#endif
