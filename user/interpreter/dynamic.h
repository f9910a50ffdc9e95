/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds exported symbols of a loaded ELF file in the memory of its process, in the way of a dynamic linker. */
#ifndef SCOPE_INTERPRETER_DYNAMIC_H
#define SCOPE_INTERPRETER_DYNAMIC_H

#include "interpreter/remote_memory.h"

/* Where a file is loaded, and the tables that its dynamic section names. */
struct scope_dynamic {
	uint64_t bias; /* memory address - address in the file */
	uint64_t symbols, strings, gnu_hash, hash;
	uint64_t data, data_end; /* its last writable part, which has the variables */
};

/* start: address at which the begin of the file is mapped. Returns false if it is no such file, or cannot be read. */
bool scope_interpreter_dynamic_open(struct scope_memory *memory, uint64_t start, struct scope_dynamic *ret_dynamic);

/* Finds the address of an exported function or variable. Returns false if the file has none with that name. */
bool scope_interpreter_dynamic_find(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *name,
				    uint64_t *ret_address);

#endif
