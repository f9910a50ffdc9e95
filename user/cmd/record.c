// SPDX-License-Identifier: GPL-2.0-only
/* scope record: trace a process into a file. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <scope/event.h>
#include <scope/ring.h>

#include "cmd/cmd.h"
#include "source/source.h"
#include "trace/writer.h"

static const char usage[] =
	"Usage: scope record -p PID [OPTION...]\n"
	"Trace a process, its threads and descendants, into a file for `scope report -i`.\n\n"
	"  -p, --pid PID          the process (or one of its threads)\n"
	"  -d, --duration TIME    how long: 90, 1.5, 500ms, 2m (default 90 seconds)\n"
	"  -o, --output FILE      the trace file (default scope-PID.trace)\n"
	"      --no-follow        leave descendants out\n"
	"      --no-stacks        take no stacks at slow calls\n"
	"      --no-samples       do not sample what runs\n"
	"      --chain            walk frame pointers in the kernel instead of copying the stack\n"
	"      --stack-bytes N    slice of the stack to copy (default 8192)\n"
	"      --subbuf-bytes N   size of a sub-buffer, a power of two (default 262144)\n"
	"      --subbuf-count N   sub-buffers per CPU, a power of two (default 8)\n"
	"      --source NAME      kmod (the module) or perf (default: the module where it can be used)\n"
	"  -h, --help             this text\n\n"
	"Ctrl-C ends the trace early and keeps the file. Needs root.\n";

enum {
	OPTION_NO_FOLLOW = 256,
	OPTION_NO_STACKS,
	OPTION_NO_SAMPLES,
	OPTION_CHAIN,
	OPTION_STACK_BYTES,
	OPTION_SUBBUF_BYTES,
	OPTION_SUBBUF_COUNT,
	OPTION_SOURCE,
};

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "duration", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "no-follow", no_argument, NULL, OPTION_NO_FOLLOW },
	{ "no-stacks", no_argument, NULL, OPTION_NO_STACKS },
	{ "no-samples", no_argument, NULL, OPTION_NO_SAMPLES },
	{ "chain", no_argument, NULL, OPTION_CHAIN },
	{ "stack-bytes", required_argument, NULL, OPTION_STACK_BYTES },
	{ "subbuf-bytes", required_argument, NULL, OPTION_SUBBUF_BYTES },
	{ "subbuf-count", required_argument, NULL, OPTION_SUBBUF_COUNT },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct request {
	struct scope_capture_options capture;
	const char *output; /* NULL: named after the process */
	const char *source; /* NULL: the best there is */
	bool stackless;	    /* no stacks of syscalls */
	bool help;
};

static int power_of_two(const char *text, uint32_t low, uint32_t high, uint32_t *ret_number)
{
	uint64_t number;

	if (scope_cmd_number(text, low, high, &number) || number & (number - 1))
		return -1;
	*ret_number = (uint32_t)number;
	return 0;
}

/* 0, or the exit status for a value that makes no sense. */
static int take_value(int option, const char *value, struct request *request)
{
	struct scope_capture_options *capture = &request->capture;
	uint64_t number;

	switch (option) {
	case 'p':
		if (scope_cmd_number(value, 1, SCOPE_TID_MASK, &number))
			return scope_cmd_misuse("record", "-p wants the number of a process, not '%s'",
						value);
		capture->pid = (uint32_t)number;
		return 0;
	case 'd':
		if (scope_cmd_seconds(value, &capture->duration_ns))
			return scope_cmd_misuse("record", "-d wants a time as 90, 1.5, 500ms or 2m, up "
						"to 168h, not '%s'", value);
		return 0;
	case OPTION_STACK_BYTES:
		if (scope_cmd_number(value, 64, SCOPE_STACK_BYTES_MAX, &number) || number % 8)
			return scope_cmd_misuse("record", "--stack-bytes wants a multiple of 8 from 64 "
						"to %d, not '%s'", SCOPE_STACK_BYTES_MAX, value);
		capture->stack_bytes = (uint32_t)number;
		return 0;
	case OPTION_SUBBUF_BYTES:
		if (power_of_two(value, SCOPE_SUBBUF_BYTES_MIN, SCOPE_SUBBUF_BYTES_MAX,
				 &capture->subbuf_bytes))
			return scope_cmd_misuse("record", "--subbuf-bytes wants a power of two from %u "
						"to %u, not '%s'", SCOPE_SUBBUF_BYTES_MIN,
						SCOPE_SUBBUF_BYTES_MAX, value);
		return 0;
	default:
		if (power_of_two(value, SCOPE_SUBBUF_COUNT_MIN, SCOPE_SUBBUF_COUNT_MAX,
				 &capture->subbuf_count))
			return scope_cmd_misuse("record", "--subbuf-count wants a power of two from %u "
						"to %u, not '%s'", SCOPE_SUBBUF_COUNT_MIN,
						SCOPE_SUBBUF_COUNT_MAX, value);
		return 0;
	}
}

