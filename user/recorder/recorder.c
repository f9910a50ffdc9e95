// SPDX-License-Identifier: GPL-2.0-only
/* Runs a recording: writes its capture to one file, to several, or to a flight recorder. */
#include "recorder/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/duration.h"
#include "base/newfile.h"
#include "base/now.h"
#include "base/plain.h"
#include "recorder/control_socket.h"
#include "recorder/files.h"
#include "recorder/shrink.h"
#include "trace/flight.h"
#include "trace/writer.h"

#define CLIENTS_MAX 8
#define WHY_BYTES 128
#define TEXT_BYTES 4608
#define DEFER_IN_TURN_BYTES (16ull << 20)
#define DEFER_SHARE 16 /* of a limit on the file */

struct recorder {
	const struct scope_recorder_options *options;
	const struct scope_recorder_watch *watch;
	volatile sig_atomic_t *snapshot;
	struct scope_writer *writer;
	struct scope_recorder_socket *control; /* NULL: it could not be created */
	struct scope_newfile *turns;	       /* of files in turn: reserves the base of their names; else NULL */
	struct scope_target target;
	struct scope_capture_progress progress;
	struct scope_recorder_result result;
	uint64_t cool_ns;	 /* triggers are ignored before this time */
	char why[WHY_BYTES];	 /* why a file is to be written; "": none is */
	int copy_fd;		 /* where the judge wants a copy; -1: none is wanted */
	bool ordered;		 /* the judge wants the file */
	int client[CLIENTS_MAX]; /* wait for it */
	size_t clients;
	struct scope_recorder_shrinks shrinks;
};

__attribute__((format(printf, 2, 3))) static void say(const struct recorder *recorder, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	recorder->watch->say(recorder->watch->context, text);
}

static void read_flight(const struct recorder *recorder, struct scope_recorder_flight *ret_flight)
{
	struct scope_trace_flight_state state;
	uint64_t covered_ns;

	scope_trace_writer_coverage(recorder->writer, &state);
	covered_ns = state.end_ns > state.begin_ns ? state.end_ns - state.begin_ns : 0;
	*ret_flight = (struct scope_recorder_flight){
		.covered_s = (double)covered_ns / 1e9,
		.wanted_s = (double)recorder->options->flight_ns / 1e9,
		.held_bytes = state.held_bytes,
	};
	if (state.held_bytes)
		ret_flight->possible_s =
			ret_flight->covered_s * (double)recorder->options->flight_bytes / (double)state.held_bytes;
}

