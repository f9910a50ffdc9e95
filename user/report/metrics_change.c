// SPDX-License-Identifier: GPL-2.0-only
/* What changed between two windows, as text and JSON. */
#include <math.h>

#include "report/json_part.h"
#include "report/metrics_text.h"
#include "report/numbers.h"

#define GROUPS_MAX 4   /* on one screen */
#define METRICS_MAX 6  /* of each */
#define ALIKE 1.25     /* ratio: with less the load is about the same */
#define DIFFERENCE 0.2 /* share of a rate: smaller ones only with -v */

const char *scope_report_metrics_load(char *text, size_t size, double before, double after, const char *what)
{
	const double times = before > 0 && after > 0 ? after / before : 1;
	struct scope_text one, other;
	char change[64] = "load is about the same";

	if (before <= 0 || after <= 0)
		snprintf(change, sizeof(change), before > after ? "load ended" : after > 0 ? "load began" : "no load");
	else if (times >= ALIKE)
		snprintf(change, sizeof(change), "load rose %.*f times", times < 9.95 ? 1 : 0, times);
	else if (times <= 1 / ALIKE)
		snprintf(change, sizeof(change), "load fell to %.*f %%", times < 0.01 ? 2 : 0, 100 * times);
	snprintf(text, size, "%s → %s %s/s: %s", scope_report_format_count(&one, (uint64_t)llround(before)),
		 scope_report_format_count(&other, (uint64_t)llround(after)), what, change);
	return text;
}

static bool is_time(const struct scope_metric_change *change)
{
	return scope_metrics_row[change->metric].unit == SCOPE_METRICS_TIME;
}

/* Prints a share in percent, or a number per second. */
static void print_value(const struct scope_metric_change *change, double value, bool sign, FILE *out)
{
	if (isnan(value))
		fprintf(out, " %10s", "-");
	else if (is_time(change))
		fprintf(out, sign ? " %+8.1f %%" : " %8.1f %%", 100 * value);
	else
		fprintf(out, sign ? " %+10.4g" : " %10.4g", value);
}

/* True for a change with a score, and for a rate that differs much and whose interval does not include 0. */
static bool is_shown(const struct scope_report_metrics *report, const struct scope_metric_change *change)
{
	const double difference = change->after - change->before;

	if (report->verbose || fabs(change->score) >= SCOPE_CHANGE_NEW)
		return true;
	return !is_time(change) && fabs(difference) >= DIFFERENCE * fmax(change->before, change->after) &&
	       !(change->low <= 0 && change->high >= 0);
}

static void print_group(const struct scope_report_metrics *report, const struct scope_group_change *group, FILE *out)
{
	unsigned printed = 0;

	fprintf(out, "  %.60s: ", group->name);
	if (group->new || group->gone) {
		fprintf(out, "%s\n", group->new ? "is new" : "is gone");
		return;
	}
	fprintf(out, "score %.3f\n", group->score);
	for (size_t i = 0; i < group->changes && (report->verbose || printed < METRICS_MAX); i++) {
		const struct scope_metric_change *change = &group->change[i];

		if (!is_shown(report, change))
			continue;
		printed++;
		fprintf(out, "    %-22s", scope_metrics_row[change->metric].name);
		print_value(change, change->before, false, out);
		print_value(change, change->after, false, out);
		print_value(change, change->low, true, out);
		print_value(change, change->high, true, out);
		if (is_time(change))
			fprintf(out, " %+8.3f", change->score);
		fputc('\n', out);
	}
}

void scope_report_metrics_changes(const struct scope_report_metrics *report, FILE *out)
{
	const struct scope_metric_changes *changes = report->changes;
	struct scope_text before, after;
	char load[160];
	size_t more = 0;

	fprintf(out, "CHANGES from %.40s (%s) to %.40s (%s)\n", report->before,
		scope_report_format_window(&before, (uint64_t)(1e9 * changes->before_s)), report->after,
		scope_report_format_window(&after, (uint64_t)(1e9 * changes->after_s)));
	fprintf(out, "  %s\n\n  %-24s %10s %10s %21s %8s\n",
		scope_report_metrics_load(load, sizeof(load), changes->before_units, changes->after_units,
					  changes->requests ? "requests" : "units"),
		"by group", "before", "after", "95 % of difference", "score");
	for (size_t i = 0; i < changes->groups; i++) {
		more += !report->verbose && i >= GROUPS_MAX && !changes->group[i].host;
		if (report->verbose || i < GROUPS_MAX || changes->group[i].host)
			print_group(report, &changes->group[i], out);
	}
	if (more)
		fprintf(out, "  %zu more groups by -v\n", more);
	fputc('\n', out);
}

static json_t *make_group(const struct scope_group_change *group)
{
	json_t *array = json_array();

	for (size_t i = 0; i < group->changes; i++) {
		const struct scope_metric_change *change = &group->change[i];

		json_array_append_new(array, json_pack("{s:s, s:b, s:f, s:f, s:f, s:o, s:o, s:f, s:b}", "metric",
						       scope_metrics_row[change->metric].name, "share", is_time(change),
						       "before", change->before, "after", change->after, "difference",
						       change->after - change->before, "low",
						       scope_report_json_number(change->low), "high",
						       scope_report_json_number(change->high), "score", change->score,
						       "sure", change->sure));
	}
	return json_pack("{s:o, s:b, s:b, s:f, s:o}", "name", scope_report_json_string(group->name), "new", group->new,
			 "gone", group->gone, "score", group->score, "metrics", array);
}

json_t *scope_report_metrics_changes_json(const struct scope_metric_changes *changes)
{
	json_t *groups = json_array();

	for (size_t i = 0; i < changes->groups; i++)
		json_array_append_new(groups, make_group(&changes->group[i]));
	return json_pack("{s:f, s:f, s:b, s:f, s:f, s:o}", "before_s", changes->before_s, "after_s", changes->after_s,
			 "requests", changes->requests, "before_per_s", changes->before_units, "after_per_s",
			 changes->after_units, "groups", groups);
}
