// SPDX-License-Identifier: GPL-2.0-only
/* scope report: capture a process, or read a trace, and rank the functions that make it slow or hang. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <scope/event.h>

#include "base/newfile.h"
#include "cmd/captured.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/delay.h"
#include "cmd/explore_rounds.h"
#include "cmd/held.h"
#include "cmd/signature_options.h"
#include "cmd/live.h"
#include "cmd/pager.h"
#include "cmd/report.h"
#include "cmd/report_options.h"
#include "cmd/sweep.h"
#include "cmd/symbols.h"
#include "proc/root.h"
#include "report/by_request.h"
#include "report/json.h"
#include "report/libcalls_text.h"
#include "report/page.h"
#include "report/server_text.h"
#include "report/text.h"
#include "report/variance_text.h"
#include "report/waits_text.h"
#include "proc/reader.h"
#include "source/source.h"
#include "trace/writer.h"

#define STEP_EVENTS 100000 /* most events that are analysed between two flushes, so that rings do not fill */

/* State during a capture. */
struct session {
	struct scope_cmd_held held;
	struct scope_writer *writer;
	struct scope_stream *stream; /* NULL: it failed, and the analysis is done at the end */
	struct scope_cmd_live *live; /* NULL: no report before the end */
	struct scope_proc_root *root;
	struct scope_analysis_options *analysis; /* gets the path of the saved file */
	uint32_t tgid;
};

static void hold_root(struct session *session)
{
	scope_proc_root_hold(session->root, session->tgid);
	if (session->root->path[0])
		session->analysis->symbols.root = session->root->path;
}

/* Tracing is on: starts the command, if there is one. */
static void begun(void *context, const struct scope_target *target)
{
	struct session *session = context;

	session->tgid = target->tgid;
	hold_root(session);
	scope_cmd_held_started(&session->held, target);
}

/* Analyses events up to settled_ns. An error in writing the file is reported by the capture. */
static void analyse_on(struct session *session, uint64_t settled_ns)
{
	if (!session->stream || scope_trace_writer_flush(session->writer))
		return;
	if (scope_analysis_stream_advance(session->stream, settled_ns, STEP_EVENTS)) {
		scope_analysis_stream_destroy(session->stream);
		session->stream = NULL;
	}
}

static void progress(void *context, const struct scope_capture_progress *now)
{
	const double left = (double)(now->duration_ns - now->elapsed_ns) / 1e9;
	struct session *session = context;

	hold_root(session);
	analyse_on(session, now->settled_ns);
	if (session->live) {
		scope_cmd_live_tick(session->live, session->stream, scope_trace_writer_descriptor(session->writer),
				    now);
		return;
	}
	scope_cmd_warn_lossy(session->held.name, now->lost);
	if (!now->duration_ns) {
		scope_cmd_progress("tracing: %.0f s, %" PRIu64 " events, %" PRIu64 " lost (Ctrl-C: report now)",
				   (double)now->elapsed_ns / 1e9, now->records, now->lost);
		return;
	}
	scope_cmd_progress("tracing: %.0f s left, %" PRIu64 " events, %" PRIu64 " lost (Ctrl-C: report now)",
			   now->elapsed_ns < now->duration_ns ? left : 0, now->records, now->lost);
}

/* analysis: the options of the analysis; the stream and the root are set in it. */
static int capture(const struct scope_cmd_report *request, struct scope_analysis_options *analysis,
		   struct scope_proc_root *root, struct scope_writer *writer, struct scope_error *error)
{
	struct session session = {
		.held.name = request->name,
		.writer = writer,
		.root = root,
		.analysis = analysis,
	};
	const struct scope_capture_watch watch = {
		.begun = begun,
		.progress = progress,
		.context = &session,
	};
	struct scope_report_style style = scope_cmd_report_style(request);
	struct scope_capture_options options = request->capture;
	struct scope_capture_stats stats;
	int err;

