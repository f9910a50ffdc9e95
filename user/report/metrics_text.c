// SPDX-License-Identifier: GPL-2.0-only
/* Metrics over time as text: for each line its metrics, each with mean, minimum, maximum and a curve. */
#include "report/metrics_text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/numbers.h"

#define WIDTH 80
#define COLUMNS_MAX 120
#define COLUMNS 28	/* of the curve of a series */
#define LINES_MAX 8	/* groups, threads or objects on one screen */
#define RELATIONS_MAX 6 /* of metrics correlated with latency */
#define SHARE 0.0005	/* of the threads' time: smaller ones are printed only with -v */

/*
 * The value of a metric in the unit for comparison: a time as a share of the line's threads' time
 * (for a line without threads: of the elapsed time), all else per second. NAN: the line did not
 * exist then.
 */
static double rate_of(const struct scope_metrics_view *view, const struct scope_metric_line *line,
		      const struct scope_metric_cells *cells, enum scope_metric metric, uint64_t passed_ns)
{
	const double value = (double)cells->value[metric];
	uint64_t of_ns;

	if (scope_metrics_row[metric].unit != SCOPE_METRICS_TIME)
		return value / (double)passed_ns * 1e9;
	of_ns = scope_metrics_view_base_ns(view, line, cells, passed_ns);
	return of_ns ? value / (double)of_ns : NAN;
}

static const char *format_rate(struct scope_text *buffer, enum scope_metric metric, double rate)
{
	const uint8_t unit = scope_metrics_row[metric].unit;
	static const char *const prefix[] = { "", "k", "M", "G", "T" };
	unsigned i = 0;

	if (isnan(rate))
		return "-";
	if (unit == SCOPE_METRICS_TIME) {
		snprintf(buffer->text, sizeof(buffer->text), "%.1f %%", 100 * rate);
		return buffer->text;
	}
	for (; rate >= 9999.5 && i < 4; i++)
		rate /= 1000;
	snprintf(buffer->text, sizeof(buffer->text), "%.*f%s%s%s/s", rate < 10 && rate > 0 ? 2 : 0, rate,
		 i || unit == SCOPE_METRICS_BYTES ? " " : "", prefix[i], unit == SCOPE_METRICS_BYTES ? "B" : "");
	return buffer->text;
}

const char *scope_report_metrics_series_name(unsigned series)
{
	return series == SCOPE_SERIES_P50   ? "latency_p50"
	       : series == SCOPE_SERIES_P99 ? "latency_p99"
					    : scope_metrics_row[series].name;
}

double scope_report_metrics_value(const struct scope_metrics_view *view, const struct scope_metric_line *line,
				  unsigned series, size_t step)
{
	const struct scope_metric_latency *latency = line->latency;
	double ns;

	if (series < SCOPE_METRICS)
		return scope_metrics_view_has(view, line, (enum scope_metric)series)
			       ? rate_of(view, line, &line->cell[step], (enum scope_metric)series,
					 scope_metrics_view_step_ns(view, step))
			       : NAN;
	if (!latency || step >= latency->steps)
		return NAN;
	ns = series == SCOPE_SERIES_P50 ? latency->step[step].p50 : latency->step[step].p99;
	return ns > 0 ? ns : NAN;
}

const char *scope_report_metrics_format(struct scope_text *buffer, unsigned series, double value)
{
	return series < SCOPE_METRICS ? format_rate(buffer, (enum scope_metric)series, value)
				      : scope_report_format_ns(buffer, value);
}

/* Columns of the curve of a series. */
static unsigned picture_columns(const struct scope_report_metrics *report)
{
	const unsigned least = 8, beside = WIDTH - COLUMNS;

	if (!report->columns)
		return COLUMNS;
	return report->columns < beside + least		? least
	       : report->columns > beside + COLUMNS_MAX ? COLUMNS_MAX
							: report->columns - beside;
}

