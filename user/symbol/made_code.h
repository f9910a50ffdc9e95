/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions on native stacks whose code a language's runtime made. They are read from the memory of the process while
 * stacks are unwound during the capture. The runtime has no unwind tables for such code, and the code may keep no frame
 * pointers.
 *
 *   frame in code without a rule ──► interpreter/: its function, its caller ──► a number by the function's name
 *
 * In a trace such a frame has an address that no process can have (interpreter/interpreter.h), and names.c writes the
 * name of each. So if code replaces other code at the same address, it does not get the old name.
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

/* reader: reads the memory of the process. names: numbers the names. Both must outlive the object. NULL: no memory. */
struct scope_made_code *scope_symbol_made_code_create(uint32_t tgid, struct scope_proc_reader *reader,
						      struct scope_name_table *names);
void scope_symbol_made_code_destroy(struct scope_made_code *made); /* NULL is fine */

/*
 * Like scope_interpreter_leave(), but ret_functions has the addresses in a trace of the functions whose names are
 * known. *ret_cut: the slice ended before a word that was needed.
 */
enum scope_interpreter_left scope_symbol_made_code_leave(struct scope_made_code *made, const struct scope_slice *slice,
							 struct scope_native_frame *frame,
							 struct scope_left_functions *ret_functions, bool *ret_cut);

#endif
