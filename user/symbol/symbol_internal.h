/* SPDX-License-Identifier: GPL-2.0-only */
/* What symbol.c, named_function.c and symbol_rows.c share. */
#ifndef SCOPE_SYMBOL_SYMBOL_INTERNAL_H
#define SCOPE_SYMBOL_SYMBOL_INTERNAL_H

#include "symbol/space.h"
#include "symbol/symbol.h"

struct scope_symbols {
	struct scope_spaces spaces;
	const struct scope_trace *trace; /* the trace whose rows were added, NULL: none */
	struct scope_space *everywhere;	 /* rows of tgid 0 */
	const struct scope_trace_symbol *row;
	size_t rows, rows_refused;
	bool rows_go;	       /* a Go program is among them */
	bool rows_interpreted; /* functions that an interpreter runs are among them */
	bool rows_made;	       /* functions of native stacks that a runtime made (made_code.h) are among them */
	uint32_t *row_first;   /* by row: the first row of the same process, module and name */
	struct scope_function **row_function; /* of first rows, NULL until met */
	struct scope_function **function;
	size_t functions, capacity;
	struct scope_function *unknown; /* for addresses outside of all mappings */
};

/*
 * Adds a function with that symbol, which is not in plain form yet, and is owned by this function from here on (NULL:
 * there was no memory for it). `value` has all but the names and the id. 0 or -ENOMEM.
 */
int scope_symbol_function_add(struct scope_symbols *symbols, char *symbol, struct scope_function value,
			      struct scope_function **ret_function);
void scope_symbol_function_destroy(struct scope_function *function);

/* Puts the rows into the address spaces of their processes, and groups rows of the same function. 0 or -ENOMEM. */
int scope_symbol_rows_add(struct scope_symbols *symbols);

/* is_language: true for code of a language's runtime. is_library: true for that, and for code of a library. */
bool scope_symbol_row_is_language(const struct scope_symbols *symbols, const struct scope_trace_symbol *row);
bool scope_symbol_row_is_library(const struct scope_symbols *symbols, const struct scope_trace_symbol *row);

/* True for names that a process gave to its code made at run time. They are not trusted. */
bool scope_symbol_row_is_made_up(const struct scope_trace_symbol *row);

#endif