/* 0, or the exit status of a wrong command line. */
static int parse(int argc, char **argv, struct request *request)
{
	int option, status;

	while ((option = getopt_long(argc, argv, "p:d:o:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'h':
			request->help = true;
			return 0;
		case 'o':
			request->output = optarg;
			break;
		case OPTION_SOURCE:
			request->source = optarg;
			break;
		case OPTION_NO_FOLLOW:
			request->capture.follow = false;
			break;
		case OPTION_NO_STACKS:
			request->stackless = true;
			break;
		case OPTION_NO_SAMPLES:
			request->capture.sample_period_ns = 0;
			break;
		case OPTION_CHAIN:
			request->capture.stack_mode = SCOPE_STACK_CHAIN;
			break;
		case '?':
			return scope_cmd_misuse("record", "that option is not understood");
		default:
			status = take_value(option, optarg, request);
			if (status)
				return status;
		}
	}
	if (optind < argc)
		return scope_cmd_misuse("record", "'%s' is not understood", argv[optind]);
	if (!request->capture.pid)
		return scope_cmd_misuse("record", "which process? name it with -p PID");
	if (request->stackless) {
		memset(request->capture.stack_syscalls, 0, sizeof(request->capture.stack_syscalls));
		if (!request->capture.sample_period_ns)
			request->capture.stack_mode = SCOPE_STACK_NONE;
	}
	return 0;
}

static void begun(void *context, const struct scope_target *target)
{
	(void)context;
	if (target->note[0])
		fprintf(stderr, "scope record: %s\n", target->note);
}

static void progress(void *context, const struct scope_capture_progress *now)
{
	const double elapsed = (double)now->elapsed_ns / 1e9;
	const double left = (double)now->duration_ns / 1e9 - elapsed;

	(void)context;
	scope_cmd_progress("recording: %.0f s left, %" PRIu64 " events, %" PRIu64 " lost, %.1f MB",
			   left > 0 ? left : 0, now->records, now->lost, (double)now->bytes / 1e6);
}

static void print_summary(const char *output, const struct scope_capture_stats *stats,
			  uint64_t bytes)
{
	static const char *const ends[] = {
		[SCOPE_CAPTURE_TIME] = "",
		[SCOPE_CAPTURE_INTERRUPT] = ", interrupted",
		[SCOPE_CAPTURE_TARGET_GONE] = ", the process ended",
	};
	uint64_t lost = 0;
	int reason;

	for (reason = 0; reason < SCOPE_LOST_REASONS; reason++)
		lost += stats->counts.lost[reason];
	scope_cmd_progress_end();
	printf("%s: %s[%u], %.1f s%s, %" PRIu64 " events, %" PRIu64 " lost, %" PRIu64
	       " stacks, %.1f MB\n", output, stats->target.comm, stats->target.tgid,
	       (double)(stats->end_ns - stats->begin_ns) / 1e9, ends[stats->end], stats->counts.records, lost,
	       stats->counts.stacks, (double)bytes / 1e6);
	if (stats->counts.lost[SCOPE_LOST_FULL])
		printf("%" PRIu64 " events found the rings full: enlarge them with --subbuf-count\n",
		       stats->counts.lost[SCOPE_LOST_FULL]);
	if (stats->counts.filter_full)
		printf("%" PRIu64 " processes could not be followed: %d at once can\n",
		       stats->counts.filter_full, SCOPE_FILTER_SLOTS);
}

static int capture(const struct request *request, const struct scope_source *source,
		   const char *output, struct scope_error *error)
{
	const struct scope_capture_watch watch = { .begun = begun, .progress = progress };
	const volatile sig_atomic_t *stop = scope_cmd_catch_signals();
	struct scope_capture_stats stats;
	struct scope_writer *writer;
	int code;

	code = scope_writer_create(output, error, &writer);
	if (code)
		return code;
	code = scope_capture(source, &request->capture, writer, stop, &watch, error, &stats);
	if (!code)
		code = scope_writer_finish(writer, error);
	if (!code)
		print_summary(output, &stats, scope_writer_bytes(writer));
	scope_writer_destroy(writer);
	return code;
}

int scope_cmd_record(int argc, char **argv)
{
	struct request request = { 0 };
	const struct scope_source *source;
	struct scope_error error = { 0 };
	char output[64];
	int status;

	scope_capture_options_init(&request.capture, 0);
	status = parse(argc, argv, &request);
	if (status)
		return status;
	if (request.help) {
		fputs(usage, stdout);
		return SCOPE_EXIT_DONE;
	}
	status = scope_cmd_source("record", request.source, &source);
	if (status)
		return status;
	snprintf(output, sizeof(output), "scope-%u.trace", request.capture.pid);
	if (capture(&request, source, request.output ? request.output : output, &error))
		return scope_cmd_fail("record", &error);
	return SCOPE_EXIT_DONE;
}
