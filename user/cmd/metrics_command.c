// SPDX-License-Identifier: GPL-2.0-only
/* scope metrics: capture a process, or read a trace, and print what its threads did over time. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/meter.h"
#include "base/newfile.h"
#include "cmd/captured.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/held.h"
#include "cmd/metrics_live.h"
#include "report/metrics_text.h"
#include "source/source.h"
#include "trace/writer.h"

/* The formats of output, by the name for --format and by the end of a file's name. */
static const struct {
	const char *name;
	int (*print)(const struct scope_report_metrics *report, FILE *out);
} formats[] = {
	{ "text", scope_report_metrics_text }, { "json", scope_report_metrics_json },
	{ "csv", scope_report_metrics_csv },   { "openmetrics", scope_report_metrics_openmetrics },
	{ "svg", scope_report_metrics_svg },
};

#define LIVE_MIN_NS 500000000ull

#define FORMATS (sizeof(formats) / sizeof(*formats))

struct request {
	struct scope_capture_options capture;
	struct scope_selection selection;
	struct scope_metrics_options metrics;
	enum scope_metrics_by by;
	const char *input, *output, *save, *source, *baseline; /* NULL: not given */
	const char *listen;				       /* NULL, or an address */
	const char *compare;				       /* NULL, or the text of the next two */
	uint64_t series;				       /* as in struct scope_report_metrics */
	uint64_t live_ns;				       /* between two drawings; 0: none */
	uint64_t from_ns, to_ns;			       /* after the window's begin */
	const struct scope_source *from;
	char **command; /* to be started; NULL: none */
	size_t format;	/* of formats; FORMATS: not given */
	bool duration, verbose, help;
};

static int take_by(const char *value, struct request *request)
{
	for (enum scope_metrics_by by = 0; by < SCOPE_METRICS_BYS; by++)
		if (!strcmp(value, scope_metrics_by_name[by])) {
			request->by = by;
			request->metrics.objects = by == SCOPE_METRICS_BY_OBJECT;
			request->metrics.kinds = by == SCOPE_METRICS_BY_KIND;
			return 0;
		}
	return scope_cmd_misuse("metrics", "--by wants thread, group, object or kind, not '%s'", value);
}

static int take_format(const char *value, struct request *request)
{
	size_t i = 0;

	while (i < FORMATS && strcmp(value, formats[i].name))
		i++;
	request->format = i;
	return i < FORMATS ? 0
			   : scope_cmd_misuse("metrics", "--format wants text, json, csv, openmetrics or svg, not '%s'",
					      value);
}

/* A time after the begin; an empty text gives `fallback`. */
static int take_time(const char *text, uint64_t fallback, uint64_t *ret_ns)
{
	*ret_ns = fallback;
	if (!*text)
		return 0;
	*ret_ns = 0;
	return strcmp(text, "0") ? scope_cmd_seconds(text, ret_ns) : 0;
}

static int take_compare(const char *value, struct request *request)
{
	const char *dots = strstr(value, "..");
	char from[32] = "";
	int wrong = !dots || (size_t)(dots - value) >= sizeof(from);

	request->compare = value;
	if (!wrong) {
		memcpy(from, value, (size_t)(dots - value));
		wrong = take_time(from, 0, &request->from_ns) || take_time(dots + 2, UINT64_MAX, &request->to_ns) ||
			request->from_ns >= request->to_ns;
	}
	return wrong ? scope_cmd_misuse("metrics", "--compare wants a part of the trace as 30..40 or 1m.., not '%s'",
					value)
		     : 0;
}

/* Names with commas between. */
static int take_series(const char *value, struct request *request)
{
	for (const char *name = value; *name;) {
		const size_t length = strcspn(name, ",");
		unsigned series = 0;

		while (series < SCOPE_SERIES && (strlen(scope_report_metrics_series_name(series)) != length ||
						 strncmp(name, scope_report_metrics_series_name(series), length)))
			series++;
		if (series == SCOPE_SERIES)
			return scope_cmd_misuse("metrics",
						"--series: there is no '%.*s'; scope metrics -v names those there are",
						(int)length, name);
		request->series |= 1ull << series;
		name += length + (name[length] == ',');
	}
	return 0;
}

