// SPDX-License-Identifier: GPL-2.0-only
/* scope report: capture a process, or read a trace, and print which functions are to blame. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <scope/event.h>

#include "cmd/captured.h"
#include "cmd/cmd.h"
#include "cmd/delay.h"
#include "cmd/held.h"
#include "cmd/learned.h"
#include "cmd/live.h"
#include "cmd/report.h"
#include "cmd/symbols.h"
#include "report/json.h"
#include "report/text.h"
#include "source/source.h"
#include "trace/writer.h"

static const char usage[] =
	"Usage: scope-report -p PID [OPTION...]\n"
	"       scope-report -i FILE [OPTION...]\n"
	"       scope-report [OPTION...] -- COMMAND [ARGUMENT...]\n"
	"Trace a process, or read a trace, and print the functions most likely to be the bug.\n\n"
	"  -p, --pid PID         the process (or one of its threads); its descendants are traced too\n"
	"  -t, --tid TID         one thread alone; it, -p and the next two may be repeated\n"
	"      --comm NAME       threads while they have this name (NAME* all that begin so)\n"
	"      --cgroup PATH     threads while they are in this control group\n"
	"      --syscalls LIST   record these calls alone: read,futex,202\n"
	"  -i, --input FILE      a trace saved by `scope record` or --save\n"
	"  -d, --duration TIME   how long to trace: 90, 1.5, 500ms, 2m (default 90 seconds)\n"
	"      --baseline FILE   hold units against a trace of the same program from a better time\n"
	"      --linkage NAME    how like units are put together: complete (default), average, single,\n"
	"                        ward, or divisive, as published\n"
	"  -o, --output FILE     print the report to a file\n"
	"      --causal N        with -p: then hold the process up in the first N functions, and tell\n"
	"                        at each what that does (scope delay); needs the module\n"
	"      --progress POINT  with --causal: what is counted meanwhile (default: answered requests)\n"
	"      --live[=TIME]     show the report so far on the terminal, anew every TIME (default 3 seconds)\n"
	"      --format NAME     text or json (default text)\n"
	"  -n, --details N       tell the first N findings in detail (default 3)\n"
	"      --save FILE       with -p: keep the trace\n"
	"      --source NAME     kmod (the module) or perf (default: the module where it can be used)\n"
	"      --stack-bytes N   slice of the stack to copy (default 8192): more where many are cut short\n"
	"      --stack-budget N  take stacks of the slowest calls, so many a second (default: half of\n"
	"                        1000 on each CPU); 0: of all slow calls, from the first second on\n"
	"      --max-overhead PCT  the module stops tracing where probes take more of a CPU (default\n"
	"                        50, 0: any share)\n"
	"      --no-stacks       take and use no stacks: signatures alone name functions\n"
	SCOPE_CMD_LEARNED_USAGE
	SCOPE_CMD_SYMBOLS_USAGE
	"  -h, --help            this text\n\n"
	"Ctrl-C ends the trace early and still reports. -p needs root; it loads no module.\n";

enum {
	OPTION_SAVE = 256,
	OPTION_SOURCE,
	OPTION_BASELINE,
	OPTION_MAX_OVERHEAD,
	OPTION_LIVE,
	OPTION_LINKAGE,
	OPTION_STACK_BUDGET,
	OPTION_STACK_BYTES,
	OPTION_NO_STACKS,
	OPTION_CAUSAL,
	OPTION_FORMAT,
	OPTION_PROGRESS,
};

static const struct option long_options[] = {
	SCOPE_CMD_SELECT_LONG,
	{ "input", required_argument, NULL, 'i' },
	{ "duration", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "details", required_argument, NULL, 'n' },
	{ "save", required_argument, NULL, OPTION_SAVE },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "max-overhead", required_argument, NULL, OPTION_MAX_OVERHEAD },
	{ "stack-budget", required_argument, NULL, OPTION_STACK_BUDGET },
	{ "stack-bytes", required_argument, NULL, OPTION_STACK_BYTES },
	{ "live", optional_argument, NULL, OPTION_LIVE },
	{ "baseline", required_argument, NULL, OPTION_BASELINE },
	SCOPE_CMD_SYMBOLS_LONG,
	SCOPE_CMD_LEARNED_LONG,
	{ "no-stacks", no_argument, NULL, OPTION_NO_STACKS },
	{ "linkage", required_argument, NULL, OPTION_LINKAGE },
	{ "causal", required_argument, NULL, OPTION_CAUSAL },
	{ "progress", required_argument, NULL, OPTION_PROGRESS },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

#define LIVE_MIN_NS 500000000ull

struct request {
	struct scope_capture_options capture;
	struct scope_selection selection;
	const char *input, *output, *save, *source, *baseline; /* NULL: not given */
	struct scope_cmd_symbols symbols;
	struct scope_cmd_learned learned;
	const struct scope_source *from;	    /* with -p */
	char **command; /* to be started; NULL: none */
	unsigned details;
	unsigned causal; /* functions to experiment on */
	const char *progress; /* meanwhile; NULL: the default */
	enum scope_linkage linkage;
	uint64_t live_ns; /* 0: no report before the end */
	bool duration, no_stacks, json, help;
};

