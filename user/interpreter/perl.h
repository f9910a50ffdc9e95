/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the frames of Perl. The functions are those of interpreter.h, for this language. */
#ifndef SCOPE_INTERPRETER_PERL_H
#define SCOPE_INTERPRETER_PERL_H

#include "interpreter/dynamic.h"
#include "interpreter/interpreter.h"

enum scope_interpreter_found scope_interpreter_perl_find(struct scope_memory *memory,
							 const struct scope_dynamic *dynamic,
							 struct scope_interpreter *interpreter);
size_t scope_interpreter_perl_threads(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				      struct scope_interpreted_thread *ret_thread, size_t max);
bool scope_interpreter_perl_is_thread(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				      const struct scope_interpreted_thread *thread);
enum scope_interpreter_read scope_interpreter_perl_frames(struct scope_memory *memory,
							  const struct scope_interpreter *interpreter, uint64_t state,
							  struct scope_interpreted_frames *ret_frames);
bool scope_interpreter_perl_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				 uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME]);

#endif
