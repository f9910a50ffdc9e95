/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions of a statically linked program are the C library's. */
#ifndef SCOPE_SYMBOL_LIBC_PART_H
#define SCOPE_SYMBOL_LIBC_PART_H

#include "symbol/functions.h"

/*
 * If a C library was linked into the file, sets `libc` of its functions: those with reserved names, and all after the
 * address from which on most names are the library's. (Linkers put libraries last, and keep the order of their
 * functions.)
 */
void scope_symbol_libc_part_mark(struct scope_file_functions *functions);

#endif