/* For `scope status`: lines of a key and a value. */
static void describe(const struct recorder *recorder, char *text, size_t size)
{
	const struct scope_capture_progress *progress = &recorder->progress;
	const double seconds = (double)progress->elapsed_ns / 1e9;
	struct scope_recorder_flight flight;
	struct rusage own = { 0 };
	char comm[SCOPE_PLAIN_COMM_BYTES], held[SCOPE_DURATION_TEXT], most[SCOPE_DURATION_TEXT];
	double cpu_s;
	int used;

	getrusage(RUSAGE_SELF, &own);
	cpu_s = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
		(double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6;
	read_flight(recorder, &flight);
	used = snprintf(text, size,
			"target    %s[%u]\nrunning   %.0f s, %" PRIu64 " events, %" PRIu64
			" lost\nholds     the last %.0f s of %.0f wanted, in %s of %s\n",
			scope_plain_comm(comm, recorder->target.comm), recorder->target.tgid, seconds,
			progress->records, progress->lost, flight.covered_s, flight.wanted_s,
			scope_size_write(held, flight.held_bytes),
			scope_size_write(most, recorder->options->flight_bytes));
	if (flight.possible_s > 0)
		used += snprintf(text + used, size - used, "enough    for %.0f s at this rate\n", flight.possible_s);
	snprintf(text + used, size - used,
		 "own       %.2f %% of a CPU, %.1f MB at most\nfiles     %u"
		 " written%s%.200s\n",
		 seconds > 0 ? 100 * cpu_s / seconds : 0, (double)own.ru_maxrss * 1024 / 1e6, recorder->result.files,
		 recorder->result.files ? ", the last is " : "", recorder->result.path);
}

static void serve_control(struct recorder *recorder)
{
	enum scope_recorder_request wish;
	char text[1024];
	int client;

	while (recorder->clients < CLIENTS_MAX && recorder->control &&
	       (wish = scope_recorder_socket_next(recorder->control, &client)) != SCOPE_RECORDER_REQUEST_NOTHING) {
		if (wish == SCOPE_RECORDER_REQUEST_STATUS) {
			describe(recorder, text, sizeof(text));
			scope_recorder_socket_answer(recorder->control, client, text);
			continue;
		}
		recorder->client[recorder->clients++] = client;
		snprintf(recorder->why, sizeof(recorder->why), "snapshot");
	}
}

static void answer_clients(struct recorder *recorder, const char *text)
{
	while (recorder->clients)
		scope_recorder_socket_answer(recorder->control, recorder->client[--recorder->clients], text);
}

/* Asks the judge, and keeps what it orders. False: nothing. */
static bool take_order(struct recorder *recorder, const char *trigger, bool ended)
{
	const struct scope_recorder_judge *judge = recorder->options->judge;
	char why[WHY_BYTES] = "";

	switch (judge->look(judge->context, trigger, ended, why, &recorder->copy_fd)) {
	case SCOPE_RECORDER_ORDER_NOTHING:
		return false;
	case SCOPE_RECORDER_ORDER_COPY:
		return true;
	case SCOPE_RECORDER_ORDER_FILE:
		recorder->ordered = true;
		snprintf(recorder->why, sizeof(recorder->why), "%.120s", why);
		return true;
	}
	return false;
}

static void look_for_reasons(struct recorder *recorder)
{
	const struct scope_recorder_options *options = recorder->options;
	char why[WHY_BYTES] = "";
	bool fired;

	serve_control(recorder);
	if (*recorder->snapshot) {
		*recorder->snapshot = 0;
		snprintf(recorder->why, sizeof(recorder->why), "signal");
	}
	/* Evaluated also during the pause after a trigger, because it must see every second. */
	fired = options->triggers && scope_recorder_triggers_fired(options->triggers, scope_now_ns(), why);
	if (options->judge && !recorder->why[0])
		take_order(recorder, fired ? why : "", false);
	else if (!options->judge && fired && scope_now_ns() >= recorder->cool_ns) {
		recorder->cool_ns = scope_now_ns() + options->cool_ns;
		snprintf(recorder->why, sizeof(recorder->why), "trigger %.110s", why);
	}
}

static enum scope_capture_want want(void *context)
{
	struct recorder *recorder = context;
	const struct scope_recorder_options *options = recorder->options;

	if (options->flight_ns) {
		look_for_reasons(recorder);
		if (recorder->why[0])
			return SCOPE_WANT_CUT;
		return recorder->copy_fd >= 0 ? SCOPE_WANT_LOOK : SCOPE_WANT_NOTHING;
	}
	if (!options->max_bytes || scope_trace_writer_bytes(recorder->writer) < options->max_bytes)
		return SCOPE_WANT_NOTHING;
	return options->keep ? SCOPE_WANT_CUT : SCOPE_WANT_END;
}

static int name_next(struct recorder *recorder, struct scope_error *error)
{
	struct scope_recorder_result *result = &recorder->result;

	if (scope_recorder_files_name(recorder->options->output, time(NULL), result->path, sizeof(result->path)))
		return scope_error_set(error, -ENAMETOOLONG, "the name %.200s is too long", recorder->options->output);
	return 0;
}

static void say_note(const struct recorder *recorder, const char *note)
{
	if (note[0])
		say(recorder, "%s", note);
}

static void count_file(struct recorder *recorder, uint64_t bytes)
{
	recorder->result.files++;
	recorder->result.bytes = bytes;
	if (recorder->options->keep)
		scope_recorder_files_limit(recorder->options->output, recorder->options->keep,
					   recorder->options->beside);
}

/* run NULL: the capture has ended, and its last metadata is in the flight recorder. */
static int fill_copy(struct recorder *recorder, struct scope_capture_run *run, const char *reason, uint64_t from_ns,
		     struct scope_writer *file)
{
	struct scope_trace_flight_state state;
	char seconds[32];
	int err = 0;

	scope_trace_writer_coverage(recorder->writer, &state);
	if (from_ns < state.begin_ns)
		from_ns = state.begin_ns;
	snprintf(seconds, sizeof(seconds), "%.1f",
		 state.end_ns > from_ns ? (double)(state.end_ns - from_ns) / 1e9 : 0.0);
	err = scope_trace_writer_meta(file, SCOPE_META_FLIGHT_SECONDS, seconds);
	if (!err && run)
		err = scope_capture_write_end(run, reason, file);
	return err;
}

/* Writes what the flight recorder holds from from_ns on to that path. */
static int write_copy_to(struct recorder *recorder, struct scope_capture_run *run, const char *reason, const char *path,
			 uint64_t from_ns, bool compress, struct scope_error *error, uint64_t *ret_bytes)
{
	struct scope_writer *file;
	int err = 0;

	if (run && scope_capture_write_fds(run))
		err = scope_error_set(error, -ENOMEM, "no memory left to keep descriptors");
	if (!err)
		err = scope_trace_writer_copy(recorder->writer, path, from_ns, compress, error, &file);
	if (err)
		return err;
	err = fill_copy(recorder, run, reason, from_ns, file);
	if (err)
		scope_error_set(error, err, "%s", scope_trace_writer_error(file));
	else
		err = scope_trace_writer_finish(file, error);
	say_note(recorder, scope_trace_writer_note(file));
	if (!err)
		*ret_bytes = scope_trace_writer_bytes(file);
	scope_trace_writer_destroy(file);
	return err;
}

static bool is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EFBIG;
}

