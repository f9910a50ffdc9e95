/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions of C++ and Rust are of the language's library, although their code is in the program's file. */
#ifndef SCOPE_SYMBOL_STDNAME_H
#define SCOPE_SYMBOL_STDNAME_H

#include <stdbool.h>

enum scope_stdname {
	SCOPE_STDNAME_NONE, /* the program's */
	SCOPE_STDNAME_LIBRARY,
	SCOPE_STDNAME_EXECUTOR, /* of a library whose threads run tasks: looks for one */
	SCOPE_STDNAME_CALLS, /* of a library, and calls a closure or a task, which the compiler may have inlined into it */
};

/*
 * symbol: as the file has it, mangled; name: the demangled one. Templates of C++ and generic code of Rust are compiled into the program
 * that uses them, and Rust's library and its crates are linked into it. The program's function that called them is what a report names.
 */
enum scope_stdname scope_symbol_stdname(const char *symbol, const char *name);

#endif
