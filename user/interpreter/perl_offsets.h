/* SPDX-License-Identifier: GPL-2.0-only */
/* Where members are in the structures of each version of Perl. */
#ifndef SCOPE_INTERPRETER_PERL_OFFSETS_H
#define SCOPE_INTERPRETER_PERL_OFFSETS_H

#include "interpreter/interpreter.h"

/* version: major << 8 | minor, of a build with threads. Returns false if the offsets are not known. */
bool scope_interpreter_perl_offsets(uint32_t version, struct scope_perl_offsets *ret_offsets);

#endif
