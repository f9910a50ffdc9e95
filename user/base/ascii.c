// SPDX-License-Identifier: GPL-2.0-only
/* Text for a terminal or printer that knows no UTF-8: a stream that turns UTF-8 into ASCII. */
#include "base/ascii.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ascii {
	FILE *to;
	char character[5]; /* a character that is not complete yet */
	unsigned length;   /* bytes of that character so far */
};

bool scope_ascii_wanted(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && value[0])
			return !strcasestr(value, "utf-8") && !strcasestr(value, "utf8");
	}
	return false;
}

/* Length of the UTF-8 character whose first byte this is; 1 if no character begins with this byte. */
static unsigned length_of(unsigned char byte)
{
	return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

static char ascii_of(const char *character)
{
	static const struct {
		char sign[4], ascii;
	} table[] = {
		{ "·", '-' },
		{ "–", '-' },
		{ "—", '-' },
		{ "…", '~' },
		{ "←", '<' },
		{ "→", '>' },
		{ "×", 'x' },
		{ "µ", 'u' },
		{ "μ", 'u' },
		{ "│", '|' },
		{ "├", '|' },
		{ "└", '`' },
		{ "─", '-' },
		{ "±", '+' },
		{ "²", '2' },
		/* The bars that have one to eight eighths of a character's height. */
		{ "▁", '.' },
		{ "▂", ':' },
		{ "▃", '-' },
		{ "▄", '=' },
		{ "▅", '+' },
		{ "▆", '*' },
		{ "▇", '%' },
		{ "█", '#' },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].sign, character))
			return table[i].ascii;
	return '?';
}

static void put(struct ascii *ascii, char byte)
{
	/* A character that ends early, because another one begins. */
	if (ascii->length && ((unsigned char)byte & 0xc0) != 0x80) {
		putc('?', ascii->to);
		ascii->length = 0;
	}
	ascii->character[ascii->length++] = byte;
	if (ascii->length < length_of((unsigned char)ascii->character[0]))
		return;
	ascii->character[ascii->length] = '\0';
	putc((unsigned char)byte < 0x80 ? byte : ascii_of(ascii->character), ascii->to);
	ascii->length = 0;
}

static ssize_t write_ascii(void *cookie, const char *text, size_t bytes)
{
	struct ascii *ascii = cookie;

	for (size_t i = 0; i < bytes; i++)
		put(ascii, text[i]);
	return fflush(ascii->to) ? 0 : (ssize_t)bytes;
}

static int close_ascii(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *scope_ascii_stream(FILE *to)
{
	struct ascii *ascii = calloc(1, sizeof(*ascii));
	FILE *stream;

	if (!ascii)
		return NULL;
	ascii->to = to;
	stream = fopencookie(ascii, "w", (cookie_io_functions_t){ .write = write_ascii, .close = close_ascii });
	if (!stream)
		free(ascii);
	return stream;
}
