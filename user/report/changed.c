// SPDX-License-Identifier: GPL-2.0-only
/* What changed since the baseline, in the report: lines of the first screen, and the table after it. */
#include "report/section.h"

#include <math.h>

#include "report/metrics_text.h"

#define GROUPS_MAX 2 /* on the first screen */

/* The largest of the sure changes in shares of time; NULL: there is none. */
static const struct scope_metric_change *most_changed(const struct scope_group_change *group)
{
	for (size_t i = 0; i < group->changes; i++)
		if (group->change[i].sure && scope_metrics_row[group->change[i].metric].unit == SCOPE_METRICS_TIME)
			return &group->change[i];
	return NULL;
}

/* True if a group has enough steps for a change to be sure. */
static bool is_long_enough(const struct scope_metric_changes *changes)
{
	for (size_t i = 0; i < changes->groups; i++)
		for (size_t j = 0; j < changes->group[i].changes; j++)
			if (!isnan(changes->group[i].change[j].low))
				return true;
	return false;
}

static void print_line(const struct report *report, const char *text)
{
	scope_report_section_label(report, SCOPE_LABEL_CHANGED);
	scope_report_format_clipped(report->out, text, scope_report_section_width(report) - SCOPE_SCREEN_LABEL);
	fputc('\n', report->out);
}

/* "main: run 12.0 → 26.3 % of its time (+14.3 ±3.8)"; without the difference if the line has no room for it. */
static void print_change(const struct report *report, const char *group, const char *name,
			 const struct scope_metric_change *change)
{
	const unsigned room = scope_report_section_width(report) - SCOPE_SCREEN_LABEL;
	char text[200];
	int used;

	used = snprintf(text, sizeof(text), "%.60s: %s %.1f → %.1f %% of its time", group, name, 100 * change->before,
			100 * change->after);
	if (used < 0 || (size_t)used >= sizeof(text))
		return;
	snprintf(text + used, sizeof(text) - (size_t)used, " (%+.1f ±%.1f)", 100 * (change->after - change->before),
		 50 * (change->high - change->low));
	if (scope_report_format_columns(text) > room)
		text[used] = '\0';
	print_line(report, text);
}

void scope_report_section_changed(const struct report *report)
{
	const struct scope_metric_changes *changes = report->analysis->changes;
	unsigned printed = 0;

	if (!changes || !is_long_enough(changes))
		return;
	for (size_t i = 0; i < changes->groups && printed < GROUPS_MAX; i++) {
		const struct scope_metric_change *change = most_changed(&changes->group[i]);
		char name[40];
		size_t at = 0;

		if (!change)
			continue;
		for (const char *from = scope_metrics_row[change->metric].name; *from && at + 1 < sizeof(name); from++)
			name[at++] = *from == '_' ? ' ' : *from;
		name[at] = 0;
		print_change(report, changes->group[i].name, name, change);
		printed++;
	}
	if (!printed)
		print_line(report, "no group spends its time otherwise, beyond chance");
}

int scope_report_section_changes(const struct report *report)
{
	const struct scope_report_metrics metrics = {
		.changes = report->analysis->changes,
		.before = "the baseline",
		.after = "this trace",
	};

	if (metrics.changes)
		scope_report_metrics_changes(&metrics, report->out);
	return 0;
}
