/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace in the formats of other tools. */
#ifndef SCOPE_EXPORT_EXPORT_H
#define SCOPE_EXPORT_EXPORT_H

#include <stdio.h>

#include "symbol/symbol.h"
#include "trace/trace.h"

struct scope_export_format {
	const char *name;
	const char *help;
	bool directory; /* path is one to be made; else a file, or NULL for standard output */
	bool binary;	/* no matter for a terminal */
	/* 0, or -errno with error filled. */
	int (*run)(struct scope_trace *trace, struct scope_symbols *symbols, const char *path,
		   struct scope_error *error);
};

/* Ends with a row without a name. */
extern const struct scope_export_format scope_export_formats[];

/* NULL where there is no such format. */
const struct scope_export_format *scope_export_find(const char *name);

/* Each format's own, a row of the table above. */
int scope_export_ctf(struct scope_trace *trace, struct scope_symbols *symbols, const char *path,
		     struct scope_error *error);
int scope_export_perfetto(struct scope_trace *trace, struct scope_symbols *symbols,
			  const char *path, struct scope_error *error);
int scope_export_folded(struct scope_trace *trace, struct scope_symbols *symbols,
			const char *path, struct scope_error *error);
int scope_export_folded_off(struct scope_trace *trace, struct scope_symbols *symbols,
			    const char *path, struct scope_error *error);
int scope_export_folded_probe(struct scope_trace *trace, struct scope_symbols *symbols,
			      const char *path, struct scope_error *error);
int scope_export_sqlite(struct scope_trace *trace, struct scope_symbols *symbols,
			const char *path, struct scope_error *error);
int scope_export_script(struct scope_trace *trace, struct scope_symbols *symbols,
			const char *path, struct scope_error *error);

/* What they share. NULL path: standard output. The stream is the caller's to close. */
int scope_export_open(const char *path, struct scope_error *error, FILE **ret_stream);
/* Closes it, or flushes standard output; removes a regular file that could not be written. */
int scope_export_close(FILE *stream, const char *path, int err, struct scope_error *error);

#endif
