/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of any size as a symbol each and a stream of bits. */
#ifndef SCOPE_TRACE_BITS_H
#define SCOPE_TRACE_BITS_H

#include <stdint.h>

/* A number as how large it is and its highest bits, and as the bits that follow. */
static inline uint8_t scope_value_split(uint64_t value, unsigned int *ret_bits)
{
	const unsigned int top = value < 8 ? 2 : 63 - (unsigned int)__builtin_clzll(value);

	*ret_bits = top - 2;
	return (uint8_t)(((top - 2) << 2) + (value >> (top - 2)));
}

static inline unsigned int scope_value_bits(uint8_t symbol)
{
	return symbol < 8 ? 0 : symbol / 4 - 1u;
}

static inline uint64_t scope_value_join(uint8_t symbol, uint64_t low)
{
	const unsigned int bits = scope_value_bits(symbol);

	return (uint64_t)(symbol - 4 * bits) << bits | low;
}

/* A stream of bits, the lowest of each byte first. */
struct scope_bits {
	uint8_t *at;
	const uint8_t *end; /* of what is read */
	uint64_t held;
	unsigned int count; /* of bits held, below 8 between calls */
};

static inline void scope_bits_put(struct scope_bits *bits, uint64_t value, unsigned int count)
{
	if (count > 32) {
		scope_bits_put(bits, value & UINT32_MAX, 32);
		value >>= 32;
		count -= 32;
	}
	bits->held |= (value & ((1ull << count) - 1)) << bits->count;
	for (bits->count += count; bits->count >= 8; bits->count -= 8) {
		*bits->at++ = (uint8_t)bits->held;
		bits->held >>= 8;
	}
}

/* 0s where no more are there, and `at` beyond the end then. */
static inline uint64_t scope_bits_get(struct scope_bits *bits, unsigned int count)
{
	uint64_t value, high = 0;

	if (count > 32) {
		value = scope_bits_get(bits, 32);
		high = scope_bits_get(bits, count - 32);
		return value | high << 32;
	}
	for (; bits->count < count; bits->count += 8, bits->at++)
		bits->held |= (bits->at < bits->end ? (uint64_t)*bits->at : 0) << bits->count;
	value = bits->held & ((1ull << count) - 1);
	bits->held >>= count;
	bits->count -= count;
	return value;
}

#endif
