/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in an ELF file Go's linker put its table of functions. */
#ifndef SCOPE_SYMBOL_GOFILE_H
#define SCOPE_SYMBOL_GOFILE_H

#include <libelf.h>
#include <stdbool.h>

#include "symbol/gotable.h"

/* Whether Go's linker made the file: it says so by a section of its own, stripped or not. */
bool scope_symbol_go_file_is(Elf *elf);

/*
 * Finds the table by its section, else, in a file of Go's or without sections, by its magic number in
 * what is loaded and is no code; and the
 * address of the code, which no table says that is relocated or of Go 1.26: by the relocation, or by the
 * runtime's list of its parts (moduledata), which points to the table and repeats both ends of the code.
 * Borrows the bytes of the file. 0; -ENOENT: there is none, or it makes no sense.
 */
int scope_symbol_go_file_table(Elf *elf, struct scope_go_table *ret_table);

#endif
