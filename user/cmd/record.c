// SPDX-License-Identifier: GPL-2.0-only
/* scope record: trace a process into a file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <scope/event.h>

#include "base/duration.h"
#include "base/plain.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/held.h"
#include "cmd/record_options.h"
#include "recorder/control_socket.h"
#include "recorder/files.h"
#include "report/numbers.h"

struct watched {
	const struct scope_cmd_record *request;
	struct scope_cmd_held *held;
};

/* Prints which files a recording with several files writes, and when. */
static void say_files(const struct scope_cmd_record *request)
{
	const struct scope_recorder_options *recorder = &request->recorder;
	char pattern[512];

	scope_recorder_files_pattern(recorder->output, pattern, sizeof(pattern));
	if (recorder->flight_ns)
		scope_cmd_say("record",
			      "each file is %s, written by `scope record --snapshot`, by SIGUSR1%s and at the end; "
			      "`scope report %s` reads the latest",
			      pattern, recorder->triggers ? ", by a trigger" : "", recorder->output);
	else if (recorder->keep)
		scope_cmd_say("record",
			      "each file is %s, and the latest %u are kept; `scope report %s` reads the latest",
			      pattern, recorder->keep, recorder->output);
}

/* Tracing is on: starts the command, if there is one. */
static void begun(void *context, const struct scope_target *target)
{
	const struct watched *watched = context;

	if (!watched->request->quiet)
		say_files(watched->request);
	scope_cmd_held_started(watched->held, target);
}

static void progress(void *context, const struct scope_capture_progress *now,
		     const struct scope_recorder_flight *flight)
{
	const double elapsed = (double)now->elapsed_ns / 1e9;
	const double left = (double)now->duration_ns / 1e9 - elapsed;
	char size[SCOPE_DURATION_TEXT];

	(void)context;
	scope_cmd_warn_lossy("record", now->lost);
	if (flight)
		scope_cmd_progress("recording: holds the last %.0f of %.0f s in %s, %" PRIu64 " events, %" PRIu64
				   " lost",
				   flight->covered_s, flight->wanted_s, scope_size_write(size, flight->held_bytes),
				   now->records, now->lost);
	else if (now->duration_ns)
		scope_cmd_progress("recording: %.0f s left, %" PRIu64 " events, %" PRIu64 " lost, %s",
				   left > 0 ? left : 0, now->records, now->lost, scope_size_write(size, now->bytes));
	else
		scope_cmd_progress("recording: %.0f s, %" PRIu64 " events, %" PRIu64 " lost, %s", elapsed, now->records,
				   now->lost, scope_size_write(size, now->bytes));
}

static void say(void *context, const char *text)
{
	(void)context;
	scope_cmd_note("record", text);
}

/* The file is complete, but the capture is not the requested one. */
static int stopped_by_guard(const struct scope_capture_stats *stats, struct scope_error *error)
{
	return scope_error_set(error, -EOVERFLOW,
			       "stopped by the overload guard after %.1f s: probes took %u.%u %% of CPU %u; "
			       "the file holds what came before. Take less (--no-stacks, --no-samples), or "
			       "allow more with --max-overhead",
			       (double)(stats->end_ns - stats->begin_ns) / 1e9, stats->counts.guard_share / 10,
			       stats->counts.guard_share % 10, stats->counts.guard_cpu);
}

static void print_summary(const char *output, const struct scope_capture_stats *stats, uint64_t bytes, FILE *out)
{
	static const char *const ends[] = {
		[SCOPE_CAPTURE_TIME] = "",
		[SCOPE_CAPTURE_INTERRUPT] = ", interrupted",
		[SCOPE_CAPTURE_TARGET_GONE] = ", the process ended",
		[SCOPE_CAPTURE_SIZE] = ", the file has its size",
		[SCOPE_CAPTURE_GUARD] = ", stopped by the overload guard",
	};
	char comm[SCOPE_PLAIN_COMM_BYTES];
	struct scope_text window, events, stacks;
	char size[SCOPE_DURATION_TEXT];
	uint64_t lost = 0;
	int reason;

	for (reason = 0; reason < SCOPE_LOST_REASONS; reason++)
		lost += stats->counts.lost[reason];
	scope_cmd_progress_end();
	scope_cmd_print(out, "%s: %s[%u], %s%s, %s, %" PRIu64 " lost, %s, %s",
			strcmp(output, "-") ? output : "standard output", scope_plain_comm(comm, stats->target.comm),
			stats->target.tgid, scope_report_format_window(&window, stats->end_ns - stats->begin_ns),
			ends[stats->end], scope_report_format_some(&events, stats->counts.records, "event"), lost,
			scope_report_format_some(&stacks, stats->counts.stacks, "stack"),
			scope_size_write(size, bytes));
	if (stats->counts.lost[SCOPE_LOST_FULL])
		fprintf(out, "%" PRIu64 " events found the rings full: enlarge them with --subbuf-count\n",
			stats->counts.lost[SCOPE_LOST_FULL]);
	if (stats->counts.filter_full)
		fprintf(out, "%" PRIu64 " processes could not be followed: %d at once can\n", stats->counts.filter_full,
			SCOPE_FILTER_HELD);
	if (stats->tables_refused || stats->maps_refused)
		fprintf(out,
			"the module had no room for %" PRIu32 " unwind tables, and %" PRIu32
			" times for the mappings of a process: their stacks were copied, which costs more\n",
			stats->tables_refused, stats->maps_refused);
	if (stats->counts.late)
		fprintf(out,
			"%" PRIu64 " new threads were followed from a moment after their start on: thread "
			"numbers began again from the lowest\n",
			stats->counts.late);
}

