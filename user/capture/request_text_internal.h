/* SPDX-License-Identifier: GPL-2.0-only */
/* For the parsers of requests: the bytes that are read, and the text that is written. */
#ifndef SCOPE_CAPTURE_REQUEST_TEXT_INTERNAL_H
#define SCOPE_CAPTURE_REQUEST_TEXT_INTERNAL_H

#include <string.h>

#include "capture/request_text.h"

struct scope_request_input {
	const uint8_t *at, *end;
	bool whole; /* no bytes came after end */
};

struct scope_request_output {
	char *text; /* room for SCOPE_REQUEST_TEXT_BYTES */
	size_t length;
	bool full; /* some text did not fit */
};

static inline bool scope_request_is_letter(uint8_t byte)
{
	return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

static inline bool scope_request_is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static inline bool scope_request_is_upper(uint8_t byte)
{
	return byte >= 'A' && byte <= 'Z';
}

/* Appends a byte; one that is not printable ASCII becomes a question mark. Dropped if there is no room. */
static inline void scope_request_put(struct scope_request_output *to, uint8_t byte)
{
	if (to->length + 1 >= SCOPE_REQUEST_TEXT_BYTES) {
		to->full = true;
		return;
	}
	to->text[to->length++] = byte >= ' ' && byte < 127 ? (char)byte : '?';
	to->text[to->length] = '\0';
}

static inline void scope_request_put_bytes(struct scope_request_output *to, const uint8_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		scope_request_put(to, from[i]);
}

static inline void scope_request_put_word(struct scope_request_output *to, const char *word)
{
	scope_request_put_bytes(to, (const uint8_t *)word, strlen(word));
}

/* Marks that the request continues after the text. */
static inline void scope_request_cut(struct scope_request_output *to)
{
	if (to->length + 4 > SCOPE_REQUEST_TEXT_BYTES)
		to->length = SCOPE_REQUEST_TEXT_BYTES - 4;
	scope_request_put_word(to, "...");
}

/* True if the bytes are one of the words; a NULL ends the list. fold: upper and lower case are equal. */
bool scope_capture_request_is_one_of(const uint8_t *word, size_t bytes, const char *const *list, bool fold);

/* Each function reads one protocol. Returns false if no request begins there. */
bool scope_capture_request_http(const struct scope_request_input *input, struct scope_request_output *to);
bool scope_capture_request_redis(const struct scope_request_input *input, struct scope_request_output *to);
bool scope_capture_request_memcached(const struct scope_request_input *input, struct scope_request_output *to);
bool scope_capture_request_sql(const struct scope_request_input *input, struct scope_request_output *to);

#endif
