// SPDX-License-Identifier: GPL-2.0-only
/* Walks over raw records by their lengths. */
#include "trace/walk.h"

#include <stddef.h>

/* Types of records with more than a fixed part. Calls have 8 more bytes for each argument. */
#define CALLS (SCOPE_WALK(SYSCALL) | SCOPE_WALK(ENTER))
#define LONGER                                                                                                         \
	(SCOPE_WALK(STATE) | SCOPE_WALK(CHAIN) | SCOPE_WALK(PROBE) | SCOPE_WALK(STACK) | SCOPE_WALK(FRAMES) |          \
	 SCOPE_WALK(RECEIVED))

/* Length of what follows the fixed part of a record of LONGER. */
static uint64_t more_bytes(const void *at)
{
	const struct scope_record_chain *chain = at;
	const struct scope_record_stack *stack = at;

	switch (scope_trace_walk_type(at)) {
	case SCOPE_RECORD_STATE:
		return 8ull * ((const struct scope_record_state *)at)->regs;
	case SCOPE_RECORD_CHAIN:
		return 8ull * chain->count + (chain->flags & SCOPE_STACK_COST ? 8 : 0);
	case SCOPE_RECORD_FRAMES:
		return 8ull * ((const struct scope_record_frames *)at)->count;
	case SCOPE_RECORD_RECEIVED:
		return (((const struct scope_record_received *)at)->bytes + 7ull) & ~7ull;
	case SCOPE_RECORD_PROBE:
		return 8ull * ((const struct scope_record_probe *)at)->args;
	default:
		return 8ull * stack->regs + ((stack->bytes + 7ull) & ~7ull);
	}
}

/*
 * Most records are calls, and callers search for few of them, so calls are skipped with few instructions. A call that
 * does not fit is not skipped.
 */
static const uint8_t *skip_calls(const uint8_t *at, const uint8_t *end)
{
	const struct scope_record_syscall *record = (const void *)at;

	while ((size_t)(end - at) >= sizeof(*record) && scope_trace_walk_type(at) == SCOPE_RECORD_SYSCALL) {
		const size_t bytes = sizeof(*record) + sizeof(uint64_t) * (record->abi_args >> 4);

		if (bytes > (size_t)(end - at))
			break;
		at += bytes;
		record = (const void *)at;
	}
	return at;
}

const void *scope_trace_walk_next(const struct scope_subbuf *subbuf, uint32_t types, uint32_t *offset)
{
	static const uint8_t fixed[1 << SCOPE_TYPE_BITS] = {
#define SCOPE_FIXED_BYTES(number, NAME, name, bytes, text) [number] = bytes,
		SCOPE_RECORD_LIST(SCOPE_FIXED_BYTES)
#undef SCOPE_FIXED_BYTES
	};
	const uint8_t *begin = (const uint8_t *)subbuf, *end = begin + subbuf->used_bytes;
	const uint8_t *at = begin + (*offset ? *offset : sizeof(*subbuf));

	while (at <= end) {
		const void *record;
		uint32_t bit;
		uint64_t bytes;

		if (!(types & SCOPE_WALK(SYSCALL)))
			at = skip_calls(at, end);
		if (end - at < 8)
			break;
		record = at;
		bit = 1u << scope_trace_walk_type(at);
		bytes = fixed[scope_trace_walk_type(at)];
		if (!bytes || bytes > (uint64_t)(end - at))
			return NULL;
		if (bit & CALLS)
			bytes += 8u * (((const struct scope_record_enter *)record)->abi_args >> 4);
		else if (bit & LONGER)
			bytes += more_bytes(record);
		if (bytes > (uint64_t)(end - at))
			return NULL;
		at += bytes;
		if (bit & types) {
			*offset = (uint32_t)(at - begin);
			return record;
		}
	}
	return NULL;
}
