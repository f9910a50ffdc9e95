// SPDX-License-Identifier: GPL-2.0-only
/* scope record: trace a process into a file. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <scope/event.h>
#include <scope/ring.h>

#include "base/duration.h"
#include "cmd/cmd.h"
#include "cmd/held.h"
#include "cmd/probe.h"
#include "recorder/door.h"
#include "recorder/recorder.h"
#include "source/defaults.h"
#include "source/source.h"
#include "trace/flight.h"
#include "trace/writer.h"

static const char usage[] =
	"Usage: scope record -p PID [OPTION...]\n"
	"       scope record [OPTION...] -- COMMAND [ARGUMENT...]\n"
	"       scope record --snapshot\n"
	"Trace a process, its threads and descendants, into a file for `scope report -i`.\n\n"
	"  -p, --pid PID          the process (or one of its threads); may be repeated\n"
	"  -t, --tid TID          one thread alone; may be repeated\n"
	"      --comm NAME        threads while they have this name (NAME* all that begin so)\n"
	"      --cgroup PATH      threads while they are in this control group\n"
	"      --syscalls LIST    record these calls alone: read,futex,202\n"
	"  -d, --duration TIME    how long: 90, 1.5, 500ms, 2m (default 90 seconds)\n"
	"                         (without end with --flight, --rotate or a COMMAND)\n"
	"  -o, --output FILE      the trace file (default scope-PID.trace)\n"
	"      --max-size SIZE    end, or go on in the next file, at 500k, 64M, 2G\n"
	"      --rotate N         files in turn, named FILE-DATE-TIME; the latest N stay\n"
	"      --compress LEVEL   of zstd, 1 to 19; 0: off (default 1)\n"
	"      --flight[=TIME]    keep the last 300 s (or TIME) in memory; write them on SIGUSR1,\n"
	"                         --snapshot, a trigger, and at the end\n"
	"      --flight-memory SIZE  at most so much memory for it (default 256M)\n"
	"      --trigger WHEN     rate:SYSCALL<50%, unit>200ms, hang>10s, runqueue>20%;\n"
	"                         up to 16 of them\n"
	"      --cool-off TIME    no trigger counts for so long after one (default 60)\n"
	"      --snapshot         have all running flight recorders write their files now\n"
	"      --no-follow        leave descendants out\n"
	"      --no-stacks        take no stacks at slow calls\n"
	"      --no-samples       do not sample what runs\n"
	"      --chain            walk frame pointers in the kernel instead of copying the stack\n"
	"      --stack-budget N   take stacks of the slowest calls, so many a second (default: half of\n"
	"                         1000 on each CPU); 0: of all slow calls, from the first second on\n"
	"      --stack-bytes N    slice of the stack to copy (default 8192)\n"
	"      --subbuf-bytes N   size of a sub-buffer, a power of two (default 262144)\n"
	"      --subbuf-count N   sub-buffers per CPU, a power of two (default 8)\n"
	"      --block            record requests to block devices and how long they took\n"
	"      --probe PLACE      record each time a thread comes there: k:SYMBOL or kr:SYMBOL (a\n"
	"                         kernel function and its return), u:PATH:FUNCTION or\n"
	"                         ur:PATH:FUNCTION (of a program; an offset in the file will do);\n"
	"                         ,args=N and ,stack behind it; as often as needed\n"
	"      --max-overhead PCT the module stops tracing where probes take more of a CPU (default\n"
	"                         50, 0: any share)\n"
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
	OPTION_MAX_OVERHEAD,
	OPTION_STACK_BUDGET,
	OPTION_SOURCE,
	OPTION_MAX_SIZE,
	OPTION_ROTATE,
	OPTION_COMPRESS,
	OPTION_FLIGHT,
	OPTION_FLIGHT_MEMORY,
	OPTION_TRIGGER,
	OPTION_COOL_OFF,
	OPTION_SNAPSHOT,
	OPTION_BLOCK,
	OPTION_PROBE,
};

static const struct option long_options[] = {
	SCOPE_CMD_SELECT_LONG,
	{ "duration", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "no-follow", no_argument, NULL, OPTION_NO_FOLLOW },
	{ "no-stacks", no_argument, NULL, OPTION_NO_STACKS },
	{ "no-samples", no_argument, NULL, OPTION_NO_SAMPLES },
	{ "chain", no_argument, NULL, OPTION_CHAIN },
	{ "stack-bytes", required_argument, NULL, OPTION_STACK_BYTES },
	{ "subbuf-bytes", required_argument, NULL, OPTION_SUBBUF_BYTES },
	{ "subbuf-count", required_argument, NULL, OPTION_SUBBUF_COUNT },
	{ "max-overhead", required_argument, NULL, OPTION_MAX_OVERHEAD },
	{ "stack-budget", required_argument, NULL, OPTION_STACK_BUDGET },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "max-size", required_argument, NULL, OPTION_MAX_SIZE },
	{ "rotate", required_argument, NULL, OPTION_ROTATE },
	{ "compress", required_argument, NULL, OPTION_COMPRESS },
	{ "flight", optional_argument, NULL, OPTION_FLIGHT },
	{ "flight-memory", required_argument, NULL, OPTION_FLIGHT_MEMORY },
	{ "trigger", required_argument, NULL, OPTION_TRIGGER },
	{ "cool-off", required_argument, NULL, OPTION_COOL_OFF },
	{ "snapshot", no_argument, NULL, OPTION_SNAPSHOT },
	{ "block", no_argument, NULL, OPTION_BLOCK },
	{ "probe", required_argument, NULL, OPTION_PROBE },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct request {
	struct scope_capture_options capture;
	struct scope_selection selection;
	const char *output; /* NULL: named after the process */
	const char *source; /* NULL: the best there is */
	char **command;	    /* to be started; NULL: none */
	struct scope_recorder_options recorder;
	bool duration;	    /* one was named */
	bool stackless;	    /* no stacks of syscalls */
	bool snapshot, help;
	struct scope_probe probe[SCOPE_PROBE_MAX];
};

