/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of one function, its loops, and the lines of source of these. */
#ifndef SCOPE_SYMBOL_LOOP_CODE_H
#define SCOPE_SYMBOL_LOOP_CODE_H

#include "symbol/loop.h"
#include "symbol/source_loop.h"
#include "symbol/space.h"

struct scope_loop_code {
	struct scope_file *file; /* borrowed */
	const struct scope_file_function *function;
	struct scope_instruction *instruction;
	size_t count;
	struct scope_jump *jump; /* through tables */
	size_t jumps;
	struct scope_loops *loops;
	size_t lookups; /* of lines, which are slow */
	bool *inside;	/* by number of an instruction: filled by scope_symbol_loops_inside() */
};

/*
 * Reads the code of the function at a link address. 0; -ENOENT: the code is not on this host, or longer than 128 KiB;
 * -ENOMEM. Free ret_code in any case.
 */
int scope_symbol_loop_code_read(struct scope_file *file, uint64_t link, struct scope_loop_code *ret_code);
void scope_symbol_loop_code_free(struct scope_loop_code *code);

/* The number of the instruction at a link address. SIZE_MAX: there is none. */
size_t scope_symbol_loop_code_number(const struct scope_loop_code *code, uint64_t link);

/*
 * The first and the last line of the loop in code->inside, which contains the instruction at a link address. The lines
 * are those in the innermost inlined function that contains the whole loop. *ret_depth: how many calls were inlined
 * around that function. ret_loop->file is NULL if lines are not known, or the loop has too many. 0 or -ENOMEM.
 */
int scope_symbol_loop_code_lines(struct scope_loop_code *code, uint64_t link, struct scope_source_loop *ret_loop,
				 unsigned int *ret_depth);

#endif
