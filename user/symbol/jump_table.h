/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds where the jumps of a function through tables may go, such as those of switch statements. */
#ifndef SCOPE_SYMBOL_JUMP_TABLE_H
#define SCOPE_SYMBOL_JUMP_TABLE_H

#include "symbol/disassemble.h"

/* One entry of a table, by numbers of instructions. */
struct scope_jump {
	uint32_t from, to;
};

/* The file that the function is in. */
struct scope_jump_source {
	/* Its constant bytes at a link address, borrowed; NULL: it does not have that many there. */
	const uint8_t *(*read)(void *context, uint64_t link, uint64_t bytes);
	bool (*is_code)(void *context, uint64_t link); /* a function has this address */
	void *context;
};

/*
 * Finds the tables of a function of x86-64 as compilers write them: offsets of 4 bytes from an address, or addresses of
 * 8 bytes, with a limit of the index in the code before the jump. A jump is left out if a part of this is not found, or
 * if an entry is not the address of an instruction of the function or of another function. code: the bytes of the
 * instructions. *ret_jump: ordered by from, then by to, each once; the caller frees it. 0 or -ENOMEM; another machine has
 * no tables.
 */
int scope_symbol_jump_tables_find(unsigned machine, const uint8_t *code, const struct scope_instruction *instruction,
				  size_t count, const struct scope_jump_source *source, struct scope_jump **ret_jump,
				  size_t *ret_count);

#endif
