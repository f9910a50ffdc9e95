// SPDX-License-Identifier: GPL-2.0-only
/* Metrics of a capture, drawn and exposed repeatedly while it runs. */
#include "cmd/metrics_live.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/settled_units.h"
#include "cmd/cmd.h"
#include "cmd/exposed.h"
#include "cmd/terminal_keys.h"
#include "cmd/screen.h"

#define SERIES_MAX 64	   /* groups that are exposed; the last one has all others together */
#define LAG_NS 20000000ull /* the stream leaves out the last 0.02 s; each table adds them */
#define STEP_EVENTS 100000 /* events analysed between two ticks at most, so that rings do not fill */

struct scope_cmd_metrics_live {
	struct scope_cmd_metrics_live_options options;
	struct scope_writer *writer;
	struct scope_metrics *metrics;
	struct scope_pass_listener listener;
	struct scope_listeners listeners;
	struct scope_stream *stream;	   /* NULL: it gave up */
	struct scope_cmd_screen *screen;   /* NULL: nothing is drawn */
	struct scope_cmd_exposed *exposed; /* NULL: nothing is exposed */
	struct scope_settled_units settled;
	unsigned order; /* index in orders */
	struct scope_cmd_keys keys;
};

/*
 * Orders of lines: the series whose value in the last whole step decides, highest first; and the key that selects it.
 */
static const struct {
	char key;
	unsigned series; /* SCOPE_SERIES: order by name */
	const char *text;
} orders[] = {
	{ 'n', SCOPE_SERIES, "name" },
	{ 'c', SCOPE_METRIC_RUN, "CPU" },
	{ 'w', SCOPE_METRIC_QUEUE, "wait for a CPU" },
	{ 'f', SCOPE_METRIC_FUTEX_TIME, "futex" },
	{ 'd', SCOPE_METRIC_FILE_TIME, "files" },
	{ 'u', SCOPE_METRIC_UNITS, "units" },
	{ 'l', SCOPE_SERIES_P99, "latency" },
};

#define ORDERS (sizeof(orders) / sizeof(*orders))

struct ranked {
	struct scope_metric_line line;
	double value;
	size_t place;
};

static int compare(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Sorts lines. Lines without a value come last; equal ones keep their order. */
static int put_in_order(struct scope_metrics_view *view, unsigned series)
{
	const size_t step = view->steps > 1 ? view->steps - 2 : 0;
	struct ranked *ranked;

	if (series == SCOPE_SERIES)
		return 0;
	ranked = calloc(view->lines + 1, sizeof(*ranked));
	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < view->lines; i++) {
		const double value = scope_report_metrics_value(view, &view->line[i], series, step);

		ranked[i] = (struct ranked){ view->line[i], isnan(value) ? -1 : value, i };
	}
	qsort(ranked, view->lines, sizeof(*ranked), compare);
	for (size_t i = 0; i < view->lines; i++)
		view->line[i] = ranked[i].line;
	free(ranked);
	return 0;
}

static void put_state(const struct scope_cmd_metrics_live *live, const struct scope_capture_progress *now, FILE *to)
{
	fprintf(to, "live · %.0f s · %" PRIu64 " events, %" PRIu64 " lost", (double)now->elapsed_ns / 1e9, now->records,
		now->lost);
	if (live->keys.taken) {
		fputs(" · order:", to);
		for (size_t i = 0; i < ORDERS; i++)
			fprintf(to, i == live->order ? " [%c %s]" : " %c %s", orders[i].key, orders[i].text);
		fputs(" · q end", to);
	} else if (scope_cmd_screen_terminal(live->screen)) {
		fputs(" · Ctrl-C: end", to);
	}
	fputs("\n\n", to);
}

/*
 * Called in the child: finishes its copy of the stream, while the parent continues with its own. It adds only the units
 * that the parent has not added yet, so that tables do not become more expensive in a long capture.
 */
static int find_view(struct scope_cmd_metrics_live *live, const struct scope_capture_progress *now,
		     struct scope_report_metrics *report, struct scope_metrics_view **ret_view)
{
	struct scope_found_units found;
	struct scope_trace *trace;
	int err = live->stream ? scope_trace_open_growing(scope_trace_writer_descriptor(live->writer), "the trace",
							  NULL, &trace)
			       : -ENODATA;

	if (!err)
		err = scope_trace_grow(trace, now->settled_ns);
	if (!err)
		err = scope_analysis_stream_finish(live->stream, now->settled_ns, &found);
	if (err)
		return err;
	err = scope_unit_groups_conclude(found.groups, found.pickups, found.distributions->run->timeline->threads);
	if (!err)
		err = scope_metrics_take_units(live->metrics, found.distributions, found.groups);
	if (!err)
		err = scope_metrics_view_create(live->metrics, found.distributions, found.groups, live->options.by,
						ret_view);
	*report = (struct scope_report_metrics){
		.trace = trace,
		.timeline = found.distributions->run->timeline,
		.chosen = live->options.chosen,
		.columns = scope_cmd_columns(STDOUT_FILENO),
	};
	return err;
}

