/* SPDX-License-Identifier: GPL-2.0-only */
/* Encodes numbers of any size, each as a symbol and some bits of a bit stream. */
#ifndef SCOPE_TRACE_BITS_H
#define SCOPE_TRACE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Splits a number into a symbol, which holds its magnitude and highest bits, and *ret_bits bits that follow. */
static inline uint8_t scope_trace_value_split(uint64_t value, unsigned int *ret_bits, uint64_t *ret_low)
{
	const unsigned int bits = (63u ^ (unsigned int)__builtin_clzll(value | 4)) - 2;
	const uint64_t high = value >> bits;

	*ret_bits = bits;
	*ret_low = value ^ high << bits;
	return (uint8_t)(4 * bits + high);
}

static inline unsigned int scope_trace_value_bits(uint8_t symbol)
{
	return symbol < 8 ? 0 : symbol / 4 - 1u;
}

static inline uint64_t scope_trace_value_join(uint8_t symbol, uint64_t low)
{
	const unsigned int bits = scope_trace_value_bits(symbol);

	return (uint64_t)(symbol - 4 * bits) << bits | low;
}

/* A stream of bits that is written or read, the lowest bit of each byte first. */
struct scope_bits {
	uint8_t *at;
	const uint8_t *end; /* of the bytes that are read */
	uint64_t held;	    /* bits that were put, but do not fill a byte yet */
	unsigned int count; /* bits held, or read of the byte at `at`; below 8 between calls */
};

/* value has count bits at most. Always writes 8 bytes at `at`, so the caller makes room for them. */
static inline void scope_trace_bits_put(struct scope_bits *bits, uint64_t value, unsigned int count)
{
	if (count > 56) {
		scope_trace_bits_put(bits, value & UINT32_MAX, 32);
		value >>= 32;
		count -= 32;
	}
	bits->held |= value << bits->count;
	bits->count += count;
	memcpy(bits->at, &bits->held, sizeof(bits->held));
	bits->at += bits->count / 8;
	bits->held >>= bits->count & ~7u;
	bits->count %= 8;
}

/* After the last bit returns 0s, and `at` is then after the end. */
static inline uint64_t scope_trace_bits_get(struct scope_bits *bits, unsigned int count)
{
	uint64_t word = 0, low;

	if (count > 32) {
		low = scope_trace_bits_get(bits, 32);
		return low | scope_trace_bits_get(bits, count - 32) << 32;
	}
	if (bits->end - bits->at >= (ptrdiff_t)sizeof(word))
		memcpy(&word, bits->at, sizeof(word));
	else
		for (unsigned int i = 0; bits->at + i < bits->end; i++)
			word |= (uint64_t)bits->at[i] << 8 * i;
	word = word >> bits->count & ((1ull << count) - 1);
	bits->count += count;
	bits->at += bits->count / 8;
	bits->count %= 8;
	return word;
}

/* True if only the padding of the last byte is left to read. */
static inline bool scope_trace_bits_all_read(const struct scope_bits *bits)
{
	return bits->at + !!bits->count == bits->end;
}

#endif
