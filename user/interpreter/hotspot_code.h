/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the methods of compiled code of HotSpot. */
#ifndef SCOPE_INTERPRETER_HOTSPOT_CODE_H
#define SCOPE_INTERPRETER_HOTSPOT_CODE_H

#include "interpreter/interpreter.h"

/*
 * The methods at an address of a compiled method: those that the compiler inlined there, innermost first, then the
 * method itself; or only the method itself if inlining is not recorded. blob: of the code cache.
 */
void scope_interpreter_hotspot_inlined(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets,
				       uint64_t blob, uint64_t pc, uint64_t method,
				       struct scope_left_functions *ret_functions);

#endif
