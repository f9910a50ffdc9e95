/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds exported symbols of a loaded ELF file in the memory of its process, as its dynamic linker does. */
#ifndef SCOPE_INTERPRETER_DYNAMIC_H
#define SCOPE_INTERPRETER_DYNAMIC_H

#include "interpreter/remote_memory.h"

/* Where a file is loaded, and the tables that its dynamic section names. */
struct scope_dynamic {
	uint64_t bias; /* what is added to the addresses of the file */
	uint64_t symbols, strings, gnu_hash, hash;
	uint64_t data, data_end; /* its last part that is written to: variables */
};

/* start: where the beginning of the file is mapped. false: it is no such file, or it cannot be read. */
bool scope_interpreter_dynamic_open(struct scope_memory *memory, uint64_t start, struct scope_dynamic *ret_dynamic);

/* The address of an exported function or variable. false: the file has none of that name. */
bool scope_interpreter_dynamic_find(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *name,
				    uint64_t *ret_address);

#endif
