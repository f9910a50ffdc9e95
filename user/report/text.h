/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as text for a terminal: under 100 columns, colour only where asked for. */
#ifndef SCOPE_REPORT_TEXT_H
#define SCOPE_REPORT_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/causal.h"

struct scope_report_style {
	bool colour;
	unsigned details; /* findings told in detail */
	const struct scope_report_causal *causal; /* NULL: nobody asked for experiments */
};

/* 0 or -errno; errors of the stream are left for the caller's ferror(). */
int scope_report_text(const struct scope_analysis *analysis, const struct scope_report_style *style,
		      FILE *out);

#endif
