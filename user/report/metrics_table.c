// SPDX-License-Identifier: GPL-2.0-only
/* Metrics of the last whole step as a table: a row for each group, thread or object, and as many columns as fit. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/metrics_text.h"

#define NAME 22	   /* columns of a name, at least */
#define COLUMN 11  /* of a value, a blank included */
#define UNKNOWN 80 /* columns of a terminal that does not know its width */

/* The most important columns are first. */
static const struct {
	unsigned series;
	const char *name;
} columns[] = {
	{ SCOPE_METRIC_RUN, "run" },	    { SCOPE_METRIC_QUEUE, "run queue" }, { SCOPE_METRIC_FUTEX_TIME, "futex" },
	{ SCOPE_METRIC_UNITS, "units" },    { SCOPE_SERIES_P99, "p99" },	 { SCOPE_METRIC_NET_TIME, "network" },
	{ SCOPE_METRIC_POLL_TIME, "poll" }, { SCOPE_METRIC_FILE_TIME, "files" }, { SCOPE_METRIC_PIPE_TIME, "pipes" },
	{ SCOPE_METRIC_IOWAIT, "io wait" }, { SCOPE_METRIC_DISK, "uninterr." },	 { SCOPE_METRIC_SLEEP, "asleep" },
};

#define COLUMNS (sizeof(columns) / sizeof(*columns))

static void print_name(const struct scope_metric_line *line, unsigned width, FILE *out)
{
	char text[192];
	const int used = snprintf(text, sizeof(text), "%.150s", line->name);

	if (line->threads)
		snprintf(text + used, sizeof(text) - (size_t)used, " ×%u", line->threads);
	else if (line->tid)
		snprintf(text + used, sizeof(text) - (size_t)used, " (%u)", line->tid);
	scope_report_format_clipped(out, text, width);
	for (unsigned i = scope_report_format_columns(text); i < width; i++)
		fputc(' ', out);
}

/* False for threads and groups that have ended, or do not exist yet. */
static bool is_there(const struct scope_metrics_view *view, const struct scope_metric_line *line, size_t step)
{
	const bool has_states = view->by == SCOPE_METRICS_BY_THREAD || view->by == SCOPE_METRICS_BY_GROUP;

	return !has_states || line->host || scope_metrics_present_ns(&line->cell[step]) > 0;
}

static void print_row(const struct scope_metrics_view *view, const struct scope_metric_line *line, size_t step,
		      unsigned chosen, FILE *out)
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		const double value = scope_report_metrics_value(view, line, columns[i].series, step);
		struct scope_text text;
		const char *shown = isnan(value) ? "-" : scope_report_metrics_format(&text, columns[i].series, value);

		if (chosen >> i & 1)
			fprintf(out, "%*s%s", COLUMN - (int)scope_report_format_columns(shown), "", shown);
	}
	fputc('\n', out);
}

/* The wanted columns that fit, as bits of `columns`. */
static unsigned choose(const struct scope_report_metrics *report, unsigned width)
{
	unsigned chosen = 0, used = NAME;

	for (unsigned i = 0; i < COLUMNS; i++)
		if (scope_report_metrics_wants(report, columns[i].series) && used + COLUMN <= width) {
			chosen |= 1u << i;
			used += COLUMN;
		}
	return chosen;
}

int scope_report_metrics_table(const struct scope_report_metrics *report, FILE *out)
{
	const struct scope_metrics_view *view = report->view;
	const size_t step = view->steps > 1 ? view->steps - 2 : 0; /* the last step is not complete */
	const unsigned width = report->columns ? report->columns - 1 : UNKNOWN;
	const unsigned chosen = choose(report, width);
	const unsigned name = width - (unsigned)__builtin_popcount(chosen) * COLUMN;

	fprintf(out, "%-*s", (int)name, scope_metrics_by_name[view->by]);
	for (unsigned i = 0; i < COLUMNS; i++)
		if (chosen >> i & 1)
			fprintf(out, " %*s", COLUMN - 1, columns[i].name);
	fputc('\n', out);
	for (size_t i = 0; i < view->lines; i++) {
		if (!is_there(view, &view->line[i], step))
			continue;
		print_name(&view->line[i], name, out);
		print_row(view, &view->line[i], step, chosen, out);
	}
	return ferror(out) ? -EIO : 0;
}
