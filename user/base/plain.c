// SPDX-License-Identifier: GPL-2.0-only
/* Makes text that came from elsewhere safe to show, and converts it back. */
#include "base/plain.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE_BYTES 4

/* Characters that are escaped although they are valid. Sorted. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x80, 0x9f },	    { 0xad, 0xad },	{ 0x61c, 0x61c },   { 0x180e, 0x180e }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
};

static bool is_hidden(uint32_t character)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (character >= hidden[i].first && character <= hidden[i].last)
			return true;
	return false;
}

/* Length of the multi-byte character that begins here; 0: it is not valid. */
static size_t character_bytes(const uint8_t *text, size_t bytes, uint32_t *ret_character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t lead = *text;
	const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	uint32_t character = lead & (0xffu >> (length + 1));

	if (lead < 0xc2 || lead > 0xf4 || length > bytes)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (text[i] & 0x3f);
	}
	if (character < least[length] || character > 0x10ffff || (character & ~0x7ffu) == 0xd800)
		return 0;
	*ret_character = character;
	return length;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		c += 'a' - 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int scope_plain_byte(const char *text)
{
	int high, low;

	if (text[0] != '\\' || text[1] != 'x')
		return -1;
	high = digit(text[2]);
	low = high < 0 ? -1 : digit(text[3]);
	return low < 0 ? -1 : high << 4 | low;
}

/* True if an escape begins here, or if these bytes look like one. */
static bool like_escape(const uint8_t *text, size_t bytes)
{
	char four[ESCAPE_BYTES + 1] = "";

	memcpy(four, text, bytes < ESCAPE_BYTES ? bytes : ESCAPE_BYTES);
	return scope_plain_byte(four) >= 0;
}

/* How many bytes from here on belong together, and whether they may stay as they are. */
static size_t next_piece(const uint8_t *text, size_t bytes, enum scope_plain kind, const char *also, bool *ret_stays)
{
	uint32_t character;
	size_t length;

	if (*text < 0x80) {
		*ret_stays = *text >= ' ' && *text != 0x7f && !(also && strchr(also, *text)) &&
			     !(*text == '\\' && kind == SCOPE_PLAIN_NAME && like_escape(text, bytes));
		return 1;
	}
	length = character_bytes(text, bytes, &character);
	*ret_stays = length && !is_hidden(character);
	return length ? length : 1;
}

static size_t escape(char *to, const uint8_t *text, size_t bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes; i++) {
		*to++ = '\\';
		*to++ = 'x';
		*to++ = digits[text[i] >> 4];
		*to++ = digits[text[i] & 0xf];
	}
	return ESCAPE_BYTES * bytes;
}

size_t scope_plain_put(char *to, size_t room, const char *text, size_t bytes, enum scope_plain kind)
{
	const uint8_t *at = (const uint8_t *)text;
	size_t used = 0;

	while (bytes) {
		bool stays;
		size_t piece = next_piece(at, bytes, kind, NULL, &stays);

		if ((stays ? piece : ESCAPE_BYTES * piece) >= room - used)
			break;
		if (stays)
			memcpy(to + used, at, piece);
		used += stays ? piece : escape(to + used, at, piece);
		at += piece;
		bytes -= piece;
	}
	to[used] = '\0';
	return used;
}

bool scope_plain_is(const char *text, enum scope_plain kind)
{
	const uint8_t *at = (const uint8_t *)text;
	size_t bytes = strlen(text);

	while (bytes) {
		bool stays;
		size_t piece = next_piece(at, bytes, kind, NULL, &stays);

		if (!stays)
			return false;
		at += piece;
		bytes -= piece;
	}
	return true;
}

char *scope_plain_copy(const char *text, enum scope_plain kind)
{
	size_t bytes = strlen(text), room = SCOPE_PLAIN_GROWTH * bytes + 1;
	char *copy, *fit;

	if (scope_plain_is(text, kind))
		return strdup(text);
	copy = malloc(room);
	if (!copy)
		return NULL;
	fit = realloc(copy, scope_plain_put(copy, room, text, bytes, kind) + 1);
	return fit ? fit : copy;
}

const char *scope_plain_comm(char *to, const char comm[SCOPE_COMM_BYTES])
{
	scope_plain_put(to, SCOPE_PLAIN_COMM_BYTES, comm, strnlen(comm, SCOPE_COMM_BYTES - 1), SCOPE_PLAIN_NAME);
	return to;
}

void scope_plain_undo(char *name)
{
	char *to = name;

	for (const char *from = name; *from;) {
		int byte = scope_plain_byte(from);

		*to++ = byte > 0 ? (char)byte : *from;
		from += byte > 0 ? ESCAPE_BYTES : 1;
	}
	*to = '\0';
}

char *scope_plain_undone(const char *name)
{
	char *text = strdup(name);

	if (text)
		scope_plain_undo(text);
	return text;
}

void scope_plain_write(FILE *to, const char *text, size_t bytes, const char *also)
{
	const uint8_t *at = (const uint8_t *)text;
	char escaped[ESCAPE_BYTES * ESCAPE_BYTES];

	while (bytes) {
		bool stays;
		size_t piece = next_piece(at, bytes, SCOPE_PLAIN_NAME, also, &stays);

		if (stays)
			fwrite(at, 1, piece, to);
		else
			fwrite(escaped, 1, escape(escaped, at, piece), to);
		at += piece;
		bytes -= piece;
	}
}

void scope_plain_write_name(FILE *to, const char *plain, const char *also)
{
	while (*plain) {
		int byte = scope_plain_byte(plain);
		size_t run = byte > 0 ? ESCAPE_BYTES : 1;

		/* Copies all bytes up to the next escape in one step. */
		if (byte > 0) {
			fwrite(plain, 1, run, to);
		} else {
			while (plain[run] && scope_plain_byte(plain + run) <= 0)
				run++;
			scope_plain_write(to, plain, run, also);
		}
		plain += run;
	}
}
