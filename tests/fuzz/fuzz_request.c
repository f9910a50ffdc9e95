// SPDX-License-Identifier: GPL-2.0-only
/*
 * What servers receive, by each protocol of --kind-by: the kind of a request is a short printable text, or there is
 * none; the same bytes give the same kind again; and the kind has no number, string or query from these bytes.
 */
#include "fuzz.h"

#include "capture/request_text.h"

#define MARK "q7z9x3k8" /* a value: digits between letters, which no word of a kind has */

static void check_text(bool found, const char *text)
{
	const size_t length = strnlen(text, SCOPE_REQUEST_TEXT_BYTES);

	if (length == SCOPE_REQUEST_TEXT_BYTES)
		fuzz_die("a text without an end");
	if (found != (length > 0))
		fuzz_die("a text that is not one");
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			fuzz_die("bytes that do not print");
}

/* The bytes come from memory of exactly that size, so that a read past their end is seen. */
static void check_protocol(enum scope_request_protocol protocol, const uint8_t *data, size_t bytes, bool whole)
{
	char text[SCOPE_REQUEST_TEXT_BYTES], again[SCOPE_REQUEST_TEXT_BYTES];
	uint8_t *exact = malloc(bytes ? bytes : 1);
	bool found;

	if (!exact)
		fuzz_die("no memory");
	memcpy(exact, data, bytes);
	found = scope_capture_request_text(protocol, exact, bytes, whole, text);
	check_text(found, text);
	if (scope_capture_request_text(protocol, exact, bytes, whole, again) != found || strcmp(text, again) != 0)
		fuzz_die("another text of the same bytes");
	if (protocol != SCOPE_REQUEST_SQL && strstr(text, MARK))
		fuzz_die("a value is in the text");
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const size_t most = bytes < 128 ? bytes : 128; /* the module records no more */

	for (int protocol = SCOPE_REQUEST_NONE + 1; protocol < SCOPE_REQUEST_PROTOCOLS; protocol++) {
		check_protocol((enum scope_request_protocol)protocol, data, most, false);
		check_protocol((enum scope_request_protocol)protocol, data, most, true);
	}
	return 0;
}
