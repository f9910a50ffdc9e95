/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a request asks for, in a short text, from the first bytes that a server received: "GET /search", "SELECT c FROM t
 * WHERE id=?", "HGET".
 *
 * The bytes are untrusted, and may hold secrets. So the text has only what names a kind: the method and the words of a
 * path, a command's name, a statement without its values. It is printable ASCII. Where it is not certain that something
 * is not a value, it is left out.
 */
#ifndef SCOPE_CAPTURE_REQUEST_TEXT_H
#define SCOPE_CAPTURE_REQUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_REQUEST_TEXT_BYTES 61 /* with the zero byte; fits a group's name */

enum scope_request_protocol {
	SCOPE_REQUEST_NONE, /* kinds are not asked for */
	SCOPE_REQUEST_HTTP,
	SCOPE_REQUEST_REDIS,
	SCOPE_REQUEST_SQL,
	SCOPE_REQUEST_MEMCACHED,
	SCOPE_REQUEST_PROTOCOLS,
	/* no protocol: the value of one argument of a function, at which a probe is (struct scope_capture_options) */
	SCOPE_REQUEST_PROBE = SCOPE_REQUEST_PROTOCOLS,
};

/* As --kind-by takes them; "none" first. */
extern const char *const scope_capture_request_protocol_name[SCOPE_REQUEST_PROTOCOLS];

/*
 * data: the first bytes of what one call received; whole: there were no more. False, and no text, if no request of that
 * protocol begins there.
 */
bool scope_capture_request_text(enum scope_request_protocol protocol, const uint8_t *data, size_t bytes, bool whole,
				char ret_text[SCOPE_REQUEST_TEXT_BYTES]);

#endif
