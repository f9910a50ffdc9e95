// SPDX-License-Identifier: GPL-2.0-only
/* The trigger that made a flight recorder write the trace, and the unit of work that it saw. */
#include "report/triggered.h"

#include <stdlib.h>
#include <string.h>

#include "report/numbers.h"

#define MARK "trigger " /* precedes the trigger's description in the reason for the trace's end */
#define CALLS 5

/* The thread in "unit>200ms: thread 22298, 0.412 s"; 0: the trigger is of no thread. */
static uint32_t thread_of(const char *why)
{
	const char *thread = strstr(why, ": thread ");

	return thread ? (uint32_t)strtoul(thread + strlen(": thread "), NULL, 10) : 0;
}

/* The longest kept unit of that thread; NULL: there is none. */
static const struct scope_unit *longest_of(const struct scope_units *units, uint32_t tid)
{
	const struct scope_unit *longest = NULL;

	for (size_t i = 0; i < units->count; i++) {
		const struct scope_unit *unit = &units->unit[i];

		if (scope_timeline_threads_at(units->timeline->threads, unit->thread)->tid == tid &&
		    (!longest || scope_unit_wall(unit) > scope_unit_wall(longest)))
			longest = unit;
	}
	return longest;
}

int scope_report_triggered_find(const struct scope_analysis *analysis, struct scope_model_triggered *ret_triggered)
{
	const struct scope_units *units = analysis->units;
	const char *reason = scope_trace_meta(analysis->trace, SCOPE_META_END_REASON);
	const struct scope_unit *unit;
	uint32_t tid;

	if (!reason || strncmp(reason, MARK, strlen(MARK)))
		return 0;
	ret_triggered->why = reason + strlen(MARK);
	tid = thread_of(ret_triggered->why);
	unit = tid && !analysis->ranking->findings ? longest_of(units, tid) : NULL;
	/* No path if it began before the window. */
	if (!unit || unit->begin_ns < units->timeline->begin_ns)
		return 0;
	ret_triggered->has_unit = true;
	ret_triggered->path = (struct scope_path){ .unit = (uint32_t)(unit - units->unit) };
	return scope_report_path_collect(analysis->trace, units, &ret_triggered->path, 1);
}

int scope_report_section_triggered(const struct report *report)
{
	const struct scope_path *path = &report->model->triggered.path;
	const unsigned width = scope_report_section_width(report) - SCOPE_SCREEN_LABEL;
	const struct scope_unit *unit = &report->analysis->units->unit[path->unit];
	const struct scope_path_show show = { .calls = CALLS, .nr = SCOPE_PATH_ANY, .count_rest = true };
	struct scope_text wall;
	char *calls;
	int err;

	if (!report->model->triggered.has_unit)
		return 0;
	err = scope_report_section_path(path, &show, &calls);
	if (err)
		return err;
	scope_report_section_label(report, SCOPE_LABEL_ITS_WORK);
	fprintf(report->out, "%s from %.3f s on\n", scope_report_format_ns(&wall, (double)scope_unit_wall(unit)),
		(double)(unit->begin_ns - report->analysis->units->timeline->begin_ns) / 1e9);
	scope_report_section_label(report, SCOPE_LABELS);
	scope_report_format_clipped(report->out, calls, width);
	fputc('\n', report->out);
	free(calls);
	return 0;
}
