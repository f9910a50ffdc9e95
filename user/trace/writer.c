// SPDX-License-Identifier: GPL-2.0-only
/* Writes a trace: frames for metadata and sub-buffers, into a file or into a flight recorder. */
#include "trace/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/writer_internal.h"

int scope_trace_writer_fail(struct scope_writer *writer, int err)
{
	if (writer->output)
		return scope_trace_output_fail(writer->output, err);
	if (!writer->err) {
		writer->err = err;
		scope_error_set(&writer->problem, err,
				"cannot keep the trace in memory: %s; lower "
				"--flight-memory",
				strerror(-err));
	}
	return writer->err;
}

static int put_once(struct scope_writer *writer, const struct scope_frame_bytes *frame)
{
	static const uint8_t pad[SCOPE_FRAME_ALIGN];
	struct scope_output *output = writer->output;
	size_t payload = frame->head.payload_bytes;
	int err = scope_trace_output_begin(output, frame->bytes);

	if (!err && scope_trace_output_whole(output) == scope_trace_output_bytes(output) &&
	    writer->certain.frames != writer->counts.frames) {
		writer->before = writer->certain;
		writer->certain = writer->counts;
	}
	if (!err)
		err = scope_trace_output_put(output, &frame->head, sizeof(frame->head));
	if (!err)
		err = scope_trace_output_put(output, frame->payload, payload);
	if (!err)
		err = scope_trace_output_put(output, pad, scope_trace_frame_padded(payload) - payload);
	if (err)
		return err;
	writer->counts.frames++;
	writer->counts.subbufs += frame->head.type == SCOPE_FRAME_SUBBUF;
	return 0;
}

int scope_trace_writer_put_frame(struct scope_writer *writer, const struct scope_frame_bytes *frame)
{
	int err;

	/*
	 * The frame would not fit into the gap. If this step fails, the open part stays, and the end of the file
	 * handles it.
	 */
	if (frame->bytes > SCOPE_LATER_FRAME_MAX)
		(void)scope_trace_later_settle(&writer->later);
	err = put_once(writer, frame);
	return err && !scope_trace_later_make_room(&writer->later) ? put_once(writer, frame) : err;
}

int scope_trace_writer_put_row(struct scope_writer *writer, uint16_t type, const void *raw, size_t bytes)
{
	struct scope_frame_bytes frame;
	int err = scope_trace_framer_make(writer->framer, type, 0, raw, bytes, &frame);

	if (err)
		return err;
	if (writer->keep && type != SCOPE_FRAME_META && type != SCOPE_FRAME_INDEX && type != SCOPE_FRAME_END)
		err = scope_trace_metadata_frame(writer->keep, &frame);
	if (err)
		return scope_trace_writer_fail(writer, err);
	return writer->output ? scope_trace_writer_put_frame(writer, &frame) : 0;
}

int scope_trace_writer_put_header(struct scope_writer *writer)
{
	struct scope_file_header header = {
		.magic = SCOPE_FILE_MAGIC,
		.byte_order = SCOPE_FILE_BYTE_ORDER,
		.version = SCOPE_FILE_VERSION,
		.oldest_reader = SCOPE_FILE_OLDEST_READER,
		.header_bytes = sizeof(header),
	};
	int err = scope_trace_output_begin(writer->output, sizeof(header));

	return err ? err : scope_trace_output_put(writer->output, &header, sizeof(header));
}

/* The writer owns the output from here on (NULL: it has none). */
static int create(struct scope_output *output, const char *name, struct scope_error *error,
		  struct scope_writer **ret_writer)
{
	struct scope_writer *writer = calloc(1, sizeof(*writer));
	int err;

	if (!writer) {
		scope_trace_output_destroy(output);
		return scope_error_set(error, -ENOMEM, "cannot write %s: out of memory", name);
	}
	writer->output = output;
	writer->level = SCOPE_FRAMER_LEVEL_USUAL;
	err = scope_trace_framer_create(&writer->framer);
	if (!err && output)
		err = scope_trace_writer_put_header(writer);
	if (err) {
		scope_trace_writer_destroy(writer);
		return scope_error_set(error, err, "cannot write %s: %s", name, strerror(-err));
	}
	*ret_writer = writer;
	return 0;
}

int scope_trace_writer_create_fd(int fd, const char *name, struct scope_error *error, struct scope_writer **ret_writer)
{
	struct scope_output *output;
	int err = scope_trace_output_wrap(fd, name, error, &output);

	return err ? err : create(output, name, error, ret_writer);
}

