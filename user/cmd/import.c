// SPDX-License-Identifier: GPL-2.0-only
/* scope import: make a trace of what another tool recorded. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "import/import.h"

static const char usage[] =
	"Usage: scope import INPUT -p PID -o FILE\n"
	"       scope import INPUT --comm NAME -o FILE\n"
	"Make a trace of what another tool recorded. INPUT is the output of `perf script` on\n"
	"raw_syscalls and sched tracepoints ('-': standard input), or a CTF directory of LTTng's.\n\n"
	"  -p, --pid PID       the process, with its threads and descendants\n"
	"      --comm NAME     all threads of that name\n"
	"  -o, --output FILE   the trace to write\n"
	"  -h, --help          this text\n\n"
	"To record:\n"
	"  perf record -a -g -e 'raw_syscalls:*,sched:sched_switch,sched:sched_waking,\\\n"
	"      sched:sched_process_fork,sched:sched_process_exit,cpu-clock' -- sleep 20\n"
	"  perf script -F comm,pid,tid,cpu,time,event,trace,ip,sym,dso > text\n";

enum {
	OPTION_COMM = 256,
};

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "comm", required_argument, NULL, OPTION_COMM },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int read_input(const char *input, const struct scope_import_choice *choice,
		      struct scope_writer *writer, struct scope_error *error, uint64_t *left_out)
{
	struct stat status;
	FILE *stream;
	int code;

	if (!strcmp(input, "-"))
		return scope_import_script(stdin, "standard input", choice, writer, error, left_out);
	if (!stat(input, &status) && S_ISDIR(status.st_mode))
		return scope_import_ctf(input, choice, writer, error, left_out);
	stream = fopen(input, "re");
	if (!stream)
		return scope_error_set(error, -errno, "cannot open %s: %s; check the name", input,
				       strerror(errno));
	code = scope_import_script(stream, input, choice, writer, error, left_out);
	fclose(stream);
	return code;
}

static int import(const char *input, const char *output, const struct scope_import_choice *choice)
{
	struct scope_error error = { "" };
	struct scope_writer *writer;
	uint64_t left_out = 0;
	int code;

	if (scope_writer_create(output, &error, &writer))
		return scope_cmd_fail("import", &error);
	code = read_input(input, choice, writer, &error, &left_out);
	if (!code)
		code = scope_writer_finish(writer, &error);
	else if (!error.text[0])
		scope_error_set(&error, code, "%s: %s", input, strerror(-code));
	scope_cmd_note("import", scope_writer_note(writer));
	scope_writer_destroy(writer);
	if (code)
		return scope_cmd_fail("import", &error);
	if (left_out)
		fprintf(stderr, "scope import: %" PRIu64 " events of other kinds were left out\n",
			left_out);
	return SCOPE_EXIT_DONE;
}

int scope_cmd_import(int argc, char **argv)
{
	struct scope_import_choice choice = { 0 };
	const char *output = NULL;
	uint64_t pid;
	int option;

	while ((option = getopt_long(argc, argv, "p:o:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'p':
			if (scope_cmd_number(optarg, 1, SCOPE_TID_MASK, &pid))
				return scope_cmd_misuse("import", "-p wants the number of a process, not "
							"'%s'", optarg);
			choice.pid = (uint32_t)pid;
			break;
		case OPTION_COMM:
			choice.comm = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return SCOPE_EXIT_DONE;
		default:
			return scope_cmd_misuse("import", "that option is not understood");
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
