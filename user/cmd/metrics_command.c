// SPDX-License-Identifier: GPL-2.0-only
/* scope metrics: capture a process, or read a trace, and print what its threads did over time. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/meter.h"
#include "base/newfile.h"
#include "cmd/captured.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/held.h"
#include "cmd/metrics_live.h"
#include "cmd/metrics_options.h"
#include "metrics/rejoin.h"
#include "metrics/shift.h"
#include "report/metrics_text.h"
#include "trace/writer.h"
/* State during a capture. */
struct session {
	struct scope_cmd_held held;
	struct scope_cmd_metrics_live *live; /* NULL: no drawing before the end */
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

/* Keys are read only if no command was started, because a command reads the terminal itself. */
static int begin_live(const struct scope_cmd_metrics *request, struct scope_writer *writer, struct scope_error *error,
		      struct scope_cmd_metrics_live **ret_live)
{
	const struct scope_cmd_metrics_live_options options = {
		.metrics = request->metrics,
		.by = request->by,
		.chosen = request->chosen,
		.period_ns = request->live_ns,
		.listen = request->listen,
		.expose_ns = request->metrics.step_ns ? request->metrics.step_ns : SCOPE_METRICS_STEP_NS,
		.keys = !request->command,
	};

	return request->live_ns || request->listen ? scope_cmd_metrics_live_create(&options, writer, error, ret_live)
						   : 0;
}

static int capture(const struct scope_cmd_metrics *request, struct scope_writer *writer, struct scope_error *error)
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
	*request->command_status = scope_cmd_held_free(&session.held);
	scope_cmd_progress_end();
	return err;
}

/* Captures into --save or an unnamed file, and opens what was captured. */
static int capture_and_open(const struct scope_cmd_metrics *request, struct scope_error *error,
			    struct scope_trace **ret_trace)
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

/* If a part of the file could not be read, the rest is printed, but the exit status is that of a failure. */
static int check_file(const struct scope_cmd_metrics *request, const struct scope_trace *trace,
		      struct scope_error *error)
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

/* Checks that the trace has a part to compare, and another part to compare it with. */
static int check_parts(const struct scope_cmd_metrics *request, const struct scope_metrics_view *view,
		       struct scope_error *error)
{
	const uint64_t length_ns = view->end_ns - view->begin_ns;

	if (!request->compare || request->since_change ||
	    (request->from_ns < length_ns && (request->from_ns || request->to_ns < length_ns)))
		return 0;
	return scope_error_set(error, -ERANGE, "--compare %.40s leaves nothing to compare: the trace is %.1f s long",
			       request->compare, (double)length_ns / 1e9);
}

