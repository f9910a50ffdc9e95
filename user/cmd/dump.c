// SPDX-License-Identifier: GPL-2.0-only
/* scope dump: show a trace as text, or make a trace of text. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "trace/text_form.h"
#include "trace/trace.h"
#include "trace/writer.h"

/* Times count from the window's begin; 0: from the first event, or to the last. */
static int write_span(struct scope_trace *trace, uint64_t from_ns, uint64_t to_ns, struct scope_error *error)
{
	uint64_t begin_ns, end_ns;
	int err = scope_trace_span(trace, &begin_ns, &end_ns);

	if (err)
		return scope_error_set(error, err, "cannot read the trace: %s", strerror(-err));
	return scope_trace_text_write_span(trace, from_ns ? begin_ns + from_ns : 0,
					   to_ns ? begin_ns + to_ns : UINT64_MAX, stdout, error);
}

static int dump(const char *path, uint64_t from_ns, uint64_t to_ns)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;
	int err;

	if (scope_cmd_open_traces(1, &path, &error, &trace))
		return scope_cmd_fail("dump", &error);
	err = write_span(trace, from_ns, to_ns, &error);
	if (!err && *scope_trace_damage(trace))
		err = scope_error_set(&error, -EBADMSG, "%s: %s; what could be read was printed", path,
				      scope_trace_damage(trace));
	scope_trace_close(trace);
	return err ? scope_cmd_fail("dump", &error) : SCOPE_EXIT_DONE;
}

static int reverse_stream(FILE *stream, const char *text, const char *output)
{
	struct scope_error error = { "" }, named = { "" };
	struct scope_writer *writer;
	struct scope_lines lines;
	int err;

	if (scope_cmd_drop_privilege(&error) || scope_trace_writer_create(output, &error, &writer))
		return scope_cmd_fail("dump", &error);
	err = scope_trace_text_read(stream, writer, &error, &lines);
	if (err)
		scope_error_set(&named, err, "%.200s: %.250s", text, error.text);
	else
		err = scope_trace_writer_finish(writer, &named);
	scope_cmd_note("dump", scope_trace_writer_note(writer));
	scope_trace_writer_destroy(writer);
	if (err)
		return scope_cmd_fail("dump", &named);
	scope_cmd_warn_skipped("dump", text, lines.bad, lines.good + lines.bad, lines.first_bad);
	return SCOPE_EXIT_DONE;
}

static int reverse(const char *text, const char *output)
{
	struct scope_error error;
	FILE *stream;
	int err;

	if (!strcmp(text, "-"))
		return reverse_stream(stdin, "standard input", output);
	stream = fopen(text, "re");
	if (!stream) {
		scope_error_set(&error, -errno, "cannot open %s: %s; check the name", text, strerror(errno));
		return scope_cmd_fail("dump", &error);
	}
	err = reverse_stream(stream, text, output);
	fclose(stream);
	return err;
}

int scope_cmd_dump(int argc, char **argv)
{
	const char *output = NULL;
	uint64_t from_ns = 0, to_ns = 0;
	bool backwards = false;
	int option;

	while ((option = scope_cmd_line_next("dump", argc, argv)) != -1) {
		switch (option) {
		case SCOPE_OPTION_FROM:
		case SCOPE_OPTION_TO:
			if (scope_duration_parse(optarg, option == SCOPE_OPTION_FROM ? &from_ns : &to_ns))
				return scope_cmd_misuse("dump", "--from and --to want a time after "
								"the window's begin, as 12.5 or 500ms");
			break;
		case 'r':
			backwards = true;
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			scope_cmd_line_help("dump");
			return SCOPE_EXIT_DONE;
		default:
			return scope_cmd_line_wrong("dump", argv);
		}
	}
	if (optind + 1 != argc)
		return scope_cmd_misuse("dump", "name one file");
	if (backwards && !output)
		return scope_cmd_misuse("dump", "--reverse needs -o FILE");
	if (!backwards && output)
		return scope_cmd_misuse("dump", "-o goes with --reverse; text goes to stdout");
	if (backwards && (from_ns || to_ns))
		return scope_cmd_misuse("dump", "--from and --to go without --reverse");
	if (from_ns && to_ns && from_ns >= to_ns)
		return scope_cmd_misuse("dump", "--from must be before --to");
	return backwards ? reverse(argv[optind], output) : dump(argv[optind], from_ns, to_ns);
}
