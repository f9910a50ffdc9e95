// SPDX-License-Identifier: GPL-2.0-only
/* The command line of scope record. */
#include "cmd/record_options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include <scope/ring.h>
#include <scope/table.h>

#include "base/duration.h"
#include "capture/defaults.h"
#include "cmd/args_option.h"
#include "cmd/recording_options.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/shared_options.h"
#include "trace/flight.h"
#include "trace/writer.h"

#define FLIGHT_NS 300000000000ull
#define FLIGHT_BYTES (256ull << 20)
#define ROTATE_MAX 100000
#define ROTATE_BYTES (64ull << 20)
#define OPTION_UNWINDER 0x4000 /* only this command has it */

const struct scope_option scope_cmd_record_options[] = {
	{ 'p', "pid", "PID", .help = "the process, by number or name; may be repeated" },
	{ 't', "tid", "TID", .help = "one thread alone; may be repeated" },
	SELECT_OPTIONS,
	{ 'd', "duration", "TIME",
	  .help = "how long to trace: 90, 1.5, 500ms, 2m (default 90 seconds;\n"
		  "no end with --flight, --rotate or a COMMAND)" },
	{ 'o', "output", "FILE", .help = "the trace file (default scope-PID.trace)" },
	{ SCOPE_OPTION_MAX_SIZE, "max-size", "SIZE",
	  .help = "end at this size, or begin the next file: 500k, 64M, 2G" },
	{ SCOPE_OPTION_ROTATE, "rotate", "N", .help = "write several files, FILE-DATE-TIME; keep the latest N" },
	{ SCOPE_OPTION_COMPRESS, "compress", "LEVEL", .help = "level of zstd, 1 to 19; 0: off (default 1)" },
	{ SCOPE_OPTION_FLIGHT, "flight", "[=TIME]",
	  .help = "keep the last 300 s (or TIME) in memory; write them on SIGUSR1,\n"
		  "--snapshot, a trigger, and at the end" },
	{ SCOPE_OPTION_FLIGHT_MEMORY, "flight-memory", "SIZE", .help = "memory for --flight, at most (default 256M)" },
	{ SCOPE_OPTION_TRIGGER, "trigger", "WHEN",
	  .help = "with --flight: write the file if rate:SYSCALL<50%, unit>200ms,\n"
		  "p99>50ms, hang>10s, runqueue>20%, no-cpu or unusual; up to 16" },
	{ SCOPE_OPTION_COOL_OFF, "cool-off", "TIME", .help = "ignore triggers for TIME after one (default 60)" },
	{ SCOPE_OPTION_SNAPSHOT, "snapshot", NULL, .help = "make all running flight recorders write their files now" },
	{ SCOPE_OPTION_NO_FOLLOW, "no-follow", NULL, .help = "do not trace descendants" },
	{ SCOPE_OPTION_NO_STACKS, "no-stacks", NULL, .help = "take no stacks at slow calls" },
	{ SCOPE_OPTION_RAW_STACKS, "raw-stacks", NULL,
	  .help = "keep registers and memory of stacks, which may contain secrets of\n"
		  "the program (default: only addresses)" },
	{ SCOPE_OPTION_NO_SAMPLES, "no-samples", NULL, .help = "do not sample running threads" },
	{ SCOPE_OPTION_CHAIN, "chain", NULL, .help = "walk frame pointers in the kernel, without tables and copies" },
	STACK_BUDGET_OPTION,
	{ SCOPE_OPTION_STACK_BYTES, "stack-bytes", "N", .help = "slice of the stack to copy (default 8192)" },
	{ OPTION_UNWINDER, "unwinder", "NAME",
	  .help = "tables (default): the module walks stacks by unwind tables if it can,\n"
		  "and copies the others; copy: it copies all stacks",
	  .words = "tables copy" },
	{ SCOPE_OPTION_SUBBUF_BYTES, "subbuf-bytes", "N",
	  .help = "size of a sub-buffer, a power of two (default 262144);\n"
		  "with perf those of the file are four times as large" },
	{ SCOPE_OPTION_SUBBUF_COUNT, "subbuf-count", "N", .help = "sub-buffers per CPU, a power of two (default 8)" },
	{ SCOPE_OPTION_ARGS, "args", "CALL=LIST",
	  .help = "record more arguments of a call than a report needs: by name, as\n"
		  "write=fd,count, or the first ones, as write=3; all: sizes, offsets\n"
		  "and flags of every call" },
	{ SCOPE_OPTION_BLOCK, "block", NULL, .help = "record requests to block devices and how long they took" },
	MEMORY_OPTIONS,
	KIND_BY_OPTION,
	{ SCOPE_OPTION_PROBE, "probe", "PLACE",
	  .help = "record each hit of a place: k:SYMBOL or kr:SYMBOL (a kernel\n"
		  "function, or its return), u:PATH:FUNCTION or ur:PATH:FUNCTION\n"
		  "(of a program; or an offset in the file instead of a name);\n"
		  ",args=N and ,stack may follow; may be repeated" },
	OVERHEAD_OPTION,
	SOURCE_OPTION,
	{ 'q', "quiet", .help = "print nothing but errors" },
	HELP_OPTION,
	{ 0 },
};

