/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the objects of CRuby that say what a function is called. */
#ifndef SCOPE_INTERPRETER_RUBY_OBJECTS_H
#define SCOPE_INTERPRETER_RUBY_OBJECTS_H

#include "interpreter/interpreter.h"

/* What an environment has for its method: the entry of that, alone or with variables. false: it is of no method. */
bool scope_interpreter_ruby_entry(struct scope_memory *memory, uint64_t object, uint64_t *ret_entry);

/*
 * Up to 3.1 a class has its name in a variable, and a class of one object that object in another. Their numbers differ between builds,
 * and are those with which the class Object has its own name, and its own class has Object. Does nothing for other versions.
 */
void scope_interpreter_ruby_learn(struct scope_memory *memory, struct scope_interpreter *interpreter);

#endif
