/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the objects of Perl that say what a sub is called. */
#ifndef SCOPE_INTERPRETER_PERL_OBJECTS_H
#define SCOPE_INTERPRETER_PERL_OBJECTS_H

#include "interpreter/interpreter.h"

/*
 * The number of a function for name(): of a sub by its code, and of the body of a file by the statement that it is at. Perl soon uses the
 * memory of a closure for another one; so the number has a mark of what the address leads to now. 0: it is none.
 */
uint64_t scope_interpreter_perl_sub(struct scope_memory *memory, uint64_t code);
uint64_t scope_interpreter_perl_body(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				     uint64_t statement);

/* The name of a package; false: it has none, or it cannot be read. */
bool scope_interpreter_perl_package(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				    uint64_t stash, char *ret_text, size_t size);

#endif
