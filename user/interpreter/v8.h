/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the frames of JavaScript on native stacks of Node. The functions are those of interpreter.h, for this language.
 */
#ifndef SCOPE_INTERPRETER_V8_H
#define SCOPE_INTERPRETER_V8_H

#include "interpreter/dynamic.h"
#include "interpreter/interpreter.h"

enum scope_interpreter_found scope_interpreter_v8_find(struct scope_memory *memory, const struct scope_dynamic *dynamic,
						       struct scope_interpreter *interpreter);
enum scope_interpreter_left scope_interpreter_v8_leave(struct scope_memory *memory,
						       const struct scope_interpreter *interpreter,
						       const struct scope_stack_words *stack,
						       struct scope_native_frame *frame,
						       struct scope_left_functions *ret_functions);
/* "js::NAME:FILE"; "js::(anonymous at 12:34):FILE" with line and column; "RegExp:[compiled]". */
bool scope_interpreter_v8_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
			       uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME]);

#endif
