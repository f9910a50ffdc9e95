/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that are the same for the same seed (splitmix64: Steele, Lea, Flood, OOPSLA 2014). */
#ifndef SCOPE_BASE_RANDOM_H
#define SCOPE_BASE_RANDOM_H

#include <stdint.h>

/* The state is the seed at first. */
static inline uint64_t scope_random_next(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return mixed ^ mixed >> 31;
}

/* 0 to bound - 1. The bias is below bound / 2^32. */
static inline uint32_t scope_random_below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)((scope_random_next(state) >> 32) * bound >> 32);
}

#endif
