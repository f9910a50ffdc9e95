/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a process's language runtime, and what the user can do so that its functions have names. */
#ifndef SCOPE_SYMBOL_RUNTIME_H
#define SCOPE_SYMBOL_RUNTIME_H

#include "trace/trace.h"

struct scope_runtime {
	const char *name;     /* its usual name */
	const char *files[5]; /* patterns of the names of files that its processes map, NULL at the end */
	bool map;	      /* it may write a perf map, /tmp/perf-PID.map */
	const char *needs;    /* what the user can do, as the end of a sentence; %u, if there is one, is the process */
	const char *named;    /* what the names of interpreted functions begin with; NULL: not known */
};

/* What the user can do for a Go program whose names cannot be read: no debug package has them. */
#define SCOPE_RUNTIME_GO_NEEDS                                                                                         \
	"its table of functions (.gopclntab) cannot be read; build it without -ldflags -s and -w, which take its "     \
	"symbols away"

/* NULL: it is not known. */
const struct scope_runtime *scope_symbol_runtime_of_path(const char *path);

/* True if a runtime gave this name, in a perf map, to a function that its interpreter runs. */
bool scope_symbol_runtime_names(const char *name);

/* True if such a name, or one of JavaScript, has the function and the file: "py::FUNCTION:FILE". */
bool scope_symbol_runtime_says_file(const char *name);

/*
 * True for functions of JavaScript: the main thread of such a program waits for work outside of these functions, in the
 * loop that calls them.
 */
bool scope_symbol_runtime_idles_outside(const char *name);

/*
 * True for the files of an interpreter whose interpreted functions have such names. If a stack has such names, a
 * function of the interpreter on it only shows that some function of the program runs.
 */
bool scope_symbol_runtime_interprets(const char *path);

/* The first known runtime whose code the process (0: any process) has mapped. NULL: there is none. */
const struct scope_runtime *scope_symbol_runtime_of_maps(const struct scope_trace_map *map, size_t count,
							 uint32_t tgid);

#endif
