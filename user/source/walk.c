// SPDX-License-Identifier: GPL-2.0-only
/* Lengths of raw records. */
#include "source/walk.h"

#include <stddef.h>

/* Length of the record at address, 0 where it makes no sense. left: bytes from there on. */
static uint64_t record_bytes(const void *at, uint32_t left)
{
	static const uint8_t fixed[] = {
#define SCOPE_FIXED_BYTES(number, NAME, name, bytes, text) [number] = bytes,
		SCOPE_RECORD_LIST(SCOPE_FIXED_BYTES)
#undef SCOPE_FIXED_BYTES
	};
	const uint32_t type = scope_walk_type(at);
	uint64_t bytes = type < sizeof(fixed) ? fixed[type] : 0;

	if (!bytes || bytes > left)
		return 0;
	switch (type) {
	case SCOPE_RECORD_SYSCALL:
		return bytes + 8u * (((const struct scope_record_syscall *)at)->abi_args >> 4);
	case SCOPE_RECORD_ENTER:
		return bytes + 8u * (((const struct scope_record_enter *)at)->abi_args >> 4);
	case SCOPE_RECORD_STATE:
		return bytes + 8ull * ((const struct scope_record_state *)at)->regs;
	case SCOPE_RECORD_CHAIN: {
		const struct scope_record_chain *chain = at;

		return bytes + 8ull * chain->count + (chain->flags & SCOPE_STACK_COST ? 8 : 0);
	}
	case SCOPE_RECORD_PROBE:
		return bytes + 8u * ((const struct scope_record_probe *)at)->args;
	case SCOPE_RECORD_STACK: {
		const struct scope_record_stack *stack = at;

		return bytes + 8ull * stack->regs + ((stack->bytes + 7ull) & ~7ull);
	}
	default:
		return bytes;
	}
}

const void *scope_walk_next(const struct scope_subbuf *subbuf, uint32_t *offset)
{
	const uint32_t at = *offset ? *offset : (uint32_t)sizeof(*subbuf);
	const void *record = (const uint8_t *)subbuf + at;
	uint64_t bytes;

	if (at > subbuf->used_bytes || subbuf->used_bytes - at < 8)
		return NULL;
	bytes = record_bytes(record, subbuf->used_bytes - at);
	if (!bytes || bytes > subbuf->used_bytes - at)
		return NULL;
	*offset = at + (uint32_t)bytes;
	return record;
}
