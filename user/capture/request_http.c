// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the method and the path of an HTTP/1 request (RFC 9112), without parts that may identify a user or an object.
 *
 * A segment of the path becomes "*" if it has a digit (except "v2"), a character that words do not have, or is long.
 * The text after '?', '#' or ';' is dropped, and so is the host.
 */
#include "capture/request_text_internal.h"

#define SEGMENTS_MAX 6	     /* no rule */
#define SEGMENT_BYTES_MAX 24 /* no rule: longer ones are tokens */
#define ENDING_BYTES_MAX 5   /* no rule: longest ending, such as ".html" */
#define VERSION_BYTES_MAX 4  /* no rule: longest version, such as "v1.1" */

static const char *const methods[] = { "GET",	 "HEAD",      "POST",	  "PUT",    "DELETE", "CONNECT", "OPTIONS",
				       "TRACE",	 "PATCH",     "PROPFIND", "MKCOL",  "COPY",   "MOVE",	 "LOCK",
				       "UNLOCK", "PROPPATCH", "REPORT",	  "SEARCH", "PURGE",  NULL };

/* True for characters that end the path. */
static bool ends_path(uint8_t byte)
{
	return byte <= ' ' || byte == '?' || byte == '#' || byte == ';';
}

static bool is_word(uint8_t byte)
{
	return scope_request_is_letter(byte) || byte == '_' || byte == '-' || byte == '.' || byte == '~';
}

/* True for "v2", "v1.1". */
static bool is_version(const uint8_t *at, size_t bytes)
{
	if (bytes < 2 || bytes > VERSION_BYTES_MAX || at[0] != 'v')
		return false;
	for (size_t i = 1; i < bytes; i++)
		if (!scope_request_is_digit(at[i]) && at[i] != '.')
			return false;
	return true;
}

static bool identifies(const uint8_t *at, size_t bytes)
{
	if (is_version(at, bytes))
		return false;
	if (bytes > SEGMENT_BYTES_MAX)
		return true;
	for (size_t i = 0; i < bytes; i++)
		if (!is_word(at[i]))
			return true;
	return false;
}

/* The length of an ending such as ".html" of a segment; 0: it has none. */
static size_t ending_of(const uint8_t *at, size_t bytes)
{
	for (size_t i = 1; i <= ENDING_BYTES_MAX && i < bytes; i++) {
		const uint8_t byte = at[bytes - i];

		if (byte == '.')
			return i > 1 ? i : 0;
		if (byte < 'a' || byte > 'z')
			return 0;
	}
	return bytes > ENDING_BYTES_MAX + 1 && at[bytes - ENDING_BYTES_MAX - 1] == '.' ? ENDING_BYTES_MAX + 1 : 0;
}

static void put_segment(struct scope_request_output *to, const uint8_t *at, size_t bytes)
{
	size_t ending;

	if (!identifies(at, bytes)) {
		scope_request_put_bytes(to, at, bytes);
		return;
	}
	ending = ending_of(at, bytes);
	for (size_t i = 0; i < bytes; i++)
		if (!is_word(at[i]) && !scope_request_is_digit(at[i]))
			ending = 0;
	scope_request_put(to, '*');
	scope_request_put_bytes(to, at + bytes - ending, ending);
}

static void put_path(struct scope_request_output *to, const uint8_t *at, const uint8_t *end)
{
	for (unsigned int segments = 0; at < end && *at == '/'; segments++) {
		const uint8_t *next = ++at;

		while (next < end && *next != '/' && !ends_path(*next))
			next++;
		scope_request_put(to, '/');
		/* A segment that is cut may differ between requests, so it is left out. */
		if (segments == SEGMENTS_MAX || next == end) {
			scope_request_cut(to);
			return;
		}
		put_segment(to, at, (size_t)(next - at));
		at = next;
	}
}

/* Finds the path in "http://host/path", which proxies receive. */
static const uint8_t *skip_host(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *host = at;

	while (host < end && (scope_request_is_letter(*host) || scope_request_is_digit(*host)))
		host++;
	if (host == at || end - host < 3 || memcmp(host, "://", 3))
		return NULL;
	for (host += 3; host < end && *host != '/' && !ends_path(*host);)
		host++;
	return host;
}

bool scope_capture_request_http(const struct scope_request_input *input, struct scope_request_output *to)
{
	const uint8_t *at = input->at, *end = input->end, *path;
	size_t bytes;

	while (at < end && scope_request_is_upper(*at))
		at++;
	bytes = (size_t)(at - input->at);
	if (at == end || *at != ' ')
		return false;
	if (bytes == 3 && end - at >= 3 && !memcmp(input->at, "PRI * ", 6)) {
		scope_request_put_word(to, "(HTTP/2)");
		return true;
	}
	if (!scope_capture_request_is_one_of(input->at, bytes, methods, false))
		return false;
	scope_request_put_bytes(to, input->at, bytes);
	at++;
	/* A CONNECT has a host and no path. */
	if (at == end || (bytes == 7 && input->at[0] == 'C'))
		return true;
	path = *at == '/' ? at : skip_host(at, end);
	if (!path && *at != '*')
		return false;
	scope_request_put(to, ' ');
	if (path == end || (path && *path != '/'))
		scope_request_put(to, '/');
	else if (path)
		put_path(to, path, end);
	else
		scope_request_put(to, '*');
	return true;
}
