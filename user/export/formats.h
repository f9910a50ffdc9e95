/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a trace in the formats of other tools. */
#ifndef SCOPE_EXPORT_FORMATS_H
#define SCOPE_EXPORT_FORMATS_H

#include <stdio.h>

#include "analysis/analysis.h"

/* The kind of output of a format. */
enum scope_export_kind {
	SCOPE_EXPORT_STREAM,	/* a stream of bytes, which may be standard output */
	SCOPE_EXPORT_FILE,	/* a regular file */
	SCOPE_EXPORT_DIRECTORY, /* a directory that the format makes, and removes after a failure */
};

/* A trace, the names of its functions, and its analysis. */
struct scope_export_from {
	struct scope_trace *trace;
	struct scope_symbols *symbols;
	const struct scope_analysis *analysis; /* analysis of the trace; NULL: the format has no diagnosis */
};

struct scope_export_to {
	const char *name; /* the user's name for it, for messages */
	const char *path; /* the empty file to fill, or the directory to make */
	FILE *stream;	  /* for a stream; the caller checks it for errors */
};

struct scope_export_format {
	const char *name;
	const char *help;
	enum scope_export_kind kind;
	bool binary;	/* not for a terminal */
	bool diagnosis; /* the format has requests and findings */
	bool compares;	/* it reads two traces, before and after; else one */
	/* from: the traces that the format reads, one or two. 0, or -errno with error filled. */
	int (*run)(const struct scope_export_from *from, const struct scope_export_to *to, struct scope_error *error);
};

/* Ends with a row without a name. */
extern const struct scope_export_format scope_export_formats[];

/* NULL if there is no such format. */
const struct scope_export_format *scope_export_find(const char *name);

/* The function of each format, for the table above. */
int scope_export_ctf(const struct scope_export_from *from, const struct scope_export_to *to, struct scope_error *error);
int scope_export_perfetto(const struct scope_export_from *from, const struct scope_export_to *to,
			  struct scope_error *error);
int scope_export_folded(const struct scope_export_from *from, const struct scope_export_to *to,
			struct scope_error *error);
int scope_export_folded_off(const struct scope_export_from *from, const struct scope_export_to *to,
			    struct scope_error *error);
int scope_export_folded_probe(const struct scope_export_from *from, const struct scope_export_to *to,
			      struct scope_error *error);
int scope_export_folded_diff(const struct scope_export_from *from, const struct scope_export_to *to,
			     struct scope_error *error);
int scope_export_sqlite(const struct scope_export_from *from, const struct scope_export_to *to,
			struct scope_error *error);
int scope_export_script(const struct scope_export_from *from, const struct scope_export_to *to,
			struct scope_error *error);

#endif
