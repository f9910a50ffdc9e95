// SPDX-License-Identifier: GPL-2.0-only
/* Compresses sub-buffers that are already in the file uncompressed. */
#include "trace/later.h"

#include <errno.h>
#include <libdeflate.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define FREE_SHARE 8		   /* an open part takes 1 / FREE_SHARE of the free room on the disk at most */
#define BOUND_MIN_BYTES (2u << 20) /* on a disk with less room frames are compressed at once */

void scope_trace_later_begin(struct scope_later *later, struct scope_output *output, struct scope_framer *framer,
			     struct scope_index *index, uint64_t most_bytes)
{
	later->output = output;
	later->framer = framer;
	later->index = index;
	later->most_bytes = most_bytes;
	later->packed = later->next = 0;
	later->catching_up = later->failed = false;
}

void scope_trace_later_destroy(struct scope_later *later)
{
	free(later->buffer);
	*later = (struct scope_later){ 0 };
}

uint64_t scope_trace_later_gap(const struct scope_later *later)
{
	return later->next - later->packed;
}

static struct scope_frame skip_head(uint64_t gap)
{
	struct scope_frame head = {
		.magic = SCOPE_FRAME_MAGIC,
		.type = SCOPE_FRAME_SKIP,
		.payload_bytes = (uint32_t)(gap - sizeof(head)),
	};

	head.head_crc = libdeflate_crc32(0, &head, offsetof(struct scope_frame, head_crc));
	return head;
}

static bool open_part(struct scope_later *later)
{
	const uint64_t gap = SCOPE_LATER_FRAME_MAX + sizeof(struct scope_frame);
	const struct scope_frame head = skip_head(gap);
	uint64_t at;

	if (scope_trace_output_flush(later->output))
		return false;
	later->bound_bytes = scope_trace_output_room(later->output) / FREE_SHARE;
	if (later->bound_bytes > later->most_bytes)
		later->bound_bytes = later->most_bytes;
	at = scope_trace_output_bytes(later->output);
	if (later->bound_bytes < BOUND_MIN_BYTES || scope_trace_output_gap(later->output, &head, sizeof(head), gap)) {
		later->most_bytes = 0;
		return false;
	}
	later->packed = at;
	later->next = at + gap;
	return true;
}

bool scope_trace_later_takes(struct scope_later *later, size_t bytes)
{
	if (!later->most_bytes || bytes > SCOPE_LATER_FRAME_MAX)
		return false;
	return scope_trace_later_is_open(later) || open_part(later);
}

/* Reads the frame at `next` into the buffer, and checks its head. 0 or -errno. */
static int read_frame(struct scope_later *later, struct scope_frame *ret_head)
{
	struct scope_frame head;
	uint64_t end = later->next + sizeof(head);
	int err = scope_trace_output_read(later->output, &head, sizeof(head), later->next);

	if (err)
		return err;
	end += scope_trace_frame_padded(head.payload_bytes);
	if (head.magic != SCOPE_FRAME_MAGIC || head.payload_bytes > SCOPE_LATER_FRAME_MAX ||
	    head.head_crc != libdeflate_crc32(0, &head, offsetof(struct scope_frame, head_crc)) ||
	    end > scope_trace_output_whole(later->output))
		return -EIO;
	*ret_head = head;
	if (scope_grow(&later->buffer, &later->capacity, scope_trace_frame_padded(head.payload_bytes), 1))
		return -ENOMEM;
	return scope_trace_output_read(later->output, later->buffer, scope_trace_frame_padded(head.payload_bytes),
				       later->next + sizeof(head));
}

/* Fills in *frame, which is at most as long as the frame in the buffer, and the place of a sub-buffer. */
static int make_frame(struct scope_later *later, const struct scope_frame *head, struct scope_frame_bytes *frame,
		      struct scope_frame_place *place)
{
	const struct scope_subbuf *subbuf = (const void *)later->buffer;

