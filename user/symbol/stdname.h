/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which functions of C++ and Rust belong to the language's library although their code is in the program's
 * file.
 */
#ifndef SCOPE_SYMBOL_STDNAME_H
#define SCOPE_SYMBOL_STDNAME_H

#include <stdbool.h>

enum scope_stdname {
	SCOPE_STDNAME_NONE, /* the program's */
	SCOPE_STDNAME_LIBRARY,
	SCOPE_STDNAME_EXECUTOR, /* belongs to a library whose threads run tasks: it looks for a task */
	SCOPE_STDNAME_CALLS, /* belongs to a library, and calls a closure or a task, which the compiler may have inlined into it */
};

/*
 * symbol: the mangled symbol of the file; name: the demangled one. Templates of C++ and generic code of Rust are
 * compiled into the program that uses them, and Rust's library and its crates are linked into it. A report names the
 * program's function that called them.
 */
enum scope_stdname scope_symbol_stdname(const char *symbol, const char *name);

#endif
