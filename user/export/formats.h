/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace in the formats of other tools. */
#ifndef SCOPE_EXPORT_FORMATS_H
#define SCOPE_EXPORT_FORMATS_H

#include <stdio.h>

#include "analysis/analysis.h"

/* What a format writes to. */
enum scope_export_kind {
	SCOPE_EXPORT_STREAM,	/* a stream of bytes, also to standard output */
	SCOPE_EXPORT_FILE,	/* a regular file */
	SCOPE_EXPORT_DIRECTORY, /* one that it makes, and removes where it fails */
};

/* A trace, the names of its functions, and what was found in it. */
struct scope_export_from {
	struct scope_trace *trace;
	struct scope_symbols *symbols;
	const struct scope_analysis *analysis; /* of the trace; NULL: the format has no diagnosis */
};

struct scope_export_to {
	const char *name; /* of the user's, for messages */
	const char *path; /* the empty file to be filled, or the directory to be made */
	FILE *stream;	  /* of a stream; the caller checks it for errors */
};

struct scope_export_format {
	const char *name;
	const char *help;
	enum scope_export_kind kind;
	bool binary;	/* not for a terminal */
	bool diagnosis; /* it has requests and findings */
	bool compares;	/* two traces, the one before and the one after; else one */
	/* from: as many traces as the format reads. 0, or -errno with error filled. */
	int (*run)(const struct scope_export_from *from, const struct scope_export_to *to, struct scope_error *error);
};

/* Ends with a row without a name. */
extern const struct scope_export_format scope_export_formats[];

/* NULL if there is no such format. */
const struct scope_export_format *scope_export_find(const char *name);

/* Each format's own, a row of the table above. */
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
