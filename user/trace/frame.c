// SPDX-License-Identifier: GPL-2.0-only
/* Make the frames of a trace file. */
#include "trace/frame.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/grow.h"

#define COMPRESS_MIN_BYTES 256u /* below it the zstd frame's own head eats the gain */

struct scope_framer {
	ZSTD_CCtx *zstd;
	int level;
	uint8_t *packed;
	size_t packed_capacity;
};

int scope_framer_create(struct scope_framer **ret_framer)
{
	struct scope_framer *framer = calloc(1, sizeof(*framer));

	if (!framer)
		return -ENOMEM;
	framer->level = SCOPE_FRAMER_LEVEL_USUAL;
	framer->zstd = ZSTD_createCCtx();
	if (!framer->zstd) {
		free(framer);
		return -ENOMEM;
	}
	*ret_framer = framer;
	return 0;
}

void scope_framer_destroy(struct scope_framer *framer)
{
	if (!framer)
		return;
	ZSTD_freeCCtx(framer->zstd);
	free(framer->packed);
	free(framer);
}

void scope_framer_set_level(struct scope_framer *framer, int level)
{
	framer->level = level;
}

/* Bytes of the payload in framer->packed; 0: better stored as it is. */
static size_t compress_payload(struct scope_framer *framer, const void *raw, size_t bytes)
{
	size_t packed;

	if (!framer->level || bytes < COMPRESS_MIN_BYTES ||
	    scope_grow(&framer->packed, &framer->packed_capacity, ZSTD_compressBound(bytes), 1))
		return 0;
	packed = ZSTD_compressCCtx(framer->zstd, framer->packed, framer->packed_capacity, raw,
				   bytes, framer->level);
	return ZSTD_isError(packed) || packed >= bytes ? 0 : packed;
}

int scope_framer_make(struct scope_framer *framer, uint16_t type, uint32_t cpu, const void *raw,
		      size_t raw_bytes, struct scope_frame_bytes *ret_frame)
{
	struct scope_frame head = {
		.magic = SCOPE_FRAME_MAGIC, .type = type, .cpu = cpu, .raw_bytes = raw_bytes,
	};
	const void *payload = raw;

	if (raw_bytes > SCOPE_FRAME_RAW_MAX)
		return -E2BIG;
	head.payload_bytes = compress_payload(framer, raw, raw_bytes);
	if (head.payload_bytes) {
		head.flags = SCOPE_FRAME_ZSTD;
		payload = framer->packed;
	} else {
		head.payload_bytes = raw_bytes;
	}
	head.payload_crc = libdeflate_crc32(0, payload, head.payload_bytes);
	head.head_crc = libdeflate_crc32(0, &head, offsetof(struct scope_frame, head_crc));
	*ret_frame = (struct scope_frame_bytes){
		.head = head, .payload = payload,
		.bytes = sizeof(head) + scope_frame_padded(head.payload_bytes),
	};
	return 0;
}
