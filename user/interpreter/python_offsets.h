/* SPDX-License-Identifier: GPL-2.0-only */
/* Where members are in the structures of each version of CPython. */
#ifndef SCOPE_INTERPRETER_PYTHON_OFFSETS_H
#define SCOPE_INTERPRETER_PYTHON_OFFSETS_H

#include "interpreter/interpreter.h"

/*
 * version: major << 8 | minor. From 3.13 on offsets are read from the variable _PyRuntime at `runtime`, where CPython
 * has them for debuggers. Returns false if they are not known.
 */
bool scope_interpreter_python_offsets(struct scope_memory *memory, uint64_t runtime, uint32_t version,
				      struct scope_python_offsets *ret_offsets);

#endif
