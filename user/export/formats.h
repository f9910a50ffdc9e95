/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace in the formats of other tools. */
#ifndef SCOPE_EXPORT_FORMATS_H
#define SCOPE_EXPORT_FORMATS_H

#include <stdio.h>

#include "symbol/symbol.h"
#include "trace/trace.h"

/* What a format writes to. */
enum scope_export_kind {
	SCOPE_EXPORT_STREAM,	/* a stream of bytes, also to standard output */
	SCOPE_EXPORT_FILE,	/* a regular file */
	SCOPE_EXPORT_DIRECTORY, /* one that it makes, and removes where it fails */
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
	bool binary; /* binary, not for a terminal */
	/* 0, or -errno with error filled. */
	int (*run)(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
		   struct scope_error *error);
};

/* Ends with a row without a name. */
extern const struct scope_export_format scope_export_formats[];

/* NULL where there is no such format. */
const struct scope_export_format *scope_export_find(const char *name);

/* Each format's own, a row of the table above. */
int scope_export_ctf(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
		     struct scope_error *error);
int scope_export_perfetto(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
			  struct scope_error *error);
int scope_export_folded(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
			struct scope_error *error);
int scope_export_folded_off(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
			    struct scope_error *error);
int scope_export_folded_probe(struct scope_trace *trace, struct scope_symbols *symbols,
			      const struct scope_export_to *to, struct scope_error *error);
int scope_export_sqlite(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
			struct scope_error *error);
int scope_export_script(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
			struct scope_error *error);

#endif
