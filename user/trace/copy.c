// SPDX-License-Identifier: GPL-2.0-only
/* Copy a trace frame by frame. */
#include "trace/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/framer.h"
#include "trace/trace_internal.h"
#include "trace/writer_internal.h"

static int copy_subbuf(const struct scope_trace_editor *editor, const uint8_t *data, size_t bytes)
{
	const struct scope_subbuf *subbuf = (const void *)data;

	if (bytes < sizeof(*subbuf) || subbuf->magic != SCOPE_SUBBUF_MAGIC || subbuf->used_bytes < sizeof(*subbuf) ||
	    subbuf->used_bytes > bytes || subbuf->used_bytes % 8)
		return 0;
	return editor->subbuf(editor->context, subbuf);
}

static int copy_memory(const struct scope_trace_editor *editor, const uint8_t *data, size_t bytes)
{
	const struct scope_frame_memory *head = (const void *)data;
	struct scope_trace_memory memory;

	if (bytes < sizeof(*head) || head->bytes > bytes - sizeof(*head))
		return 0;
	memory = (struct scope_trace_memory){
		.tid = head->tid,
		.address = head->address,
		.data = data + sizeof(*head),
		.bytes = head->bytes,
	};
	return editor->memory(editor->context, &memory);
}

static int copy_meta(struct scope_writer *writer, const uint8_t *data, size_t bytes)
{
	const char *key = (const char *)data;
	const size_t length = strnlen(key, bytes);

	if (length + 1 >= bytes || !memchr(key + length + 1, 0, bytes - length - 1))
		return 0;
	return scope_trace_writer_meta(writer, key, key + length + 1);
}

static int copy_frame(const struct scope_frame *head, const uint8_t *data, struct scope_writer *writer,
		      const struct scope_trace_editor *editor)
{
	switch (head->type) {
	case SCOPE_FRAME_SUBBUF:
		return copy_subbuf(editor, data, head->raw_bytes);
	case SCOPE_FRAME_MEMORY:
		return copy_memory(editor, data, head->raw_bytes);
	case SCOPE_FRAME_META:
		return copy_meta(writer, data, head->raw_bytes);
	case SCOPE_FRAME_INDEX:
	case SCOPE_FRAME_END:
		return 0;
	}
	return scope_trace_writer_put_row(writer, head->type, data, head->raw_bytes);
}

/* Finds the first whole frame from *offset on. False: there is none. */
static bool find_frame(const struct scope_trace *trace, uint64_t *offset)
{
	for (; *offset + sizeof(struct scope_frame) <= trace->bytes; *offset += SCOPE_FRAME_ALIGN) {
		const struct scope_frame *head = (const void *)(trace->data + *offset);

		if (scope_trace_head_is_good(trace, *offset))
			return trace->bytes - *offset - sizeof(*head) >= head->payload_bytes;
	}
	return false;
}

int scope_trace_copy(struct scope_trace *trace, struct scope_writer *writer, const struct scope_trace_editor *editor)
{
	uint64_t offset = trace->header.header_bytes;
	uint8_t *buffer = NULL;
	size_t capacity = 0;
	int err = 0;

	while (!err && find_frame(trace, &offset)) {
		const struct scope_frame *head = (const void *)(trace->data + offset);
		const uint8_t *data;

		err = scope_trace_payload(trace, offset, &buffer, &capacity, NULL, &data);
		if (!err)
			err = copy_frame(head, data, writer, editor);
		else if (err == -EBADMSG)
			err = 0;
		scope_trace_touched(trace, head->payload_bytes);
		offset += sizeof(*head) + scope_trace_frame_padded(head->payload_bytes);
	}
	free(buffer);
	return err;
}