/*
 * It is compressed at once after the end of the capture, for which nothing waits, and if there is no room for it as it is: events that
 * are lost in that second matter less than the file.
 */
static int write_copy(struct recorder *recorder, struct scope_capture_run *run, const char *reason,
		      struct scope_error *error)
{
	const char *path = recorder->result.path;
	uint64_t bytes;
	int err = name_next(recorder, error);

	if (!err)
		err = write_copy_to(recorder, run, reason, path, 0, !run, error, &bytes);
	if (run && is_full(err))
		err = write_copy_to(recorder, run, reason, path, 0, true, error, &bytes);
	if (!err)
		count_file(recorder, bytes);
	if (!err && run)
		scope_recorder_shrink(&recorder->shrinks, recorder->result.path, recorder->options->level);
	return err;
}

/* What the judge looks at. */
static void write_for_judge(struct recorder *recorder, struct scope_capture_run *run)
{
	const struct scope_recorder_judge *judge = recorder->options->judge;
	struct scope_error error = { "" };
	const uint64_t from_ns = scope_trace_writer_newest(recorder->writer, judge->copy_bytes, judge->copy_ns);
	char path[64];
	uint64_t bytes;
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", recorder->copy_fd);
	recorder->copy_fd = -1;
	err = write_copy_to(recorder, run, "watch", path, from_ns, false, &error, &bytes);
	judge->copied(judge->context, err ? &error : NULL);
}

/* A flight recorder goes on, even if its file could not be written. */
static void cut_flight(struct recorder *recorder, struct scope_capture_run *run)
{
	const struct scope_recorder_judge *judge = recorder->options->judge;
	struct scope_error error = { "" };
	const uint64_t begin = scope_now_ns();
	char text[TEXT_BYTES], size[SCOPE_DURATION_TEXT], took[SCOPE_DURATION_TEXT];
	const int err = write_copy(recorder, run, recorder->why, &error);

	if (err)
		snprintf(text, sizeof(text), "%s (wanted by %s; recording goes on)", error.text, recorder->why);
	else
		snprintf(text, sizeof(text), "%s: %s, written by %s in %s", recorder->result.path,
			 scope_size_write(size, recorder->result.bytes), recorder->why,
			 scope_duration_write(took, scope_now_ns() - begin));
	recorder->why[0] = '\0';
	say(recorder, "%s", text);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "\n");
	answer_clients(recorder, text);
	if (recorder->ordered)
		judge->written(judge->context, recorder->result.path, err ? &error : NULL);
	recorder->ordered = false;
}