	style.colour = scope_cmd_colour(request->colour, STDOUT_FILENO);
	err = scope_cmd_held_start(&session.held, request->command, &options, error);
	if (err)
		return err;
	/* Without a stream the analysis begins when the trace is complete. */
	if (scope_analysis_stream_create(scope_trace_writer_descriptor(writer), "the trace", &session.stream))
		session.stream = NULL;
	if (session.stream)
		scope_analysis_stream_listen(session.stream, analysis->listeners);
	if (session.stream && request->live_ns && request->window_ns)
		scope_analysis_stream_set_window(session.stream, request->window_ns);
	if (request->live_ns &&
	    scope_cmd_live_create(request->live_ns, request->window_ns, &style, request->json, analysis, &session.live))
		session.live = NULL;
	err = scope_capture(request->from, &options, writer, scope_cmd_catch_signals(), &watch, error, &stats);
	scope_cmd_live_destroy(session.live);
	if (!err)
		err = scope_cmd_held_check(&session.held, error);
	if (!err)
		err = scope_trace_writer_finish(writer, error);
	*request->command_status = scope_cmd_held_free(&session.held);
	scope_cmd_progress_end();
	if (err)
		scope_analysis_stream_destroy(session.stream);
	else
		analysis->stream = session.stream;
	return err;
}

/* Captures into --save or an unnamed file, and opens what was captured. */
static int capture_and_open(const struct scope_cmd_report *request, struct scope_analysis_options *options,
			    struct scope_proc_root *root, struct scope_error *error, struct scope_trace **ret_trace)
{
	struct scope_cmd_captured captured;
	int err = scope_cmd_captured_create(request->save, error, &captured);

	if (!err)
		err = capture(request, options, root, captured.writer, error);
	if (!err)
		err = scope_cmd_captured_open(request->name, &captured, error, ret_trace);
	scope_cmd_captured_free(&captured);
	return err;
}

/* If a capture ended early, its report is printed, but the exit status is that of a failure. */
static int check_target(const struct scope_trace *trace, bool commanded, struct scope_error *error)
{
	const char *reason = scope_trace_meta(trace, SCOPE_META_END_REASON);

	if (reason && !strcmp(reason, "guard"))
		return scope_error_set(error, -EOVERFLOW,
				       "stopped by the overload guard (%s); the report covers the time until "
				       "then: allow more with --max-overhead",
				       scope_trace_meta(trace, SCOPE_META_GUARD));
	if (commanded || !reason || strcmp(reason, "target-gone"))
		return 0;
	return scope_error_set(error, -ESRCH,
			       "process %" PRIu64 " ended during the capture, the report covers the time "
			       "until then: name the process that took its place, or trace its parent, "
			       "whose children are followed",
			       scope_trace_meta_number(trace, SCOPE_META_PID, 0));
}

/* If a file is damaged, the rest is reported, but the exit status is that of a failure. */
static int check_file(const char *path, const struct scope_trace *trace, struct scope_error *error)
{
	const char *damage = scope_trace_damage(trace);

	if (!damage[0])
		return 0;
	return scope_error_set(error, -EBADMSG,
			       "%s: %.300s; the report covers what could be read: copy the file again, or "
			       "record again",
			       path, damage);
}

/* If the command was started here, its end is no failure. */
static int check_end(const struct scope_cmd_report *request, const struct scope_trace *trace, struct scope_error *error)
{
	if (request->input)
		return check_file(request->input, trace, error);
	return check_target(trace, request->command, error);
}

/* Takes ownership of the trace. */
static int distributions_baseline(const struct scope_cmd_report *request, struct scope_trace *trace,
				  struct scope_analysis_options *options, struct scope_error *error)
{
	const char *path = request->baseline;
	int err;

	scope_cmd_progress("reading the baseline");
	err = scope_analysis_baseline_create(trace, &options->baseline);
	scope_cmd_progress_end();
	if (err)
		return scope_error_set(error, err, "%s cannot be analysed: %s", path, strerror(-err));
	scope_cmd_note_damage(request->name, path, options->baseline->trace);
	options->listeners = &options->baseline->listeners;
	return 0;
}

