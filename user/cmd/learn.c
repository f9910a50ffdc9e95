// SPDX-License-Identifier: GPL-2.0-only
/* scope learn: add the calls that functions of a program make to the database, from a run with all stacks. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/recording_options.h"
#include "cmd/captured.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/held.h"
#include "cmd/symbols.h"
#include "proc/reader.h"
#include "proc/root.h"
#include "signature/store.h"
#include "source/source.h"
#include "trace/writer.h"

struct request {
	struct scope_capture_options capture;
	struct scope_selection selection;
	struct scope_mine_options mine;
	struct scope_cmd_symbols symbols;
	const char *input, *save, *source, *db; /* NULL: not given */
	const struct scope_source *from;
	char **command;	     /* command to start; NULL: none */
	int *command_status; /* gets its exit status */
	bool duration, help;
};

#define SUBBUF_COUNT 64u /* every call has a stack of 8 KiB */
#define SAMPLE_PERIOD_NS 500000u

/* 0, or the exit status for an invalid value. */
static int take_number(int option, const char *value, struct request *request)
{
	uint64_t number;

	switch (option) {
	case SCOPE_OPTION_MIN_SUPPORT:
		if (scope_cmd_number(value, 1, UINT32_MAX, &number))
			return scope_cmd_misuse("learn",
						"--min-support wants a number of 1 or more, not "
						"'%s'",
						value);
		request->mine.support_min = number;
		return 0;
	case SCOPE_OPTION_MAX_EPISODES:
		if (scope_cmd_number(value, 1, 100000, &number))
			return scope_cmd_misuse("learn",
						"--max-episodes wants a number from 1 to 100000, "
						"not '%s'",
						value);
		request->mine.episodes_max = number;
		return 0;
	default:
		return scope_cmd_capture("learn", option, value, &request->capture);
	}
}

static int take_value(int option, const char *value, struct request *request)
{
	switch (option) {
	case 'd':
		request->duration = true;
		return scope_cmd_duration("learn", value, &request->capture.duration_ns);
	case 'i':
		request->input = value;
		return 0;
	case SCOPE_OPTION_DB:
		request->db = value;
		return 0;
	case SCOPE_OPTION_SAVE:
		request->save = value;
		return 0;
	case SCOPE_OPTION_SOURCE:
		request->source = value;
		return 0;
	default:
		return take_number(option, value, request);
	}
}

/* 0, or the exit status for an invalid command line. */
static int parse(int argc, char **argv, struct request *request)
{
	int option, status;

	while ((option = scope_cmd_line_next("learn", argc, argv)) != -1) {
		if (option == 'h') {
			request->help = true;
			return 0;
		}
		if (option == '?')
			return scope_cmd_line_wrong("learn", argv);
		status = scope_cmd_symbols("learn", option, optarg, &request->symbols);
		if (status < 0)
			status = option == 'p' ? scope_cmd_select("learn", option, optarg, &request->selection)
					       : take_value(option, optarg, request);
		if (status)
			return status;
	}
	if (optind < argc && !strcmp(argv[optind - 1], "--"))
		request->command = argv + optind;
	else if (optind < argc)
		return scope_cmd_misuse("learn", "'%s' is not understood", argv[optind]);
	request->capture.pid = request->selection.pid;
	request->capture.selection = &request->selection;
	if (!!request->capture.pid + !!request->input + !!request->command != 1)
		return scope_cmd_misuse("learn", "from what? name one of a command after --, a process "
						 "with -p PID, or a trace with -i FILE");
	if (request->input && (request->duration || request->save || request->source))
		return scope_cmd_misuse("learn", "--duration, --save and --source go with -p or a "
						 "command");
	if (request->command && !request->duration)
		request->capture.duration_ns = 0;
	return 0;
}

/* State during a capture. */
struct session {
	struct scope_cmd_held held;
	struct scope_proc_root *root;
	uint32_t tgid;
};