/* run NULL: the capture has ended. */
static void carry_out(struct recorder *recorder, struct scope_capture_run *run)
{
	if (recorder->copy_fd >= 0)
		write_for_judge(recorder, run);
	if (recorder->why[0])
		cut_flight(recorder, run);
}

static int cut(void *context, struct scope_capture_run *run, struct scope_error *error)
{
	struct recorder *recorder = context;
	uint64_t bytes;
	int err;

	if (recorder->options->flight_ns) {
		carry_out(recorder, run);
		return 0;
	}
	/* Writes it at the end of this file; as kept metadata it is also at the head of the next one. */
	err = scope_capture_write_fds(run);
	if (!err)
		err = scope_capture_write_end(run, "rotate", recorder->writer);
	if (err)
		return scope_error_set(error, err, "%s", scope_trace_writer_error(recorder->writer));
	bytes = scope_trace_writer_bytes(recorder->writer);
	err = name_next(recorder, error);
	if (!err)
		err = scope_trace_writer_rotate(recorder->writer, recorder->result.path, error);
	if (err)
		return err;
	count_file(recorder, bytes);
	return 0;
}

static void begun(void *context, const struct scope_target *target)
{
	struct recorder *recorder = context;

	recorder->target = *target;
	recorder->watch->begun(recorder->watch->context, target);
}

static void progress(void *context, const struct scope_capture_progress *now)
{
	struct recorder *recorder = context;
	struct scope_recorder_flight flight;

	recorder->progress = *now;
	if (recorder->options->flight_ns)
		read_flight(recorder, &flight);
	recorder->watch->progress(recorder->watch->context, now, recorder->options->flight_ns ? &flight : NULL);
}

static void tap(void *context, const struct scope_subbuf *subbuf)
{
	scope_recorder_triggers_take(context, subbuf);
}

/* A second recorder that writes files in turn under this name would remove those of the first. */
static int hold_turns(struct recorder *recorder, struct scope_error *error)
{
	const char *output = recorder->options->output;
	int err = scope_newfile_create(output, 0600, error, &recorder->turns);

	if (!err && scope_newfile_is_special(recorder->turns))
		err = scope_error_set(error, -EINVAL,
				      "%.300s is no name for files in turn: name a regular "
				      "file",
				      output);
	return err;
}

/*
 * The bytes of sub-buffers that are not compressed yet. They do not reach a limit on the file, and the next file in
 * turn begins soon.
 */
static uint64_t defer_bytes(const struct scope_recorder_options *options)
{
	const uint64_t most = options->keep ? DEFER_IN_TURN_BYTES : SCOPE_WRITER_DEFER_BYTES;

	return options->max_bytes && options->max_bytes / DEFER_SHARE < most ? options->max_bytes / DEFER_SHARE : most;
}

