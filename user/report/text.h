/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report as text for a terminal, in colour only on request: a first screen of at most 15 lines
 * as wide as the terminal, with the answer and what to do next; then its basis, under 100 columns.
 */
#ifndef SCOPE_REPORT_TEXT_H
#define SCOPE_REPORT_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/causal.h"

#define SCOPE_REPORT_COLUMNS 80
#define SCOPE_REPORT_COLUMNS_MIN 60
#define SCOPE_REPORT_COLUMNS_MAX 200

struct scope_report_style {
	bool colour;
	unsigned columns;  /* of the terminal; 0: SCOPE_REPORT_COLUMNS. Narrower than the least, or wider: those */
	bool verbose;	   /* also the basis of the answer, after the first screen */
	bool quiet;	   /* the verdict and the answer alone */
	unsigned details;  /* number of findings described in detail */
	const char *trace; /* the name of the file reported on, for commands to type; NULL: it has none */
	const char *part;  /* the options that chose a part of it, a blank before each; NULL: none */
	const char *kind;  /* the requested kinds of findings, as typed; NULL: all */
	const struct scope_report_causal *causal; /* NULL: no experiments were requested */
};

/* Columns to print in: of the style, within the bounds. */
unsigned scope_report_style_columns(const struct scope_report_style *style);

/* 0 or -errno; errors of the stream are left for the caller's ferror(). */
int scope_report_text(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out);

#endif
