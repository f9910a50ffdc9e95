// SPDX-License-Identifier: GPL-2.0-only
/* scope export: give a trace to other tools. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/newfile.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/symbols.h"
#include "export/formats.h"

static void print_usage(void)
{
	scope_cmd_line_help("export");
	for (const struct scope_export_format *row = scope_export_formats; row->name; row++)
		printf("  %-11s %s\n", row->name, row->help);
}

/* A format makes its directory itself; a file gets its name when it is complete. */
static int run_format(const struct scope_export_format *format, struct scope_trace *trace,
		      struct scope_symbols *symbols, const char *output, struct scope_error *error)
{
	struct scope_export_to to = { .name = output, .path = output };
	struct scope_newfile *file;
	int err;

	if (format->kind == SCOPE_EXPORT_DIRECTORY)
		return format->run(trace, symbols, &to, error);
	err = scope_newfile_create(output, 0666, error, &file);
	if (err)
		return err;
	if (format->kind == SCOPE_EXPORT_STREAM) {
		to.stream = scope_newfile_stream(file);
		if (!to.stream)
			err = scope_error_set(error, -ENOMEM, "no memory to write %s", output);
	} else {
		to.path = scope_newfile_path(file);
		if (scope_newfile_is_special(file))
			err = scope_error_set(error, -EINVAL,
					      "%s is no regular file, and %s needs one: name "
					      "another place with -o",
					      output, format->name);
	}
	if (!err)
		err = format->run(trace, symbols, &to, error);
	return scope_cmd_newfile_end("export", file, err, error);
}

static int export_file(const struct scope_export_format *format, const char *input, const char *output,
		       const struct scope_symbol_options *options, struct scope_error *error)
{
	const struct scope_trace_symbol *rows;
	const struct scope_trace_map *maps;
	struct scope_symbols *symbols = NULL;
	struct scope_trace *trace;
	size_t map_count, row_count;
	int err = scope_cmd_open_traces(1, &input, error, &trace);

	if (err)
		return err;
	maps = scope_trace_maps(trace, &map_count);
	rows = scope_trace_symbols(trace, &row_count);
	err = scope_symbols_create(maps, map_count, rows, row_count, options, &symbols);
	if (!err)
		err = scope_symbols_add_recorded(symbols, trace);
	if (err) {
		scope_error_set(error, err, "%s: %s", input, strerror(-err));
	} else {
		err = run_format(format, trace, symbols, output, error);
		if (!err && *scope_trace_damage(trace))
			err = scope_error_set(error, -EBADMSG,
					      "%.200s: %.280s; what could be read was "
					      "exported",
					      input, scope_trace_damage(trace));
	}
	scope_symbols_destroy(symbols);
	scope_trace_close(trace);
	return err;
}

int scope_cmd_export(int argc, char **argv)
{
	const struct scope_export_format *format;
	struct scope_error error = { "" };
	__attribute__((cleanup(scope_cmd_symbols_free))) struct scope_cmd_symbols symbols = { 0 };
	const char *output = NULL;
	int option, status;

	while ((option = scope_cmd_line_next("export", argc, argv)) != -1) {
		switch (option) {
		case 'o':
			output = optarg;
			break;
		case 'h':
			print_usage();
			return SCOPE_EXIT_DONE;
		default:
			status = scope_cmd_symbols("export", option, optarg, &symbols);
			if (status < 0)
				return scope_cmd_misuse("export", "that option is not understood");
			if (status)
				return status;
		}
	}
	if (optind + 2 != argc)
		return scope_cmd_misuse("export", "name a format and one file");
	format = scope_export_find(argv[optind]);
	if (!format)
		return scope_cmd_misuse("export", "there is no format '%s'; --help lists them", argv[optind]);
	if (!output && format->kind != SCOPE_EXPORT_STREAM)
		return scope_cmd_misuse("export", "%s needs -o %s", format->name,
					format->kind == SCOPE_EXPORT_DIRECTORY ? "DIRECTORY" : "FILE");
	if (!output && format->binary && isatty(STDOUT_FILENO))
		return scope_cmd_misuse("export", "%s is not for a terminal: name a file with -o", format->name);
	return export_file(format, argv[optind + 1], output, &symbols.options, &error)
		       ? scope_cmd_fail("export", &error)
		       : SCOPE_EXIT_DONE;
}
