/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the objects of Perl that have the name of a sub. */
#ifndef SCOPE_INTERPRETER_PERL_OBJECTS_H
#define SCOPE_INTERPRETER_PERL_OBJECTS_H

#include "interpreter/interpreter.h"

/*
 * The number of a function for name(): for a sub made from the address of its code, for the body of a file from that of
 * its present statement. Perl soon reuses the memory of a closure for another one, so the number contains a mark of the
 * present content. 0: no function.
 */
uint64_t scope_interpreter_perl_sub(struct scope_memory *memory, uint64_t code);
uint64_t scope_interpreter_perl_body(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				     uint64_t statement);

/* Reads the name of a package. Returns false if it has none, or cannot be read. */
bool scope_interpreter_perl_package(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				    uint64_t stash, char *ret_text, size_t size);

#endif
