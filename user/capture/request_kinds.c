// SPDX-License-Identifier: GPL-2.0-only
/* Replaces data that programs received by the kinds of their requests. */
#include "capture/request_kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/request_text.h"
#include "source/request.h"
#include "trace/trace.h"
#include "trace/walk.h"
#include "trace/writer.h"

#define OTHERS_TEXT "(other requests)"
#define LABEL_BYTES 38		  /* no rule: bytes of the label, so that there is room for a value */
#define DECIMAL_MAX 0x7fffffffull /* no rule: larger values are pointers or bits, and are written in hexadecimal */

struct scope_request_kinds {
	enum scope_request_protocol protocol;
	uint16_t probe;			      /* with SCOPE_REQUEST_PROBE: its id … */
	char label[SCOPE_REQUEST_TEXT_BYTES]; /* … and the function and argument, "handle arg1" */
	struct scope_subbuf *out;	      /* has room for SCOPE_SUBBUF_BYTES_MAX */
	uint32_t count, last; /* last: the kind of the last request, which the next one often has, too */
	char text[SCOPE_REQUEST_KINDS_MAX][SCOPE_REQUEST_TEXT_BYTES];
};

/* Makes the label of "u:PATH:ns::FUNCTION:arg1": "FUNCTION arg1", or the end of that. */
static void set_label(struct scope_request_kinds *kinds, const char *text)
{
	const char *arg = strrchr(text, ':'), *function = arg;
	size_t length;

	while (function > text && function[-1] != ':')
		function--;
	length = (size_t)(arg - function);
	if (length > LABEL_BYTES)
		function = arg - LABEL_BYTES;
	snprintf(kinds->label, sizeof(kinds->label), "%.*s %.5s", (int)(arg - function), function, arg + 1);
	for (char *at = kinds->label; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

int scope_capture_request_kinds_create(const struct scope_capture_options *options,
				       struct scope_request_kinds **ret_kinds)
{
	struct scope_request_kinds *kinds = calloc(1, sizeof(*kinds));

	if (!kinds)
		return -ENOMEM;
	kinds->protocol = options->requests;
	kinds->probe = options->kind_probe.id;
	if (kinds->protocol == SCOPE_REQUEST_PROBE)
		set_label(kinds, options->kind_text);
	kinds->out = malloc(SCOPE_SUBBUF_BYTES_MAX);
	if (!kinds->out) {
		free(kinds);
		return -ENOMEM;
	}
	*ret_kinds = kinds;
	return 0;
}

void scope_capture_request_kinds_destroy(struct scope_request_kinds *kinds)
{
	if (!kinds)
		return;
	free(kinds->out);
	free(kinds);
}

static int add(struct scope_request_kinds *kinds, const char *text, struct scope_writer *writer, uint32_t *ret_kind)
{
	char key[sizeof(SCOPE_META_REQUEST) + 10];

	if (kinds->count == SCOPE_REQUEST_KINDS_MAX) {
		*ret_kind = kinds->count;
		return 0;
	}
	if (kinds->count + 1 == SCOPE_REQUEST_KINDS_MAX)
		text = OTHERS_TEXT;
	snprintf(kinds->text[kinds->count++], SCOPE_REQUEST_TEXT_BYTES, "%s", text);
	*ret_kind = kinds->last = kinds->count;
	snprintf(key, sizeof(key), SCOPE_META_REQUEST "%u", *ret_kind);
	return scope_trace_writer_meta(writer, key, text);
}

/* The number of a text, from 1 on. */
static int number_of(struct scope_request_kinds *kinds, const char *text, struct scope_writer *writer,
		     uint32_t *ret_kind)
{
	uint32_t kind = kinds->last;

	if (!kind || strcmp(kinds->text[kind - 1], text))
		for (kind = kinds->count; kind && strcmp(kinds->text[kind - 1], text);)
			kind--;
	if (!kind)
		return add(kinds, text, writer, ret_kind);
	*ret_kind = kinds->last = kind;
	return 0;
}

static void put(struct scope_request_kinds *kinds, const uint8_t *from, const uint8_t *end)
{
	memcpy((uint8_t *)kinds->out + kinds->out->used_bytes, from, (size_t)(end - from));
	kinds->out->used_bytes += (uint32_t)(end - from);
}

/* Makes the text of a record; it is empty if no request begins there. */
static void make_text(const struct scope_request_kinds *kinds, const void *record, char text[SCOPE_REQUEST_TEXT_BYTES])
{
	const struct scope_record_received *received = record;
	const struct scope_record_probe *probe = record;
	uint64_t value;

	text[0] = '\0';
	if (scope_trace_walk_type(record) == SCOPE_RECORD_PROBE) {
		if (!probe->args)
			return;
		memcpy(&value, (const uint8_t *)(probe + 1) + 8 * (probe->args - 1u), sizeof(value));
		snprintf(text, SCOPE_REQUEST_TEXT_BYTES, value <= DECIMAL_MAX ? "%s=%llu" : "%s=0x%llx", kinds->label,
			 (unsigned long long)value);
	} else if (!scope_capture_request_text(kinds->protocol, (const uint8_t *)(received + 1), received->bytes,
					       received->bytes < SCOPE_RECEIVED_BYTES, text)) {
		text[0] = '\0';
	}
}

/* Without a request the kind is 0. The record stays, because the time of the next record counts from it. */
static int put_request(struct scope_request_kinds *kinds, const void *record, struct scope_writer *writer)
{
	struct scope_record_request request = { 0 };
	char text[SCOPE_REQUEST_TEXT_BYTES];
	int err;

	make_text(kinds, record, text);
	if (text[0]) {
		err = number_of(kinds, text, writer, &request.kind);
		if (err)
			return err;
	}
	request.word = scope_record_word(SCOPE_RECORD_REQUEST, scope_record_delta(*(const uint32_t *)record));
	put(kinds, (const uint8_t *)&request, (const uint8_t *)(&request + 1));
	return 0;
}

int scope_capture_request_kinds_replace(struct scope_request_kinds *kinds, const struct scope_subbuf *subbuf,
					struct scope_writer *writer, const struct scope_subbuf **ret_subbuf)
{
	const uint8_t *begin = (const uint8_t *)subbuf, *from = begin + sizeof(*subbuf);
	const bool probe = kinds->protocol == SCOPE_REQUEST_PROBE;
	const uint32_t types = probe ? SCOPE_WALK(PROBE) : SCOPE_WALK(RECEIVED);
	const void *record;
	uint32_t offset = 0;
	int err = 0;

	*ret_subbuf = subbuf;
	while (!err && (record = scope_trace_walk_next(subbuf, types, &offset))) {
		if (probe && ((const struct scope_record_probe *)record)->id != kinds->probe)
			continue;
		if (*ret_subbuf == subbuf) {
			*kinds->out = *subbuf;
			kinds->out->used_bytes = sizeof(*subbuf);
			*ret_subbuf = kinds->out;
		}
		put(kinds, from, record);
		err = put_request(kinds, record, writer);
		from = begin + offset;
	}
	if (*ret_subbuf != subbuf)
		put(kinds, from, begin + subbuf->used_bytes);
	return err;
}
