// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the name of a redis command (RESP, or a plain line) or a memcached command (text, or binary), without keys and
 * values.
 */
#include "capture/request_text_internal.h"

#include <string.h>

#define REDIS_NAME_MAX 20u	    /* no rule: longer than the longest command */
#define REDIS_ARGUMENTS_MAX 1048576 /* no rule: the limit of redis */
#define BINARY_REQUEST 0x80	    /* no rule: of memcached's binary protocol */
#define BINARY_HEAD_BYTES 24	    /* no rule */

/*
 * Commands that users and health checks send as a plain line. Others are not accepted, because a "line" may be a part
 * of a value.
 */
static const char *const lines[] = { "PING", "GET",  "SET",	"DEL",	  "INFO",   "QUIT", "ECHO",
				     "AUTH", "INCR", "MONITOR", "DBSIZE", "SELECT", NULL };

static const char *const verbs[] = { "get",	  "gets",    "gat",	  "gats",   "set",  "add",  "replace",
				     "append",	  "prepend", "cas",	  "delete", "incr", "decr", "touch",
				     "mg",	  "ms",	     "md",	  "ma",	    "mn",   "me",   "stats",
				     "flush_all", "version", "verbosity", "quit",   NULL };

/* Names by opcode. */
static const char *const opcodes[] = { "get",	"set",	  "add",     "replace",	  "delete", "incr", "decr",   "quit",
				       "flush", "get",	  "noop",    "version",	  "get",    "get",  "append", "prepend",
				       "stats", "set",	  "add",     "replace",	  "delete", "incr", "decr",   "quit",
				       "flush", "append", "prepend", "verbosity", "touch",  "gat",  "gat" };

/* Takes the number after the sign in "*3\r\n". Returns false if there is no such number. */
static bool take_count(const uint8_t **at, const uint8_t *end, uint8_t sign, uint32_t max, uint32_t *ret_count)
{
	const uint8_t *digit = *at + 1;
	uint32_t count = 0;

	if (*at == end || **at != sign || digit == end || !scope_request_is_digit(*digit))
		return false;
	for (; digit < end && scope_request_is_digit(*digit) && count <= max; digit++)
		count = count * 10 + (uint32_t)(*digit - '0');
	if (count > max || end - digit < 2 || digit[0] != '\r' || digit[1] != '\n')
		return false;
	*at = digit + 2;
	*ret_count = count;
	return true;
}

static bool is_name(const uint8_t *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (!scope_request_is_letter(at[i]) && at[i] != '.' && at[i] != '_' && at[i] != '-' &&
		    (!i || !scope_request_is_digit(at[i])))
			return false;
	return bytes;
}

static void put_upper(struct scope_request_output *to, const uint8_t *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		scope_request_put(to, at[i] >= 'a' && at[i] <= 'z' ? at[i] - 32 : at[i]);
}

/* True if the first line is that of an HTTP request. Its first word may be a command's name, too. */
static bool is_http(const uint8_t *at, const uint8_t *end)
{
	static const char version[] = "HTTP/1.";
	const size_t bytes = sizeof(version) - 1;
	const uint8_t *line = memchr(at, '\n', (size_t)(end - at));

	if (line && line > at && line[-1] == '\r')
		line--;
	return line && (size_t)(line - at) > bytes && !memcmp(line - bytes - 1, version, bytes);
}

bool scope_capture_request_redis(const struct scope_request_input *input, struct scope_request_output *to)
{
	const uint8_t *at = input->at, *end = input->end, *word;
	uint32_t arguments, bytes;

	if (take_count(&at, end, '*', REDIS_ARGUMENTS_MAX, &arguments)) {
		if (!take_count(&at, end, '$', REDIS_NAME_MAX, &bytes) || (size_t)(end - at) < bytes + 2 ||
		    at[bytes] != '\r' || !is_name(at, bytes))
			return false;
		put_upper(to, at, bytes);
		return true;
	}
	for (word = at; word < end && scope_request_is_letter(*word);)
		word++;
	if (!input->whole || end[-1] != '\n' || word == end || is_http(at, end) ||
	    (*word != ' ' && *word != '\r' && *word != '\n') ||
	    !scope_capture_request_is_one_of(at, (size_t)(word - at), lines, true))
		return false;
	put_upper(to, at, (size_t)(word - at));
	return true;
}

bool scope_capture_request_memcached(const struct scope_request_input *input, struct scope_request_output *to)
{
	const uint8_t *at = input->at, *word = at;

	if (*at == BINARY_REQUEST) {
		if (input->end - at < BINARY_HEAD_BYTES || at[1] >= sizeof(opcodes) / sizeof(*opcodes))
			return false;
		scope_request_put_word(to, opcodes[at[1]]);
		return true;
	}
	while (word < input->end && (scope_request_is_letter(*word) || *word == '_'))
		word++;
	if (word == input->end || (*word != ' ' && *word != '\r' && *word != '\n') ||
	    !scope_capture_request_is_one_of(at, (size_t)(word - at), verbs, false))
		return false;
	scope_request_put_bytes(to, at, (size_t)(word - at));
	return true;
}
