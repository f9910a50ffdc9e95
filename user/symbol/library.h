/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mapped files are the system's libraries rather than the program's own code. */
#ifndef SCOPE_SYMBOL_LIBRARY_H
#define SCOPE_SYMBOL_LIBRARY_H

#include <stdbool.h>

/*
 * The default patterns, NULL after the last. A pattern with a '/' is compared with the whole path, a pattern without it
 * with the base name. '*' does not match '/'.
 */
extern const char *const scope_symbol_library_defaults[];

/*
 * True if code made at run time belongs to the runtime (stubs, and the language's own library), by the name that the
 * runtime gave it. HotSpot's names are those of jcmd's Compiler.perfmap, V8's those of --perf-basic-prof.
 */
bool scope_symbol_library_runtime(const char *name);

enum scope_library {
	SCOPE_LIBRARY_NONE,
	SCOPE_LIBRARY_FOLDER, /* only by its folder */
	SCOPE_LIBRARY_SYSTEM, /* by its name */
};

/* path as in the maps of the process, without " (deleted)". patterns: NULL for those above. */
enum scope_library scope_symbol_library_match(const char *const *patterns, const char *path);

/*
 * True if the library's name contains the program's name, of four letters or more (libnetsnmpagent.so and snmpd): the
 * library is a part of that program, although it is in a folder of the system.
 */
bool scope_symbol_library_of_program(const char *library, const char *program);

#endif