static int draw(void *context, const struct scope_capture_progress *now, FILE *to)
{
	struct scope_cmd_metrics_live *live = context;
	struct scope_report_metrics report;
	struct scope_metrics_view *view;
	int err;

	put_state(live, now, to);
	err = find_view(live, now, &report, &view);
	if (!err)
		err = put_in_order(view, orders[live->order].series);
	if (err)
		return err;
	report.view = view;
	return scope_report_metrics_table(&report, to);
}

/* Limits the number of groups: a server that names its threads by their work would make endless series. */
static void bound(struct scope_metrics_view *view)
{
	struct scope_metric_line *rest = &view->line[SERIES_MAX - 1];

	if (view->lines <= SERIES_MAX)
		return;
	for (size_t i = SERIES_MAX; i < view->lines; i++)
		for (unsigned j = 0; j < SCOPE_METRICS; j++)
			rest->total.value[j] += view->line[i].total.value[j];
	snprintf(rest->name, sizeof(rest->name), "all others");
	view->lines = SERIES_MAX;
}

static int expose(void *context, const struct scope_capture_progress *now, FILE *to)
{
	struct scope_report_metrics report;
	struct scope_metrics_view *view;
	int err = find_view(context, now, &report, &view);

	if (err)
		return err;
	bound(view);
	report.view = view;
	return scope_report_metrics_openmetrics(&report, to);
}

/* Starts drawing and exposing, as requested. */
static int begin(struct scope_cmd_metrics_live *live, struct scope_error *error)
{
	const struct scope_cmd_metrics_live_options *options = &live->options;
	int err = 0;

	if (options->period_ns)
		err = scope_cmd_screen_create(options->period_ns,
					      &(struct scope_cmd_drawing){ .draw = draw, .context = live },
					      &live->screen);
	if (err)
		return scope_error_set(error, err, "no memory left to draw");
	return options->listen
		       ? scope_cmd_exposed_create(options->listen, options->expose_ns,
						  &(struct scope_cmd_drawing){ .draw = expose, .context = live }, error,
						  &live->exposed)
		       : 0;
}

int scope_cmd_metrics_live_create(const struct scope_cmd_metrics_live_options *options, struct scope_writer *writer,
				  struct scope_error *error, struct scope_cmd_metrics_live **ret_live)
{
	struct scope_cmd_metrics_live *live = calloc(1, sizeof(*live));
	int err = live ? scope_metrics_create(&options->metrics, &live->metrics) : -ENOMEM;

	if (!err)
		err = scope_analysis_stream_create(scope_trace_writer_descriptor(writer), "the trace", &live->stream);
	if (err) {
		scope_cmd_metrics_live_destroy(live);
		return scope_error_set(error, err, "the trace cannot be followed: %s", strerror(-err));
	}
	live->options = *options;
	live->writer = writer;
	live->listener = scope_metrics_listener(live->metrics);
	live->listeners = (struct scope_listeners){ &live->listener, 1 };
	scope_analysis_stream_set_lag(live->stream, LAG_NS);
	scope_analysis_stream_listen(live->stream, &live->listeners);
	err = begin(live, error);
	if (err) {
		scope_cmd_metrics_live_destroy(live);
		return err;
	}
	if (options->keys && live->screen && scope_cmd_screen_terminal(live->screen))
		scope_cmd_terminal_keys_take(&live->keys);
	*ret_live = live;
	return 0;
}

void scope_cmd_metrics_live_destroy(struct scope_cmd_metrics_live *live)
{
	if (!live)
		return;
	scope_cmd_terminal_keys_release(&live->keys);
	scope_cmd_screen_destroy(live->screen);
	scope_cmd_exposed_destroy(live->exposed);
	scope_analysis_stream_destroy(live->stream);
	scope_metrics_destroy(live->metrics);
	free(live);
}

bool scope_cmd_metrics_live_silent(const struct scope_cmd_metrics_live *live)
{
	return !live->screen;
}

static void take_keys(struct scope_cmd_metrics_live *live)
{
	char key;

	while ((key = scope_cmd_terminal_keys_next(&live->keys))) {
		if (key == 'q')
			raise(SIGINT);
		for (unsigned i = 0; i < ORDERS; i++)
			if (orders[i].key == key) {
				live->order = i;
				scope_cmd_screen_soon(live->screen);
			}
	}
}

void scope_cmd_metrics_live_tick(struct scope_cmd_metrics_live *live, const struct scope_capture_progress *now)
{
	if (live->stream &&
	    (scope_trace_writer_flush(live->writer) ||
	     scope_analysis_stream_advance(live->stream, now->settled_ns, STEP_EVENTS) ||
	     scope_analysis_settle_units(&live->settled, live->stream, live->metrics, now->settled_ns))) {
		scope_analysis_stream_destroy(live->stream);
		live->stream = NULL;
	}
	take_keys(live);
	if (live->screen)
		scope_cmd_screen_tick(live->screen, now);
	if (live->exposed)
		scope_cmd_exposed_tick(live->exposed, now);
}
