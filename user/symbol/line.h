/* SPDX-License-Identifier: GPL-2.0-only */
/* Source places of an address, inlined calls included. */
#ifndef SCOPE_SYMBOL_LINE_H
#define SCOPE_SYMBOL_LINE_H

#include <elfutils/libdwfl.h>

#define SCOPE_LINE_NAME 96

struct scope_source_line {
	char function[SCOPE_LINE_NAME]; /* the function that was inlined there; "": the symbol's own function */
	const char *file;		/* as given to the compiler, borrowed from the module; or "[unprintable]" */
	int line;
};

/*
 * The function in which the last address was found: the next address is usually in it, too. A zeroed struct is no
 * function.
 */
struct scope_line_function {
	uint64_t from, to; /* one of its ranges, as DWARF has it */
	Dwarf_Die die;
};

/*
 * The source place of a link address, and the places where it was inlined, innermost first (DWARF 5 sections 6.2 and
 * 3.3.8). The module is at its link addresses; `latest` is of this module. Returns the number of places, 0 if none is
 * known.
 */
unsigned int scope_symbol_lines_find(Dwfl_Module *module, uint64_t link, struct scope_line_function *latest,
				     struct scope_source_line *ret_line, unsigned int max);

/*
 * Identifies the row of the line table for a link address: addresses with the same row have the same places. NULL: not
 * known.
 */
const void *scope_symbol_line_row(Dwfl_Module *module, uint64_t link);

struct scope_go_table;

/* The same for a Go program, by its table of functions: at most one place, with "?" as function if it was inlined. */
unsigned int scope_symbol_lines_of_go(const struct scope_go_table *table, uint64_t link,
				      struct scope_source_line *ret_line, unsigned int max);

#endif