/* 0; -1: it is another option; or the exit status for an invalid value. */
static int take_file_value(int option, const char *value, struct scope_recorder_options *recorder)
{
	struct scope_error error = { "" };
	uint64_t number;

	switch (option) {
	case SCOPE_OPTION_MAX_SIZE:
		if (scope_size_parse(value, &recorder->max_bytes) || recorder->max_bytes < 65536)
			return scope_cmd_misuse("record",
						"--max-size wants a size of 64k or more, as "
						"500k, 64M or 2G, not '%s'",
						value);
		return 0;
	case SCOPE_OPTION_ROTATE:
		if (scope_cmd_number(value, 1, ROTATE_MAX, &number))
			return scope_cmd_misuse("record",
						"--rotate wants a number of files from 1 to "
						"%d, not '%s'",
						ROTATE_MAX, value);
		recorder->keep = (uint32_t)number;
		return 0;
	case SCOPE_OPTION_COMPRESS:
		if (scope_cmd_number(value, 0, SCOPE_WRITER_LEVEL_MAX, &number))
			return scope_cmd_misuse("record",
						"--compress wants a level from 0 to %d, not "
						"'%s'",
						SCOPE_WRITER_LEVEL_MAX, value);
		recorder->level = (int)number;
		return 0;
	case SCOPE_OPTION_FLIGHT:
		recorder->flight_ns = FLIGHT_NS;
		if (value && scope_cmd_seconds(value, &recorder->flight_ns))
			return scope_cmd_misuse("record",
						"--flight wants a time as =300 or =5m, not "
						"'%s'",
						value);
		return 0;
	case SCOPE_OPTION_FLIGHT_MEMORY:
		if (scope_size_parse(value, &recorder->flight_bytes) || recorder->flight_bytes < SCOPE_FLIGHT_BYTES_MIN)
			return scope_cmd_misuse("record",
						"--flight-memory wants a size of 4M or more, "
						"not '%s'",
						value);
		return 0;
	case SCOPE_OPTION_TRIGGER:
		if (!recorder->triggers && scope_recorder_triggers_create(&recorder->triggers))
			return scope_cmd_misuse("record", "no memory for triggers");
		if (scope_recorder_triggers_add(recorder->triggers, value, &error))
			return scope_cmd_misuse("record", "%s", error.text);
		return 0;
	case SCOPE_OPTION_COOL_OFF:
		if (scope_cmd_seconds(value, &recorder->cool_ns))
			return scope_cmd_misuse("record",
						"--cool-off wants a time as 60 or 10m, not "
						"'%s'",
						value);
		return 0;
	}
	return -1;
}

static int power_of_two(const char *text, uint32_t low, uint32_t high, uint32_t *ret_number)
{
	uint64_t number;

	if (scope_cmd_number(text, low, high, &number) || number & (number - 1))
		return -1;
	*ret_number = (uint32_t)number;
	return 0;
}

/* Numbers of probes begin with 1. */
static int take_probe(const char *text, struct scope_cmd_record *request)
{
	uint32_t count = request->capture.probe_count;
	struct scope_error error = { 0 };
	int err;

	if (count == SCOPE_PROBE_MAX)
		return scope_cmd_misuse("record", "at most %d times --probe", SCOPE_PROBE_MAX);
	err = scope_cmd_probe_parse(text, &error, &request->probe[count]);
	if (err == -EINVAL)
		return scope_cmd_misuse("record", "%s", error.text);
	if (err)
		return scope_cmd_fail("record", &error);
	request->probe[count].id = (uint16_t)(count + 1);
	request->capture.probes = request->probe;
	request->capture.probe_count = count + 1;
	return 0;
}

/* 0, or the exit status for an invalid value. */
static int take_value(int option, const char *value, struct scope_cmd_record *request)
{
	struct scope_capture_options *capture = &request->capture;
	struct scope_error error = { "" };

	switch (option) {
	case 'o':
		request->output = value;
		return 0;
	case SCOPE_OPTION_SOURCE:
		request->source = value;
		return 0;
	case 'd':
		request->duration = true;
		return scope_cmd_duration("record", value, &capture->duration_ns);
	case SCOPE_OPTION_PROBE:
		return take_probe(value, request);
	case SCOPE_OPTION_ARGS:
		return scope_cmd_args_parse(value, capture->arg_counts, &error)
			       ? scope_cmd_misuse("record", "%s", error.text)
			       : 0;
	case OPTION_UNWINDER:
		if (strcmp(value, "tables") && strcmp(value, "copy"))
			return scope_cmd_misuse("record", "--unwinder wants tables or copy, not '%s'", value);
		capture->stack_mode = !strcmp(value, "tables") ? (enum scope_stack_mode)SCOPE_STACK_TABLES
							       : SCOPE_STACK_COPY;
		return 0;
	case SCOPE_OPTION_SUBBUF_BYTES:
		if (power_of_two(value, SCOPE_SUBBUF_BYTES_MIN, SCOPE_SUBBUF_BYTES_MAX, &capture->subbuf_bytes))
			return scope_cmd_misuse("record",
						"--subbuf-bytes wants a power of two from %u "
						"to %u, not '%s'",
						SCOPE_SUBBUF_BYTES_MIN, SCOPE_SUBBUF_BYTES_MAX, value);
		return 0;
	default:
		if (power_of_two(value, SCOPE_SUBBUF_COUNT_MIN, SCOPE_SUBBUF_COUNT_MAX, &capture->subbuf_count))
			return scope_cmd_misuse("record",
						"--subbuf-count wants a power of two from %u "
						"to %u, not '%s'",
						SCOPE_SUBBUF_COUNT_MIN, SCOPE_SUBBUF_COUNT_MAX, value);
		return 0;
	}
}

