/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions of a statically linked program are the C library's. */
#ifndef SCOPE_SYMBOL_LIBC_PART_H
#define SCOPE_SYMBOL_LIBC_PART_H

#include "symbol/functions.h"

/*
 * Sets `libc` of the functions that belong to a C library which was linked into the file, if one was: those with names that are reserved for it,
 * and all after the address from which most names are its own. Linkers take libraries last, and keep the order of what they take.
 */
void scope_symbol_libc_part_mark(struct scope_file_functions *functions);

#endif
