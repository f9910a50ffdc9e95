/* SPDX-License-Identifier: GPL-2.0-only */
/* The untraced threads that used the CPU while traced threads waited for it, and for how long. */
#ifndef SCOPE_WAITS_TAKERS_H
#define SCOPE_WAITS_TAKERS_H

#include <stddef.h>
#include <stdint.h>

struct scope_taker {
	uint32_t tid; /* 0: an empty place */
	double ns;    /* all waits summed up */
};

#define SCOPE_TAKERS_MAX 4096 /* no rule: a power of two; once it is half full, further threads are only summed up */

/* A zeroed struct is empty. */
struct scope_takers {
	struct scope_taker *taker; /* by a hash of the tid; once sorted: most first, ties by tid */
	size_t count;
	double sum_ns;
};

void scope_waits_takers_free(struct scope_takers *takers);
/* 0 or -ENOMEM. */
int scope_waits_takers_add(struct scope_takers *takers, uint32_t tid, double ns);
/* Nothing can be added after this. */
void scope_waits_takers_sort(struct scope_takers *takers);

#endif