/* Prints values over time in at most that many columns, as blocks of height 0 to the maximum. */
static void print_picture(const double *value, size_t count, double most, unsigned room, FILE *out)
{
	static const char *const block[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const size_t columns = count < room ? count : room;

	for (size_t i = 0; i < columns; i++) {
		const size_t from = i * count / columns, to = (i + 1) * count / columns;
		double sum = 0;
		unsigned known = 0;

		for (size_t j = from; j < to; j++)
			if (!isnan(value[j])) {
				sum += value[j];
				known++;
			}
		fputs(known && most > 0 ? block[(unsigned)ceil(8 * sum / known / most - 1e-9) % 9] : " ", out);
	}
}

static void print_row(const char *name, const char *mean, const char *least, const char *most, FILE *out)
{
	fprintf(out, "    %-22s %10s %10s %10s  ", name, mean, least, most);
}

/* Fills in the value of a metric in each step, and their minimum and maximum. */
static void collect(const struct scope_metrics_view *view, const struct scope_metric_line *line,
		    enum scope_metric metric, double *value, double *ret_least, double *ret_most)
{
	*ret_least = INFINITY;
	*ret_most = 0;
	for (size_t i = 0; i < view->steps; i++) {
		value[i] = scope_report_metrics_value(view, line, metric, i);
		*ret_least = fmin(*ret_least, value[i]);
		*ret_most = fmax(*ret_most, value[i]);
	}
}

static bool is_shown(const struct scope_report_metrics *report, const struct scope_metric_line *line,
		     enum scope_metric metric)
{
	const struct scope_metrics_view *view = report->view;

	if (!line->total.value[metric] || !scope_metrics_view_has(view, line, metric))
		return false;
	if (report->chosen.count)
		return report->chosen.series[metric];
	return report->verbose || scope_metrics_row[metric].unit != SCOPE_METRICS_TIME ||
	       rate_of(view, line, &line->total, metric, view->end_ns - view->begin_ns) >= SHARE;
}

static void print_metric(const struct scope_report_metrics *report, const struct scope_metric_line *line,
			 enum scope_metric metric, double *value, FILE *out)
{
	const struct scope_metrics_view *view = report->view;
	const double mean = rate_of(view, line, &line->total, metric, view->end_ns - view->begin_ns);
	struct scope_text text[3];
	double least, most;

	collect(view, line, metric, value, &least, &most);
	print_row(scope_metrics_row[metric].name, format_rate(&text[0], metric, mean),
		  format_rate(&text[1], metric, least), format_rate(&text[2], metric, most), out);
	print_picture(value, view->steps, most, picture_columns(report), out);
	fputc('\n', out);
}

/* Prints the latency of a line's units. */
static void print_latency(const struct scope_report_metrics *report, const struct scope_metric_line *line,
			  unsigned series, double *value, FILE *out)
{
	const struct scope_sketch *all = &line->latency->all;
	const double q = series == SCOPE_SERIES_P50 ? 0.5 : 0.99;
	const struct scope_metrics_view *view = report->view;
	struct scope_text text[3];
	double least = INFINITY, most = 0;

	if (!scope_report_metrics_wants(report, series))
		return;
	for (size_t i = 0; i < view->steps; i++) {
		value[i] = scope_report_metrics_value(view, line, series, i);
		least = fmin(least, value[i]);
		most = fmax(most, value[i]);
	}
	print_row(scope_report_metrics_series_name(series),
		  scope_report_format_ns(&text[0], scope_sketch_quantile(all, q)),
		  scope_report_format_ns(&text[1], least), scope_report_format_ns(&text[2], most), out);
	print_picture(value, view->steps, most, picture_columns(report), out);
	fputc('\n', out);
}

static void print_line(const struct scope_report_metrics *report, const struct scope_metric_line *line, double *value,
		       FILE *out)
{
	char name[192];
	const int used = snprintf(name, sizeof(name), "%.150s", line->name);

	if (line->threads)
		snprintf(name + used, sizeof(name) - (size_t)used, " ×%u", line->threads);
	else if (line->tid)
		snprintf(name + used, sizeof(name) - (size_t)used, " (tid %u)", line->tid);
	fputs("  ", out);
	scope_report_format_clipped(out, name, WIDTH - 4);
	fputc('\n', out);
	for (unsigned i = 0; i < SCOPE_METRICS; i++)
		if (is_shown(report, line, (enum scope_metric)i) && i != SCOPE_METRIC_UNIT_TIME)
			print_metric(report, line, (enum scope_metric)i, value, out);
	if (line->latency && line->latency->all.total) {
		print_latency(report, line, SCOPE_SERIES_P50, value, out);
		print_latency(report, line, SCOPE_SERIES_P99, value, out);
	}
	fputc('\n', out);
}

/* Lists missing metrics with the reason, because a missing metric is not zero. */
static void print_lacks(const struct scope_report_metrics *report, FILE *out)
{
	struct scope_metrics_view threads = *report->view;
	const char *why, *last = NULL;

	/* Metrics that objects and kinds of work never have do not count as missing. */
	threads.by = SCOPE_METRICS_BY_THREAD;
	for (unsigned i = 0; i < SCOPE_METRICS; i++) {
		why = scope_metrics_view_lacks(&threads, (enum scope_metric)i);
		if (!why || (last && !strcmp(why, last)))
			continue;
		last = why;
		fprintf(out, "  no data: %s: %s\n",
			scope_metrics_row[i].family == SCOPE_METRICS_HOST && threads.metrics->host_rows > 1
				? scope_metrics_row[i].name
				: scope_metrics_family_name[scope_metrics_row[i].family],
			why);
	}
	if (report->view->metrics->blind_futexes)
		fprintf(out, "  %llu futex calls are in none: the trace does not say what they did\n",
			(unsigned long long)report->view->metrics->blind_futexes);
}

static void print_histogram(const struct scope_metrics *metrics, unsigned which, const char *name, FILE *out)
{
	static const char *const most[SCOPE_METRICS_DECADES] = { "1 us",   "10 us", "100 us", "1 ms", "10 ms",
								 "100 ms", "1 s",   "10 s",   "more" };

	fprintf(out, "  %s:", name);
	for (unsigned i = 0; i < SCOPE_METRICS_DECADES; i++)
		if (metrics->device[which][i])
			fprintf(out, " %s%s %llu", i < SCOPE_METRICS_DECADES - 1 ? "≤ " : "", most[i],
				(unsigned long long)metrics->device[which][i]);
	fputc('\n', out);
}

static void print_head(const struct scope_report_metrics *report, FILE *out)
{
	const struct scope_metrics_view *view = report->view;
	const char *command = scope_trace_meta(report->trace, SCOPE_META_COMMAND);
	const char *pid = scope_trace_meta(report->trace, SCOPE_META_PID);
	const uint64_t lost = scope_timeline_lost(report->timeline);
	struct scope_text step, count, window;

	fprintf(out, "METRICS of %.20s (pid %.10s), %s in steps of %s; %s lost\n", command ? command : "?",
		pid ? pid : "?", scope_report_format_window(&window, view->end_ns - view->begin_ns),
		scope_report_format_ns(&step, (double)view->step_ns),
		lost ? scope_report_format_count(&count, lost) : "nothing");
	if (view->step_ns != view->metrics->options.step_ns)
		fputs("The step is longer than asked for: memory for series is bounded.\n", out);
	fprintf(out, "\n  by %-23s %10s %10s %10s  over time\n", scope_metrics_by_name[view->by], "mean", "least",
		"most");
}

/* Where `scope delay` can hold up threads to test if that metric is a cause; NULL: nowhere. */
static const char *delay_site(unsigned metric)
{
	static const char *const site[SCOPE_METRICS_FAMILIES] = {
		[SCOPE_METRICS_FUTEX] = "syscall:futex",  [SCOPE_METRICS_PIPE] = "syscall:read",
		[SCOPE_METRICS_NETWORK] = "receive",	  [SCOPE_METRICS_POLL] = "syscall:epoll_wait",
		[SCOPE_METRICS_FILE] = "syscall:pread64",
	};

	return metric == SCOPE_METRIC_PIPE_WRITES || metric == SCOPE_METRIC_PIPE_WRITTEN_BYTES ? "syscall:write"
	       : metric == SCOPE_METRIC_FILE_WRITES || metric == SCOPE_METRIC_FILE_WRITTEN_BYTES
		       ? "syscall:pwrite64"
		       : site[scope_metrics_row[metric].family];
}

static void print_relations(const struct scope_report_metrics *report, FILE *out)
{
	const struct scope_metric_relations *relations = report->relations;

	if (!relations || !relations->tried)
		return;
	fprintf(out, "  what goes with %s (r, 95 %%; p for %zu tried; no cause by itself):\n",
		report->relate < SCOPE_METRICS ? scope_metrics_row[report->relate].name : "how long units take",
		relations->tried);
	for (size_t i = 0; i < relations->count && (report->verbose || i < RELATIONS_MAX); i++) {
		const struct scope_metric_relation *one = &relations->relation[i];

		fprintf(out, "    %-22s %+.2f (%+.2f to %+.2f)  p %.3f  %.40s\n", scope_metrics_row[one->metric].name,
			one->with.r, one->with.low, one->with.high, one->with.p, report->view->line[one->line].name);
	}
	if (!relations->count)
		fputs("    nothing beyond chance\n", out);
	else if (delay_site(relations->relation[0].metric))
		fprintf(out, "  to test the first as a cause: scope delay sensitivity -p PID --site %s\n",
			delay_site(relations->relation[0].metric));
	fputc('\n', out);
}

int scope_report_metrics_text(const struct scope_report_metrics *report, FILE *out)
{
	const struct scope_metrics_view *view = report->view;
	const size_t lines = report->verbose || view->lines < LINES_MAX ? view->lines : LINES_MAX;
	double *value = calloc(view->steps, sizeof(*value));

	if (!value)
		return -ENOMEM;
	if (report->changes)
		scope_report_metrics_changes(report, out);
	print_head(report, out);
	for (size_t i = 0; i < lines; i++)
		print_line(report, &view->line[i], value, out);
	if (lines < view->lines)
		fprintf(out, "  %zu more by -v\n", view->lines - lines);
	if (view->metrics->block_events) {
		print_histogram(view->metrics, 0, "block requests by time in the queue", out);
		print_histogram(view->metrics, 1, "block requests by time on the device", out);
	}
	print_relations(report, out);
	print_lacks(report, out);
	free(value);
	return ferror(out) ? -EIO : 0;
}
