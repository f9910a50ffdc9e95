/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which unwind tables and mappings the module needs (scope/table.h), so that it can walk stacks: tables of files that
 * were opened to unwind copied stacks, or before the first stack with their code.
 */
#ifndef SCOPE_SYMBOL_KERNEL_TABLES_H
#define SCOPE_SYMBOL_KERNEL_TABLES_H

#include <scope/table.h>

#include "symbol/symbol.h"

/*
 * The next table that the module does not have yet. *ret_key: its key, from 1 on. Returns 1, and the caller frees
 * *ret_table; 0: there is none; -ENOMEM.
 */
int scope_symbol_kernel_tables_next(struct scope_symbols *symbols, uint32_t *ret_key, void **ret_table,
				    size_t *ret_bytes);

/*
 * All mappings of the next process whose mappings or tables changed since the last call for it. table: a key, or one of
 * SCOPE_MAP_*. There is room for max mappings; for a process with more, none are given. 1, 0 or -ENOMEM. Call it when
 * there is no further table.
 */
int scope_symbol_kernel_maps_next(struct scope_symbols *symbols, struct scope_table_map *ret_map, uint32_t max,
				  uint32_t *ret_tgid, uint32_t *ret_count);

/*
 * Opens the next file that a process maps and whose code was in no stack yet. Returns 1 if it was opened, or tried; 0
 * if there is none, or no more are opened in advance; or -ENOMEM.
 */
int scope_symbol_kernel_tables_open(struct scope_symbols *symbols);
bool scope_symbol_kernel_tables_unopened(struct scope_symbols *symbols);

/* True if there is a table or a process for one of the first two functions. */
bool scope_symbol_kernel_tables_pending(struct scope_symbols *symbols);

#endif