/* 0, or the exit status for a value that makes no sense. */
static int take_value(int option, const char *value, struct request *request)
{
	uint64_t number;

	switch (option) {
	case 'd':
		if (scope_cmd_seconds(value, &request->capture.duration_ns))
			return scope_cmd_misuse("report", "-d wants a time as 90, 1.5, 500ms or 2m, up "
						"to 168h, not '%s'", value);
		request->duration = true;
		return 0;
	case 'n':
		if (scope_cmd_number(value, 0, 100, &number))
			return scope_cmd_misuse("report", "-n wants a number from 0 to 100, not '%s'",
						value);
		request->details = (unsigned)number;
		return 0;
	case 'i':
		request->input = value;
		return 0;
	case 'o':
		request->output = value;
		return 0;
	case OPTION_STACK_BYTES:
		if (scope_cmd_number(value, 64, SCOPE_STACK_BYTES_MAX, &number) || number % 8)
			return scope_cmd_misuse("report", "--stack-bytes wants a multiple of 8 from 64 "
						"to %d, not '%s'", SCOPE_STACK_BYTES_MAX, value);
		request->capture.stack_bytes = (uint32_t)number;
		return 0;
	case OPTION_STACK_BUDGET:
		if (scope_cmd_number(value, 0, 1000000, &number))
			return scope_cmd_misuse("report", "--stack-budget wants a number of stacks a "
						"second, or 0 for no choice among calls, not '%s'",
						value);
		request->capture.stack_budget = (uint32_t)number;
		return 0;
	case OPTION_MAX_OVERHEAD:
		if (scope_cmd_share(value, &request->capture.overhead_max))
			return scope_cmd_misuse("report", "--max-overhead wants a share of one CPU in "
						"percent, 0.1 to 100, or 0 for any, not '%s'", value);
		return 0;
	case OPTION_LIVE:
		request->live_ns = SCOPE_LIVE_PERIOD_NS;
		if (value && (scope_cmd_seconds(value, &request->live_ns) ||
			      request->live_ns < LIVE_MIN_NS))
			return scope_cmd_misuse("report", "--live wants a time as --live=5, at least "
						"500ms, not '%s'", value);
		return 0;
	case OPTION_SOURCE:
		request->source = value;
		return 0;
	case OPTION_BASELINE:
		request->baseline = value;
		return 0;
	case OPTION_NO_STACKS:
		request->no_stacks = true;
		request->capture.stack_mode = SCOPE_STACK_NONE;
		request->capture.sample_period_ns = 0;
		return 0;
	case OPTION_CAUSAL:
		if (scope_cmd_number(value, 1, SCOPE_DELAY_SITES_MAX, &number))
			return scope_cmd_misuse("report", "--causal wants a number from 1 to %d, not '%s'",
						SCOPE_DELAY_SITES_MAX, value);
		request->causal = (unsigned)number;
		return 0;
	case OPTION_FORMAT:
		if (strcmp(value, "text") && strcmp(value, "json"))
			return scope_cmd_misuse("report", "--format wants text or json, not '%s'", value);
		request->json = !strcmp(value, "json");
		return 0;
	case OPTION_PROGRESS:
		request->progress = value;
		return 0;
	case OPTION_LINKAGE:
		if (scope_linkage_find(value, &request->linkage))
			return scope_cmd_misuse("report", "--linkage wants complete, average, single, ward "
						"or divisive, not '%s'", value);
		return 0;
	default:
		request->save = value;
		return 0;
	}
}

