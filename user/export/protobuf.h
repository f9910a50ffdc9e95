/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages in the encoding of protocol buffers: a field is its number and its wire type as a varint, then a varint, or
 * a length and bytes.
 */
#ifndef SCOPE_EXPORT_PROTOBUF_H
#define SCOPE_EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SCOPE_EXPORT_MESSAGE_BYTES 8192
#define SCOPE_EXPORT_TEXT_BYTES 1024 /* longest text in a message */

/* A zeroed struct is empty. A field that does not fit is left out completely. */
struct scope_export_message {
	size_t bytes;
	uint8_t data[SCOPE_EXPORT_MESSAGE_BYTES];
};

void scope_export_protobuf_number(struct scope_export_message *message, uint32_t field, uint64_t value);
void scope_export_protobuf_bytes(struct scope_export_message *message, uint32_t field, const void *data, size_t bytes);
/* Adds the first SCOPE_EXPORT_TEXT_BYTES of a text, only whole characters, in plain form (base/plain.h). */
void scope_export_protobuf_text(struct scope_export_message *message, uint32_t field, const char *text);
void scope_export_protobuf_message(struct scope_export_message *message, uint32_t field,
				   const struct scope_export_message *inner);

/* Writes a message as one element of the repeated field 1, of which a Perfetto trace consists. */
void scope_export_protobuf_write(FILE *stream, const struct scope_export_message *packet);

#endif
