/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the table of functions that Go's linker put into an ELF file. */
#ifndef SCOPE_SYMBOL_GOFILE_H
#define SCOPE_SYMBOL_GOFILE_H

#include <libelf.h>
#include <stdbool.h>

#include "symbol/gotable.h"

/* True if Go's linker made the file: it adds a special section, which stripping keeps. */
bool scope_symbol_go_file_is(Elf *elf);

/*
 * Finds the table by its section. In a file that Go's linker made or that has no sections, it also searches the loaded
 * bytes that are not code for the table's magic number. Then it finds the address of the code. A table that is
 * relocated, or of Go 1.26, does not have this address. Then the address is taken from the relocation, or from the
 * runtime's list of its parts (moduledata), which points to the table and has both ends of the code. Borrows the bytes
 * of the file. 0; -ENOENT: there is no table, or it is not valid.
 */
int scope_symbol_go_file_table(Elf *elf, struct scope_go_table *ret_table);

#endif
