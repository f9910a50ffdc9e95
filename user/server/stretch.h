/* SPDX-License-Identifier: GPL-2.0-only */
/* How many threads of a stage have work to do at one time, and for how long all have. */
#ifndef SCOPE_SERVER_STRETCH_H
#define SCOPE_SERVER_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins and ends of a stage's units, each in any order. A zeroed struct has none. */
struct scope_stretches {
	uint64_t *begin_ns, *end_ns;
	size_t count, begin_capacity, end_capacity;
};

struct scope_busy {
	double mean_ns; /* all units, added up */
	double all_ns;	/* time in which `threads` of them or more went on */
	uint32_t most;
};

/* 0 or -ENOMEM. */
int scope_server_stretch_add(struct scope_stretches *stretches, uint64_t begin_ns, uint64_t end_ns);
/* Sorts them. What went on at until_ns is taken as ended then. */
struct scope_busy scope_server_stretch_sum(struct scope_stretches *stretches, uint32_t threads, uint64_t until_ns);
/*
 * Mean time from the ends of one stage's units to the begins of the next one's, both sorted: where each item comes out
 * first that went in first, and also where not, because the mean depends on sums alone. Up to 1 of 100 may be missing at either
 * end: what was queued before the window, and what is queued still. Returns whether there is such a pairing.
 */
bool scope_server_stretch_between(const struct scope_stretches *before, const struct scope_stretches *after,
				  double *ret_mean_ns);
void scope_server_stretch_free(struct scope_stretches *stretches);

#endif
