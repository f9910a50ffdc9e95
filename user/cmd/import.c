// SPDX-License-Identifier: GPL-2.0-only
/* scope import: convert a recording of another tool to a trace. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "import/import.h"

/* *ret_stream is NULL for a directory: the library that reads its files opens them, as the user. */
static int open_input(const char *input, struct scope_error *error, FILE **ret_stream)
{
	struct stat status;

	*ret_stream = NULL;
	if (!strcmp(input, "-"))
		*ret_stream = stdin;
	else if (stat(input, &status) || !S_ISDIR(status.st_mode))
		*ret_stream = fopen(input, "re");
	else
		return 0;
	return *ret_stream
		       ? 0
		       : scope_error_set(error, -errno, "cannot open %s: %s; check the name", input, strerror(errno));
}

static int read_input(FILE *stream, const char *input, const char *output, const struct scope_import_choice *choice,
		      struct scope_error *error, struct scope_import_result *result)
{
	struct scope_writer *writer;
	int err = scope_trace_writer_create(output, error, &writer);

	if (err)
		return err;
	err = stream ? scope_import_script(stream, input, choice, writer, error, result)
		     : scope_import_ctf(input, choice, writer, error, result);
	if (!err)
		err = scope_trace_writer_finish(writer, error);
	else if (!error->text[0])
		scope_error_set(error, err, "%s: %s", input, strerror(-err));
	scope_cmd_note("import", scope_trace_writer_note(writer));
	scope_trace_writer_destroy(writer);
	return err;
}

static int import(const char *input, const char *output, const struct scope_import_choice *choice)
{
	const char *name = strcmp(input, "-") ? input : "standard input";
	struct scope_import_result result = { 0 };
	struct scope_error error = { "" };
	FILE *stream;
	int err = open_input(input, &error, &stream);

	if (!err)
		err = scope_cmd_drop_privilege(&error);
	if (!err)
		err = read_input(stream, name, output, choice, &error, &result);
	if (stream && stream != stdin)
		fclose(stream);
	if (err)
		return scope_cmd_fail("import", &error);
	scope_cmd_warn_skipped("import", name, result.skipped, result.entries, result.first_skipped);
	if (result.left_out)
		scope_cmd_say("import", "%" PRIu64 " events of other kinds were left out", result.left_out);
	return SCOPE_EXIT_DONE;
}

int scope_cmd_import(int argc, char **argv)
{
	struct scope_import_choice choice = { 0 };
	const char *output = NULL;
	uint64_t pid;
	int option;

	while ((option = scope_cmd_line_next("import", argc, argv)) != -1) {
		switch (option) {
		case 'p':
			if (scope_cmd_number(optarg, 1, SCOPE_TID_MASK, &pid))
				return scope_cmd_misuse("import",
							"-p wants the number of a process, not "
							"'%s'",
							optarg);
			choice.pid = (uint32_t)pid;
			break;
		case SCOPE_OPTION_COMM:
			choice.comm = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			scope_cmd_line_help("import");
			return SCOPE_EXIT_DONE;
		default:
			return scope_cmd_line_wrong("import", argv);
		}
	}
	if (optind + 1 != argc)
		return scope_cmd_misuse("import", "name one file, directory or '-'");
	if (!output)
		return scope_cmd_misuse("import", "-o FILE is missing");
	if (!choice.pid && !choice.comm)
		return scope_cmd_misuse("import", "of what? name a process with -p PID, or threads with "
						  "--comm NAME");
	return import(argv[optind], output, &choice);
}