/* Checks the options together, and sets values that follow from them. 0, or an exit status. */
static int settle(struct scope_cmd_record *request)
{
	struct scope_recorder_options *recorder = &request->recorder;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	request->capture.pid = request->selection.pid;
	request->capture.selection = &request->selection;
	if (!request->capture.pid && !request->command)
		return scope_cmd_misuse("record", "which process? name it with -p PID, threads with -t, "
						  "--comm or --cgroup, or a command after --");
	if (request->capture.pid && request->command)
		return scope_cmd_misuse("record", "-p and a command exclude each other");
	if (request->output && !strcmp(request->output, "-") && (recorder->flight_ns || recorder->keep))
		return scope_cmd_misuse("record", "--flight and --rotate write files in turn: name them with -o NAME");
	if (recorder->triggers && !recorder->flight_ns)
		return scope_cmd_misuse("record", "--trigger goes with --flight");
	if (recorder->max_bytes && recorder->flight_ns)
		return scope_cmd_misuse("record", "--max-size does not go with --flight; "
						  "--flight-memory bounds what it holds");
	if (recorder->keep && !recorder->max_bytes)
		recorder->max_bytes = ROTATE_BYTES;
	if (!request->duration && (recorder->keep || request->command))
		request->capture.duration_ns = 0;
	if (recorder->flight_ns) {
		const uint64_t duration_ns = request->duration ? request->capture.duration_ns : 0;

		scope_capture_options_flight(&request->capture, cpus > 0 ? (uint32_t)cpus : 1);
		request->capture.duration_ns = duration_ns;
	}
	if (request->stackless) {
		memset(request->capture.stack_syscalls, 0, sizeof(request->capture.stack_syscalls));
		if (!request->capture.sample_period_ns)
			request->capture.stack_mode = SCOPE_STACK_NONE;
	}
	return 0;
}

/* 0, or -1 for an option that takes a value. */
static int take_flag(int option, struct scope_cmd_record *request)
{
	switch (option) {
	case 'h':
		request->help = true;
		return 0;
	case SCOPE_OPTION_NO_FOLLOW:
		request->capture.follow = false;
		return 0;
	case SCOPE_OPTION_RAW_STACKS:
		request->capture.raw_stacks = true;
		return 0;
	case SCOPE_OPTION_NO_STACKS:
		request->stackless = true;
		return 0;
	case SCOPE_OPTION_NO_SAMPLES:
		request->capture.sample_period_ns = 0;
		return 0;
	case SCOPE_OPTION_CHAIN:
		request->capture.stack_mode = SCOPE_STACK_CHAIN;
		return 0;
	case 'q':
		request->quiet = true;
		scope_cmd_be_quiet();
		return 0;
	case SCOPE_OPTION_SNAPSHOT:
		request->snapshot = true;
		return 0;
	}
	return -1;
}

/* 0, or the exit status for invalid options. */
static int take(int option, const char *value, struct scope_cmd_record *request)
{
	int status = take_flag(option, request);

	if (status < 0)
		status = take_file_value(option, value, &request->recorder);
	if (status < 0)
		status = scope_cmd_select("record", option, value, &request->selection);
	if (status < 0)
		status = scope_cmd_capture("record", option, value, &request->capture);
	return status < 0 ? take_value(option, value, request) : status;
}

int scope_cmd_record_parse(int argc, char **argv, struct scope_cmd_record *request)
{
	int option, status;

	request->recorder = (struct scope_recorder_options){ .flight_bytes = FLIGHT_BYTES,
							     .level = 1,
							     .cool_ns = SCOPE_RECORDER_COOL_NS };
	scope_capture_options_init(&request->capture, 0);
	while ((option = scope_cmd_line_next("record", argc, argv)) != -1) {
		if (option == '?')
			return scope_cmd_line_wrong("record", argv);
		status = take(option, optarg, request);
		if (status || request->help)
			return status;
	}
	if (optind < argc && !strcmp(argv[optind - 1], "--"))
		request->command = argv + optind;
	else if (optind < argc)
		return scope_cmd_misuse("record", "'%s' is not understood", argv[optind]);
	return request->snapshot ? 0 : settle(request);
}
