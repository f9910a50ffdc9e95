// SPDX-License-Identifier: GPL-2.0-only
/* Describes the kind of a request in a short text, by its protocol. */
#include "capture/request_text_internal.h"

#include <ctype.h>

#define TLS_HANDSHAKE 0x16 /* no rule: types of TLS records, RFC 8446 */
#define TLS_DATA 0x17	   /* no rule */

const char *const scope_capture_request_protocol_name[SCOPE_REQUEST_PROTOCOLS] = {
	[SCOPE_REQUEST_NONE] = "none", [SCOPE_REQUEST_HTTP] = "http",		[SCOPE_REQUEST_REDIS] = "redis",
	[SCOPE_REQUEST_SQL] = "sql",   [SCOPE_REQUEST_MEMCACHED] = "memcached",
};

bool scope_capture_request_is_one_of(const uint8_t *word, size_t bytes, const char *const *list, bool fold)
{
	for (; *list; list++) {
		size_t i = 0;

		while (i < bytes && (*list)[i] &&
		       (fold ? tolower(word[i]) == tolower((uint8_t)(*list)[i]) : word[i] == (uint8_t)(*list)[i]))
			i++;
		if (i == bytes && !(*list)[i])
			return true;
	}
	return false;
}

/* True for TLS: the user must see why there are no kinds. */
static bool is_encrypted(const struct scope_request_input *input)
{
	return input->end - input->at >= 5 && (input->at[0] == TLS_HANDSHAKE || input->at[0] == TLS_DATA) &&
	       input->at[1] == 3 && input->at[2] <= 4;
}

bool scope_capture_request_text(enum scope_request_protocol protocol, const uint8_t *data, size_t bytes, bool whole,
				char ret_text[SCOPE_REQUEST_TEXT_BYTES])
{
	static bool (*const read[SCOPE_REQUEST_PROTOCOLS])(const struct scope_request_input *input,
							   struct scope_request_output *to) = {
		[SCOPE_REQUEST_HTTP] = scope_capture_request_http,
		[SCOPE_REQUEST_REDIS] = scope_capture_request_redis,
		[SCOPE_REQUEST_SQL] = scope_capture_request_sql,
		[SCOPE_REQUEST_MEMCACHED] = scope_capture_request_memcached,
	};
	const struct scope_request_input input = { data, data + bytes, whole };
	struct scope_request_output to = { .text = ret_text };

	ret_text[0] = '\0';
	if (!read[protocol] || !bytes)
		return false;
	if (read[protocol](&input, &to)) {
		if (to.full)
			scope_request_cut(&to);
		return true;
	}
	to = (struct scope_request_output){ .text = ret_text };
	ret_text[0] = '\0';
	if (!is_encrypted(&input))
		return false;
	scope_request_put_word(&to, "(TLS)");
	return true;
}
