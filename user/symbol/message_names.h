/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of functions without a symbol, from messages of the program that have them. */
#ifndef SCOPE_SYMBOL_MESSAGE_NAMES_H
#define SCOPE_SYMBOL_MESSAGE_NAMES_H

#include <libelf.h>

#include "symbol/functions.h"

/* A function that has a name, or is a part of another one. */
struct scope_message_name {
	uint32_t function; /* an index into the file's functions */
	uint32_t whole;	   /* the function that it is a part of (f.cold); itself if it is none */
	uint32_t bytes;
	const char *name; /* name of the whole, in the file's data, not terminated; NULL: it has none, or has a symbol */
};

/* Zeroed is empty and valid. */
struct scope_message_names {
	struct scope_message_name *name; /* by function */
	size_t count, capacity;
};

/*
 * Reads the names that a stripped program of x86-64 passes to assert(), and to those of its own functions that get the
 * name of their caller (__func__). A function into which the compiler inlined another may get the name of the inlined
 * one. On other machines, and without capstone, there are no names. 0 or -ENOMEM. Free with
 * scope_symbol_message_names_free(), before elf ends.
 */
int scope_symbol_message_names_read(Elf *elf, const struct scope_file_functions *functions,
				    struct scope_message_names *ret_names);
void scope_symbol_message_names_free(struct scope_message_names *names);

/* NULL: it has none. */
const struct scope_message_name *scope_symbol_message_names_find(const struct scope_message_names *names,
								 uint32_t function);

#endif
