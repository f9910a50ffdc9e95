/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics over time as text, JSON, CSV, OpenMetrics and pictures. */
#ifndef SCOPE_REPORT_METRICS_TEXT_H
#define SCOPE_REPORT_METRICS_TEXT_H

#include <stdio.h>

#include <jansson.h>

#include "metrics/change.h"
#include "metrics/relations.h"
#include "metrics/view.h"
#include "report/numbers.h"

/* Series beyond the metrics: quantiles of how long units took. */
#define SCOPE_SERIES_P50 SCOPE_METRICS
#define SCOPE_SERIES_P99 (SCOPE_METRICS + 1)
#define SCOPE_SERIES (SCOPE_METRICS + 2)

struct scope_series_choice {
	unsigned count; /* 0: none was made */
	bool series[SCOPE_SERIES];
};

struct scope_report_metrics {
	const struct scope_trace *trace;
	const struct scope_timeline *timeline; /* after its end */
	const struct scope_metrics_view *view;
	const struct scope_metric_changes *changes; /* NULL: nothing is compared */
	unsigned relate;			    /* the metric to which these are related; SCOPE_METRICS: latency */
	const struct scope_metric_relations *relations; /* NULL: not searched */
	const char *before, *after;			/* names of the two windows that are compared */
	struct scope_series_choice chosen;		/* none: all */
	unsigned columns;				/* of the terminal; 0: 80 */
	bool verbose;					/* all lines and metrics, not only one screen */
};

/* Each writes the whole report: 0, -ENOMEM, or -EIO if writing to out fails. */
int scope_report_metrics_text(const struct scope_report_metrics *report, FILE *out);
int scope_report_metrics_json(const struct scope_report_metrics *report, FILE *out);
int scope_report_metrics_csv(const struct scope_report_metrics *report, FILE *out);
int scope_report_metrics_openmetrics(const struct scope_report_metrics *report, FILE *out);
/* Only the last whole step. */
int scope_report_metrics_table(const struct scope_report_metrics *report, FILE *out);
int scope_report_metrics_svg(const struct scope_report_metrics *report, FILE *out);

const char *scope_report_metrics_series_name(unsigned series); /* a metric's, latency_p50 or latency_p99 */

/* True if the series was chosen, or none was. */
static inline bool scope_report_metrics_wants(const struct scope_report_metrics *report, unsigned series)
{
	return !report->chosen.count || report->chosen.series[series];
}

/*
 * The value of a series in a step for comparison: a share of the time of the line's threads (for a line without
 * threads: of the elapsed time), a number per second, or a latency in ns. NAN: the line did not exist then.
 */
double scope_report_metrics_value(const struct scope_metrics_view *view, const struct scope_metric_line *line,
				  unsigned series, size_t step);

/* Such a value in words, in the buffer. */
const char *scope_report_metrics_format(struct scope_text *buffer, unsigned series, double value);

/* Prints what changed: the first lines of a report that compares. As JSON: NULL: no memory. */
void scope_report_metrics_changes(const struct scope_report_metrics *report, FILE *out);
json_t *scope_report_metrics_changes_json(const struct scope_metric_changes *changes);

/* "444 → 16,022 requests/s: load rose 36 times", in a buffer of the caller's, which is returned. */
const char *scope_report_metrics_load(char *text, size_t size, double before, double after, const char *what);

#endif
