// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the metadata of a capture, for files that begin in the middle of it. */
#include "trace/metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define FRAME_BYTES_MAX (64u << 20)

struct row {
	char *key, *value;
};

struct scope_keep {
	struct row *row;
	size_t rows, row_capacity;
	uint8_t *frame;
	size_t bytes, capacity;
	uint64_t frames, dropped;
};

int scope_trace_metadata_create(struct scope_keep **ret_keep)
{
	struct scope_keep *keep = calloc(1, sizeof(*keep));

	if (!keep)
		return -ENOMEM;
	*ret_keep = keep;
	return 0;
}

void scope_trace_metadata_destroy(struct scope_keep *keep)
{
	if (!keep)
		return;
	for (size_t i = 0; i < keep->rows; i++) {
		free(keep->row[i].key);
		free(keep->row[i].value);
	}
	free(keep->row);
	free(keep->frame);
	free(keep);
}

static int set_value(struct row *row, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(row->value);
	row->value = copy;
	return 0;
}

int scope_trace_metadata_meta(struct scope_keep *keep, const char *key, const char *value)
{
	struct row row = { 0 };

	for (size_t i = 0; i < keep->rows; i++)
		if (!strcmp(keep->row[i].key, key))
			return set_value(&keep->row[i], value);
	if (scope_grow(&keep->row, &keep->row_capacity, keep->rows + 1, sizeof(row)))
		return -ENOMEM;
	row.key = strdup(key);
	if (!row.key || set_value(&row, value)) {
		free(row.key);
		return -ENOMEM;
	}
	keep->row[keep->rows++] = row;
	return 0;
}

void scope_trace_metadata_forget_meta(struct scope_keep *keep, const char *key)
{
	for (size_t i = 0; i < keep->rows; i++) {
		if (strcmp(keep->row[i].key, key))
			continue;
		free(keep->row[i].key);
		free(keep->row[i].value);
		memmove(keep->row + i, keep->row + i + 1, (--keep->rows - i) * sizeof(*keep->row));
		return;
	}
}

int scope_trace_metadata_frame(struct scope_keep *keep, const struct scope_frame_bytes *frame)
{
	const size_t payload = frame->head.payload_bytes;
	uint8_t *place;

	if (keep->bytes + frame->bytes > FRAME_BYTES_MAX) {
		keep->dropped++;
		return 0;
	}
	if (scope_grow(&keep->frame, &keep->capacity, keep->bytes + frame->bytes, 1))
		return -ENOMEM;
	place = keep->frame + keep->bytes;
	memset(place, 0, frame->bytes);
	memcpy(place, &frame->head, sizeof(frame->head));
	if (payload)
		memcpy(place + sizeof(frame->head), frame->payload, payload);
	keep->bytes += frame->bytes;
	keep->frames++;
	return 0;
}

void scope_trace_metadata_forget_fds(struct scope_keep *keep)
{
	size_t kept = 0, bytes;

	for (size_t at = 0; at < keep->bytes; at += bytes) {
		const struct scope_frame *head = (const void *)(keep->frame + at);

		bytes = sizeof(*head) + scope_trace_frame_padded(head->payload_bytes);
		if (head->type == SCOPE_FRAME_FD) {
			keep->frames--;
			continue;
		}
		memmove(keep->frame + kept, keep->frame + at, bytes);
		kept += bytes;
	}
	keep->bytes = kept;
}

const void *scope_trace_metadata_frames(const struct scope_keep *keep, size_t *ret_bytes, uint64_t *ret_count,
					uint64_t *ret_dropped)
{
	*ret_bytes = keep->bytes;
	*ret_count = keep->frames;
	*ret_dropped = keep->dropped;
	return keep->frame;
}

const char *scope_trace_metadata_key(const struct scope_keep *keep, size_t i, const char **ret_value)
{
	if (i >= keep->rows)
		return NULL;
	*ret_value = keep->row[i].value;
	return keep->row[i].key;
}
