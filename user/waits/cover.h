/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times in which a thread was waited for: stretches of its time, each counted once for any
 * number of waiters.
 *
 * Memory is bounded: if there are more than SCOPE_COVERS_MAX stretches, only those in every n-th
 * slice of the window (of SCOPE_COVER_SLICE_NS) are kept, so their sum is for a part of the window.
 */
#ifndef SCOPE_WAITS_COVER_H
#define SCOPE_WAITS_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_COVERS_MAX 500000
#define SCOPE_COVER_SLICE_NS 16777216 /* no rule: 2^24 */

struct scope_stretch_ns {
	uint64_t begin_ns, end_ns;
};

/* In order of time; no two of them touch. */
struct scope_cover {
	struct scope_stretch_ns *stretch;
	size_t count, capacity;
};

/* It is empty if it is zeroed and every is 1. */
struct scope_covers {
	struct scope_cover *thread; /* by index */
	size_t threads, capacity;
	size_t stretches; /* of all */
	uint64_t most;	  /* 0: SCOPE_COVERS_MAX */
	uint64_t every;	  /* every n-th slice is kept */
};

void scope_waits_covers_free(struct scope_covers *covers);
/* 0 or -ENOMEM. */
int scope_waits_covers_add(struct scope_covers *covers, uint32_t thread, uint64_t begin_ns, uint64_t end_ns);
bool scope_waits_covers_has(const struct scope_covers *covers, uint32_t thread, uint64_t time_ns);
/*
 * ns in which any thread of a group was waited for; at[thread] is its group. Scaled up if only a part is kept. 0 or
 * -ENOMEM.
 */
int scope_waits_covers_sum(const struct scope_covers *covers, const uint32_t *group, size_t threads, uint32_t of,
			   double *ret_ns);

#endif
