/* SPDX-License-Identifier: GPL-2.0-only */
/* Where members are in the structures of each version of CRuby. */
#ifndef SCOPE_INTERPRETER_RUBY_OFFSETS_H
#define SCOPE_INTERPRETER_RUBY_OFFSETS_H

#include "interpreter/interpreter.h"

/* version: major << 8 | minor. Returns false if the offsets are not known. */
bool scope_interpreter_ruby_offsets(uint32_t version, struct scope_ruby_offsets *ret_offsets);

#endif
