/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics over time as text, JSON, CSV and OpenMetrics. */
#ifndef SCOPE_REPORT_METRICS_TEXT_H
#define SCOPE_REPORT_METRICS_TEXT_H

#include <stdio.h>

#include <jansson.h>

#include "metrics/change.h"
#include "metrics/relations.h"
#include "metrics/view.h"

struct scope_report_metrics {
	const struct scope_trace *trace;
	const struct scope_timeline *timeline; /* behind its end */
	const struct scope_metrics_view *view;
	const struct scope_metric_changes *changes;	/* NULL: nothing is compared */
	const struct scope_metric_relations *relations; /* NULL: not looked for */
	const char *before, *after;			/* names of the two windows */
	bool verbose;					/* all lines and metrics, not what a screen holds */
};

/* Each writes all of it: 0, -ENOMEM, or -EIO where out takes no more. */
int scope_report_metrics_text(const struct scope_report_metrics *report, FILE *out);
int scope_report_metrics_json(const struct scope_report_metrics *report, FILE *out);
int scope_report_metrics_csv(const struct scope_report_metrics *report, FILE *out);
int scope_report_metrics_openmetrics(const struct scope_report_metrics *report, FILE *out);

/* What changed, the first lines of a report that compares; and the same as JSON, NULL: no memory. */
void scope_report_metrics_changes(const struct scope_report_metrics *report, FILE *out);
json_t *scope_report_metrics_changes_json(const struct scope_metric_changes *changes);

/* "444 → 16,022 requests/s: load rose 36 times", in a buffer of the caller's, which is returned. */
const char *scope_report_metrics_load(char *text, size_t size, double before, double after, const char *what);

#endif
