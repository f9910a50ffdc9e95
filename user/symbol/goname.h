/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads names of functions of Go programs: PATH/PACKAGE.NAME, PATH/PACKAGE.(*TYPE).METHOD, … */
#ifndef SCOPE_SYMBOL_GONAME_H
#define SCOPE_SYMBOL_GONAME_H

#include <stdbool.h>

/* True for a function of Go's runtime; a program that has one is a Go program. */
bool scope_symbol_go_name_is_runtime(const char *name);

/*
 * True if the function belongs to the language and not to the program: to the runtime, the standard library, the code
 * around calls into C, or code that the compiler generates for types. A package of the standard library has no dot in
 * the first part of its path; other packages have one (example.org/shop).
 */
bool scope_symbol_go_name_is_library(const char *name);

/*
 * True if a thread with this function of the runtime on its stack is idle: it waits for a goroutine
 * to run, for a signal, or for its turn as a thread of the runtime.
 */
bool scope_symbol_go_name_is_idle(const char *name);

#endif
