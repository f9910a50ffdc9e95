/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of one ELF file, from its symbol table, Go's table and its unwind tables. */
#ifndef SCOPE_SYMBOL_FUNCTIONS_H
#define SCOPE_SYMBOL_FUNCTIONS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "symbol/gotable.h"
#include "symbol/range.h"

struct scope_file_function {
	const char *name; /* not terminated; belongs to the file. NULL: only its bounds are known */
	size_t name_bytes;
	uint64_t start, size; /* link addresses */
	bool libc;	      /* it belongs to a C library that is linked into the program (libc_part.h) */
	bool message;	      /* the name is from messages of the program, not from a symbol (message_names.h) */
};

/* Zeroed is empty and valid. ranges give an index into function. */
struct scope_file_functions {
	struct scope_file_function *function;
	size_t count, capacity;
	size_t named;
	struct scope_ranges ranges;
};

/*
 * Reads .symtab (of the file, of its debug file, or the one in .gnu_debugdata), else .dynsym, and fills the gaps from
 * Go's table of functions (NULL: there is none), then from .eh_frame. The module is at its link addresses, elf is its
 * main file. If an address has several names it keeps one by these rules, in this order: external before local, fewest
 * leading underscores, strong before weak, shortest, first by alphabet. 0, -ENOMEM. Free with
 * scope_symbol_file_functions_free(), before the module ends.
 */
int scope_symbol_file_functions_read(Dwfl_Module *module, Elf *elf, const struct scope_go_table *go,
				     struct scope_file_functions *ret);
void scope_symbol_file_functions_free(struct scope_file_functions *functions);

/* The function that holds a link address; NULL: none. */
const struct scope_file_function *scope_symbol_file_functions_find(const struct scope_file_functions *functions,
								   uint64_t link);

#endif
