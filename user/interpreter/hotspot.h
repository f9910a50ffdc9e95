/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the frames of Java. The functions are those of interpreter.h, for this language. */
#ifndef SCOPE_INTERPRETER_HOTSPOT_H
#define SCOPE_INTERPRETER_HOTSPOT_H

#include "interpreter/dynamic.h"
#include "interpreter/interpreter.h"

enum scope_interpreter_found scope_interpreter_hotspot_find(struct scope_memory *memory,
							    const struct scope_dynamic *dynamic,
							    struct scope_interpreter *interpreter);
size_t scope_interpreter_hotspot_threads(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 struct scope_interpreted_thread *ret_thread, size_t max);
bool scope_interpreter_hotspot_is_thread(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 const struct scope_interpreted_thread *thread);
/* EMPTY: the thread runs Java code, at an unknown place. */
enum scope_interpreter_read scope_interpreter_hotspot_frames(struct scope_memory *memory,
							     const struct scope_interpreter *interpreter,
							     uint64_t state,
							     struct scope_interpreted_frames *ret_frames);

/* Bit in the number of a function that is a stub and no method. */
#define SCOPE_HOTSPOT_STUB 1u

enum scope_interpreter_left scope_interpreter_hotspot_leave(struct scope_memory *memory,
							    const struct scope_interpreter *interpreter,
							    const struct scope_stack_words *stack,
							    struct scope_native_frame *frame,
							    struct scope_left_functions *ret_functions);
/* Names a method as jcmd's Compiler.perfmap does: "void org.Box.push(java.lang.String)"; a stub has its own name. */
bool scope_interpreter_hotspot_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				    uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME]);

#endif
