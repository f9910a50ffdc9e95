/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the functions of .eh_frame and .debug_frame, with their call frame instructions. */
#ifndef SCOPE_SYMBOL_CFI_FUNCTIONS_H
#define SCOPE_SYMBOL_CFI_FUNCTIONS_H

#include <libelf.h>

#include "symbol/cfi.h"

struct scope_cfi_functions {
	struct scope_cfi_function *function; /* by start; their instructions are in the file's data */
	size_t count, capacity;
};

/*
 * All functions of .eh_frame, and those of .debug_frame that are not in it. Invalid entries are left out; a file
 * without such sections has no functions. 0: free ret_functions->function. -ENOMEM.
 */
int scope_symbol_cfi_functions_read(Elf *elf, const struct scope_cfi_machine *machine,
				    struct scope_cfi_functions *ret_functions);

#endif