/* 0, or the exit status of a wrong command line. */
static int parse(int argc, char **argv, struct request *request)
{
	int option, status;

	while ((option = getopt_long(argc, argv, SCOPE_CMD_SELECT_SHORT "i:d:o:n:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			request->help = true;
			return 0;
		}
		if (option == '?')
			return scope_cmd_misuse("report", "that option is not understood");
		status = scope_cmd_select("report", option, optarg, &request->selection);
		if (status < 0)
			status = scope_cmd_symbols("report", option, optarg, &request->symbols);
		if (status < 0)
			status = scope_cmd_learned("report", option, optarg, &request->learned);
		if (status < 0)
			status = take_value(option, optarg, request);
		if (status)
			return status;
	}
	if (optind < argc && !strcmp(argv[optind - 1], "--"))
		request->command = argv + optind;
	else if (optind < argc)
		return scope_cmd_misuse("report", "'%s' is not understood", argv[optind]);
	request->capture.pid = request->selection.pid;
	request->capture.selection = &request->selection;
	if (!request->capture.pid && !request->input && !request->command)
		return scope_cmd_misuse("report", "of what? name a process with -p PID, a trace with "
					"-i FILE, or a command behind --");
	if (!!request->capture.pid + !!request->input + !!request->command > 1)
		return scope_cmd_misuse("report", "-p, -i and a command exclude each other");
	if (request->command && !request->duration)
		request->capture.duration_ns = 0;
	if (request->input &&
	    (request->duration || request->save || request->source || request->live_ns))
		return scope_cmd_misuse("report", "--duration, --save, --source and --live go with -p");
	if (request->causal && !request->capture.pid)
		return scope_cmd_misuse("report", "--causal goes with -p");
	if (request->json && request->live_ns)
		return scope_cmd_misuse("report", "--live goes with --format text");
	if (request->progress && !request->causal)
		return scope_cmd_misuse("report", "--progress goes with --causal");
	return 0;
}

#define STEP_EVENTS 100000 /* analysed between two flushes at most: rings must not fill meanwhile */

/* While a capture runs. */
struct session {
	struct scope_cmd_held held;
	struct scope_writer *writer;
	struct scope_stream *stream; /* NULL: it gave up, and all is left for the end */
	struct scope_cmd_live *live; /* NULL: no report before the end */
};

/* Tracing is on: from here on a command may run. */
static void begun(void *context, const struct scope_target *target)
{
	struct session *session = context;

	scope_cmd_held_begun(&session->held, target);
}

/* A failure to write shows in the capture itself. */
static void analyse_on(struct session *session, uint64_t settled_ns)
{
	if (!session->stream || scope_writer_flush(session->writer))
		return;
	if (scope_stream_advance(session->stream, settled_ns, STEP_EVENTS)) {
		scope_stream_destroy(session->stream);
		session->stream = NULL;
	}
}

static void progress(void *context, const struct scope_capture_progress *now)
{
	const double left = (double)(now->duration_ns - now->elapsed_ns) / 1e9;
	struct session *session = context;

	analyse_on(session, now->settled_ns);
	if (session->live) {
		scope_cmd_live_tick(session->live, session->stream,
				    scope_writer_descriptor(session->writer), now);
		return;
	}
	scope_cmd_tell_lossy("report", now->lost);
	if (!now->duration_ns) {
		scope_cmd_progress("tracing: %.0f s, %" PRIu64 " events, %" PRIu64
				   " lost (Ctrl-C: report now)", (double)now->elapsed_ns / 1e9,
				   now->records, now->lost);
		return;
	}
	scope_cmd_progress("tracing: %.0f s left, %" PRIu64 " events, %" PRIu64
			   " lost (Ctrl-C: report now)",
			   now->elapsed_ns < now->duration_ns ? left : 0, now->records, now->lost);
}

static int capture(const struct request *request, const struct scope_analysis_options *analysis,
		   struct scope_writer *writer, struct scope_error *error,
		   struct scope_stream **ret_stream)
{
	struct session session = { .held.name = "report", .writer = writer };
	const struct scope_capture_watch watch = {
		.begun = begun, .progress = progress, .context = &session,
	};
	struct scope_capture_options options = request->capture;
	struct scope_capture_stats stats;
	int code;

	code = scope_cmd_held_start(&session.held, request->command, &options, error);
	if (code)
		return code;
	/* Without one the analysis begins when the trace is complete. */
	if (scope_stream_create(scope_writer_descriptor(writer), "the trace", &session.stream))
		session.stream = NULL;
	if (request->live_ns &&
	    scope_cmd_live_create(request->live_ns, request->details, analysis, &session.live))
		session.live = NULL;
	code = scope_capture(request->from, &options, writer, scope_cmd_catch_signals(), &watch,
			     error, &stats);
	scope_cmd_live_destroy(session.live);
	if (!code)
		code = scope_cmd_held_check(&session.held, error);
	if (!code)
		code = scope_writer_finish(writer, error);
	scope_cmd_held_free(&session.held);
	scope_cmd_progress_end();
	if (code)
		scope_stream_destroy(session.stream);
	else
		*ret_stream = session.stream;
	return code;
}

/* Captures into --save or an unnamed file, and opens what was captured. */
static int capture_and_open(const struct request *request, struct scope_analysis_options *options,
			    struct scope_error *error, struct scope_trace **ret_trace)
{
	struct scope_cmd_captured captured;
	int code = scope_cmd_captured_create(request->save, error, &captured);

	if (!code)
		code = capture(request, options, captured.writer, error, &options->stream);
	if (!code)
		code = scope_cmd_captured_open(&captured, error, ret_trace);
	scope_cmd_captured_free(&captured);
	return code;
}

static int print_report(const struct request *request, const struct scope_analysis *analysis,
			const struct scope_report_causal *causal, struct scope_error *error)
{
	FILE *out = request->output ? fopen(request->output, "we") : stdout;
	const struct scope_report_style style = {
		.colour = out && isatty(fileno(out)) && !getenv("NO_COLOR"),
		.details = request->details, .causal = causal,
	};
	const char *name = request->output ? request->output : "the report";
	struct stat status = { 0 };
	int code;

	if (!out)
		return scope_error_set(error, -errno, "%s cannot be written: %s", name, strerror(errno));
	fstat(fileno(out), &status);
	code = request->json ? scope_report_json(analysis, causal, out)
			     : scope_report_text(analysis, &style, out);
	if (!code && (fflush(out) || ferror(out)))
		code = -errno;
	if (out != stdout && fclose(out) && !code)
		code = -errno;
	/* No half of a report stays behind; a device or a pipe is not ours to remove. */
	if (code && request->output && S_ISREG(status.st_mode))
		unlink(request->output);
	if (code)
		scope_error_set(error, code, "%s cannot be written: %s; free some room, or name "
				"another place with -o", name, strerror(-code));
	return code;
}

/* The report of a capture that did not last as long as asked is printed, and yet no success. */
static int check_target(const struct scope_trace *trace, bool commanded,
			struct scope_error *error)
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

/* Likewise of a file of which a part could not be read. */
static int check_file(const char *path, const struct scope_trace *trace, struct scope_error *error)
{
	const char *damage = scope_trace_damage(trace);

	if (!damage[0])
		return 0;
	return scope_error_set(error, -EBADMSG,
			       "%s: %.300s; the report covers what could be read: copy the file again, or "
			       "record anew", path, damage);
}

/* A command that was started here is meant to end. */
static int check_end(const struct request *request, const struct scope_trace *trace,
		     struct scope_error *error)
{
	if (request->input)
		return check_file(request->input, trace, error);
	return check_target(trace, request->command, error);
}

/* Before the capture, so that a wrong name costs no time, nor the baseline any behind it. */
static int prepare_baseline(const struct request *request, struct scope_analysis_options *options,
			    struct scope_error *error)
{
	int code;

	if (!request->baseline)
		return 0;
	code = scope_trace_open(request->baseline, error, &options->baseline);
	if (code)
		return code;
	scope_cmd_progress("reading the baseline");
	code = scope_reference_create(options->baseline, &options->reference);
	scope_cmd_progress_end();
	return code ? scope_error_set(error, code, "%s cannot be analysed: %s", request->baseline,
				      strerror(-code)) : 0;
}

/* The saved trace, or what is captured now; and the baseline, where there is one. */
static int open_inputs(const struct request *request, struct scope_analysis_options *options,
		       struct scope_error *error, struct scope_trace **ret_trace)
{
	const char *const paths[] = { request->input, request->baseline };
	struct scope_trace *traces[2];
	int code;

	if (request->input) {
		code = scope_cmd_open_traces(2, paths, error, traces);
		if (!code) {
			*ret_trace = traces[0];
			options->baseline = traces[1];
		}
		return code;
	}
	code = prepare_baseline(request, options, error);
	if (!code)
		code = capture_and_open(request, options, error, ret_trace);
	if (code)
		scope_reference_destroy(options->reference);
	return code;
}

/* The experiments, if any, then the report: it tells at each function what they showed. */
static int conclude(const struct request *request, const struct scope_analysis *analysis,
		    struct scope_error *error)
{
	struct scope_cmd_causal *causal;
	int code;

	if (!request->causal)
		return print_report(request, analysis, NULL, error);
	code = scope_cmd_causal_run(analysis->ranking, request->capture.pid, request->causal,
				    request->progress, &causal);
	if (code)
		return scope_error_set(error, code, "no memory left for experiments");
	code = print_report(request, analysis, scope_cmd_causal_report(causal), error);
	if (!code)
		code = scope_cmd_causal_check(causal, error);
	scope_cmd_causal_free(causal);
	return code;
}

static int analyse_and_print(const struct request *request, struct scope_trace *trace,
			     struct scope_analysis_options *options, struct scope_error *error)
{
	char root[SCOPE_CMD_ROOT_BYTES];
	struct scope_analysis *analysis;
	int code;

	if (!request->input && scope_cmd_target_root(trace, root))
		options->symbols.root = root;
	scope_cmd_progress("analysing");
	code = scope_analysis_run(trace, options, &analysis);
	scope_cmd_progress_end();
	if (code)
		return scope_error_set(error, code, "the trace cannot be analysed: %s",
				       strerror(-code));
	code = conclude(request, analysis, error);
	scope_analysis_destroy(analysis);
	return code ? code : check_end(request, trace, error);
}

static int report(const struct request *request, struct scope_error *error)
{
	struct scope_analysis_options options;
	struct scope_signatures *signatures = NULL;
	struct scope_trace *trace = NULL;
	int code;

	scope_analysis_options_init(&options);
	options.symbols = request->symbols.options;
	options.detect.cluster.linkage = request->linkage;
	options.no_stacks = request->no_stacks;
	/* Before the capture, so that a missing module costs no time. */
	code = request->causal ? scope_delay_check(error) : 0;
	if (!code)
		code = open_inputs(request, &options, error, &trace);
	if (!code)
		code = scope_cmd_learned_load("report", &request->learned, trace, error, &signatures);
	options.signatures = signatures;
	if (!code)
		code = analyse_and_print(request, trace, &options, error);
	scope_signatures_destroy(signatures);
	scope_stream_destroy(options.stream);
	scope_trace_close(trace);
	scope_trace_close(options.baseline);
	return code;
}

int scope_cmd_report(int argc, char **argv)
{
	struct request request = { .details = 3, .linkage = SCOPE_LINKAGE_COMPLETE };
	struct scope_error error = { 0 };
	int status;

	scope_capture_options_init(&request.capture, 0);
	scope_cmd_learned_init(&request.learned);
	status = parse(argc, argv, &request);
	if (!status && request.help)
		fputs(usage, stdout);
	else if (!status && !request.input)
		status = scope_cmd_source("report", request.source, &request.from);
	if (!status && !request.help && report(&request, &error))
		status = scope_cmd_fail("report", &error);
	scope_cmd_symbols_free(&request.symbols);
	return status;
}