	*frame = (struct scope_frame_bytes){
		.head = *head,
		.payload = later->buffer,
		.bytes = sizeof(*head) + scope_trace_frame_padded(head->payload_bytes),
	};
	if (head->type != SCOPE_FRAME_SUBBUF)
		return 0;
	if (head->payload_bytes < sizeof(*subbuf) || head->flags)
		return -EIO;
	*place = (struct scope_frame_place){
		.offset = later->packed,
		.begin_ns = subbuf->begin_ns,
		.end_ns = subbuf->end_ns,
		.cpu = head->cpu,
	};
	return scope_trace_framer_make(later->framer, head->type, head->cpu, later->buffer, head->payload_bytes, frame);
}

/* Writes the frame to `packed`. The file is valid at any time. */
static int move_frame(struct scope_later *later, const struct scope_frame_bytes *frame, uint64_t next)
{
	const uint64_t after = later->packed + frame->bytes;
	const struct scope_frame skip = skip_head(next - after);
	const size_t payload = frame->head.payload_bytes, pad = scope_trace_frame_padded(payload) - payload;
	static const uint8_t zeros[SCOPE_FRAME_ALIGN];
	uint64_t at = later->packed + sizeof(frame->head);
	int err = scope_trace_output_replace(later->output, frame->payload, payload, at);

	if (!err && pad)
		err = scope_trace_output_replace(later->output, zeros, pad, at + payload);
	if (!err)
		err = scope_trace_output_replace(later->output, &skip, sizeof(skip), after);
	if (!err)
		err = scope_trace_output_replace(later->output, &frame->head, sizeof(frame->head), later->packed);
	if (err)
		return err;
	later->packed = after;
	later->next = next;
	return 0;
}

static int close_part(struct scope_later *later)
{
	int err = scope_trace_output_truncate(later->output, later->packed);

	if (err)
		return err;
	later->next = later->packed;
	later->catching_up = false;
	return 0;
}

static int step(struct scope_later *later)
{
	struct scope_frame_place place;
	struct scope_frame_bytes frame;
	struct scope_frame head;
	int err;

	if (later->next >= scope_trace_output_whole(later->output))
		return close_part(later);
	err = read_frame(later, &head);
	if (!err)
		err = make_frame(later, &head, &frame, &place);
	if (!err)
		err = move_frame(later, &frame,
				 later->next + sizeof(head) + scope_trace_frame_padded(head.payload_bytes));
	if (!err && head.type == SCOPE_FRAME_SUBBUF)
		err = scope_trace_index_add(later->index, place);
	return err ? err : 1;
}

int scope_trace_later_step(struct scope_later *later)
{
	int err;

	if (!scope_trace_later_is_open(later))
		return 0;
	err = later->failed ? -EIO : step(later);
	if (err < 0) {
		later->failed = true;
		later->most_bytes = 0;
	}
	return err;
}

int scope_trace_later_put(struct scope_later *later, const struct scope_frame_bytes *frame)
{
	int err = scope_trace_output_piece(later->output, &frame->head, frame->payload);
	uint64_t enough;

	if (err)
		return err;
	if (scope_trace_output_bytes(later->output) - later->packed > later->bound_bytes)
		later->catching_up = true;
	/* Compresses twice as much as comes, so that the open part ends at some time. */
	enough = later->next + 2 * frame->bytes;
	while (later->catching_up && later->next < enough)
		if (scope_trace_later_step(later) < 0)
			break;
	return 0;
}

int scope_trace_later_settle(struct scope_later *later)
{
	int err;

	do
		err = scope_trace_later_step(later);
	while (err > 0);
	return err;
}

int scope_trace_later_make_room(struct scope_later *later)
{
	int err = scope_trace_later_is_open(later) ? scope_trace_output_retry(later->output) : -ENOSPC;

	if (!err)
		err = scope_trace_later_settle(later);
	later->most_bytes = 0;
	return err;
}