int scope_trace_writer_create(const char *path, struct scope_error *error, struct scope_writer **ret_writer)
{
	struct scope_output *output;
	int err = scope_trace_output_create(path, error, &output);

	return err ? err : create(output, path, error, ret_writer);
}

int scope_trace_writer_create_flight(uint64_t span_ns, uint64_t memory_bytes, struct scope_error *error,
				     struct scope_writer **ret_writer)
{
	struct scope_writer *writer;
	int err = create(NULL, "to memory", error, &writer);

	if (err)
		return err;
	err = scope_trace_flight_create(span_ns, memory_bytes, &writer->flight);
	if (!err)
		err = scope_trace_writer_keep(writer);
	if (err) {
		scope_trace_writer_destroy(writer);
		return scope_error_set(error, err,
				       "no flight recorder of %" PRIu64 " bytes can be "
				       "had: %s",
				       memory_bytes, strerror(-err));
	}
	*ret_writer = writer;
	return 0;
}

int scope_trace_writer_keep(struct scope_writer *writer)
{
	return writer->keep ? 0 : scope_trace_metadata_create(&writer->keep);
}

void scope_trace_writer_set_level(struct scope_writer *writer, int level)
{
	writer->level = level;
	scope_trace_framer_set_level(writer->framer, level);
}

void scope_trace_writer_defer(struct scope_writer *writer, uint64_t most_bytes)
{
	if (!writer->output || !writer->level || !scope_trace_output_is_regular(writer->output))
		return;
	writer->later_bytes = most_bytes;
	scope_trace_later_begin(&writer->later, writer->output, writer->framer, &writer->index, writer->later_bytes);
}

int scope_trace_writer_work(struct scope_writer *writer)
{
	return scope_trace_later_step(&writer->later) > 0;
}

bool scope_trace_writer_forget_meta(struct scope_writer *writer, const char *key)
{
	if (!writer->flight)
		return false;
	scope_trace_metadata_forget_meta(writer->keep, key);
	return true;
}

void scope_trace_writer_forget_fds(struct scope_writer *writer)
{
	if (writer->keep)
		scope_trace_metadata_forget_fds(writer->keep);
	scope_trace_written_fds_clear(&writer->written_fds);
}

void scope_trace_writer_set_tap(struct scope_writer *writer, scope_writer_tap *tap, void *context)
{
	writer->tap = tap;
	writer->tap_context = context;
}

void scope_trace_writer_set_map_tap(struct scope_writer *writer, scope_writer_map_tap *tap, void *context)
{
	writer->map_tap = tap;
	writer->map_tap_context = context;
}

int scope_trace_writer_put_subbuf(struct scope_writer *writer, const struct scope_frame_bytes *frame,
				  struct scope_frame_place place)
{
	int err;

	err = scope_trace_writer_put_frame(writer, frame);
	place.offset = scope_trace_output_bytes(writer->output) - frame->bytes;
	if (!err && scope_trace_index_add(&writer->index, place))
		err = scope_trace_writer_fail(writer, -ENOMEM);
	return err;
}

/* Writes the sub-buffer unchanged; it is compressed later. Returns 0; 1 if it is to be compressed now; or -errno. */
static int put_deferred(struct scope_writer *writer, const struct scope_subbuf *subbuf)
{
	struct scope_frame_bytes frame;
	int err;

	if (!scope_trace_later_takes(&writer->later, sizeof(frame.head) + subbuf->used_bytes))
		return 1;
	err = scope_trace_framer_wrap(SCOPE_FRAME_SUBBUF, subbuf->cpu, subbuf, subbuf->used_bytes, &frame);
	if (!err)
		err = scope_trace_later_put(&writer->later, &frame);
	if (err)
		return scope_trace_later_make_room(&writer->later) ? err : 1;
	writer->counts.frames++;
	writer->counts.subbufs++;
	writer->certain = writer->counts;
	return 0;
}