#define FLIGHT_NS 300000000000ull
#define FLIGHT_BYTES (256ull << 20)
#define ROTATE_MAX 100000
#define ROTATE_BYTES (64ull << 20)

/* 0, -1 for an option that is not of these, or the exit status for a value that makes no sense. */
static int take_file_value(int option, const char *value, struct scope_recorder_options *recorder)
{
	struct scope_error error = { "" };
	uint64_t number;

	switch (option) {
	case OPTION_MAX_SIZE:
		if (scope_size_parse(value, &recorder->max_bytes) || recorder->max_bytes < 65536)
			return scope_cmd_misuse("record", "--max-size wants a size of 64k or more, as "
						"500k, 64M or 2G, not '%s'", value);
		return 0;
	case OPTION_ROTATE:
		if (scope_cmd_number(value, 1, ROTATE_MAX, &number))
			return scope_cmd_misuse("record", "--rotate wants a number of files from 1 to "
						"%d, not '%s'", ROTATE_MAX, value);
		recorder->keep = (uint32_t)number;
		return 0;
	case OPTION_COMPRESS:
		if (scope_cmd_number(value, 0, SCOPE_WRITER_LEVEL_MAX, &number))
			return scope_cmd_misuse("record", "--compress wants a level from 0 to %d, not "
						"'%s'", SCOPE_WRITER_LEVEL_MAX, value);
		recorder->level = (int)number;
		return 0;
	case OPTION_FLIGHT:
		recorder->flight_ns = FLIGHT_NS;
		if (value && scope_cmd_seconds(value, &recorder->flight_ns))
			return scope_cmd_misuse("record", "--flight wants a time as =300 or =5m, not "
						"'%s'", value);
		return 0;
	case OPTION_FLIGHT_MEMORY:
		if (scope_size_parse(value, &recorder->flight_bytes) ||
		    recorder->flight_bytes < SCOPE_FLIGHT_BYTES_MIN)
			return scope_cmd_misuse("record", "--flight-memory wants a size of 4M or more, "
						"not '%s'", value);
		return 0;
	case OPTION_TRIGGER:
		if (!recorder->triggers && scope_triggers_create(&recorder->triggers))
			return scope_cmd_misuse("record", "no memory for triggers");
		if (scope_triggers_add(recorder->triggers, value, &error))
			return scope_cmd_misuse("record", "%s", error.text);
		return 0;
	case OPTION_COOL_OFF:
		if (scope_cmd_seconds(value, &recorder->cool_ns))
			return scope_cmd_misuse("record", "--cool-off wants a time as 60 or 10m, not "
						"'%s'", value);
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

/* Numbers of probes are counted from 1. */
static int take_probe(const char *text, struct request *request)
{
	uint32_t count = request->capture.probe_count;
	struct scope_error error = { 0 };
	int code;

	if (count == SCOPE_PROBE_MAX)
		return scope_cmd_misuse("record", "at most %d times --probe", SCOPE_PROBE_MAX);
	code = scope_cmd_probe_parse(text, &error, &request->probe[count]);
	if (code == -EINVAL)
		return scope_cmd_misuse("record", "%s", error.text);
	if (code)
		return scope_cmd_fail("record", &error);
	request->probe[count].id = (uint16_t)(count + 1);
	request->capture.probes = request->probe;
	request->capture.probe_count = count + 1;
	return 0;
}

/* 0, or the exit status for a value that makes no sense. */
static int take_value(int option, const char *value, struct request *request)
{
	struct scope_capture_options *capture = &request->capture;
	uint64_t number;

	switch (option) {
	case 'd':
		if (scope_cmd_seconds(value, &capture->duration_ns))
			return scope_cmd_misuse("record", "-d wants a time as 90, 1.5, 500ms or 2m, up "
						"to 168h, not '%s'", value);
		request->duration = true;
		return 0;
	case OPTION_PROBE:
		return take_probe(value, request);
	case OPTION_STACK_BYTES:
		if (scope_cmd_number(value, 64, SCOPE_STACK_BYTES_MAX, &number) || number % 8)
			return scope_cmd_misuse("record", "--stack-bytes wants a multiple of 8 from 64 "
						"to %d, not '%s'", SCOPE_STACK_BYTES_MAX, value);
		capture->stack_bytes = (uint32_t)number;
		return 0;
	case OPTION_STACK_BUDGET:
		if (scope_cmd_number(value, 0, 1000000, &number))
			return scope_cmd_misuse("record", "--stack-budget wants a number of stacks a "
						"second, or 0 for no choice among calls, not '%s'",
						value);
		capture->stack_budget = (uint32_t)number;
		return 0;
	case OPTION_MAX_OVERHEAD:
		if (scope_cmd_share(value, &capture->overhead_max))
			return scope_cmd_misuse("record", "--max-overhead wants a share of one CPU in "
						"percent, 0.1 to 100, or 0 for any, not '%s'", value);
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

/* What follows from the options taken together. 0, or an exit status. */
static int settle(struct request *request)
{
	struct scope_recorder_options *recorder = &request->recorder;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (request->capture.pid && request->command)
		return scope_cmd_misuse("record", "-p and a command exclude each other");
	if (recorder->triggers && !recorder->flight_ns)
		return scope_cmd_misuse("record", "--trigger goes with --flight");
	if (recorder->max_bytes && recorder->flight_ns)
		return scope_cmd_misuse("record", "--max-size does not go with --flight; "
					"--flight-memory bounds what it holds");
	if (recorder->keep && !recorder->max_bytes)
		recorder->max_bytes = ROTATE_BYTES;
	if (!request->duration && (recorder->flight_ns || recorder->keep || request->command))
		request->capture.duration_ns = 0;
	/* It runs for weeks: fewer stacks, so that it costs what nobody notices. */
	if (recorder->flight_ns) {
		request->capture.stacks_per_second = SCOPE_DEFAULT_FLIGHT_STACKS_PER_SECOND;
		if (request->capture.sample_period_ns)
			request->capture.sample_period_ns =
				scope_default_flight_period_ns(cpus > 0 ? (uint32_t)cpus : 1);
	}
	return 0;
}

/* 0, or the exit status of a wrong command line. */
static int parse(int argc, char **argv, struct request *request)
{
	int option, status;

	while ((option = getopt_long(argc, argv, SCOPE_CMD_SELECT_SHORT "d:o:h", long_options, NULL)) != -1) {
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
		case OPTION_BLOCK:
			request->capture.block = true;
			break;
		case OPTION_CHAIN:
			request->capture.stack_mode = SCOPE_STACK_CHAIN;
			break;
		case OPTION_SNAPSHOT:
			request->snapshot = true;
			break;
		case '?':
			return scope_cmd_misuse("record", "that option is not understood");
		default:
			status = take_file_value(option, optarg, &request->recorder);
			if (status < 0)
				status = scope_cmd_select("record", option, optarg,
							  &request->selection);
			if (status < 0)
				status = take_value(option, optarg, request);
			if (status)
				return status;
		}
	}
	if (optind < argc && !strcmp(argv[optind - 1], "--"))
		request->command = argv + optind;
	else if (optind < argc)
		return scope_cmd_misuse("record", "'%s' is not understood", argv[optind]);
	if (request->snapshot)
		return 0;
	request->capture.pid = request->selection.pid;
	request->capture.selection = &request->selection;
	if (!request->capture.pid && !request->command)
		return scope_cmd_misuse("record", "which process? name it with -p PID, threads with -t, "
					"--comm or --cgroup, or a command behind --");
	status = settle(request);
	if (status)
		return status;
	if (request->stackless) {
		memset(request->capture.stack_syscalls, 0, sizeof(request->capture.stack_syscalls));
		if (!request->capture.sample_period_ns)
			request->capture.stack_mode = SCOPE_STACK_NONE;
	}
	return 0;
}

/* Tracing is on: from here on a command may run. */
static void begun(void *context, const struct scope_target *target)
{
	scope_cmd_held_begun(context, target);
}

static void progress(void *context, const struct scope_capture_progress *now,
		     const struct scope_recorder_flight *flight)
{
	const double elapsed = (double)now->elapsed_ns / 1e9;
	const double left = (double)now->duration_ns / 1e9 - elapsed;

	(void)context;
	scope_cmd_tell_lossy("record", now->lost);
	if (flight)
		scope_cmd_progress("recording: holds the last %.0f of %.0f s in %.1f MB, %" PRIu64
				   " events, %" PRIu64 " lost", flight->covered_s, flight->wanted_s,
				   (double)flight->held_bytes / 1e6, now->records, now->lost);
	else if (now->duration_ns)
		scope_cmd_progress("recording: %.0f s left, %" PRIu64 " events, %" PRIu64 " lost, "
				   "%.1f MB", left > 0 ? left : 0, now->records, now->lost,
				   (double)now->bytes / 1e6);
	else
		scope_cmd_progress("recording: %.0f s, %" PRIu64 " events, %" PRIu64 " lost, %.1f MB",
				   elapsed, now->records, now->lost, (double)now->bytes / 1e6);
}

static void say(void *context, const char *text)
{
	(void)context;
	scope_cmd_progress_end();
	fprintf(stderr, "scope record: %s\n", text);
}

/* The file is whole, but not what was asked for. */
static int stopped_by_guard(const struct scope_capture_stats *stats, struct scope_error *error)
{
	return scope_error_set(error, -EOVERFLOW,
			       "stopped by the overload guard after %.1f s: probes took %u.%u %% of CPU %u; "
			       "the file holds what came before. Take less (--no-stacks, --no-samples), or "
			       "allow more with --max-overhead",
			       (double)(stats->end_ns - stats->begin_ns) / 1e9,
			       stats->counts.guard_share / 10, stats->counts.guard_share % 10,
			       stats->counts.guard_cpu);
}

static void print_summary(const char *output, const struct scope_capture_stats *stats,
			  uint64_t bytes)
{
	static const char *const ends[] = {
		[SCOPE_CAPTURE_TIME] = "",
		[SCOPE_CAPTURE_INTERRUPT] = ", interrupted",
		[SCOPE_CAPTURE_TARGET_GONE] = ", the process ended",
		[SCOPE_CAPTURE_SIZE] = ", the file has its size",
		[SCOPE_CAPTURE_GUARD] = ", stopped by the overload guard",
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

static int record(const struct request *request, const struct scope_source *source,
		  struct scope_cmd_held *held, struct scope_error *error)
{
	const struct scope_recorder_watch watch = {
		.begun = begun, .progress = progress, .say = say, .context = held,
	};
	const volatile sig_atomic_t *stop = scope_cmd_catch_signals();
	struct scope_recorder_result result;
	int code, status;

	code = scope_recorder_run(&request->recorder, source, &request->capture, stop,
				  scope_cmd_catch_usr1(), &watch, error, &result);
	if (scope_cmd_held_check(held, error)) {
		if (!code)
			unlink(result.path);
		return -ENOENT;
	}
	if (code)
		return code;
	print_summary(result.path, &result.stats, result.bytes);
	if (result.files > 1)
		printf("%u files were written, that is the last\n", result.files);
	status = held->launch ? scope_launch_status(held->launch) : 0;
	if (held->launch && status < 0)
		printf("%s[%u] goes on running\n", request->command[0],
		       scope_launch_pid(held->launch));
	else if (status > 0)
		printf("%s ended with status %d\n", request->command[0], status);
	return result.stats.end == SCOPE_CAPTURE_GUARD ? stopped_by_guard(&result.stats, error) : 0;
}

/* Starts the command where there is one, and holds it. */
static int record_target(struct request *request, const struct scope_source *source,
			 struct scope_error *error)
{
	struct scope_cmd_held held = { .name = "record" };
	char output[64];
	int code = scope_cmd_held_start(&held, request->command, &request->capture, error);

	if (code)
		return code;
	snprintf(output, sizeof(output), "scope-%u.trace", request->capture.pid);
	request->recorder.output = request->output ? request->output : output;
	code = record(request, source, &held, error);
	scope_cmd_held_free(&held);
	return code;
}

static void print_answer(void *context, unsigned int pid, const char *answer)
{
	(void)context;
	printf("recorder %u: %s", pid, answer);
}

static int ask_for_snapshots(void)
{
	struct scope_error error = { "" };
	const int count = scope_door_ask(SCOPE_DOOR_DIRECTORY, SCOPE_DOOR_SNAPSHOT, print_answer, NULL,
					 &error);

	if (!count)
		scope_error_set(&error, -ESRCH, "no flight recorder is running: start one with "
				"`scope record --flight -p PID`");
	return count > 0 ? SCOPE_EXIT_DONE : scope_cmd_fail("record", &error);
}

int scope_cmd_record(int argc, char **argv)
{
	static struct request request = {
		.recorder = {
			.flight_bytes = FLIGHT_BYTES, .level = 1,
			.cool_ns = SCOPE_RECORDER_COOL_NS,
		},
	};
	const struct scope_source *source;
	struct scope_error error = { 0 };
	int status;

	scope_capture_options_init(&request.capture, 0);
	status = parse(argc, argv, &request);
	if (status)
		return status;
	if (request.help) {
		fputs(usage, stdout);
		return SCOPE_EXIT_DONE;
	}
	if (request.snapshot)
		return ask_for_snapshots();
	status = scope_cmd_source("record", request.source, &source);
	if (status)
		return status;
	status = record_target(&request, source, &error);
	scope_triggers_destroy(request.recorder.triggers);
	return status ? scope_cmd_fail("record", &error) : SCOPE_EXIT_DONE;
}
