/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a record from which columns are made: fixed bytes, arguments, the rest. */
#ifndef SCOPE_TRACE_RECORD_PARTS_H
#define SCOPE_TRACE_RECORD_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include <scope/event.h>

#define SCOPE_RECORD_TYPES (1u << SCOPE_TYPE_BITS)

/* Bytes of the fixed part of a type, 0: not known. */
static inline uint32_t scope_trace_record_fixed(uint32_t type)
{
	static const uint8_t bytes_of[SCOPE_RECORD_TYPES] = {
#define SCOPE_RECORD_BYTES(number, NAME, name, bytes, text) [number] = bytes,
		SCOPE_RECORD_LIST(SCOPE_RECORD_BYTES)
#undef SCOPE_RECORD_BYTES
	};

	return bytes_of[type];
}

/* Number of a call's arguments after the fixed part. */
static inline size_t scope_trace_record_args(const uint8_t *record, uint32_t type)
{
	return type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER ? record[6] >> 4 : 0;
}

/* Number of bytes after the fixed part, without the arguments of calls. */
static inline size_t scope_trace_record_rest(const uint8_t *record, uint32_t type)
{
	const struct scope_record_chain *chain = (const void *)record;
	const struct scope_record_stack *stack = (const void *)record;

	switch (type) {
	case SCOPE_RECORD_STATE:
		return 8ul * ((const struct scope_record_state *)record)->regs;
	case SCOPE_RECORD_CHAIN:
		return 8ul * chain->count + (chain->flags & SCOPE_STACK_COST ? 8 : 0);
	case SCOPE_RECORD_FRAMES:
		return 8ul * ((const struct scope_record_frames *)record)->count;
	case SCOPE_RECORD_STACK:
		return 8ul * stack->regs + ((size_t)stack->bytes + 7) / 8 * 8;
	case SCOPE_RECORD_PROBE:
		return 8ul * ((const struct scope_record_probe *)record)->args;
	}
	return 0;
}

/* Maps small numbers of either sign to small unsigned numbers of that many bits (zigzag). */
static inline uint32_t scope_trace_fold(uint32_t value, unsigned int bits)
{
	const uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	const uint32_t negative = -(value >> (bits - 1) & 1);

	return (value << 1 ^ negative) & mask;
}

static inline uint32_t scope_trace_unfold(uint32_t value, unsigned int bits)
{
	const uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

	return ((value & mask) >> 1 ^ -(value & 1)) & mask;
}

#endif
