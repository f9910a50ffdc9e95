// SPDX-License-Identifier: GPL-2.0-only
/* Makes the data of a picture of metrics over time: what the threads of each group did in each part of the window. */
#include "report/picture.h"

#include <math.h>
#include <stdbool.h>

#include "report/json_part.h"
#include "report/metrics_text.h"

#define GROUPS_MAX 6	/* drawn beside one another */
#define DRAWN_MIN 0.005 /* share of a group's time in some part: less is a flat line */
#define DIGITS 1000	/* shares are rounded to a thousandth */

static const unsigned char drawn[] = {
	SCOPE_METRIC_RUN,      SCOPE_METRIC_QUEUE,	SCOPE_METRIC_IOWAIT,
	SCOPE_METRIC_DISK,     SCOPE_METRIC_FUTEX_TIME, SCOPE_METRIC_PIPE_TIME,
	SCOPE_METRIC_NET_TIME, SCOPE_METRIC_POLL_TIME,	SCOPE_METRIC_FILE_TIME,
};

/* NULL: nothing of that metric is to be seen in the group, or no memory. */
static json_t *make_series(const struct scope_metrics_view *view, const struct scope_metric_line *line, unsigned series)
{
	json_t *values = json_array();
	double most = 0;

	for (size_t step = 0; step < view->steps; step++) {
		const double value = scope_report_metrics_value(view, line, series, step);

		most = isnan(value) ? most : fmax(most, value);
		json_array_append_new(values, isnan(value) ? json_null() : json_real(round(value * DIGITS) / DIGITS));
	}
	if (most >= DRAWN_MIN)
		return values;
	json_decref(values);
	return NULL;
}

static json_t *make_group(const struct scope_metrics_view *view, const struct scope_metric_line *line)
{
	json_t *shares = json_object();

	for (size_t i = 0; i < sizeof(drawn); i++) {
		json_t *values = make_series(view, line, drawn[i]);

		if (values)
			json_object_set_new(shares, scope_report_metrics_series_name(drawn[i]), values);
	}
	return json_pack("{s:o, s:I, s:o}", "group", scope_report_json_string(line->name), "threads",
			 (json_int_t)line->threads, "shares", shares);
}

static uint64_t busy_ns(const struct scope_metric_line *line)
{
	return line->total.value[SCOPE_METRIC_RUN] + line->total.value[SCOPE_METRIC_QUEUE];
}

/* The busiest one that is not taken; marks it. NULL: no more. */
static const struct scope_metric_line *take_busiest(const struct scope_metrics_view *view, size_t taken[], size_t count)
{
	const struct scope_metric_line *most = NULL;

	for (size_t i = 0; i < view->lines; i++) {
		bool free = !view->line[i].host;

		for (size_t j = 0; j < count; j++)
			free = free && taken[j] != i;
		if (free && (!most || busy_ns(&view->line[i]) > busy_ns(most)))
			most = &view->line[i];
	}
	if (most)
		taken[count] = (size_t)(most - view->line);
	return most;
}

json_t *scope_report_picture_over_time(const struct scope_analysis *analysis)
{
	const struct scope_metered *metered = &analysis->metered;
	struct scope_metrics_view *view;
	size_t taken[GROUPS_MAX];
	json_t *groups, *made;

	if (!metered->metrics)
		return json_null();
	if (scope_metrics_view_create(metered->metrics, metered->found.distributions, metered->found.groups,
				      SCOPE_METRICS_BY_GROUP, &view))
		return NULL;
	groups = json_array();
	for (size_t i = 0; i < GROUPS_MAX; i++) {
		const struct scope_metric_line *line = take_busiest(view, taken, i);

		if (!line)
			break;
		json_array_append_new(groups, make_group(view, line));
	}
	made = json_pack("{s:I, s:I, s:I, s:o, s:I}", "begin_ns", (json_int_t)view->begin_ns, "end_ns",
			 (json_int_t)view->end_ns, "step_ns", (json_int_t)view->step_ns, "groups", groups,
			 "groups_left_out", (json_int_t)(view->lines - json_array_size(groups)));
	scope_metrics_view_destroy(view);
	return made;
}
