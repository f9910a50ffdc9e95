/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mapped files are the system's libraries rather than the program's own code. */
#ifndef SCOPE_SYMBOL_LIBRARY_H
#define SCOPE_SYMBOL_LIBRARY_H

#include <stdbool.h>

/*
 * The default patterns, NULL after the last. A pattern with a '/' is compared with the whole path,
 * one without with the base name; '*' does not match '/'.
 */
extern const char *const scope_symbol_library_defaults[];

/*
 * True if code made at run time belongs to the runtime, by the name that the runtime gave it:
 * stubs, and the language's own library. HotSpot's names are those of jcmd's Compiler.perfmap, V8's
 * those of --perf-basic-prof.
 */
bool scope_symbol_library_runtime(const char *name);

/* path as in the maps of the process, without " (deleted)". patterns: NULL for those above. */
bool scope_symbol_library_match(const char *const *patterns, const char *path);

#endif
