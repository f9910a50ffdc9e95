/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mapped files are the system's libraries rather than the program's own code. */
#ifndef SCOPE_SYMBOL_LIBRARY_H
#define SCOPE_SYMBOL_LIBRARY_H

#include <stdbool.h>

/*
 * The patterns that serve unless the user names others, NULL behind the last. One with a '/' is held
 * against the whole path, one without against the base name; '*' does not match '/'.
 */
extern const char *const scope_symbol_library_defaults[];

/*
 * Is code made at run time, by the name that its runtime gave it, that runtime's own: stubs, and what the
 * language brings along? HotSpot's names are those of jcmd's Compiler.perfmap, V8's those of
 * --perf-basic-prof.
 */
bool scope_symbol_library_runtime(const char *name);

/* path as in the maps of the process, without " (deleted)". patterns: NULL for those above. */
bool scope_symbol_library_match(const char *const *patterns, const char *path);

#endif
