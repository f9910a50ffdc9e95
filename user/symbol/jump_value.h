/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds from which table in memory a jump takes its target. */
#ifndef SCOPE_SYMBOL_JUMP_VALUE_H
#define SCOPE_SYMBOL_JUMP_VALUE_H

#include "symbol/ways.h"

struct scope_jump_value {
	uint64_t table; /* its address */
	uint64_t base;	/* which is added to an entry */
	uint64_t most;	/* the largest index; UINT64_MAX: not known */
	uint8_t bytes;	/* of an entry: 4, with a sign, or 8 */
};

/* Returns false if the jump has no such table. */
bool scope_symbol_jump_value(struct scope_ways *ways, uint32_t jump, struct scope_jump_value *ret_value);

#endif
