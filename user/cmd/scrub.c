// SPDX-License-Identifier: GPL-2.0-only
/* scope scrub: remove copied memory of the target from a trace. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/symbols.h"
#include "symbol/scrub_trace.h"
#include "trace/trace.h"
#include "trace/writer.h"

static int copy(struct scope_trace *trace, struct scope_symbols *symbols, const char *output,
		struct scope_scrub_counts *ret_counts, bool *ret_special, struct scope_error *error)
{
	struct scope_writer *writer;
	int err = scope_trace_writer_create(output, error, &writer);

	if (err)
		return err;
	err = scope_symbol_scrub(trace, symbols, writer, ret_counts);
	if (err)
		scope_error_set(error, err, "%s: %s", output,
				*scope_trace_writer_error(writer) ? scope_trace_writer_error(writer) : strerror(-err));
	else
		err = scope_trace_writer_finish(writer, error);
	if (!err)
		scope_cmd_note("scrub", scope_trace_writer_note(writer));
	*ret_special = scope_trace_writer_is_special(writer);
	scope_trace_writer_destroy(writer);
	return err;
}

/* Warns about files that could not be read: without them stacks are cut, and cannot be completed later. */
static void say_problems(const struct scope_symbols *symbols)
{
	size_t count;
	const char *const *problem = scope_symbols_problems(symbols, &count);

	for (size_t i = 0; i < count; i++)
		scope_cmd_note("scrub", problem[i]);
}

static int scrub(const char *input, const char *output, const struct scope_symbol_options *options)
{
	struct scope_scrub_counts counts;
	struct scope_error error = { "" };
	struct scope_symbols *symbols = NULL;
	struct scope_trace *trace;
	size_t map_count, row_count;
	const struct scope_trace_map *maps;
	const struct scope_trace_symbol *rows;
	bool special = false;
	int err = scope_cmd_open_traces(1, &input, &error, &trace);

	if (err)
		return scope_cmd_fail("scrub", &error);
	maps = scope_trace_maps(trace, &map_count);
	rows = scope_trace_symbols(trace, &row_count);
	err = scope_symbols_create(maps, map_count, rows, row_count, options, &symbols);
	if (!err)
		err = scope_symbols_add_recorded(symbols, trace);
	if (err) {
		scope_error_set(&error, err, "%s: %s", input, strerror(-err));
	} else {
		err = copy(trace, symbols, output, &counts, &special, &error);
		say_problems(symbols);
	}
	scope_symbols_destroy(symbols);
	if (!err && *scope_trace_damage(trace))
		err = scope_error_set(&error, -EBADMSG, "%.200s: %.280s; what could be read was copied", input,
				      scope_trace_damage(trace));
	scope_trace_close(trace);
	if (err)
		return scope_cmd_fail("scrub", &error);
	/* The trace may be on standard output. */
	fprintf(special ? stderr : stdout,
		"%s: %" PRIu64 " stacks of calls and samples, %" PRIu64 " of threads that did not run and %" PRIu64
		" locks hold no memory any more\n",
		strcmp(output, "-") ? output : "standard output", counts.stacks, counts.stopped_stack, counts.locks);
	return SCOPE_EXIT_DONE;
}

int scope_cmd_scrub(int argc, char **argv)
{
	__attribute__((cleanup(scope_cmd_symbols_free))) struct scope_cmd_symbols symbols = { 0 };
	const char *output = NULL;
	int option, status;

	while ((option = scope_cmd_line_next("scrub", argc, argv)) != -1) {
		switch (option) {
		case 'o':
			output = optarg;
			break;
		case 'h':
			scope_cmd_line_help("scrub");
			return SCOPE_EXIT_DONE;
		default:
			status = scope_cmd_symbols("scrub", option, optarg, &symbols);
			if (status < 0)
				return scope_cmd_line_wrong("scrub", argv);
			if (status)
				return status;
		}
	}
	if (optind + 1 != argc)
		return scope_cmd_misuse("scrub", "name one file");
	return scrub(argv[optind], output ? output : argv[optind], &symbols.options);
}