/* 0, or the exit status for a value that makes no sense. */
static int take_value(int option, const char *value, struct request *request)
{
	switch (option) {
	case 'd':
		if (scope_cmd_seconds(value, &request->capture.duration_ns))
			return scope_cmd_misuse("metrics",
						"-d wants a time as 90, 1.5, 500ms or 2m, up to 168h, not '%s'", value);
		request->duration = true;
		return 0;
	case 'i':
		request->input = value;
		return 0;
	case 'o':
		request->output = value;
		return 0;
	case 'v':
		request->verbose = true;
		return 0;
	case SCOPE_OPTION_BY:
		return take_by(value, request);
	case SCOPE_OPTION_BASELINE:
		request->baseline = value;
		return 0;
	case SCOPE_OPTION_COMPARE:
		return take_compare(value, request);
	case SCOPE_OPTION_STEP:
		if (scope_cmd_seconds(value, &request->metrics.step_ns) ||
		    request->metrics.step_ns < SCOPE_METRICS_STEP_MIN_NS)
			return scope_cmd_misuse("metrics",
						"--step wants a time as 1, 100ms or 1m, 1ms at least, not '%s'", value);
		return 0;
	case SCOPE_OPTION_LIVE:
		request->live_ns = request->metrics.step_ns ? request->metrics.step_ns : SCOPE_METRICS_STEP_NS;
		if (value && (scope_cmd_seconds(value, &request->live_ns) || request->live_ns < LIVE_MIN_NS))
			return scope_cmd_misuse(
				"metrics", "--live wants a time as 1, 500ms or 1m, 500ms at least, not '%s'", value);
		return 0;
	case SCOPE_OPTION_LISTEN:
		request->listen = value;
		return 0;
	case SCOPE_OPTION_SERIES:
		return take_series(value, request);
	case SCOPE_OPTION_FORMAT:
		return take_format(value, request);
	case SCOPE_OPTION_SAVE:
		request->save = value;
		return 0;
	case SCOPE_OPTION_SOURCE:
		request->source = value;
		return 0;
	case SCOPE_OPTION_BLOCK:
		request->capture.block = true;
		return 0;
	default:
		return scope_cmd_misuse("metrics", "that option is not understood");
	}
}

/* If no format was named, the end of the file's name selects it. */
static size_t format_of(const char *output)
{
	const char *end = output ? strrchr(output, '.') : NULL;

	for (size_t i = 0; end && i < FORMATS; i++)
		if (!strcmp(end + 1, formats[i].name))
			return i;
	return 0;
}

/* What follows from the options taken together. 0, or an exit status. */
static int settle(struct request *request)
{
	request->capture.pid = request->selection.pid;
	request->capture.selection = &request->selection;
	if (!!request->capture.pid + !!request->input + !!request->command != 1)
		return scope_cmd_misuse("metrics", "of what? name a process with -p PID, a trace with -i FILE, or a "
						   "command behind --");
	if (request->input && (request->duration || request->save || request->source || request->capture.block))
		return scope_cmd_misuse("metrics", "--duration, --save, --source and --block go with -p or a command");
	if (request->input && (request->live_ns || request->listen))
		return scope_cmd_misuse("metrics", "--live and --listen go with -p or a command");
	if (request->listen && request->by != SCOPE_METRICS_BY_GROUP)
		return scope_cmd_misuse("metrics", "--listen goes with --by group: others have series without end");
	if (request->compare && request->baseline)
		return scope_cmd_misuse("metrics", "--baseline and --compare exclude each other");
	if ((request->compare || request->baseline) && request->by != SCOPE_METRICS_BY_GROUP)
		return scope_cmd_misuse("metrics", "--baseline and --compare go with --by group");
	if (request->command && !request->duration)
		request->capture.duration_ns = 0;
	if (request->format == FORMATS)
		request->format = format_of(request->output);
	return 0;
}

/* 0, or the exit status of a wrong command line. */
static int parse(int argc, char **argv, struct request *request)
{
	int option, status;

	while ((option = scope_cmd_line_next("metrics", argc, argv)) != -1) {
		if (option == 'h') {
			request->help = true;
			return 0;
		}
		status = scope_cmd_select("metrics", option, optarg, &request->selection);
		if (status < 0)
			status = take_value(option, optarg, request);
		if (status)
			return status;
	}
	if (optind < argc && !strcmp(argv[optind - 1], "--"))
		request->command = argv + optind;
	else if (optind + 1 == argc && !request->input)
		request->input = argv[optind];
	else if (optind < argc)
		return scope_cmd_misuse("metrics", "'%s' is not understood", argv[optind]);
	return settle(request);
}

/* While a capture runs. */
struct session {
	struct scope_cmd_held held;
	struct scope_cmd_metrics_live *live; /* NULL: nothing is drawn before the end */
};

static void begun(void *context, const struct scope_target *target)
{
	struct session *session = context;

	scope_cmd_held_started(&session->held, target);
}

static void progress(void *context, const struct scope_capture_progress *now)
{
	struct session *session = context;

	if (session->live)
		scope_cmd_metrics_live_tick(session->live, now);
	if (session->live && !scope_cmd_metrics_live_silent(session->live))
		return;
	scope_cmd_warn_lossy("metrics", now->lost);
	scope_cmd_progress("tracing: %.0f s, %" PRIu64 " events, %" PRIu64 " lost (Ctrl-C: print now)",
			   (double)now->elapsed_ns / 1e9, now->records, now->lost);
}

