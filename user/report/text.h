/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as text for a terminal: under 100 columns, colour only where asked for. */
#ifndef SCOPE_REPORT_TEXT_H
#define SCOPE_REPORT_TEXT_H

#include <stdio.h>

#include "causal/result.h"
#include "rank/analysis.h"

#define SCOPE_REPORT_NO_SITE UINT32_MAX

/* What delay experiments have to do with a finding. */
struct scope_report_site {
	uint32_t number; /* of its site in the result; SCOPE_REPORT_NO_SITE: nobody was held up there, */
	char why[256];	 /* and why not; "": it was not among those asked for */
};

struct scope_report_causal {
	const struct scope_causal_result *result; /* NULL: no experiments were made, */
	const char *why;			  /* for this reason */
	const struct scope_report_site *finding;  /* of each finding of the ranking */
};

struct scope_report_style {
	bool colour;
	unsigned details; /* findings told in detail */
	const struct scope_report_causal *causal; /* NULL: nobody asked for experiments */
};

/* 0 or -errno; errors of the stream are left for the caller's ferror(). */
int scope_report_text(const struct scope_analysis *analysis, const struct scope_report_style *style,
		      FILE *out);

#endif
