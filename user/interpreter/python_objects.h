/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects of CPython 3.8 to 3.13: dictionaries, strings, coroutines. */
#ifndef SCOPE_INTERPRETER_PYTHON_OBJECTS_H
#define SCOPE_INTERPRETER_PYTHON_OBJECTS_H

#include "interpreter/interpreter.h"

/* True if the object at this address has that type. */
bool scope_interpreter_python_is(struct scope_memory *memory, uint64_t object, uint64_t type);

/*
 * Gets the value of a key of ASCII characters. Returns false if the dictionary does not have the key, or has the
 * members of an object.
 */
bool scope_interpreter_python_dict_get(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				       uint64_t dict, const char *key, uint64_t *ret_value);

/* A coroutine, or a generator, that waits. */
struct scope_python_coroutine {
	uint64_t code, instruction;
	uint64_t awaits; /* an object, or an object that continues the next coroutine */
};

bool scope_interpreter_python_knows_tasks(uint32_t version);

/* object: a coroutine, or an object that continues one. Returns false if it is no coroutine, or does not wait. */
bool scope_interpreter_python_coroutine(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					uint64_t object, struct scope_python_coroutine *ret_coroutine);

#endif
