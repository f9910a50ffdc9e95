/* SPDX-License-Identifier: GPL-2.0-only */
/* Compiles a file's call frame information into the unwind table by which the module walks stacks. */
#ifndef SCOPE_SYMBOL_UNWIND_TABLE_H
#define SCOPE_SYMBOL_UNWIND_TABLE_H

#include <libelf.h>

#include "symbol/range.h"

/*
 * The table (scope/table.h) of .eh_frame, and of .debug_frame for functions that are not in it. plt: sections of jumps,
 * in link addresses. The time is proportional to the size of the sections, whatever they contain. Invalid entries are
 * left out. 0: free *ret_table. A file without such sections has a table without rows. -ENOENT: another machine;
 * -E2BIG; -ENOMEM.
 */
int scope_symbol_table_compile(Elf *elf, const struct scope_ranges *plt, void **ret_table, size_t *ret_bytes);

#endif