static int record(const struct scope_cmd_record *request, const struct scope_source *source,
		  struct scope_cmd_held *held, struct scope_error *error)
{
	struct watched watched = { request, held };
	const struct scope_recorder_watch watch = {
		.begun = begun,
		.progress = progress,
		.say = say,
		.context = &watched,
	};
	const volatile sig_atomic_t *stop = scope_cmd_catch_signals();
	struct scope_recorder_result result;
	FILE *out;
	int err, status;

	err = scope_recorder_run(&request->recorder, source, &request->capture, stop, scope_cmd_catch_usr1(), &watch,
				 error, &result);
	if (scope_cmd_held_check(held, error)) {
		if (!err && !result.special)
			unlink(result.path);
		return -ENOENT;
	}
	if (err)
		return err;
	/* The trace may go to standard output, so messages must not. */
	out = result.special ? stderr : stdout;
	if (!request->quiet)
		print_summary(result.path, &result.stats, result.bytes, out);
	if (result.files > 1 && !request->quiet)
		fprintf(out, "%u files were written, that is the last\n", result.files);
	status = held->launch ? scope_capture_launch_status(held->launch) : 0;
	if (held->launch && status < 0 && !request->quiet)
		scope_cmd_print(out, "%s[%u] goes on running", request->command[0],
				scope_capture_launch_pid(held->launch));
	else if (status > 0 && !request->quiet)
		scope_cmd_print(out, "%s ended with status %d", request->command[0], status);
	return result.stats.end == SCOPE_CAPTURE_GUARD ? stopped_by_guard(&result.stats, error) : 0;
}

/* Records the target. If there is a command, starts and holds it before, and gets its exit status. */
static int record_target(struct scope_cmd_record *request, const struct scope_source *source, int *ret_status,
			 struct scope_error *error)
{
	struct scope_cmd_held held = { .name = "record" };
	char output[64];
	int err = scope_cmd_held_start(&held, request->command, &request->capture, error);

	if (err)
		return err;
	snprintf(output, sizeof(output), "scope-%u.trace", request->capture.pid);
	request->recorder.output = request->output ? request->output : output;
	err = record(request, source, &held, error);
	*ret_status = scope_cmd_held_free(&held);
	return err;
}

static void print_answer(void *context, unsigned int pid, const char *answer)
{
	(void)context;
	printf("recorder %u: ", pid);
	scope_cmd_print_lines(answer);
}

static int ask_for_snapshots(void)
{
	struct scope_error error = { "" }, why = { "" };
	const int count = scope_recorder_socket_ask(SCOPE_RECORDER_SOCKET_DIRECTORY, SCOPE_RECORDER_REQUEST_SNAPSHOT,
						    print_answer, NULL, &why);

	if (count < 0)
		error = why;
	else if (!count)
		scope_error_set(&error, -ESRCH,
				"no flight recorder is running%s%.200s%s: start one with "
				"`scope record --flight -p PID`",
				why.text[0] ? " (" : "", why.text, why.text[0] ? ")" : "");
	return count > 0 ? SCOPE_EXIT_DONE : scope_cmd_fail("record", &error);
}

int scope_cmd_record(int argc, char **argv)
{
	static struct scope_cmd_record request;
	const struct scope_source *source;
	struct scope_error error = { 0 };
	int status, command_status = 0;

	status = scope_cmd_record_parse(argc, argv, &request);
	if (status)
		return status;
	if (request.help) {
		scope_cmd_line_help("record");
		return SCOPE_EXIT_DONE;
	}
	if (request.snapshot)
		return ask_for_snapshots();
	status = scope_cmd_source("record", request.source, &source);
	if (status)
		return status;
	status = record_target(&request, source, &command_status, &error);
	scope_recorder_triggers_destroy(request.recorder.triggers);
	return status ? scope_cmd_fail("record", &error) : command_status;
}
