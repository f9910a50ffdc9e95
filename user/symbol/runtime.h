/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a process's language runtime, and says what it needs so that its functions have names. */
#ifndef SCOPE_SYMBOL_RUNTIME_H
#define SCOPE_SYMBOL_RUNTIME_H

#include "trace/trace.h"

struct scope_runtime {
	const char *name;     /* its usual name */
	const char *files[5]; /* patterns of base names that its processes map, NULL at the end */
	bool map;	      /* it may write a perf map, /tmp/perf-PID.map */
	const char *needs;    /* what to do, as the end of a sentence; %u, where there is one, is the process */
	const char *named;    /* how the names begin that it gives to interpreted functions; NULL: not known */
};

/* What a Go program needs whose names cannot be read: no debug package has them. */
#define SCOPE_RUNTIME_GO_NEEDS                                                                                         \
	"its table of functions (.gopclntab) cannot be read; build it without -ldflags -s and -w, which take its "     \
	"symbols away"

/* NULL: it is not known. */
const struct scope_runtime *scope_symbol_runtime_of_path(const char *path);

/* True if a runtime gave this name, in a perf map, to a function that its interpreter runs. */
bool scope_symbol_runtime_names(const char *name);

/* True if such a name, or one of JavaScript, says the function and the file: "py::FUNCTION:FILE". */
bool scope_symbol_runtime_says_file(const char *name);

/* True for functions of JavaScript: the main thread of such a program waits for work outside of them, in the loop that calls them. */
bool scope_symbol_runtime_idles_outside(const char *name);

/*
 * True for the files of an interpreter whose functions have such names. If a stack has these, a function of the
 * interpreter only shows that some function of the program runs.
 */
bool scope_symbol_runtime_interprets(const char *path);

/* The first runtime whose code the process (0: any process) has mapped. NULL: no known one. */
const struct scope_runtime *scope_symbol_runtime_of_maps(const struct scope_trace_map *map, size_t count,
							 uint32_t tgid);

#endif