/* Tracing is on: starts the command, if there is one. */
static void begun(void *context, const struct scope_target *target)
{
	struct session *session = context;

	session->tgid = target->tgid;
	scope_proc_root_hold(session->root, target->tgid);
	scope_cmd_held_started(&session->held, target);
}

static void progress(void *context, const struct scope_capture_progress *now)
{
	struct session *session = context;

	scope_proc_root_hold(session->root, session->tgid);
	scope_cmd_progress("learning: %.0f s, %" PRIu64 " events, %" PRIu64 " lost (Ctrl-C: enough)",
			   (double)now->elapsed_ns / 1e9, now->records, now->lost);
}

static int capture(const struct request *request, struct scope_proc_root *root, struct scope_writer *writer,
		   struct scope_error *error)
{
	struct session session = { .held.name = "learn", .root = root };
	const struct scope_capture_watch watch = {
		.begun = begun,
		.progress = progress,
		.context = &session,
	};
	struct scope_capture_options options = request->capture;
	struct scope_capture_stats stats;
	int err;

	err = scope_cmd_held_start(&session.held, request->command, &options, error);
	if (err)
		return err;
	err = scope_capture(request->from, &options, writer, scope_cmd_catch_signals(), &watch, error, &stats);
	if (!err)
		err = scope_cmd_held_check(&session.held, error);
	*request->command_status = scope_cmd_held_free(&session.held);
	scope_cmd_progress_end();
	return err;
}

/* Captures into --save or an unnamed file, and opens what was captured. */
static int capture_and_open(const struct request *request, struct scope_proc_root *root, struct scope_error *error,
			    struct scope_trace **ret_trace)
{
	struct scope_cmd_captured captured;
	int err = scope_cmd_captured_create(request->save, error, &captured);

	if (!err)
		err = capture(request, root, captured.writer, error);
	if (!err)
		err = scope_trace_writer_finish(captured.writer, error);
	if (!err)
		err = scope_cmd_captured_open("learn", &captured, error, ret_trace);
	scope_cmd_captured_free(&captured);
	return err;
}

/* Prints what was learned, and what prevented more. */
static void print_summary(const struct scope_learned *learned, const char *db, size_t episodes)
{
	for (size_t i = 0; i < learned->builds; i++) {
		size_t functions = 0;

		for (size_t j = 0; j < learned->functions; j++)
			functions += learned->function[j].build == i;
		printf("%s, build-id %s: %zu functions\n", learned->build[i].module, learned->build[i].build_id,
		       functions);
	}
	printf("%s: %" PRIu64 " calls, %zu signatures\n", db, learned->stacks, episodes);
	if (learned->stacks * 10 < learned->calls * 9)
		printf("only %.0f %% of the calls have a stack: learn with less load, or from a trace that "
		       "`scope learn --save` wrote\n",
		       100.0 * learned->stacks / learned->calls);
	if (learned->nameless * 10 > learned->stacks)
		printf("%.0f %% of the stacks show no function of the program: install its debug symbols, or "
		       "raise --stack-bytes\n",
		       100.0 * learned->nameless / learned->stacks);
	if (learned->no_build_id)
		printf("%s has no build-id, so nothing can be learned of it: link it with "
		       "-Wl,--build-id\n",
		       learned->no_build_id);
}

/* Explains why nothing was learned, and what to do. -ENODATA. */
static int nothing_learned(const struct scope_learned *learned, struct scope_error *error)
{
	if (!learned->stacks)
		return scope_error_set(error, -ENODATA,
				       "no call in the trace has a stack: record it with "
				       "`scope learn --save`");
	if (learned->no_build_id)
		return scope_error_set(error, -ENODATA,
				       "%s has no build-id, so nothing can be learned of "
				       "it: link it with -Wl,--build-id",
				       learned->no_build_id);
	if (learned->no_file)
		return scope_error_set(error, -ENODATA,
				       "the stacks show only code that is in no file: "
				       "what a runtime makes as it runs, or unpacks to memory, cannot be "
				       "learned");
	return scope_error_set(error, -ENODATA,
			       "no stack shows a function of the program: it may have "
			       "ended before its maps could be read; give it more to do");
}