/* A command reads what is typed itself. */
static int begin_live(const struct request *request, struct scope_writer *writer, struct scope_error *error,
		      struct scope_cmd_metrics_live **ret_live)
{
	const struct scope_cmd_metrics_live_options options = {
		.metrics = request->metrics,
		.by = request->by,
		.series = request->series,
		.period_ns = request->live_ns,
		.listen = request->listen,
		.expose_ns = request->metrics.step_ns ? request->metrics.step_ns : SCOPE_METRICS_STEP_NS,
		.keys = !request->command,
	};

	return request->live_ns || request->listen ? scope_cmd_metrics_live_create(&options, writer, error, ret_live)
						   : 0;
}

static int capture(const struct request *request, struct scope_writer *writer, struct scope_error *error)
{
	struct session session = { .held.name = "metrics" };
	const struct scope_capture_watch watch = { .begun = begun, .progress = progress, .context = &session };
	struct scope_capture_options options = request->capture;
	struct scope_capture_stats stats;
	int err = begin_live(request, writer, error, &session.live);

	if (!err)
		err = scope_cmd_held_start(&session.held, request->command, &options, error);
	if (err) {
		scope_cmd_metrics_live_destroy(session.live);
		return err;
	}
	err = scope_capture(request->from, &options, writer, scope_cmd_catch_signals(), &watch, error, &stats);
	scope_cmd_metrics_live_destroy(session.live);
	if (!err)
		err = scope_cmd_held_check(&session.held, error);
	scope_cmd_held_free(&session.held);
	scope_cmd_progress_end();
	return err;
}

/* Captures into --save or an unnamed file, and opens what was captured. */
static int capture_and_open(const struct request *request, struct scope_error *error, struct scope_trace **ret_trace)
{
	struct scope_cmd_captured captured;
	int err = scope_cmd_captured_create(request->save, error, &captured);

	if (!err)
		err = capture(request, captured.writer, error);
	if (!err)
		err = scope_trace_writer_finish(captured.writer, error);
	if (!err)
		err = scope_cmd_captured_open("metrics", &captured, error, ret_trace);
	scope_cmd_captured_free(&captured);
	return err;
}

/* If a part of the file could not be read, the rest is printed, but the status is a failure. */
static int check_file(const struct request *request, const struct scope_trace *trace, struct scope_error *error)
{
	const char *damage = scope_trace_damage(trace);

	if (!request->input || !damage[0])
		return 0;
	return scope_error_set(
		error, -EBADMSG,
		"%s: %.300s; the metrics are of what could be read: copy the file again, or record again",
		request->input, damage);
}

static int view_of(const struct scope_metered *metered, enum scope_metrics_by by, struct scope_metrics_view **ret_view)
{
	return scope_metrics_view_create(metered->metrics, metered->found.distributions, metered->found.groups, by,
					 ret_view);
}

/* A part of the trace against the rest of it, to the next step. */
/* True if the trace has a part to compare, and another one to compare it with. */
static int check_parts(const struct request *request, const struct scope_metrics_view *view, struct scope_error *error)
{
	const uint64_t length_ns = view->end_ns - view->begin_ns;

	if (!request->compare || (request->from_ns < length_ns && (request->from_ns || request->to_ns < length_ns)))
		return 0;
	return scope_error_set(error, -ERANGE, "--compare %.40s leaves nothing to compare: the trace is %.1f s long",
			       request->compare, (double)length_ns / 1e9);
}

static int change_within(const struct request *request, const struct scope_metrics_view *view,
			 struct scope_metric_changes *ret_changes)
{
	const size_t first = (size_t)(request->from_ns / view->step_ns);
	const size_t end = request->to_ns / view->step_ns >= view->steps
				   ? view->steps
				   : (size_t)((request->to_ns + view->step_ns - 1) / view->step_ns);
	const struct scope_metrics_window before = {
		.view = view, .end = view->steps, .skip_first = first, .skip_end = end
	};
	const struct scope_metrics_window after = { .view = view, .first = first, .end = end };

	return scope_metrics_change(&before, &after, ret_changes);
}

static int change_since(const struct scope_metered *baseline, const struct scope_metrics_view *view,
			struct scope_metric_changes *ret_changes)
{
	struct scope_metrics_view *other;
	int err = view_of(baseline, SCOPE_METRICS_BY_GROUP, &other);

