/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers for resampling, with a fixed seed, so that the same trace gives the same result. */
#ifndef SCOPE_METRICS_RESAMPLE_H
#define SCOPE_METRICS_RESAMPLE_H

#include <stdint.h>

#define SCOPE_METRICS_SEED 0x9e3779b97f4a7c15ull

/* xorshift64*: Marsaglia 2003, Vigna 2016. */
static inline uint64_t scope_metrics_random(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * 0x2545f4914f6cdd1dull;
}

#endif
