/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes how many threads of a stage have work at one time, and for how long all have. */
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
/* Sorts them. Units still open at until_ns count as ended then. */
struct scope_busy scope_server_stretch_sum(struct scope_stretches *stretches, uint32_t threads, uint64_t until_ns);
/*
 * Mean time from the ends of one stage's units to the begins of the next one's, both sorted: for
 * items in any order, because the mean depends only on the sums. Up to 1 of 100 may be missing at
 * either end: work queued before the window, and work still queued. Returns true if there is such a
 * pairing.
 */
bool scope_server_stretch_between(const struct scope_stretches *before, const struct scope_stretches *after,
				  double *ret_mean_ns);
void scope_server_stretch_free(struct scope_stretches *stretches);

#endif
