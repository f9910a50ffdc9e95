// SPDX-License-Identifier: GPL-2.0-only
/* Runs a recording: writes its capture to one file, to several, or to a flight recorder. */
#include "recorder/recorder.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/duration.h"
#include "base/now.h"
#include "recorder/files.h"
#include "recorder/recorder_internal.h"
#include "trace/flight.h"

#define DEFER_IN_TURN_BYTES (16ull << 20)
#define DEFER_SHARE 16 /* part of a limit on the file */

void scope_recorder_say(const struct scope_recorder *recorder, const char *format, ...)
{
	char text[SCOPE_RECORDER_TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	recorder->watch->say(recorder->watch->context, text);
}

int scope_recorder_name_next(struct scope_recorder *recorder, struct scope_error *error)
{
	struct scope_recorder_result *result = &recorder->result;

	if (scope_recorder_files_name(recorder->options->output, time(NULL), result->path, sizeof(result->path)))
		return scope_error_set(error, -ENAMETOOLONG, "the name %.200s is too long", recorder->options->output);
	return 0;
}

void scope_recorder_say_note(const struct scope_recorder *recorder, const char *note)
{
	if (note[0])
		scope_recorder_say(recorder, "%s", note);
}

void scope_recorder_count_file(struct scope_recorder *recorder, uint64_t bytes)
{
	recorder->result.files++;
	recorder->result.bytes = bytes;
	if (recorder->options->keep)
		scope_recorder_files_limit(recorder->options->output, recorder->options->keep,
					   recorder->options->beside);
}

void scope_recorder_read_flight(const struct scope_recorder *recorder, struct scope_recorder_flight *ret_flight)
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

/* Asks the judge, and notes its order. Returns false if it orders nothing. */
static bool take_order(struct scope_recorder *recorder, const char *trigger, bool ended)
{
	const struct scope_recorder_judge *judge = recorder->options->judge;
	char why[SCOPE_RECORDER_WHY_BYTES] = "";

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

static void look_for_reasons(struct scope_recorder *recorder)
{
	const struct scope_recorder_options *options = recorder->options;
	char why[SCOPE_RECORDER_WHY_BYTES] = "";
	bool fired;

	scope_recorder_clients_serve(recorder);
	if (*recorder->snapshot) {
		*recorder->snapshot = 0;
		snprintf(recorder->why, sizeof(recorder->why), "signal");
	}
	/* Triggers are evaluated during the pause after a trigger, too, because they need every second. */
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
	struct scope_recorder *recorder = context;
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

static int cut(void *context, struct scope_capture_run *run, struct scope_error *error)
{
	struct scope_recorder *recorder = context;
	uint64_t bytes;
	int err;

	if (recorder->options->flight_ns) {
		scope_recorder_flight_carry_out(recorder, run);
		return 0;
	}
	/* Writes it at the end of this file; as kept metadata it is also at the head of the next one. */
	err = scope_capture_write_fds(run);
	if (!err)
		err = scope_capture_write_end(run, "rotate", recorder->writer);
	if (err)
		return scope_error_set(error, err, "%s", scope_trace_writer_error(recorder->writer));
	bytes = scope_trace_writer_bytes(recorder->writer);
	err = scope_recorder_name_next(recorder, error);
	if (!err)
		err = scope_trace_writer_rotate(recorder->writer, recorder->result.path, error);
	if (err)
		return err;
	scope_recorder_count_file(recorder, bytes);
	return 0;
}

static void begun(void *context, const struct scope_target *target)
{
	struct scope_recorder *recorder = context;

	recorder->target = *target;
	recorder->watch->begun(recorder->watch->context, target);
}

static void progress(void *context, const struct scope_capture_progress *now)
{
	struct scope_recorder *recorder = context;
	struct scope_recorder_flight flight;

	recorder->progress = *now;
	if (recorder->options->flight_ns)
		scope_recorder_read_flight(recorder, &flight);
	recorder->watch->progress(recorder->watch->context, now, recorder->options->flight_ns ? &flight : NULL);
}

static void tap(void *context, const struct scope_subbuf *subbuf)
{
	scope_recorder_triggers_take(context, subbuf);
}

/* A second recorder that writes files in turn under this name would remove those of the first. */
static int hold_turns(struct scope_recorder *recorder, struct scope_error *error)
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
 * Checks the place of the files: a flight recorder writes its first file late, but the user should know now if this
 * will fail.
 */
static int check_place(struct scope_recorder *recorder, struct scope_error *error)
{
	struct scope_newfile *file;
	int err = scope_recorder_name_next(recorder, error);

	if (!err)
		err = scope_newfile_create(recorder->result.path, 0600, error, &file);
	if (!err)
		scope_newfile_destroy(file);
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

static int open_writer(struct scope_recorder *recorder, struct scope_error *error)
{
	const struct scope_recorder_options *options = recorder->options;
	struct scope_error why = { "" };
	int err = 0;

	if (options->keep)
		err = hold_turns(recorder, error);
	else if (options->flight_ns)
		err = check_place(recorder, error);
	if (err)
		return err;
	if (options->keep)
		scope_recorder_files_clean(options->output);
	if (options->flight_ns)
		err = scope_trace_writer_create_flight(options->flight_ns, options->flight_bytes, error,
						       &recorder->writer);
	else if (options->keep)
		err = scope_recorder_name_next(recorder, error);
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
		scope_recorder_say(recorder,
				   "%s; without it `scope record --snapshot` does not reach this recorder, "
				   "SIGUSR1 does",
				   why.text);
	return 0;
}

/* The capture has ended: carries out the last orders of the judge. */
static void order_last(struct scope_recorder *recorder)
{
	while (take_order(recorder, "", true))
		scope_recorder_flight_carry_out(recorder, NULL);
}

/* The capture succeeded: ends the file. */
static int finish(struct scope_recorder *recorder, struct scope_error *error)
{
	int err;

	if (recorder->options->judge) {
		order_last(recorder);
		return 0;
	}
	if (recorder->options->flight_ns)
		return scope_recorder_flight_write(recorder, NULL, NULL, error);
	err = scope_trace_writer_finish(recorder->writer, error);
	scope_recorder_say_note(recorder, scope_trace_writer_note(recorder->writer));
	recorder->result.special = scope_trace_writer_is_special(recorder->writer);
	if (!err)
		scope_recorder_count_file(recorder, scope_trace_writer_bytes(recorder->writer));
	return err;
}

/* The capture failed: keeps the part that was written, and adds this to the message. */
static void salvage(struct scope_recorder *recorder, int err, struct scope_error *error)
{
	struct scope_error first = *error;
	char size[SCOPE_DURATION_TEXT];
	uint64_t bytes;

	if (recorder->options->judge) {
		order_last(recorder);
		return;
	}
	if (recorder->options->flight_ns) {
		if (recorder->progress.records && !scope_recorder_flight_write(recorder, NULL, NULL, error))
			scope_error_set(error, err, "%.300s; what was held is in %.180s", first.text,
					recorder->result.path);
		else
			*error = first;
		return;
	}
	if (!scope_trace_writer_salvage(recorder->writer, scope_recorder_is_full(err) ? "disk-full" : "error",
					&bytes)) {
		scope_recorder_say_note(recorder, scope_trace_writer_note(recorder->writer));
		scope_error_set(error, err, "%.300s; %s of the trace were kept in %.150s", first.text,
				scope_size_write(size, bytes), recorder->result.path);
	}
}

int scope_recorder_run(const struct scope_recorder_options *options, const struct scope_source *source,
		       const struct scope_capture_options *capture, const volatile sig_atomic_t *stop,
		       volatile sig_atomic_t *snapshot, const struct scope_recorder_watch *watch,
		       struct scope_error *error, struct scope_recorder_result *ret_result)
{
	struct scope_recorder recorder = { .options = options, .watch = watch, .snapshot = snapshot, .copy_fd = -1 };
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
	scope_recorder_clients_answer(&recorder, "the recorder has ended\n");
	scope_recorder_socket_close(recorder.control);
	scope_trace_writer_destroy(recorder.writer);
	scope_newfile_destroy(recorder.turns);
	if (!err)
		*ret_result = recorder.result;
	return err;
}
