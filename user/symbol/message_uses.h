/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that calls of a file have as arguments and that may be the names of the calling functions. */
#ifndef SCOPE_SYMBOL_MESSAGE_USES_H
#define SCOPE_SYMBOL_MESSAGE_USES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/functions.h"

/* A call with a constant text as an argument. */
struct scope_message_use {
	uint32_t function; /* the caller: an index into the file's functions */
	uint32_t name_bytes;
	const char *name; /* in the file's data, not terminated; NULL: the text cannot be a function's name */
	uint64_t callee;  /* its address, or that of the pointer to it */
	uint8_t argument; /* 0 to 5 */
	bool contract;	  /* by its documentation the callee gets the name of its caller there */
	bool hint;	  /* beside it is a source file and a number, or a format that begins with a name */
};

struct scope_message_uses {
	struct scope_message_use *use; /* in the order of the code */
	size_t count, capacity;
	/*
	 * For each function of the file: the function of which it is a part (f.cold, without a symbol), or its own
	 * index.
	 */
	uint32_t *whole;
};

/*
 * Works for x86-64. 0; -ENOTSUP: another machine, or no capstone; -ENOMEM. Free with scope_symbol_message_uses_free().
 * Names live as long as elf.
 */
int scope_symbol_message_uses_read(Elf *elf, const struct scope_file_functions *functions,
				   struct scope_message_uses *ret_uses);
void scope_symbol_message_uses_free(struct scope_message_uses *uses);

#endif
