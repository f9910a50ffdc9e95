/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of a language whose runtime made their code, on native stacks: from the memory of the process, while stacks are
 * unwound as they come. The runtime has no unwind tables for such code, and it may keep no frame pointers.
 *
 *   frame in code without a rule ──► interpreter/: its function, its caller ──► a number by the function's name
 *
 * The address of such a frame in a trace is one that no process can have (interpreter/interpreter.h), and names.c writes the
 * name of each. So code that takes the place of other code does not take its name.
 */
#ifndef SCOPE_SYMBOL_MADE_CODE_H
#define SCOPE_SYMBOL_MADE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/interpreter.h"
#include "interpreter/name_table.h"

struct scope_proc_reader;
struct scope_slice;
struct scope_made_code; /* the runtime of one process */

/* NULL: no memory. reader: reads the memory of the process. names: numbers names; both outlive the object. */
struct scope_made_code *scope_symbol_made_code_create(uint32_t tgid, struct scope_proc_reader *reader,
						      struct scope_name_table *names);
void scope_symbol_made_code_destroy(struct scope_made_code *made); /* NULL is fine */

/*
 * As scope_interpreter_leave(), but ret_functions has their addresses in a trace, of those whose names are known. *ret_cut: the slice
 * ended before a word that was needed.
 */
enum scope_interpreter_left scope_symbol_made_code_leave(struct scope_made_code *made, const struct scope_slice *slice,
							 struct scope_native_frame *frame,
							 struct scope_left_functions *ret_functions, bool *ret_cut);

#endif