/* Reads the baseline before the capture, so that a wrong name costs no time and the report is not delayed. */
static int prepare_baseline(const struct scope_cmd_report *request, struct scope_analysis_options *options,
			    struct scope_error *error)
{
	struct scope_trace *trace;
	int err;

	if (!request->baseline)
		return 0;
	err = scope_trace_open(request->baseline, error, &trace);
	return err ? err : distributions_baseline(request, trace, options, error);
}

/* Opens the saved trace, or captures one; and the baseline, if there is one. */
static int open_inputs(const struct scope_cmd_report *request, struct scope_analysis_options *options,
		       struct scope_proc_root *root, struct scope_error *error, struct scope_trace **ret_trace)
{
	const char *const paths[] = { request->input, request->baseline };
	struct scope_trace *traces[2];
	int err;

	if (request->input) {
		err = scope_cmd_open_traces(2, paths, error, traces);
		if (err)
			return err;
		*ret_trace = traces[0];
		return traces[1] ? distributions_baseline(request, traces[1], options, error) : 0;
	}
	err = prepare_baseline(request, options, error);
	return err ? err : capture_and_open(request, options, root, error, ret_trace);
}

/* Makes the experiments, if they were requested, then the report, which has their results for each function. */
static int conclude(const struct scope_cmd_report *request, const struct scope_analysis *analysis,
		    struct scope_newfile *out, struct scope_error *error)
{
	struct scope_cmd_causal *causal;
	int err;

	if (!request->causal)
		return scope_cmd_report_print(request, analysis, NULL, out, error);
	err = scope_cmd_causal_run(analysis->ranking, request->capture.pid, request->causal, request->progress,
				   &causal);
	if (err)
		return scope_error_set(error, err, "no memory left for experiments");
	err = scope_cmd_report_print(request, analysis, scope_cmd_causal_report(causal), out, error);
	if (!err)
		err = scope_cmd_causal_check(causal, error);
	scope_cmd_causal_free(causal);
	return err;
}

/* Prints a note if kinds were requested and there are none. */
static void note_kinds(const struct scope_cmd_report *request, const struct scope_analysis *analysis)
{
	const char *asked = scope_report_by_request_none(analysis);
	char note[SCOPE_PROBE_NAME_BYTES + 200];

	if (!asked)
		return;
	snprintf(note, sizeof(note),
		 strchr(asked, ':')
			 ? "no request came to the function of --kind-by %s: name one that each request comes to"
			 : "no request began as --kind-by %s expects: does the server speak another protocol?",
		 asked);
	scope_cmd_note(request->name, note);
}

/* *ret_found: the verdict is one of --fail-on. */
static int analyse_and_print(const struct scope_cmd_report *request, struct scope_trace *trace,
			     struct scope_analysis_options *options, struct scope_newfile *out, bool *ret_found,
			     struct scope_error *error)
{
	struct scope_analysis *analysis;
	int err = 0;

	scope_cmd_progress("analysing");
	/* The target may still run and controls its files, so a reader process opens them. */
	if (!request->input)
		err = scope_proc_reader_create(NULL, error, &options->symbols.reader);
	if (err)
		return err;
	err = scope_analysis_run(trace, options, &analysis);
	scope_cmd_progress_end();
	if (err) {
		scope_proc_reader_destroy(options->symbols.reader);
		if (err == -ESRCH)
			return scope_error_set(error, err,
					       "no thread of the trace is named '%s': `scope metrics%s%s --by thread` "
					       "lists them",
					       options->thread, request->input ? " -i " : "",
					       request->input ? request->input : "");
		return scope_error_set(error, err, "the trace cannot be analysed: %s", strerror(-err));
	}
	err = conclude(request, analysis, out, error);
	note_kinds(request, analysis);
	*ret_found = request->fail_on >> analysis->ranking->verdict & 1;
	scope_analysis_destroy(analysis);
	scope_proc_reader_destroy(options->symbols.reader);
	return err ? err : check_end(request, trace, error);
}