int scope_trace_writer_subbuf(struct scope_writer *writer, const struct scope_subbuf *subbuf)
{
	struct scope_frame_place place = {
		.begin_ns = subbuf->begin_ns,
		.end_ns = subbuf->end_ns,
		.cpu = subbuf->cpu,
	};
	struct scope_frame_bytes frame;
	int err;

	if (subbuf->magic != SCOPE_SUBBUF_MAGIC || subbuf->used_bytes < sizeof(*subbuf) ||
	    subbuf->used_bytes > SCOPE_SUBBUF_BYTES_MAX || subbuf->used_bytes % 8)
		return -EINVAL;
	if (writer->tap)
		writer->tap(writer->tap_context, subbuf);
	if (subbuf->end_ns > writer->end_ns)
		writer->end_ns = subbuf->end_ns;
	err = put_deferred(writer, subbuf);
	if (err <= 0)
		return err;
	if (writer->flight && scope_trace_flight_has_room(writer->flight))
		err = scope_trace_framer_wrap(SCOPE_FRAME_SUBBUF, subbuf->cpu, subbuf, subbuf->used_bytes, &frame);
	else
		err = scope_trace_framer_make(writer->framer, SCOPE_FRAME_SUBBUF, subbuf->cpu, subbuf,
					      subbuf->used_bytes, &frame);
	if (err)
		return scope_trace_writer_fail(writer, err);
	if (writer->output)
		return scope_trace_writer_put_subbuf(writer, &frame, place);
	err = scope_trace_flight_add(writer->flight, &frame, subbuf);
	return err ? scope_trace_writer_fail(writer, err) : 0;
}

uint64_t scope_trace_writer_bytes(const struct scope_writer *writer)
{
	struct scope_trace_flight_state state;

	if (writer->output)
		return scope_trace_output_bytes(writer->output) - scope_trace_later_gap(&writer->later);
	scope_trace_flight_state(writer->flight, &state);
	return state.held_bytes;
}

int scope_trace_writer_flush(struct scope_writer *writer)
{
	int err = writer->output ? scope_trace_output_flush(writer->output) : 0;

	return err && !scope_trace_later_make_room(&writer->later) ? scope_trace_output_flush(writer->output) : err;
}

int scope_trace_writer_descriptor(const struct scope_writer *writer)
{
	return scope_trace_output_fd(writer->output);
}

const char *scope_trace_writer_error(const struct scope_writer *writer)
{
	return writer->output && !writer->err ? scope_trace_output_problem(writer->output) : writer->problem.text;
}

const char *scope_trace_writer_note(const struct scope_writer *writer)
{
	return writer->output ? scope_trace_output_note(writer->output) : "";
}

bool scope_trace_writer_is_special(const struct scope_writer *writer)
{
	return writer->output && scope_trace_output_is_special(writer->output);
}

int scope_trace_writer_end_file(struct scope_writer *writer)
{
	struct scope_frame_end end;
	int err = 0;

	/* An index that lacks some sub-buffers would be wrong. Readers can do without an index. */
	if (scope_trace_writer_flush(writer) || scope_trace_later_settle(&writer->later))
		scope_trace_index_clear(&writer->index);
	end.index = 0;
	if (writer->index.count) {
		end.index = scope_trace_output_bytes(writer->output);
		err = scope_trace_writer_put_row(writer, SCOPE_FRAME_INDEX, writer->index.place,
						 writer->index.count * sizeof(*writer->index.place));
	}
	end.frames = writer->counts.frames;
	end.subbufs = writer->counts.subbufs;
	if (!err)
		err = scope_trace_writer_put_row(writer, SCOPE_FRAME_END, &end, sizeof(end));
	if (!err)
		err = scope_trace_output_flush(writer->output);
	return err ? err : scope_trace_output_publish(writer->output);
}

int scope_trace_writer_finish(struct scope_writer *writer, struct scope_error *error)
{
	int err = writer->output ? scope_trace_writer_end_file(writer) : 0;

	if (err)
		return scope_error_set(error, err, "%s", scope_trace_output_problem(writer->output));
	return 0;
}

void scope_trace_writer_coverage(const struct scope_writer *writer, struct scope_trace_flight_state *ret_state)
{
	scope_trace_flight_state(writer->flight, ret_state);
}

void scope_trace_writer_destroy(struct scope_writer *writer)
{
	if (!writer)
		return;
	scope_trace_output_destroy(writer->output);
	scope_trace_flight_destroy(writer->flight);
	scope_trace_metadata_destroy(writer->keep);
	scope_trace_framer_destroy(writer->framer);
	scope_trace_index_destroy(&writer->index);
	scope_trace_later_destroy(&writer->later);
	scope_trace_written_fds_clear(&writer->written_fds);
	free(writer->scratch);
	free(writer);
}
