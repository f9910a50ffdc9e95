// SPDX-License-Identifier: GPL-2.0-only
/* Writes the content of a flight recorder to files. */
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/now.h"
#include "recorder/recorder_internal.h"
#include "trace/flight.h"

/* run NULL: the capture has ended, and its last metadata is in the flight recorder. */
static int fill_copy(struct scope_recorder *recorder, struct scope_capture_run *run, const char *reason,
		     uint64_t from_ns, struct scope_writer *file)
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

/* Writes the content of the flight recorder from from_ns on to that path. */
static int write_copy_to(struct scope_recorder *recorder, struct scope_capture_run *run, const char *reason,
			 const char *path, uint64_t from_ns, bool compress, struct scope_error *error,
			 uint64_t *ret_bytes)
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
	scope_recorder_say_note(recorder, scope_trace_writer_note(file));
	if (!err)
		*ret_bytes = scope_trace_writer_bytes(file);
	scope_trace_writer_destroy(file);
	return err;
}

/*
 * The file is compressed at once in two cases: after the end of the capture, when nothing waits; and if there is no
 * room for the uncompressed file, because events that are lost in that second matter less than the file.
 */
int scope_recorder_flight_write(struct scope_recorder *recorder, struct scope_capture_run *run, const char *reason,
				struct scope_error *error)
{
	const char *path = recorder->result.path;
	uint64_t bytes;
	int err = scope_recorder_name_next(recorder, error);

	if (!err)
		err = write_copy_to(recorder, run, reason, path, 0, !run, error, &bytes);
	if (run && scope_recorder_is_full(err))
		err = write_copy_to(recorder, run, reason, path, 0, true, error, &bytes);
	if (!err)
		scope_recorder_count_file(recorder, bytes);
	if (!err && run)
		scope_recorder_shrink(&recorder->shrinks, recorder->result.path, recorder->options->level);
	return err;
}

/* Writes the copy that the judge analyses. */
static void write_for_judge(struct scope_recorder *recorder, struct scope_capture_run *run)
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

/* A flight recorder continues even if its file could not be written. */
static void cut_flight(struct scope_recorder *recorder, struct scope_capture_run *run)
{
	const struct scope_recorder_judge *judge = recorder->options->judge;
	struct scope_error error = { "" };
	const uint64_t begin = scope_now_ns();
	char text[SCOPE_RECORDER_TEXT_BYTES], size[SCOPE_DURATION_TEXT], took[SCOPE_DURATION_TEXT];
	const int err = scope_recorder_flight_write(recorder, run, recorder->why, &error);

	if (err)
		snprintf(text, sizeof(text), "%s (wanted by %s; recording goes on)", error.text, recorder->why);
	else
		snprintf(text, sizeof(text), "%s: %s, written by %s in %s", recorder->result.path,
			 scope_size_write(size, recorder->result.bytes), recorder->why,
			 scope_duration_write(took, scope_now_ns() - begin));
	recorder->why[0] = '\0';
	scope_recorder_say(recorder, "%s", text);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "\n");
	scope_recorder_clients_answer(recorder, text);
	if (recorder->ordered)
		judge->written(judge->context, recorder->result.path, err ? &error : NULL);
	recorder->ordered = false;
}

/* run NULL: the capture has ended. */
void scope_recorder_flight_carry_out(struct scope_recorder *recorder, struct scope_capture_run *run)
{
	if (recorder->copy_fd >= 0)
		write_for_judge(recorder, run);
	if (recorder->why[0])
		cut_flight(recorder, run);
}
