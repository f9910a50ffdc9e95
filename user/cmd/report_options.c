// SPDX-License-Identifier: GPL-2.0-only
/* The command line of scope report. */
#include "cmd/report_options.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/defaults.h"
#include "cmd/recording_options.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/delay.h"
#include "cmd/explore_rounds.h"
#include "cmd/live.h"
#include "cmd/shared_options.h"
#include "cmd/suggest.h"
#include "cmd/sweep.h"
#include "recorder/files.h"
#include "waits/paths.h"

#define LIVE_MIN_NS 500000000ull
#define SUBBUF_COUNT_ALL 64u	    /* every call has a stack of 8 KiB */
#define WINDOW_MIN_NS 5000000000ull /* the shortest window: usual times are known only from a number of requests */

const struct scope_option scope_cmd_report_options[] = {
	TRACED_OPTIONS,
	{ SCOPE_OPTION_BASELINE, "baseline", "FILE",
	  .help = "compare with a trace of the same program from a better time" },
	PART_OPTIONS,
	{ SCOPE_OPTION_KIND, "kind", "LIST",
	  .help = "only findings of these kinds: time, calls, wait, holds-lock, makes-wait,\n"
		  "hang, spin, comma-separated",
	  .words = "time calls wait holds-lock makes-wait hang spin" },
	{ SCOPE_OPTION_LINKAGE, "linkage", "NAME",
	  .help = "how similar units are clustered: complete (default), average, single,\n"
		  "ward, or divisive",
	  .words = "complete average single ward divisive" },
	{ 'o', "output", "FILE", .help = "write the report to a file, see --format" },
	{ SCOPE_OPTION_CAUSAL, "causal", "N",
	  .help = "with -p: then delay the process in the first N functions, and show\n"
		  "the effect of each (scope delay); needs the module" },
	{ SCOPE_OPTION_PROGRESS, "progress", "POINT",
	  .help = "with --causal: what counts as progress (default: answered requests)" },
	{ SCOPE_OPTION_LIVE, "live", "[=TIME]",
	  .help = "show a report every TIME during the capture (default 3 seconds);\n"
		  "on a terminal, keys order the list, open findings and pause" },
	{ SCOPE_OPTION_WINDOW, "window", "TIME",
	  .help = "with --live: each report covers the last TIME (default 1m; 0: all)" },
	{ SCOPE_OPTION_FORMAT, "format", "NAME",
	  .help = "text, json, or html: one page with pictures (default: by the ending\n"
		  "of the name with -o, .json or .html; else text)",
	  .words = "text json html" },
	{ SCOPE_OPTION_COLOR, "color", "WHEN", .help = "auto (default: on a terminal), always or never",
	  .words = "auto always never" },
	{ SCOPE_OPTION_FAIL_ON, "fail-on", "LIST",
	  .help = "exit with status 3 if the verdict is one of: slowdown, hang, spin,\n"
		  "freezes, outside, comma-separated; or any",
	  .words = "slowdown hang spin freezes outside any" },
	{ 'q', "quiet", .help = "print only the verdict and the answer, no progress and notes" },
	{ 'v', "verbose",
	  .help = "also print all findings with their evidence, where the time went, and\n"
		  "the basis of the report" },
	{ 'n', "details", "N", .help = "-v, with the first N findings in detail (default 3)" },
	SAVE_OPTION,
	SOURCE_OPTION,
	{ SCOPE_OPTION_STACK_BYTES, "stack-bytes", "N",
	  .help = "slice of the stack to copy (default 8192); increase it if many are cut" },
	STACK_BUDGET_OPTION,
	OVERHEAD_OPTION,
	KIND_BY_OPTION,
	{ SCOPE_OPTION_NO_STACKS, "no-stacks", NULL, .help = "take and use no stacks: only signatures name functions" },
	LEARNED_OPTIONS,
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

/* True for commands that print another part of the analysis, only as text or JSON. */
static bool prints_part(const struct scope_cmd_report *request)
{
	return request->waits || request->model || request->explore || request->libcalls;
}

/* Takes an option of the capture. 0; -1: another option; or the exit status for an invalid value. */
static int take_capture_value(int option, const char *value, struct scope_cmd_report *request)
{
	switch (option) {
	case 'd':
		request->duration = true;
		return scope_cmd_duration(request->name, value, &request->capture.duration_ns);
	case SCOPE_OPTION_NO_STACKS:
		request->no_stacks = true;
		request->capture.stack_mode = SCOPE_STACK_NONE;
		request->capture.sample_period_ns = 0;
		return 0;
	}
	return scope_cmd_capture(request->name, option, value, &request->capture);
}

/* Reads a list of verdicts. 0, or the exit status for another word. */
static int take_fail_on(const char *value, struct scope_cmd_report *request)
{
	static const struct {
		const char *name;
		uint32_t verdicts;
	} rows[] = {
		{ "slowdown", 1u << SCOPE_VERDICT_SLOWDOWN },
		{ "hang", 1u << SCOPE_VERDICT_HANG },
		{ "spin", 1u << SCOPE_VERDICT_SPIN },
		{ "freezes", 1u << SCOPE_VERDICT_FREEZES },
		{ "outside", 1u << SCOPE_VERDICT_OUTSIDE },
		{ "any", 1u << SCOPE_VERDICT_SLOWDOWN | 1u << SCOPE_VERDICT_HANG | 1u << SCOPE_VERDICT_SPIN |
				 1u << SCOPE_VERDICT_FREEZES | 1u << SCOPE_VERDICT_OUTSIDE },
	};

	for (const char *word = value;; word++) {
		const size_t length = strcspn(word, ",");
		size_t row = 0;

		while (row < sizeof(rows) / sizeof(*rows) &&
		       (strncmp(rows[row].name, word, length) || rows[row].name[length]))
			row++;
		if (!length || row == sizeof(rows) / sizeof(*rows))
			return scope_cmd_misuse(request->name,
						"--fail-on wants slowdown, hang, spin, freezes, outside or "
						"any, with commas, not '%s'",
						value);
		request->fail_on |= rows[row].verdicts;
		word += length;
		if (!*word)
			return 0;
	}
}

static int take_live(const char *value, struct scope_cmd_report *request)
{
	request->live_ns = SCOPE_LIVE_PERIOD_NS;
	if (value && (scope_cmd_seconds(value, &request->live_ns) || request->live_ns < LIVE_MIN_NS))
		return scope_cmd_misuse(request->name,
					"--live wants a time as --live=5, at least "
					"500ms, not '%s'",
					value);
	return 0;
}

/* Takes two names with a comma between. C++ names that contain commas cannot be given. */
static int take_pair(const char *value, struct scope_cmd_report *request)
{
	char *comma;

	free(request->pair_text);
	request->pair_text = strdup(value);
	comma = request->pair_text ? strchr(request->pair_text, ',') : NULL;
	if (!comma || comma == request->pair_text || !comma[1] || strchr(comma + 1, ','))
		return scope_cmd_misuse(request->name,
					"--compare wants two functions as --compare fwrite,write, not '%s'", value);
	*comma = '\0';
	request->pair = (struct scope_report_libcalls_pair){ request->pair_text, comma + 1 };
	return 0;
}

static int take_window(const char *value, struct scope_cmd_report *request)
{
	request->windowed = true;
	request->window_ns = 0;
	if (strcmp(value, "0") && (scope_cmd_seconds(value, &request->window_ns) || request->window_ns < WINDOW_MIN_NS))
		return scope_cmd_misuse(request->name,
					"--window wants a time, at least 5 seconds, "
					"or 0 for all so far, not '%s'",
					value);
	return 0;
}

static int take_format(const char *value, struct scope_cmd_report *request)
{
	if (strcmp(value, "text") && strcmp(value, "json") && (prints_part(request) || strcmp(value, "html")))
		return scope_cmd_misuse(request->name, "--format wants text%s json%s, not '%s'",
					prints_part(request) ? " or" : ",", prints_part(request) ? "" : " or html",
					value);
	request->json = !strcmp(value, "json");
	request->html = !strcmp(value, "html");
	request->format = true;
	return 0;
}

/* Takes an option of model or libcalls. -1: another option; else like take_value(). */
static int take_model(int option, const char *value, struct scope_cmd_report *request)
{
	switch (option) {
	case SCOPE_OPTION_ARGS:
		request->args = true;
		scope_capture_parameter_arg_counts(request->capture.arg_counts);
		return 0;
	case SCOPE_OPTION_PROFILE:
		request->profile = true;
		scope_capture_parameter_arg_counts(request->capture.arg_counts);
		return 0;
	case SCOPE_OPTION_SWEEP:
		return scope_cmd_sweep_take(request->name, value, &request->sweep);
	case SCOPE_OPTION_LOAD:
		request->load = value;
		return 0;
	case SCOPE_OPTION_COMPARE:
		return take_pair(value, request);
	}
	return -1;
}

/* Takes an option about how much is printed. -1: another option; else like take_value(). */
static int take_extent(int option, const char *value, struct scope_cmd_report *request)
{
	uint64_t number;

	switch (option) {
	case 'n':
		if (scope_cmd_number(value, 0, 100, &number))
			return scope_cmd_misuse(request->name, "-n wants a number from 0 to 100, not '%s'", value);
		request->details = (unsigned)number;
		request->verbose = true;
		return 0;
	case 'v':
		request->verbose = true;
		return 0;
	case 'q':
		request->quiet = true;
		scope_cmd_be_quiet();
		return 0;
	}
	return -1;
}

/* 0, or the exit status for an invalid value. */
static int take_value(int option, const char *value, struct scope_cmd_report *request)
{
	uint64_t number;

	switch (option) {
	case 'i':
		request->input = value;
		return 0;
	case 'o':
		request->output = value;
		return 0;
	case SCOPE_OPTION_LIVE:
		return take_live(value, request);
	case SCOPE_OPTION_WINDOW:
		return take_window(value, request);
	case SCOPE_OPTION_SOURCE:
		request->source = value;
		return 0;
	case SCOPE_OPTION_BASELINE:
		request->baseline = value;
		return 0;
	case SCOPE_OPTION_CAUSAL:
		if (scope_cmd_number(value, 1, SCOPE_DELAY_SITES_MAX, &number))
			return scope_cmd_misuse(request->name, "--causal wants a number from 1 to %d, not '%s'",
						SCOPE_DELAY_SITES_MAX, value);
		request->causal = (unsigned)number;
		return 0;
	case SCOPE_OPTION_SLOWEST:
		if (scope_cmd_number(value, 1, SCOPE_PATHS_MAX, &number))
			return scope_cmd_misuse(request->name, "--slowest wants a number from 1 to %d, not '%s'",
						SCOPE_PATHS_MAX, value);
		request->slowest = (unsigned)number;
		return 0;
	case SCOPE_OPTION_COLOR:
		return scope_cmd_colour_take(request->name, value, &request->colour);
	case SCOPE_OPTION_FORMAT:
		return take_format(value, request);
	case SCOPE_OPTION_FAIL_ON:
		return take_fail_on(value, request);
	case SCOPE_OPTION_PROGRESS:
		request->progress = value;
		return 0;
	case SCOPE_OPTION_LINKAGE:
		if (scope_cluster_linkage_find(value, &request->linkage))
			return scope_cmd_misuse(request->name,
						"--linkage wants complete, average, single, ward "
						"or divisive, not '%s'",
						value);
		return 0;
	default:
		request->save = value;
		return 0;
	}
}

static bool ends_in(const char *name, const char *end)
{
	return name && strlen(name) > strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

static bool in_sweep(const struct scope_cmd_report *request)
{
	return request->sweep.conns_count || request->sweep.rate_count;
}

/* Checks the options together, and sets values that follow from them. 0, or an exit status. */
static int settle(struct scope_cmd_report *request)
{
	if (!request->format) {
		request->html = ends_in(request->output, ".html") && !prints_part(request);
		request->json = ends_in(request->output, ".json");
	}
	if (in_sweep(request) && (!request->capture.pid && !request->selection.pid))
		return scope_cmd_misuse(request->name, "--sweep goes with -p: the server runs all the time");
	if (in_sweep(request) && (request->profile || request->args || request->save))
		return scope_cmd_misuse(request->name, "--sweep goes without --profile, --args and --save");
	if (in_sweep(request) || request->load) {
		const int status = scope_cmd_sweep_check(request->name, &request->sweep, request->load);

		if (status)
			return status;
	}
	if (request->profile && request->format && !request->json)
		return scope_cmd_misuse(request->name, "--profile is JSON: leave out --format");
	if (request->profile && request->args)
		return scope_cmd_misuse(request->name, "--profile has what --args prints: give one of them");
	request->json |= request->profile;
	scope_cmd_part_words(&request->part, request->part_words, sizeof(request->part_words));
	request->capture.pid = request->selection.pid;
	request->capture.selection = &request->selection;
	if (!request->capture.pid && !request->input && !request->command)
		return scope_cmd_misuse(request->name, "of what? name a process with -p PID, a trace with "
						       "-i FILE, or a command after --");
	if (!!request->capture.pid + !!request->input + !!request->command > 1)
		return scope_cmd_misuse(request->name, "-p, -i and a command exclude each other");
	if (request->command && !request->duration)
		request->capture.duration_ns = 0;
	if (request->input && (request->duration || request->save || request->source || request->live_ns))
		return scope_cmd_misuse(request->name, "--duration, --save, --source and --live go with -p");
	if (request->input && request->capture.requests)
		return scope_cmd_misuse(request->name,
					"--kind-by goes with -p: a trace has the kinds of requests with which it was "
					"recorded");
	if ((request->part.from || request->part.to) && !request->input)
		return scope_cmd_misuse(request->name, "--from and --to go with -i");
	if (request->quiet && request->verbose)
		return scope_cmd_misuse(request->name, "--quiet and --verbose exclude each other");
	if (request->of_rounds && !request->capture.pid)
		return scope_cmd_misuse(request->name,
					"--rounds, --search, --key, --budget and --kernel-probes go with -p");
	if (request->causal && !request->capture.pid)
		return scope_cmd_misuse(request->name, "--causal goes with -p");
	if (request->windowed && !request->live_ns)
		return scope_cmd_misuse(request->name, "--window goes with --live");
	if (request->html && request->live_ns)
		return scope_cmd_misuse(request->name, "--live goes with --format text or json");
	if (request->json && request->live_ns && request->causal)
		return scope_cmd_misuse(request->name, "--live --format json goes without --causal");
	if (request->progress && !request->causal)
		return scope_cmd_misuse(request->name, "--progress goes with --causal");
	return 0;
}

/* If the input is the `-o NAME` of a flight recorder, or of a capture in several files, finds the latest file. */
static void find_latest(struct scope_cmd_report *request)
{
	const char *name = request->input;
	char note[sizeof(request->latest) + 512];

	if (!name || !access(name, F_OK) || scope_recorder_files_latest(name, request->latest, sizeof(request->latest)))
		return;
	request->input = request->latest;
	snprintf(note, sizeof(note), "%s: the latest file is %s", name, request->latest);
	scope_cmd_note(request->name, note);
}

/* Every call gets a stack, whatever that costs. */
static void take_all_stacks(struct scope_capture_options *options)
{
	options->stack_min_ns = 0;
	options->stacks_per_second = UINT32_MAX;
	options->sample_period_ns = 0;
	options->subbuf_count = SUBBUF_COUNT_ALL;
	options->overhead_max = 0;
	memset(options->stack_syscalls, 0xff, sizeof(options->stack_syscalls));
}

/* Reports a word that is neither an option nor a file. */
static int no_such_file(const char *command, const char *word)
{
	struct scope_error error;
	char similar[PATH_MAX];

	if (word[strspn(word, "0123456789")] == '\0')
		return scope_cmd_misuse(command,
					"'%s' is not understood: there is no such file; a process is named with -p %s",
					word, word);
	if (!scope_cmd_drop_privilege(&error) && scope_cmd_suggest_file(word, similar, sizeof(similar)))
		return scope_cmd_misuse(command, "'%s' is not understood: there is no such file; did you mean %s?",
					word, similar);
	return scope_cmd_misuse(command, "'%s' is not understood: there is no such file; a command goes after --",
				word);
}

/* Takes the words after the options: a command, or a trace. */
static int take_rest(int argc, char **argv, struct scope_cmd_report *request)
{
	if (request->why_input[0] && request->input)
		return scope_cmd_misuse(request->name, "--why FILE:N names a trace, and so does -i: give one of them");
	if (request->why_input[0])
		request->input = request->why_input;
	if (optind < argc && !strcmp(argv[optind - 1], "--"))
		request->command = argv + optind;
	else if (optind < argc && (optind + 1 < argc || request->input))
		return scope_cmd_misuse(request->name, "'%s' is not understood", argv[optind]);
	else if (optind < argc)
		request->input = argv[optind];
	find_latest(request);
	if (optind < argc && request->input == argv[optind] && access(argv[optind], F_OK))
		return no_such_file(request->name, argv[optind]);
	return settle(request);
}

int scope_cmd_report_parse(const char *name, int argc, char **argv, struct scope_cmd_report *request)
{
	int option, status;

	*request = (struct scope_cmd_report){
		.name = name,
		.waits = !strcmp(name, "waits"),
		.model = !strcmp(name, "model"),
		.explore = !strcmp(name, "explore"),
		.libcalls = !strcmp(name, "libcalls"),
		.limits = scope_variance_forest_defaults,
		.rounds = SCOPE_EXPLORE_ROUNDS,
		.budget = SCOPE_EXPLORE_BUDGET_SHARE,
		.details = 3,
		.linkage = SCOPE_LINKAGE_COMPLETE,
		.window_ns = SCOPE_LIVE_WINDOW_NS,
	};
	scope_capture_options_init(&request->capture, 0);
	request->capture.causes = request->waits;
	scope_cmd_learned_init(&request->learned);
	if (request->libcalls)
		take_all_stacks(&request->capture);
	while ((option = scope_cmd_line_next(name, argc, argv)) != -1) {
		if (option == 'h') {
			request->help = true;
			return 0;
		}
		if (option == '?')
			return scope_cmd_line_wrong(request->name, argv);
		status = scope_cmd_select(name, option, optarg, &request->selection);
		if (status < 0)
			status = scope_cmd_symbols(name, option, optarg, &request->symbols);
		if (status < 0)
			status = scope_cmd_learned(name, option, optarg, &request->learned);
		if (status < 0)
			status = scope_cmd_part(name, option, optarg, &request->part);
		if (status < 0)
			status = take_capture_value(option, optarg, request);
		if (status < 0)
			status = scope_cmd_explore_take(option, optarg, request);
		if (status < 0)
			status = take_model(option, optarg, request);
		if (status < 0)
			status = take_extent(option, optarg, request);
		if (status < 0)
			status = take_value(option, optarg, request);
		if (status)
			return status;
	}
	return take_rest(argc, argv, request);
}
