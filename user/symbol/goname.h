/* SPDX-License-Identifier: GPL-2.0-only */
/* What the name of a function says in a program of Go's: PATH/PACKAGE.NAME, PATH/PACKAGE.(*TYPE).METHOD, … */
#ifndef SCOPE_SYMBOL_GONAME_H
#define SCOPE_SYMBOL_GONAME_H

#include <stdbool.h>

/* Is it a function of Go's runtime, whose presence says that the program is Go's? */
bool scope_symbol_go_name_is_runtime(const char *name);

/*
 * Does it belong to the language, and not to the program: the runtime, the standard library, the code
 * around calls into C, and what the compiler makes for types? A package of the standard library has no
 * dot in the first part of its path, as those of others do (example.org/shop).
 */
bool scope_symbol_go_name_is_library(const char *name);

/*
 * Does a thread that stands below this function of the runtime wait for something to do: for a
 * goroutine to run, a signal, or its turn as one of the runtime's own threads?
 */
bool scope_symbol_go_name_is_idle(const char *name);

#endif
