/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the frames of PHP. The functions are those of interpreter.h, for this language. */
#ifndef SCOPE_INTERPRETER_PHP_H
#define SCOPE_INTERPRETER_PHP_H

#include "interpreter/dynamic.h"
#include "interpreter/interpreter.h"

enum scope_interpreter_found scope_interpreter_php_find(struct scope_memory *memory,
							const struct scope_dynamic *dynamic,
							struct scope_interpreter *interpreter);
enum scope_interpreter_read scope_interpreter_php_frames(struct scope_memory *memory,
							 const struct scope_interpreter *interpreter, uint64_t state,
							 struct scope_interpreted_frames *ret_frames);
bool scope_interpreter_php_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME]);

#endif
