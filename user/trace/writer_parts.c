// SPDX-License-Identifier: GPL-2.0-only
/* Makes several files of one capture, and saves what it can of a file that failed. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/writer_internal.h"

static int put_number(struct scope_writer *writer, const char *key, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return scope_trace_writer_meta(writer, key, text);
}

static uint64_t kept_number(const struct scope_keep *keep, const char *wanted)
{
	const char *key, *value;

	for (size_t i = 0; (key = scope_trace_metadata_key(keep, i, &value)); i++)
		if (!strcmp(key, wanted))
			return strtoull(value, NULL, 10);
	return 0;
}

/* Writes the begin of a file that starts in the middle of the capture. The wall clock is that of the file's begin. */
static int put_begin(const struct scope_keep *keep, struct scope_writer *file, uint64_t begin_ns)
{
	const uint64_t wall_ns = kept_number(keep, SCOPE_META_WALL_CLOCK);
	const uint64_t kept_ns = kept_number(keep, SCOPE_META_BEGIN);
	int err = 0;

	if (wall_ns)
		err = put_number(file, SCOPE_META_WALL_CLOCK, wall_ns + (begin_ns - kept_ns));
	return err ? err : put_number(file, SCOPE_META_BEGIN, begin_ns);
}

/* Ends the file where its output was cut. */
static int end_cut_file(struct scope_writer *writer, const struct scope_frame_end *counts, const char *reason)
{
	int err;

	if (scope_trace_later_settle(&writer->later))
		scope_trace_index_clear(&writer->index);
	scope_trace_index_cut(&writer->index, scope_trace_output_whole(writer->output));
	writer->counts = *counts;
	writer->end_ns = 0;
	for (size_t i = 0; i < writer->index.count; i++)
		if (writer->index.place[i].end_ns > writer->end_ns)
			writer->end_ns = writer->index.place[i].end_ns;
	err = put_number(writer, SCOPE_META_END, writer->end_ns);
	if (!err)
		err = scope_trace_writer_meta(writer, SCOPE_META_END_REASON, reason);
	return err ? err : scope_trace_writer_end_file(writer);
}

int scope_trace_writer_salvage(struct scope_writer *writer, const char *reason, uint64_t *ret_bytes)
{
	const struct scope_frame_end certain = writer->certain, before = writer->before;
	uint64_t whole_before;
	int err;

	if (!writer->output || !certain.subbufs)
		return -ENODATA;
	whole_before = scope_trace_output_whole_before(writer->output);
	/* Buffered bytes are dropped, because it is not known how many of them would fit on the disk. */
	err = scope_trace_output_cut(writer->output, scope_trace_output_whole(writer->output));
	if (err)
		return err;
	*ret_bytes = scope_trace_output_whole(writer->output);
	err = end_cut_file(writer, &certain, reason);
	/*
	 * There is no room even for the end, so drop the last piece. If sub-buffers are compressed later, compressing
	 * made room already.
	 */
	if (err && before.subbufs && whole_before && !scope_trace_output_cut(writer->output, whole_before)) {
		*ret_bytes = whole_before;
		err = end_cut_file(writer, &before, reason);
	}
	/* Without an end the file looks cut, but still holds most of the capture. */
	return err ? scope_trace_output_publish(writer->output) : 0;
}

/* Writes the kept metadata to another writer's file. */
static int put_kept(const struct scope_keep *keep, struct scope_writer *file)
{
	uint64_t frames, dropped;
	const char *key, *value;
	size_t bytes;
	const void *data = scope_trace_metadata_frames(keep, &bytes, &frames, &dropped);
	int err = 0;

	for (size_t i = 0; !err && (key = scope_trace_metadata_key(keep, i, &value)); i++)
		err = scope_trace_writer_meta(file, key, value);
	if (!err && dropped)
		err = put_number(file, "metadata_dropped", dropped);
	/* One frame at a time, because a piece must not be larger than a frame. */
	for (size_t at = 0; !err && at < bytes;) {
		const struct scope_frame *head = (const void *)((const uint8_t *)data + at);
		struct scope_frame_bytes frame = {
			.head = *head,
			.payload = head + 1,
			.bytes = sizeof(*head) + scope_trace_frame_padded(head->payload_bytes),
		};

		err = scope_trace_writer_put_frame(file, &frame);
		at += frame.bytes;
	}
	return err;
}

