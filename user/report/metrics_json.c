// SPDX-License-Identifier: GPL-2.0-only
/* Metrics over time for programs: JSON, CSV, and OpenMetrics. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <scope/abi.h>

#include "report/json.h"
#include "report/json_part.h"
#include "report/metrics_text.h"

static const char *const unit_name[] = {
	[SCOPE_METRICS_TIME] = "ns",
	[SCOPE_METRICS_COUNT] = "count",
	[SCOPE_METRICS_BYTES] = "bytes",
	[SCOPE_METRICS_SECTORS] = "sectors",
};

static bool has(const struct scope_metrics_view *view, unsigned metric)
{
	return !scope_metrics_view_lacks(view, (enum scope_metric)metric);
}

/* The line has it, and it was chosen. */
static bool is_wanted(const struct scope_report_metrics *report, const struct scope_metric_line *line, unsigned metric)
{
	return scope_metrics_view_has(report->view, line, (enum scope_metric)metric) &&
	       scope_report_metrics_wants(report, metric);
}

static json_t *make_metrics(const struct scope_metrics_view *view)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < SCOPE_METRICS; i++)
		if (has(view, i))
			json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s}", "name",
							       scope_metrics_row[i].name, "family",
							       scope_metrics_family_name[scope_metrics_row[i].family],
							       "unit", unit_name[scope_metrics_row[i].unit], "text",
							       scope_metrics_row[i].text));
	return array;
}

static json_t *make_absent(const struct scope_metrics_view *view)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < SCOPE_METRICS; i++)
		if (!has(view, i))
			json_array_append_new(array, json_pack("{s:s, s:s}", "name", scope_metrics_row[i].name, "why",
							       scope_metrics_view_lacks(view, (enum scope_metric)i)));
	return array;
}

/* All steps of each metric that has any value. Metrics that are left out are 0 in all steps. */
static json_t *make_values(const struct scope_report_metrics *report, const struct scope_metric_line *line)
{
	const struct scope_metrics_view *view = report->view;
	json_t *object = json_object();

	for (unsigned i = 0; i < SCOPE_METRICS; i++) {
		json_t *array;

		if (!is_wanted(report, line, i) || !line->total.value[i])
			continue;
		array = json_array();
		for (size_t j = 0; j < view->steps; j++)
			json_array_append_new(array, json_integer((json_int_t)line->cell[j].value[i]));
		json_object_set_new(object, scope_metrics_row[i].name, array);
	}
	return object;
}

static json_t *make_totals(const struct scope_metrics_view *view, const struct scope_metric_line *line)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < SCOPE_METRICS; i++)
		if (scope_metrics_view_has(view, line, (enum scope_metric)i))
			json_object_set_new(object, scope_metrics_row[i].name,
					    json_integer((json_int_t)line->total.value[i]));
	return object;
}

static json_t *make_latency(const struct scope_metrics_view *view, const struct scope_metric_latency *latency)
{
	json_t *p50 = json_array(), *p95 = json_array(), *p99 = json_array();

	for (size_t i = 0; i < view->steps; i++) {
		const bool known = i < latency->steps && latency->step[i].p99 > 0;

		json_array_append_new(p50, known ? json_real(latency->step[i].p50) : json_null());
		json_array_append_new(p95, known ? json_real(latency->step[i].p95) : json_null());
		json_array_append_new(p99, known ? json_real(latency->step[i].p99) : json_null());
	}
	return json_pack("{s:I, s:f, s:f, s:f, s:o, s:o, s:o}", "units", (json_int_t)latency->all.total, "p50_ns",
			 scope_sketch_quantile(&latency->all, 0.5), "p95_ns",
			 scope_sketch_quantile(&latency->all, 0.95), "p99_ns",
			 scope_sketch_quantile(&latency->all, 0.99), "p50", p50, "p95", p95, "p99", p99);
}

