/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the names of functions are searched, and which files are the system's. */
#ifndef SCOPE_SYMBOL_OPTIONS_H
#define SCOPE_SYMBOL_OPTIONS_H

#include <stdbool.h>

struct scope_proc_reader;
struct scope_server;

/* A zeroed struct means: files are at their own paths, and their debug files where distributions put them. */
struct scope_symbol_options {
	const char *root;		  /* before every path; NULL or "" for none */
	struct scope_proc_reader *reader; /* the reader that opens files; NULL: this process opens them */
	const char *const *debug_dir;	  /* more folders with programs and debug files, NULL after the
				       * last; NULL for none */
	const char *const *library;	  /* patterns of system libraries; NULL: those of library.h */
	bool folders; /* with the patterns of library.h: a library that is the system's only by its folder counts as the program's */
	bool interpreter;	     /* an interpreter's own functions are the program's, too */
	bool debuginfod;	     /* ask the servers that DEBUGINFOD_URLS names */
	struct scope_server *server; /* the client for that; set by space.c, else NULL */
};

static inline const char *scope_symbol_root(const struct scope_symbol_options *options)
{
	return options && options->root ? options->root : "";
}

#endif
