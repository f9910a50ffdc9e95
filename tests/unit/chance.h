/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers for tests, the same in each run. */
#ifndef SCOPE_TESTS_UNIT_CHANCE_H
#define SCOPE_TESTS_UNIT_CHANCE_H

#include <stdint.h>

/* Above 0 and below 1; the seed is not 0. Xorshift (G. Marsaglia, J. Stat. Software 8(14), 2003). */
static inline double chance_uniform(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

#endif
