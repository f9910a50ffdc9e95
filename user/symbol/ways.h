/* SPDX-License-Identifier: GPL-2.0-only */
/* Which instructions of a function lead to another one, and what they set. */
#ifndef SCOPE_SYMBOL_WAYS_H
#define SCOPE_SYMBOL_WAYS_H

#include "symbol/jump_table.h"

#define SCOPE_WAY_MAX 64 /* instructions before a jump that are followed */

/*
 * All ways through a function, by numbers of instructions. Instructions that nothing leads to may follow any jump whose
 * targets are not known, or are taken to be the begin of other ways (`assume`).
 */
struct scope_ways {
	const struct scope_instruction *instruction; /* borrowed */
	struct scope_operation *operation;
	uint32_t count;
	uint32_t *first, *from; /* those that lead to instruction i: from[first[i]] to from[first[i + 1]] */
	bool *open;		/* a jump whose targets are known only at run time, and not from a table */
	bool assume;
	uint32_t *stack;
	bool *seen;
	size_t steps;
};

/* The only way to an instruction, from its end. */
struct scope_way {
	uint32_t node[SCOPE_WAY_MAX], length;
	bool jumped[SCOPE_WAY_MAX]; /* this instruction jumped to the one before it in this list */
};

/* 0; -ENOTSUP: not x86-64, or no capstone; -ENOMEM. Free ret_ways in any case. */
int scope_symbol_ways_create(unsigned machine, const uint8_t *code, const struct scope_instruction *instruction,
			     uint32_t count, struct scope_ways *ret_ways);
void scope_symbol_ways_free(struct scope_ways *ways);

/* The number of the instruction at an address; UINT32_MAX: none begins there. */
uint32_t scope_symbol_ways_find(const struct scope_ways *ways, uint64_t at);

/* Takes these for the targets of jumps through tables, instead of those before. 0 or -ENOMEM. */
int scope_symbol_ways_know(struct scope_ways *ways, const struct scope_jump *jump, size_t jumps, bool assume);

void scope_symbol_ways_only(const struct scope_ways *ways, uint32_t node, struct scope_way *ret_way);

/* The number that a register has before an instruction, if all ways there set the same. */
bool scope_symbol_ways_number(struct scope_ways *ways, uint32_t node, uint8_t reg, uint64_t *ret_number);

#endif
