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
 * The next table that was not given yet. *ret_key: its number here, from 1 on. 1, and the caller frees *ret_table; 0:
 * there is none; -ENOMEM.
 */
int scope_symbol_kernel_tables_next(struct scope_symbols *symbols, uint32_t *ret_key, void **ret_table,
				    size_t *ret_bytes);

/*
 * All mappings of the next process whose mappings or tables changed since they were given. table: a key, or one of
 * SCOPE_MAP_*. Room for max; a process that has more gets none. 1, 0 or -ENOMEM. Call it when there is no further table.
 */
int scope_symbol_kernel_maps_next(struct scope_symbols *symbols, struct scope_table_map *ret_map, uint32_t max,
				  uint32_t *ret_tgid, uint32_t *ret_count);

/*
 * Opens the next file that a process maps and that no stack has led to yet. 1: it was opened, or tried. 0: there is
 * none, or no more are opened in advance. -ENOMEM.
 */
int scope_symbol_kernel_tables_open(struct scope_symbols *symbols);
bool scope_symbol_kernel_tables_unopened(struct scope_symbols *symbols);

/* True if one of the first two has something to give. */
bool scope_symbol_kernel_tables_pending(struct scope_symbols *symbols);

#endif