	if (err)
		return err;
	err = scope_metrics_change(&(struct scope_metrics_window){ .view = other, .end = other->steps },
				   &(struct scope_metrics_window){ .view = view, .end = view->steps }, ret_changes);
	scope_metrics_view_destroy(other);
	return err;
}

static int print(const struct request *request, const struct scope_trace *trace, const struct scope_metered *metered,
		 const struct scope_metered *baseline, struct scope_newfile *file, struct scope_error *error)
{
	struct scope_metric_relations relations = { 0 };
	struct scope_metric_changes changes = { 0 };
	struct scope_report_metrics report = {
		.trace = trace,
		.timeline = metered->found.distributions->run->timeline,
		.series = request->series,
		.columns = scope_cmd_columns(scope_newfile_fd(file)),
		.verbose = request->verbose,
	};
	const bool is_text = formats[request->format].print == scope_report_metrics_text;
	FILE *out = scope_newfile_stream(file), *text = out && is_text ? scope_cmd_text_begin(out) : out;
	struct scope_metrics_view *view = NULL;
	int err = out ? view_of(metered, request->by, &view) : -ENOMEM;

	if (!err && check_parts(request, view, error)) {
		scope_cmd_text_end(text, out);
		scope_metrics_view_destroy(view);
		return -ERANGE;
	}
	report.view = view;
	if (!err && request->compare)
		err = change_within(request, view, &changes);
	if (!err && baseline)
		err = change_since(baseline, view, &changes);
	if (!err && request->by == SCOPE_METRICS_BY_GROUP) {
		err = scope_metrics_relations(view, &relations);
		report.relations = err ? NULL : &relations;
	}
	report.changes = request->compare || baseline ? &changes : NULL;
	report.before = baseline ? request->baseline : "the rest";
	report.after = baseline ? "this" : request->compare;
	if (!err)
		err = formats[request->format].print(&report, text);
	scope_cmd_text_end(text, out);
	scope_metrics_view_destroy(view);
	scope_metrics_changes_free(&changes);
	free(relations.relation);
	if (err)
		return scope_error_set(error, err, "the metrics cannot be written: %s", strerror(-err));
	err = scope_newfile_finish(file, error);
	scope_cmd_note("metrics", scope_newfile_note(file));
	return err;
}

/* before: the trace of the baseline, or NULL. */
static int measure(const struct request *request, struct scope_trace *trace, struct scope_trace *before,
		   struct scope_newfile *file, struct scope_error *error)
{
	struct scope_metered metered = { 0 }, baseline = { 0 };
	int err;

	scope_cmd_progress("analysing");
	err = scope_analysis_meter(trace, &request->metrics, &metered);
	if (!err && before)
		err = scope_analysis_meter(before, &request->metrics, &baseline);
	scope_cmd_progress_end();
	if (err)
		scope_error_set(error, err, "the trace cannot be analysed: %s", strerror(-err));
	else
		err = print(request, trace, &metered, before ? &baseline : NULL, file, error);
	scope_analysis_metered_free(&metered);
	scope_analysis_metered_free(&baseline);
	return err ? err : check_file(request, trace, error);
}

static int run(const struct request *request, struct scope_error *error)
{
	struct scope_newfile *file = NULL;
	const char *const paths[] = { request->input, request->baseline };
	struct scope_trace *traces[2] = { NULL, NULL };
	int err = 0;

	/* A capture stays root, and the baseline is opened as root may. */
	if (request->input)
		err = scope_cmd_open_traces(2, paths, error, traces);
	else if (request->baseline)
		err = scope_trace_open(request->baseline, error, &traces[1]);

	/* By now the file belongs to the user who called sudo; before the capture, a wrong name costs no time. */
	if (!err)
		err = scope_newfile_create(request->output, 0666, error, &file);
	if (!err && !request->input)
		err = capture_and_open(request, error, &traces[0]);
	if (!err)
		err = measure(request, traces[0], traces[1], file, error);
	scope_trace_close(traces[0]);
	scope_trace_close(traces[1]);
	scope_newfile_destroy(file);
	return err;
}

int scope_cmd_metrics(int argc, char **argv)
{
	struct request request = { .by = SCOPE_METRICS_BY_GROUP, .format = FORMATS };
	struct scope_error error = { 0 };
	int status;

	/* No stack is needed. */
	scope_capture_options_init(&request.capture, 0);
	request.capture.stack_mode = SCOPE_STACK_NONE;
	request.capture.sample_period_ns = 0;
	status = parse(argc, argv, &request);
	if (!status && request.help) {
		scope_cmd_line_help("metrics");
		return SCOPE_EXIT_DONE;
	}
	if (!status && !request.input)
		status = scope_cmd_source("metrics", request.source, &request.from);
	if (!status && run(&request, &error))
		status = scope_cmd_fail("metrics", &error);
	return status;
}
