/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of source of a loop of machine code. */
#ifndef SCOPE_SYMBOL_SOURCE_LOOP_H
#define SCOPE_SYMBOL_SOURCE_LOOP_H

#include "symbol/symbol.h"

struct scope_source_loop {
	const char *file; /* as given to the compiler, borrowed as those of lines are; NULL: no loop is known */
	int first, last;  /* its lines in `inlined`; for calls that were inlined there, the lines of these calls */
	char inlined[SCOPE_LINE_NAME]; /* the inlined function that contains the whole loop; "": the symbol's own function */
};

/* An address of a process. */
struct scope_code_address {
	uint32_t tgid;
	uint64_t address;
};

/*
 * The innermost loop around at[0], in the function that contains at[0], as recorded in the trace (symbol/loop_rows.h).
 * If the trace has no loops at all, or better symbols are wanted, the loop is found in the file's machine code and
 * DWARF lines; then the file of the traced build must be on this host. ret_inside: by address, whether it is in that
 * loop; false on entry. ret_loop->file is NULL if no loop is found. 0, -ENOMEM.
 */
int scope_symbols_loop(struct scope_symbols *symbols, const struct scope_code_address *at, size_t count,
		       bool *ret_inside, struct scope_source_loop *ret_loop);

/*
 * *ret_inside: the address is in a loop of its function, according to the trace, or else to the file's code. 0,
 * -ENOMEM.
 */
int scope_symbols_in_loop(struct scope_symbols *symbols, const struct scope_code_address *at, bool *ret_inside);

#endif
