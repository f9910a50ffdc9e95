/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads that are not traced had the CPU while traced ones waited for it for long, and for how long. */
#ifndef SCOPE_WAITS_TAKERS_H
#define SCOPE_WAITS_TAKERS_H

#include <stddef.h>
#include <stdint.h>

struct scope_taker {
	uint32_t tid; /* 0: an empty place */
	double ns;    /* all waits summed up */
};

#define SCOPE_TAKERS_MAX                                                                                               \
	4096 /* no rule: a power of two; of those that come when it is half full only the sum is kept */

/* A zeroed struct is empty. */
struct scope_takers {
	struct scope_taker *taker; /* a table by tid until it is sorted, then most first, ties by tid */
	size_t count;
	double sum_ns;
};

void scope_waits_takers_free(struct scope_takers *takers);
/* 0 or -ENOMEM. */
int scope_waits_takers_add(struct scope_takers *takers, uint32_t tid, double ns);
/* After it nothing can be added. */
void scope_waits_takers_sort(struct scope_takers *takers);

#endif