/* Compares a part of the trace, up to the next step, with the rest of it. */
static int change_within(const struct scope_cmd_metrics *request, const struct scope_metrics_view *view,
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

/*
 * Compares the time after the change point with the time before. If there is no change point, the changes stay empty.
 */
static int change_after(const struct scope_metrics_view *view, char text[48], struct scope_metric_changes *ret_changes)
{
	double *latency = calloc(view->steps + 1, sizeof(*latency));
	struct scope_metrics_window before = { .view = view }, after = { .view = view, .end = view->steps };
	int err = latency ? 0 : -ENOMEM;

	if (!err) {
		scope_metrics_latency(view, latency);
		err = scope_metrics_shift(latency, view->steps, &after.first);
	}
	free(latency);
	if (err)
		return err;
	before.end = after.first;
	snprintf(text, 48, "since %.1f s", (double)(after.first * view->step_ns) / 1e9);
	return scope_metrics_change(&before, &after, ret_changes);
}

static int change_since(const struct scope_metered *baseline, const struct scope_metered *metered,
			struct scope_metrics_view *view, struct scope_metric_changes *ret_changes)
{
	const struct scope_metrics_grouped now = { metered->found.distributions, metered->found.groups };
	const struct scope_metrics_grouped then = { baseline->found.distributions, baseline->found.groups };
	struct scope_metrics_view *other;
	int err = scope_metrics_view_rejoin(view, &now, &then);

	if (!err)
		err = view_of(baseline, SCOPE_METRICS_BY_GROUP, &other);
	if (err)
		return err;
	err = scope_metrics_change(&(struct scope_metrics_window){ .view = other, .end = other->steps },
				   &(struct scope_metrics_window){ .view = view, .end = view->steps }, ret_changes);
	scope_metrics_view_destroy(other);
	return err;
}

static int print(const struct scope_cmd_metrics *request, const struct scope_trace *trace,
		 const struct scope_metered *metered, const struct scope_metered *baseline, struct scope_newfile *file,
		 struct scope_error *error)
{
	struct scope_metric_relations relations = { 0 };
	struct scope_metric_changes changes = { 0 };
	struct scope_report_metrics report = {
		.trace = trace,
		.timeline = metered->found.distributions->run->timeline,
		.chosen = request->chosen,
		.columns = scope_cmd_columns(scope_newfile_fd(file)),
		.verbose = request->verbose,
	};
	const bool is_text = request->print == scope_report_metrics_text;
	FILE *out = scope_newfile_stream(file), *text = out && is_text ? scope_cmd_text_begin(out) : out;
	struct scope_metrics_view *view = NULL;
	bool is_compared = request->compare || baseline;
	char since[48] = "";
	int err = out ? view_of(metered, request->by, &view) : -ENOMEM;

	if (!err && check_parts(request, view, error)) {
		scope_cmd_text_end(text, out);
		scope_metrics_view_destroy(view);
		return -ERANGE;
	}
	report.view = view;
	if (!err && request->compare && !request->since_change)
		err = change_within(request, view, &changes);
	if (!err && request->since_change)
		err = change_after(view, since, &changes);
	if (err == -ENODATA) {
		scope_cmd_note(
			"metrics",
			"there is no time from which units take longer or shorter, with 8 steps before and after it: "
			"nothing is compared (a shorter --step gives more of them)");
		err = 0;
		is_compared = false;
	}
	if (!err && baseline)
		err = change_since(baseline, metered, view, &changes);
	if (!err && request->by == SCOPE_METRICS_BY_GROUP) {
		err = scope_metrics_relations(view, request->relate, &relations);
		report.relations = err ? NULL : &relations;
	}
	report.changes = is_compared ? &changes : NULL;
	report.before = baseline ? request->baseline : request->since_change ? "the time before" : "the rest";
	report.after = baseline ? "this" : request->since_change ? since : request->compare;
	report.relate = request->relate;
	if (!err)
		err = request->print(&report, text);
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

/* before: the baseline's trace, or NULL. */
static int measure(const struct scope_cmd_metrics *request, struct scope_trace *trace, struct scope_trace *before,
		   struct scope_newfile *file, struct scope_error *error)
{
	struct scope_metered metered = { 0 }, baseline = { 0 };
	int err;

	scope_cmd_progress("analysing");
	err = scope_analysis_meter(trace, &request->metrics, &metered);
	if (!err && before)
		err = scope_analysis_meter(before, &request->metrics, &baseline);
	scope_cmd_progress_end();
	if (!err && before)
		scope_cmd_note_damage("metrics", request->baseline, before);
	if (err)
		scope_error_set(error, err, "the trace cannot be analysed: %s", strerror(-err));
	else
		err = print(request, trace, &metered, before ? &baseline : NULL, file, error);
	scope_analysis_metered_free(&metered);
	scope_analysis_metered_free(&baseline);
	return err ? err : check_file(request, trace, error);
}

static int run(const struct scope_cmd_metrics *request, struct scope_error *error)
{
	struct scope_newfile *file = NULL;
	const char *const paths[] = { request->input, request->baseline };
	struct scope_trace *traces[2] = { NULL, NULL };
	int err = 0;

	/* A capture needs to stay root, and so opens the baseline as root. */
	if (request->input)
		err = scope_cmd_open_traces(2, paths, error, traces);
	else if (request->baseline)
		err = scope_trace_open(request->baseline, error, &traces[1]);

	/*
	 * Done after privileges were dropped, so that the file belongs to the user, and before the capture, so that a
	 * wrong name costs no time.
	 */
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
	struct scope_cmd_metrics request;
	struct scope_error error = { 0 };
	int status = scope_cmd_metrics_parse(argc, argv, &request), command_status = 0;

	request.command_status = &command_status;

	if (!status && request.help) {
		scope_cmd_line_help("metrics");
		return SCOPE_EXIT_DONE;
	}
	if (!status && !request.input)
		status = scope_cmd_source("metrics", request.source, &request.from);
	if (!status && run(&request, &error))
		status = scope_cmd_fail("metrics", &error);
	return status ? status : command_status;
}
