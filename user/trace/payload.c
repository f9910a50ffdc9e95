// SPDX-License-Identifier: GPL-2.0-only
/* Checks and decompresses the payloads of frames, and restores them from columns. */
#include <errno.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <zstd.h>

#include "base/grow.h"
#include "trace/columns.h"
#include "trace/trace_internal.h"

#define TOUCHED_BYTES_MAX (8u << 20)

static const struct scope_frame *frame_at(const struct scope_trace *trace, uint64_t offset)
{
	return (const struct scope_frame *)(trace->data + offset);
}

bool scope_trace_head_is_good(const struct scope_trace *trace, uint64_t offset)
{
	const struct scope_frame *frame = frame_at(trace, offset);

	return trace->bytes - offset >= sizeof(*frame) && frame->magic == SCOPE_FRAME_MAGIC &&
	       frame->head_crc == libdeflate_crc32(0, (const uint8_t *)frame, offsetof(struct scope_frame, head_crc));
}

void scope_trace_touched(struct scope_trace *trace, uint64_t bytes)
{
	trace->touched += bytes;
	if (trace->touched < TOUCHED_BYTES_MAX)
		return;
	/* A failure only means that memory is not given back. */
	(void)madvise((void *)trace->data, trace->bytes, MADV_DONTNEED);
	trace->touched = 0;
}

/* Restores a payload that is in columns, to raw_bytes bytes. 0, -EBADMSG, -ENOMEM. */
static int order_back(const struct scope_frame *frame, const uint8_t *packed, size_t bytes, uint8_t *out,
		      struct scope_trace_columns_rests *rests)
{
	if (frame->flags & SCOPE_FRAME_COLUMNS)
		return scope_trace_columns_join(packed, bytes, out, frame->raw_bytes, rests);
	if (bytes != frame->raw_bytes)
		return -EBADMSG;
	return frame->flags & SCOPE_FRAME_COLUMNS_3 ? scope_trace_columns_join_3(packed, bytes, out) : 0;
}

/*
 * Checks the payload and decompresses it if it is compressed. *ret_packed: the result, in the order
 * of the file. If it is in columns it is in *buffer, after room for the sub-buffer. 0, -EBADMSG,
 * -ENOMEM.
 */
static int unpack(const struct scope_trace *trace, uint64_t offset, uint8_t **buffer, size_t *buffer_capacity,
		  const uint8_t **ret_packed, size_t *ret_bytes)
{
	const struct scope_frame *frame = frame_at(trace, offset);
	const uint8_t *payload = (const uint8_t *)(frame + 1);
	const bool columns = frame->flags & (SCOPE_FRAME_COLUMNS | SCOPE_FRAME_COLUMNS_3);
	const size_t raw_bytes = frame->raw_bytes, room = scope_trace_frame_padded(raw_bytes);
	size_t most = raw_bytes, bytes;
	uint8_t *packed;

	if (frame->flags & ~SCOPE_FRAME_FLAGS || frame->raw_bytes > SCOPE_FRAME_RAW_MAX ||
	    libdeflate_crc32(0, payload, frame->payload_bytes) != frame->payload_crc)
		return -EBADMSG;
	if (!(frame->flags & SCOPE_FRAME_ZSTD)) {
		if (raw_bytes != frame->payload_bytes || columns)
			return -EBADMSG;
		*ret_packed = payload;
		*ret_bytes = raw_bytes;
		return 0;
	}
	if (frame->flags & SCOPE_FRAME_COLUMNS)
		most = scope_trace_columns_bound(raw_bytes);
	if (scope_grow(buffer, buffer_capacity, columns ? room + most : room, 1))
		return -ENOMEM;
	packed = columns ? *buffer + room : *buffer;
	bytes = ZSTD_decompress(packed, most, payload, frame->payload_bytes);
	if (ZSTD_isError(bytes))
		return -EBADMSG;
	*ret_packed = packed;
	*ret_bytes = bytes;
	return 0;
}

int scope_trace_payload(const struct scope_trace *trace, uint64_t offset, uint8_t **buffer, size_t *buffer_capacity,
			struct scope_trace_columns_rests *rests, const uint8_t **ret_data)
{
	const struct scope_frame *frame = frame_at(trace, offset);
	const uint8_t *packed;
	size_t bytes;
	int err = unpack(trace, offset, buffer, buffer_capacity, &packed, &bytes);

	if (!err && frame->flags & SCOPE_FRAME_ZSTD) {
		err = order_back(frame, packed, bytes, *buffer, rests);
		packed = *buffer;
	}
	if (!err)
		*ret_data = packed;
	return err;
}

int scope_trace_rests(const struct scope_trace *trace, uint64_t offset, uint8_t **buffer, size_t *buffer_capacity,
		      struct scope_trace_columns_rests *rests)
{
	const struct scope_frame *frame = frame_at(trace, offset);
	const uint8_t *packed;
	size_t bytes;
	int err = unpack(trace, offset, buffer, buffer_capacity, &packed, &bytes);

	return err ? err : scope_trace_columns_rests(packed, bytes, frame->raw_bytes, rests);
}
