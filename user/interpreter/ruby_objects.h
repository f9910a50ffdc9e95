/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the objects of CRuby that have the name of a function. */
#ifndef SCOPE_INTERPRETER_RUBY_OBJECTS_H
#define SCOPE_INTERPRETER_RUBY_OBJECTS_H

#include "interpreter/interpreter.h"

/*
 * Reads the method's entry in an environment, where it is alone or together with variables. Returns false if there is
 * no method.
 */
bool scope_interpreter_ruby_entry(struct scope_memory *memory, uint64_t object, uint64_t *ret_entry);

/*
 * Up to 3.1 a class has its name in a variable, and a singleton class has its object in another. The keys of these
 * variables differ between builds. They are found at the class Object, whose name is known, and at its singleton class,
 * whose object is known. Does nothing for other versions.
 */
void scope_interpreter_ruby_learn(struct scope_memory *memory, struct scope_interpreter *interpreter);

#endif