int scope_trace_writer_rotate(struct scope_writer *writer, const char *path, struct scope_error *error)
{
	struct scope_keep *keep = writer->keep;
	uint64_t begin_ns = writer->end_ns;
	struct scope_output *output;
	int err;

	err = put_number(writer, SCOPE_META_END, begin_ns);
	if (!err)
		err = scope_trace_writer_end_file(writer);
	if (err)
		return scope_error_set(error, err, "%s", scope_trace_writer_error(writer));
	err = scope_trace_output_create(path, error, &output);
	if (err)
		return err;
	scope_trace_output_destroy(writer->output);
	writer->output = output;
	writer->counts = writer->certain = (struct scope_frame_end){ 0 };
	scope_trace_index_clear(&writer->index);
	scope_trace_later_begin(&writer->later, output, writer->framer, &writer->index, writer->later_bytes);
	writer->keep = NULL; /* frames put now are kept already */
	err = scope_trace_writer_put_header(writer);
	if (!err)
		err = put_kept(keep, writer);
	writer->keep = keep;
	if (!err)
		err = scope_trace_writer_meta(writer, SCOPE_META_CONTINUES, "1");
	if (!err)
		err = put_begin(keep, writer, begin_ns);
	return err ? scope_error_set(error, err, "%s", scope_trace_writer_error(writer)) : 0;
}

struct flown {
	struct scope_writer *file;
	uint64_t from_ns;
	bool compress;
};

static int put_flown(const void *data, const struct scope_frame_place *place, void *context)
{
	const struct flown *flown = context;
	const struct scope_frame *head = data;
	struct scope_frame_bytes frame = {
		.head = *head,
		.payload = head + 1,
		.bytes = place->offset,
	};
	int err = 0;

	if (place->end_ns <= flown->from_ns)
		return 0;
	if (flown->compress && !(head->flags & SCOPE_FRAME_ZSTD))
		err = scope_trace_framer_make(flown->file->framer, head->type, head->cpu, head + 1, head->raw_bytes,
					      &frame);
	return err ? scope_trace_writer_fail(flown->file, err)
		   : scope_trace_writer_put_subbuf(flown->file, &frame, *place);
}

uint64_t scope_trace_writer_newest(const struct scope_writer *writer, uint64_t raw_bytes, uint64_t span_ns)
{
	return scope_trace_flight_newest(writer->flight, raw_bytes, span_ns);
}

int scope_trace_writer_copy(struct scope_writer *writer, const char *path, uint64_t from_ns, bool compress,
			    struct scope_error *error, struct scope_writer **ret_file)
{
	struct flown flown = { .from_ns = from_ns, .compress = compress };
	struct scope_trace_flight_state state;
	struct scope_writer *file;
	int err = scope_trace_writer_create(path, error, &file);

	if (err)
		return err;
	scope_trace_framer_set_level(file->framer, writer->level);
	scope_trace_flight_state(writer->flight, &state);
	err = put_kept(writer->keep, file);
	if (!err)
		err = scope_trace_writer_meta(file, SCOPE_META_CONTINUES, "1");
	if (!err)
		err = put_begin(writer->keep, file, from_ns > state.begin_ns ? from_ns : state.begin_ns);
	flown.file = file;
	if (!err)
		err = scope_trace_flight_walk(writer->flight, put_flown, &flown);
	if (err) {
		scope_error_set(error, err, "%s", scope_trace_writer_error(file));
		scope_trace_writer_destroy(file);
		return err;
	}
	*ret_file = file;
	return 0;
}