/* root: the directory with the files of the trace; "": at their own paths. */
static int learn(const struct request *request, const char *root, struct scope_trace *trace, struct scope_error *error)
{
	struct scope_symbol_options options = request->symbols.options;
	const struct scope_trace_symbol *rows;
	const struct scope_trace_map *maps;
	struct scope_learned *learned = NULL;
	struct scope_symbols *symbols = NULL;
	struct scope_store *store = NULL;
	size_t map_count, row_count, episodes = 0;
	char path[PATH_MAX];
	int err;

	if (*root)
		options.root = root;
	maps = scope_trace_maps(trace, &map_count);
	rows = scope_trace_symbols(trace, &row_count);
	err = *root ? scope_proc_reader_create(NULL, NULL, &options.reader) : 0;
	if (!err)
		err = scope_symbols_create(maps, map_count, rows, row_count, &options, &symbols);
	if (!err)
		err = scope_symbols_add_recorded(symbols, trace);
	if (!err)
		err = scope_signature_learn(trace, symbols, &learned);
	if (err)
		scope_error_set(error, err, "the trace cannot be learned from: %s", strerror(-err));
	else if (!learned->stacks || !learned->functions)
		err = nothing_learned(learned, error);
	if (!err)
		err = scope_cmd_signature_path(request->db, path, sizeof(path), error);
	if (!err)
		err = scope_signature_store_open(path, SCOPE_STORE_WRITE, error, &store);
	if (!err)
		err = scope_signature_store_add(store, learned, &request->mine, error, &episodes);
	if (!err)
		print_summary(learned, path, episodes);
	scope_signature_store_close(store);
	scope_signature_learned_destroy(learned);
	scope_symbols_destroy(symbols);
	scope_proc_reader_destroy(options.reader);
	return err;
}

static int run(const struct request *request, struct scope_error *error)
{
	struct scope_proc_root root = SCOPE_PROC_ROOT_NONE;
	struct scope_trace *trace = NULL;
	int err;

	err = request->input ? scope_cmd_open_traces(1, &request->input, error, &trace)
			     : capture_and_open(request, &root, error, &trace);
	if (!err)
		err = learn(request, root.path, trace, error);
	scope_trace_close(trace);
	scope_proc_root_release(&root);
	return err;
}

/*
 * Captures a stack with every call, whatever that costs, and samples, which show where the program runs between calls.
 */
static void init_capture(struct scope_capture_options *options)
{
	scope_capture_options_init(options, 0);
	options->stack_min_ns = 0;
	options->stacks_per_second = UINT32_MAX;
	options->sample_period_ns = SAMPLE_PERIOD_NS;
	options->subbuf_count = SUBBUF_COUNT;
	options->overhead_max = 0;
	memset(options->stack_syscalls, 0xff, sizeof(options->stack_syscalls));
}

int scope_cmd_learn(int argc, char **argv)
{
	int status, command_status = 0;
	struct request request = {
		.command_status = &command_status,
		.mine = { SCOPE_MINE_SUPPORT_MIN, SCOPE_MINE_EPISODES_MAX },
	};
	struct scope_error error = { 0 };

	init_capture(&request.capture);
	status = parse(argc, argv, &request);
	if (!status && request.help) {
		scope_cmd_line_help("learn");
	} else if (!status) {
		if (!request.input)
			status = scope_cmd_source("learn", request.source, &request.from);
		if (!status && run(&request, &error))
			status = scope_cmd_fail("learn", &error);
	}
	scope_cmd_symbols_free(&request.symbols);
	return status ? status : command_status;
}