static int open_writer(struct recorder *recorder, struct scope_error *error)
{
	const struct scope_recorder_options *options = recorder->options;
	struct scope_error why = { "" };
	int err = 0;

	if (options->keep)
		err = hold_turns(recorder, error);
	if (err)
		return err;
	if (options->keep)
		scope_recorder_files_clean(options->output);
	if (options->flight_ns)
		err = scope_trace_writer_create_flight(options->flight_ns, options->flight_bytes, error,
						       &recorder->writer);
	else if (options->keep)
		err = name_next(recorder, error);
	else
		snprintf(recorder->result.path, sizeof(recorder->result.path), "%s", options->output);
	if (!err && !options->flight_ns)
		err = scope_trace_writer_create(recorder->result.path, error, &recorder->writer);
	if (!err && options->keep && scope_trace_writer_keep(recorder->writer))
		err = scope_error_set(error, -ENOMEM, "no memory left to begin recording");
	if (err)
		return err;
	scope_trace_writer_set_level(recorder->writer, options->level);
	scope_trace_writer_defer(recorder->writer, defer_bytes(options));
	if (options->triggers)
		scope_trace_writer_set_tap(recorder->writer, tap, options->triggers);
	if (options->flight_ns && scope_recorder_socket_open(SCOPE_RECORDER_SOCKET_DIRECTORY, &why, &recorder->control))
		say(recorder,
		    "%s; without it `scope record --snapshot` does not reach this recorder, "
		    "SIGUSR1 does",
		    why.text);
	return 0;
}

/* The capture has ended: carries out what the judge still orders. */
static void order_last(struct recorder *recorder)
{
	while (take_order(recorder, "", true))
		carry_out(recorder, NULL);
}

/* The capture succeeded: ends the file. */
static int finish(struct recorder *recorder, struct scope_error *error)
{
	int err;

	if (recorder->options->judge) {
		order_last(recorder);
		return 0;
	}
	if (recorder->options->flight_ns)
		return write_copy(recorder, NULL, NULL, error);
	err = scope_trace_writer_finish(recorder->writer, error);
	say_note(recorder, scope_trace_writer_note(recorder->writer));
	recorder->result.special = scope_trace_writer_is_special(recorder->writer);
	if (!err)
		count_file(recorder, scope_trace_writer_bytes(recorder->writer));
	return err;
}

/* It failed: keeps the part that was written, and says so in the message. */
static void salvage(struct recorder *recorder, int err, struct scope_error *error)
{
	struct scope_error first = *error;
	char size[SCOPE_DURATION_TEXT];
	uint64_t bytes;

	if (recorder->options->judge) {
		order_last(recorder);
		return;
	}
	if (recorder->options->flight_ns) {
		if (recorder->progress.records && !write_copy(recorder, NULL, NULL, error))
			scope_error_set(error, err, "%.300s; what was held is in %.180s", first.text,
					recorder->result.path);
		else
			*error = first;
		return;
	}
	if (!scope_trace_writer_salvage(recorder->writer, is_full(err) ? "disk-full" : "error", &bytes)) {
		say_note(recorder, scope_trace_writer_note(recorder->writer));
		scope_error_set(error, err, "%.300s; %s of the trace were kept in %.150s", first.text,
				scope_size_write(size, bytes), recorder->result.path);
	}
}

int scope_recorder_run(const struct scope_recorder_options *options, const struct scope_source *source,
		       const struct scope_capture_options *capture, const volatile sig_atomic_t *stop,
		       volatile sig_atomic_t *snapshot, const struct scope_recorder_watch *watch,
		       struct scope_error *error, struct scope_recorder_result *ret_result)
{
	struct recorder recorder = { .options = options, .watch = watch, .snapshot = snapshot, .copy_fd = -1 };
	const struct scope_capture_watch inner = {
		.begun = begun,
		.progress = progress,
		.want = want,
		.cut = cut,
		.context = &recorder,
	};
	int err = open_writer(&recorder, error);

	if (err) {
		scope_trace_writer_destroy(recorder.writer);
		scope_newfile_destroy(recorder.turns);
		return err;
	}
	err = scope_capture(source, capture, recorder.writer, stop, &inner, error, &recorder.result.stats);
	if (!err)
		err = finish(&recorder, error);
	if (err)
		salvage(&recorder, err, error);
	scope_recorder_shrink_end(&recorder.shrinks);
	answer_clients(&recorder, "the recorder has ended\n");
	scope_recorder_socket_close(recorder.control);
	scope_trace_writer_destroy(recorder.writer);
	scope_newfile_destroy(recorder.turns);
	if (!err)
		*ret_result = recorder.result;
	return err;
}
