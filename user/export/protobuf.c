// SPDX-License-Identifier: GPL-2.0-only
/* Messages in the encoding of protocol buffers. */
#include "export/protobuf.h"

#include <string.h>

#include "base/plain.h"

#define VARINT_BYTES 10

enum wire {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

static size_t put_varint(uint8_t *to, uint64_t value)
{
	size_t bytes = 0;

	do {
		to[bytes++] = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);
		value >>= 7;
	} while (value);
	return bytes;
}

void scope_export_protobuf_number(struct scope_export_message *message, uint32_t field, uint64_t value)
{
	if (message->bytes + 2 * VARINT_BYTES > sizeof(message->data))
		return;
	message->bytes += put_varint(message->data + message->bytes, (uint64_t)field << 3 | WIRE_VARINT);
	message->bytes += put_varint(message->data + message->bytes, value);
}

void scope_export_protobuf_bytes(struct scope_export_message *message, uint32_t field, const void *data, size_t bytes)
{
	if (message->bytes + 2 * VARINT_BYTES + bytes > sizeof(message->data))
		return;
	message->bytes += put_varint(message->data + message->bytes, (uint64_t)field << 3 | WIRE_BYTES);
	message->bytes += put_varint(message->data + message->bytes, bytes);
	memcpy(message->data + message->bytes, data, bytes);
	message->bytes += bytes;
}

void scope_export_protobuf_text(struct scope_export_message *message, uint32_t field, const char *text)
{
	char plain[SCOPE_EXPORT_TEXT_BYTES];
	const size_t bytes = scope_plain_put(plain, sizeof(plain), text, strlen(text), SCOPE_PLAIN_SENTENCE);

	scope_export_protobuf_bytes(message, field, plain, bytes);
}

void scope_export_protobuf_message(struct scope_export_message *message, uint32_t field,
				   const struct scope_export_message *inner)
{
	scope_export_protobuf_bytes(message, field, inner->data, inner->bytes);
}

void scope_export_protobuf_write(FILE *stream, const struct scope_export_message *packet)
{
	uint8_t head[2 * VARINT_BYTES];
	size_t bytes = put_varint(head, 1 << 3 | WIRE_BYTES);

	bytes += put_varint(head + bytes, packet->bytes);
	fwrite(head, 1, bytes, stream);
	fwrite(packet->data, 1, packet->bytes, stream);
}
