// SPDX-License-Identifier: GPL-2.0-only
/* scope export: convert a trace for other tools. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/newfile.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/signature_options.h"
#include "cmd/symbols.h"
#include "export/formats.h"

static void print_usage(void)
{
	scope_cmd_line_help("export");
	for (const struct scope_export_format *row = scope_export_formats; row->name; row++)
		printf("  %-11s %s\n", row->name, row->help);
}

/* A trace, and the other data that a format needs. */
struct source {
	struct scope_trace *trace;
	struct scope_symbols *symbols;
	struct scope_analysis *analysis;
	struct scope_signatures *signatures;
};

/* A format that writes a directory creates it itself. A file gets its name when it is complete. */
static int run_format(const struct scope_export_format *format, const struct scope_export_from *from,
		      const char *output, struct scope_error *error)
{
	struct scope_export_to to = { .name = output, .path = output };
	struct scope_newfile *file;
	int err;

	if (format->kind == SCOPE_EXPORT_DIRECTORY)
		return format->run(from, &to, error);
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
		err = format->run(from, &to, error);
	return scope_cmd_newfile_end("export", file, err, error);
}

/* Makes the analysis of `scope report`. */
static int diagnose(struct source *source, const char *input, const struct scope_symbol_options *symbols,
		    struct scope_error *error)
{
	struct scope_analysis_options options;
	struct scope_cmd_learned learned;
	int err;

	scope_cmd_learned_init(&learned);
	err = scope_cmd_learned_load("export", &learned, source->trace, error, &source->signatures);
	if (err)
		return err;
	scope_analysis_options_init(&options);
	options.signatures = source->signatures;
	options.symbols = *symbols;
	scope_cmd_progress("analysing %s", input);
	err = scope_analysis_run(source->trace, &options, &source->analysis);
	scope_cmd_progress_end();
	return err ? scope_error_set(error, err, "%.200s cannot be analysed: %s", input, strerror(-err)) : 0;
}

/* Prepares the names of functions, and the diagnosis if the format has it. */
static int prepare(const struct scope_export_format *format, const char *input,
		   const struct scope_symbol_options *options, struct source *source, struct scope_error *error)
{
	const struct scope_trace_symbol *rows;
	const struct scope_trace_map *maps;
	size_t map_count, row_count;
	int err;

	maps = scope_trace_maps(source->trace, &map_count);
	rows = scope_trace_symbols(source->trace, &row_count);
	err = scope_symbols_create(maps, map_count, rows, row_count, options, &source->symbols);
	if (!err)
		err = scope_symbols_add_recorded(source->symbols, source->trace);
	if (err)
		return scope_error_set(error, err, "%s: %s", input, strerror(-err));
	return format->diagnosis ? diagnose(source, input, options, error) : 0;
}

static void source_free(struct source *source)
{
	scope_analysis_destroy(source->analysis);
	scope_signatures_destroy(source->signatures);
	scope_symbols_destroy(source->symbols);
	scope_trace_close(source->trace);
}

static int export_files(const struct scope_export_format *format, const char *const *input, const char *output,
			const struct scope_symbol_options *options, struct scope_error *error)
{
	const size_t count = format->compares ? 2 : 1;
	struct scope_trace *traces[2] = { NULL, NULL };
	struct source source[2] = { { 0 }, { 0 } };
	struct scope_export_from from[2];
	int err = scope_cmd_open_traces(count, input, error, traces);

	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		source[i].trace = traces[i];
	for (size_t i = 0; i < count && !err; i++) {
		err = prepare(format, input[i], options, &source[i], error);
		from[i] = (struct scope_export_from){ source[i].trace, source[i].symbols, source[i].analysis };
	}
	if (!err)
		err = run_format(format, from, output, error);
	for (size_t i = 0; i < count && !err; i++)
		if (*scope_trace_damage(traces[i]))
			err = scope_error_set(error, -EBADMSG,
					      "%.200s: %.280s; what could be read was "
					      "exported",
					      input[i], scope_trace_damage(traces[i]));
	for (size_t i = 0; i < count; i++)
		source_free(&source[i]);
	return err;
}

static int no_format(const char *name)
{
	char known[128] = "";

	for (const struct scope_export_format *row = scope_export_formats; row->name; row++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", *known ? ", " : "", row->name);
	return scope_cmd_misuse("export", "there is no format '%s', but %s", name, known);
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
				return scope_cmd_line_wrong("export", argv);
			if (status)
				return status;
		}
	}
	if (optind == argc)
		return scope_cmd_misuse("export", "name a format and one file");
	format = scope_export_find(argv[optind]);
	if (!format)
		return no_format(argv[optind]);
	if (optind + (format->compares ? 3 : 2) != argc)
		return scope_cmd_misuse("export",
					format->compares ? "%s wants two files: the trace before, and the "
							   "one after"
							 : "%s wants one file",
					format->name);
	if (!output && format->kind != SCOPE_EXPORT_STREAM)
		return scope_cmd_misuse("export", "%s needs -o %s", format->name,
					format->kind == SCOPE_EXPORT_DIRECTORY ? "DIRECTORY" : "FILE");
	if (output && !strcmp(output, "-") && format->kind == SCOPE_EXPORT_DIRECTORY)
		return scope_cmd_misuse("export", "%s is a directory: name it with -o", format->name);
	if ((!output || !strcmp(output, "-")) && format->binary && isatty(STDOUT_FILENO))
		return scope_cmd_misuse("export", "%s is not for a terminal: name a file with -o", format->name);
	return export_files(format, (const char *const *)&argv[optind + 1], output, &symbols.options, &error)
		       ? scope_cmd_fail("export", &error)
		       : SCOPE_EXIT_DONE;
}
