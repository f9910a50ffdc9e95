// SPDX-License-Identifier: GPL-2.0-only
/* scope dump: show a trace as text, or make a trace of text. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "trace/text.h"
#include "trace/trace.h"
#include "trace/writer.h"

static const char usage[] =
	"Usage: scope dump FILE\n"
	"       scope dump --reverse TEXT -o FILE\n"
	"Print what a trace holds, one row or event per line; or make a trace of such lines.\n\n"
	"  -r, --reverse       read text ('-': standard input), write a trace\n"
	"  -o, --output FILE   the trace to write, with --reverse\n"
	"  -h, --help          this text\n";

static const struct option long_options[] = {
	{ "reverse", no_argument, NULL, 'r' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int dump(const char *path)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;
	int ret;

	if (scope_cmd_open_traces(1, &path, &error, &trace))
		return scope_cmd_fail("dump", &error);
	ret = scope_text_write(trace, stdout, &error);
	if (!ret && *scope_trace_damage(trace))
		fprintf(stderr, "scope dump: %s: %s\n", path, scope_trace_damage(trace));
	scope_trace_close(trace);
	return ret ? scope_cmd_fail("dump", &error) : SCOPE_EXIT_DONE;
}

static int reverse_stream(FILE *stream, const char *text, const char *output)
{
	struct scope_error error = { "" }, named = { "" };
	struct scope_writer *writer;
	int ret;

	if (scope_writer_create(output, &error, &writer))
		return scope_cmd_fail("dump", &error);
	ret = scope_text_read(stream, writer, &error);
	if (ret)
		scope_error_set(&named, ret, "%.200s: %.250s", text, error.text);
	else
		ret = scope_writer_finish(writer, &named);
	scope_writer_destroy(writer);
	return ret ? scope_cmd_fail("dump", &named) : SCOPE_EXIT_DONE;
}

static int reverse(const char *text, const char *output)
{
	struct scope_error error;
	FILE *stream;
	int ret;

	if (!strcmp(text, "-"))
		return reverse_stream(stdin, "standard input", output);
	stream = fopen(text, "re");
	if (!stream) {
		scope_error_set(&error, -errno, "cannot open %s: %s; check the name", text,
				strerror(errno));
		return scope_cmd_fail("dump", &error);
	}
	ret = reverse_stream(stream, text, output);
	fclose(stream);
	return ret;
}

int scope_cmd_dump(int argc, char **argv)
{
	const char *output = NULL;
	bool backwards = false;
	int option;

	while ((option = getopt_long(argc, argv, "ro:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'r':
			backwards = true;
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return SCOPE_EXIT_DONE;
		default:
			return scope_cmd_misuse("dump", "that option is not understood");
		}
	}
	if (optind + 1 != argc)
		return scope_cmd_misuse("dump", "name one file");
	if (backwards && !output)
		return scope_cmd_misuse("dump", "--reverse needs -o FILE");
	if (!backwards && output)
		return scope_cmd_misuse("dump", "-o goes with --reverse; text goes to stdout");
	return backwards ? reverse(argv[optind], output) : dump(argv[optind]);
}