static int report(const struct scope_cmd_report *request, bool *ret_found, struct scope_error *error)
{
	struct scope_analysis_options options;
	struct scope_proc_root root = SCOPE_PROC_ROOT_NONE;
	struct scope_signatures *signatures = NULL;
	struct scope_trace *trace = NULL;
	struct scope_newfile *out = NULL;
	int err;

	scope_analysis_options_init(&options);
	options.symbols = request->symbols.options;
	options.detect.cluster.linkage = request->linkage;
	options.slowest = request->slowest;
	options.no_stacks = request->no_stacks;
	/* This takes one more pass over the trace, so it is done only if it is printed. */
	options.variance = request->explore ||
			   (!request->waits && !request->model && (request->json || request->html || request->verbose));
	options.libraries_stay = request->libcalls;
	options.over_time = !request->waits && !request->model && !request->explore && !request->libcalls &&
			    (request->json || request->html);
	options.why = request->why;
	/* This is checked before the capture, so that a missing module costs no time. */
	err = request->causal ? scope_cmd_delay_check(error) : 0;
	if (!err && !request->input)
		err = scope_newfile_create(request->output, 0666, error, &out);
	if (!err)
		err = open_inputs(request, &options, &root, error, &trace);
	/* The file is created after privileges were dropped, so that it belongs to the user who called sudo. */
	if (!err && !out)
		err = scope_newfile_create(request->output, 0666, error, &out);
	if (!err)
		err = scope_cmd_learned_load(request->name, &request->learned, trace, error, &signatures);
	options.signatures = signatures;
	if (!err)
		err = scope_cmd_part_set(&request->part, request->input ? request->input : "the trace", trace, &options,
					 error);
	if (!err)
		err = analyse_and_print(request, trace, &options, out, ret_found, error);
	scope_signatures_destroy(signatures);
	scope_analysis_stream_destroy(options.stream);
	scope_trace_close(trace);
	scope_analysis_baseline_destroy(options.baseline);
	scope_proc_root_release(&root);
	scope_newfile_destroy(out);
	return err;
}

/* A command that was started here cannot be traced again, so it is explored with one capture. */
static bool in_rounds(const struct scope_cmd_report *request)
{
	return request->explore && request->capture.pid;
}

static int make(const struct scope_cmd_report *request, bool *ret_found, struct scope_error *error)
{
	if (request->load)
		return scope_cmd_sweep_run(request, error);
	return in_rounds(request) ? scope_cmd_explore_rounds(request, error) : report(request, ret_found, error);
}

static int run(const char *name, int argc, char **argv)
{
	struct scope_cmd_report request;
	struct scope_error error = { 0 };
	bool found = false;
	int status, command_status = 0;

	status = scope_cmd_report_parse(name, argc, argv, &request);
	request.command_status = &command_status;
	if (!status && request.help)
		scope_cmd_line_help(name);
	else if (!status && !request.input)
		status = scope_cmd_source(name, request.source, &request.from);
	if (!status && !request.help && make(&request, &found, &error))
		status = scope_cmd_fail(name, &error);
	if (!status && found)
		status = SCOPE_EXIT_FOUND;
	scope_cmd_symbols_free(&request.symbols);
	free(request.pair_text);
	return status ? status : command_status;
}

int scope_cmd_report(int argc, char **argv)
{
	return run("report", argc, argv);
}

/* Each of these commands prints another part of the same analysis. */
int scope_cmd_waits(int argc, char **argv)
{
	return run("waits", argc, argv);
}

/* The same. */
int scope_cmd_model(int argc, char **argv)
{
	return run("model", argc, argv);
}

/* The same. */
int scope_cmd_explore(int argc, char **argv)
{
	return run("explore", argc, argv);
}

/* The same. */
int scope_cmd_libcalls(int argc, char **argv)
{
	return run("libcalls", argc, argv);
}
