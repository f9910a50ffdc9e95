/* SPDX-License-Identifier: GPL-2.0-only */
/* Where latencies vary: a section of the report, and the arrays of JSON. */
#ifndef SCOPE_REPORT_VARIANCE_TEXT_H
#define SCOPE_REPORT_VARIANCE_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/text.h"
#include "variance/forest.h"

struct scope_edge_text {
	char text[160];
};

/* Names an edge: "read(file) → write(client)" is code between two calls, "in read(file)" a call. */
const char *scope_report_edge(struct scope_edge_text *buffer, const struct scope_analysis *analysis, uint64_t edge);

/*
 * Describes an edge of a kind: "read(file) → write(client), 1.4 ms on average (98 % of p99 − p50): runs; parse 99 %".
 * mean_ns: its mean in the requests that are described. The text is cut if it does not fit.
 */
void scope_report_edge_line(const struct scope_analysis *analysis, const struct scope_variance_kind *kind,
			    const struct scope_edge_sums *edge, double mean_ns, char *text, size_t room);

/* The kinds as JSON, owned by the caller; null if they were not requested. NULL: no memory. */
struct json_t *scope_report_variance_json(const struct scope_analysis *analysis);

/*
 * Prints the hypotheses about each kind and path, and the one to which the request in analysis->variance belongs, if
 * any. Verbose: all paths; else a screen of 15 lines. 0, -ENOMEM; errors of the stream are left for ferror().
 */
int scope_report_explore_text(const struct scope_analysis *analysis, const struct scope_report_style *style,
			      const struct scope_forest_limits *limits, FILE *out);
/* The same as JSON. exploration: taken over; null: no rounds were made. 0, -ENOMEM, or -EIO: writing to out failed. */
int scope_report_explore_json_with(const struct scope_analysis *analysis, const struct scope_forest_limits *limits,
				   struct json_t *exploration, FILE *out);
int scope_report_explore_json(const struct scope_analysis *analysis, const struct scope_forest_limits *limits,
			      FILE *out);

#endif