static json_t *make_lines(const struct scope_report_metrics *report)
{
	const struct scope_metrics_view *view = report->view;
	json_t *array = json_array();

	for (size_t i = 0; i < view->lines; i++) {
		const struct scope_metric_line *line = &view->line[i];
		json_t *object = json_pack("{s:o, s:o, s:o}", "name", scope_report_json_string(line->name), "totals",
					   make_totals(view, line), "values", make_values(report, line));

		if (line->tid)
			json_object_set_new(object, "tid", json_integer(line->tid));
		if (line->tgid)
			json_object_set_new(object, "pid", json_integer(line->tgid));
		if (line->host)
			json_object_set_new(object, "host", json_true());
		if (line->threads)
			json_object_set_new(object, "threads", json_integer(line->threads));
		if (line->latency)
			json_object_set_new(object, "latency", make_latency(view, line->latency));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_histogram(const uint64_t *count)
{
	json_t *array = json_array();
	int64_t most_ns = 1000;

	for (unsigned i = 0; i < SCOPE_METRICS_DECADES; i++, most_ns *= 10)
		json_array_append_new(array,
				      json_pack("{s:o, s:I}", "most_ns",
						i == SCOPE_METRICS_DECADES - 1 ? json_null() : json_integer(most_ns),
						"requests", (json_int_t)count[i]));
	return array;
}

static json_t *make_related(const struct scope_report_metrics *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->relations->count; i++) {
		const struct scope_metric_relation *one = &report->relations->relation[i];

		json_array_append_new(array,
				      json_pack("{s:o, s:s, s:f, s:f, s:f, s:f, s:f, s:I}", "name",
						scope_report_json_string(report->view->line[one->line].name), "metric",
						scope_metrics_row[one->metric].name, "r", one->with.r, "low",
						one->with.low, "high", one->with.high, "rho", one->with.rho, "p",
						one->with.p, "steps", (json_int_t)one->with.steps));
	}
	return json_pack("{s:s, s:I, s:o}", "with",
			 report->relate < SCOPE_METRICS ? scope_metrics_row[report->relate].name : "latency", "tried",
			 (json_int_t)report->relations->tried, "series", array);
}

int scope_report_metrics_json(const struct scope_report_metrics *report, FILE *out)
{
	const struct scope_metrics_view *view = report->view;
	json_t *all = json_pack("{s:i, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "schema",
				SCOPE_REPORT_SCHEMA, "scope", SCOPE_VERSION, "command", "metrics", "by",
				scope_metrics_by_name[view->by], "begin_ns", (json_int_t)view->begin_ns, "end_ns",
				(json_int_t)view->end_ns, "step_ns", (json_int_t)view->step_ns, "steps",
				(json_int_t)view->steps, "lost", (json_int_t)scope_timeline_lost(report->timeline),
				"metrics", make_metrics(view), "absent", make_absent(view), "series",
				make_lines(report));

	if (all && view->metrics->block_events)
		json_object_set_new(all, "block_histograms",
				    json_pack("{s:o, s:o}", "queue", make_histogram(view->metrics->device[0]), "device",
					      make_histogram(view->metrics->device[1])));
	if (all && report->relations)
		json_object_set_new(all, "related", make_related(report));
	if (all && report->changes)
		json_object_set_new(all, "changes", scope_report_metrics_changes_json(report->changes));
	return scope_report_json_write(all, JSON_INDENT(1), out);
}

/* A field of CSV (RFC 4180), in quotes. */
static void print_quoted(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

int scope_report_metrics_csv(const struct scope_report_metrics *report, FILE *out)
{
	const struct scope_metrics_view *view = report->view;

	fprintf(out, "seconds,%s,tid,metric,unit,value\n", scope_metrics_by_name[view->by]);
	for (size_t i = 0; i < view->lines; i++)
		for (unsigned j = 0; j < SCOPE_METRICS; j++)
			for (size_t k = 0; k < view->steps && is_wanted(report, &view->line[i], j); k++) {
				fprintf(out, "%.6f,", (double)(k * view->step_ns) / 1e9);
				print_quoted(view->line[i].name, out);
				fprintf(out, ",%u,%s,%s,%" PRIu64 "\n", view->line[i].tid, scope_metrics_row[j].name,
					unit_name[scope_metrics_row[j].unit], view->line[i].cell[k].value[j]);
			}
	return ferror(out) ? -EIO : 0;
}

/* The value of a label: backslashes, quotes and line ends are escaped. */
static void print_label(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* Counters of the whole window, in base units, as OpenMetrics 1.0 has them. */
int scope_report_metrics_openmetrics(const struct scope_report_metrics *report, FILE *out)
{
	static const char *const suffix[] = { "_seconds", "", "", "" };
	const struct scope_metrics_view *view = report->view;

	for (unsigned i = 0; i < SCOPE_METRICS; i++) {
		const uint8_t unit = scope_metrics_row[i].unit;

		if (!has(view, i) || !scope_report_metrics_wants(report, i))
			continue;
		fprintf(out, "# TYPE scope_%s%s counter\n", scope_metrics_row[i].name, suffix[unit]);
		if (unit == SCOPE_METRICS_TIME)
			fprintf(out, "# UNIT scope_%s_seconds seconds\n", scope_metrics_row[i].name);
		fprintf(out, "# HELP scope_%s%s %s\n", scope_metrics_row[i].name, suffix[unit],
			scope_metrics_row[i].text);
		for (size_t j = 0; j < view->lines; j++) {
			const uint64_t value = view->line[j].total.value[i];

			if (!is_wanted(report, &view->line[j], i))
				continue;
			fprintf(out, "scope_%s%s_total{%s=\"", scope_metrics_row[i].name, suffix[unit],
				scope_metrics_by_name[view->by]);
			print_label(view->line[j].name, out);
			if (view->line[j].tid)
				fprintf(out, "\",tid=\"%u", view->line[j].tid);
			if (unit == SCOPE_METRICS_TIME)
				fprintf(out, "\"} %" PRIu64 ".%09" PRIu64 "\n", value / 1000000000, value % 1000000000);
			else
				fprintf(out, "\"} %" PRIu64 "\n", value);
		}
	}
	fprintf(out,
		"# TYPE scope_lost_events counter\n"
		"# HELP scope_lost_events events that were lost, which are in none of these\n"
		"scope_lost_events_total %" PRIu64 "\n# EOF\n",
		scope_timeline_lost(report->timeline));
	return ferror(out) ? -EIO : 0;
}
