/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Describes the kind of a request in a short text, from the first bytes that a server received: "GET /search", "SELECT
 * c FROM t WHERE id=?", "HGET".
 *
 * The bytes are not trusted, and may hold secrets. So the text has only parts that name a kind: the method and the
 * words of a path, the name of a command, a statement without its values. It is printable ASCII. A part that may be a
 * value is left out.
 */
#ifndef SCOPE_CAPTURE_REQUEST_TEXT_H
#define SCOPE_CAPTURE_REQUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_REQUEST_TEXT_BYTES 61 /* with the zero byte; fits a group's name */

enum scope_request_protocol {
	SCOPE_REQUEST_NONE, /* no kinds were requested */
	SCOPE_REQUEST_HTTP,
	SCOPE_REQUEST_REDIS,
	SCOPE_REQUEST_SQL,
	SCOPE_REQUEST_MEMCACHED,
	SCOPE_REQUEST_PROTOCOLS,
	/*
	 * no protocol: the kind is the value of one argument of a function with a probe (struct scope_capture_options)
	 */
	SCOPE_REQUEST_PROBE = SCOPE_REQUEST_PROTOCOLS,
};

/* The names for --kind-by; "none" is the first. */
extern const char *const scope_capture_request_protocol_name[SCOPE_REQUEST_PROTOCOLS];

/*
 * data: the first bytes that one call received; whole: there were no more. Returns false, without a text, if no request
 * of that protocol begins there.
 */
bool scope_capture_request_text(enum scope_request_protocol protocol, const uint8_t *data, size_t bytes, bool whole,
				char ret_text[SCOPE_REQUEST_TEXT_BYTES]);

#endif
