/* SPDX-License-Identifier: GPL-2.0-only */
/* The hash of a text, for tables in memory. */
#ifndef SCOPE_BASE_HASH_H
#define SCOPE_BASE_HASH_H

#include <stdint.h>

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo). seed: another number for each table's other keys, or 0. */
static inline uint32_t scope_hash_text(uint32_t seed, const char *text)
{
	uint32_t hash = 2166136261u ^ seed; /* no rule: FNV's offset basis */

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619u; /* no rule: FNV's prime */
	return hash;
}

#endif
