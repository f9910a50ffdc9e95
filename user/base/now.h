/* SPDX-License-Identifier: GPL-2.0-only */
/* The time now. */
#ifndef SCOPE_BASE_NOW_H
#define SCOPE_BASE_NOW_H

#include <stdint.h>
#include <time.h>

/* ns of CLOCK_MONOTONIC, the clock of traces. */
static inline uint64_t scope_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

#endif
