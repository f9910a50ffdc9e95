// SPDX-License-Identifier: GPL-2.0-only
/* Splits a line of text into words and numbers. */
#include "trace/text_line.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

void scope_trace_line_fail(struct scope_line *line, const char *format, ...)
{
	char text[256];
	va_list arguments;

	if (line->err)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	line->err = scope_error_set(line->error, -EINVAL, "line %" PRIu64 ": %s", line->number, text);
}

void scope_trace_line_begin(struct scope_line *line, char *text)
{
	char *rest = NULL;

	line->words = line->next = 0;
	line->used = 0;
	line->err = 0;
	for (char *word = strtok_r(text, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
		if (line->words == SCOPE_LINE_WORDS) {
			scope_trace_line_fail(line, "more than %d words", SCOPE_LINE_WORDS);
			return;
		}
		line->word[line->words++] = word;
	}
}

static void take(struct scope_line *line, unsigned int word)
{
	line->used |= 1u << word;
}

bool scope_trace_line_more(const struct scope_line *line)
{
	return line->next < line->words;
}

static char *positional(struct scope_line *line, const char *what)
{
	if (!scope_trace_line_more(line)) {
		scope_trace_line_fail(line, "%s is missing", what);
		return NULL;
	}
	take(line, line->next);
	return line->word[line->next++];
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void scope_trace_line_unescape(struct scope_line *line, char *text)
{
	for (const char *from = text; (from = strchr(from, '\\')); from += SCOPE_PLAIN_GROWTH)
		if (scope_plain_byte(from) <= 0) {
			scope_trace_line_fail(line, "a backslash must begin \\xHH, and not \\x00");
			return;
		}
	scope_plain_undo(text);
}

const char *scope_trace_line_string(struct scope_line *line, const char *what)
{
	char *text = positional(line, what);

	if (!text || !strcmp(text, "-"))
		return "";
	scope_trace_line_unescape(line, text);
	return text;
}

/* Decimal or 0x and hexadecimal. strtoull would also accept signs, spaces and octal. */
static int parse(const char *text, uint64_t *ret_number)
{
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	const char *digit = base == 16 ? text + 2 : text;
	uint64_t number = 0;

	if (!*digit)
		return -EINVAL;
	for (; *digit; digit++) {
		int value = hex_digit(*digit);

		if (value < 0 || value >= base || __builtin_mul_overflow(number, (uint64_t)base, &number) ||
		    __builtin_add_overflow(number, (uint64_t)value, &number))
			return -EINVAL;
	}
	*ret_number = number;
	return 0;
}

uint64_t scope_trace_line_parse(struct scope_line *line, const char *what, const char *text, uint64_t max)
{
	uint64_t number;

	if (parse(text, &number) || number > max) {
		scope_trace_line_fail(line, "%s must be a number up to %" PRIu64 ", not '%.40s'", what, max, text);
		return 0;
	}
	return number;
}

uint64_t scope_trace_line_number(struct scope_line *line, const char *what, uint64_t max)
{
	const char *text = positional(line, what);

	return text ? scope_trace_line_parse(line, what, text, max) : 0;
}

uint32_t scope_trace_line_name(struct scope_line *line, const char *what, const struct scope_text_words *words,
			       uint32_t max)
{
	const char *text = positional(line, what);
	uint64_t number;

	if (!text)
		return 0;
	for (unsigned int i = 0; i < words->count; i++)
		if (!strcmp(words->word[i], text))
			return i;
	if (!parse(text, &number) && number <= max)
		return number;
	scope_trace_line_fail(line, "'%.40s' is not known as %s", text, what);
	return 0;
}

bool scope_trace_line_literal(struct scope_line *line, const char *word)
{
	if (!scope_trace_line_more(line) || strcmp(line->word[line->next], word))
		return false;
	take(line, line->next++);
	return true;
}

char *scope_trace_line_find(struct scope_line *line, const char *key)
{
	size_t length = strlen(key);

	for (unsigned int i = line->next; i < line->words; i++)
		if (!(line->used >> i & 1) && !strncmp(line->word[i], key, length) && line->word[i][length] == '=') {
			take(line, i);
			return line->word[i] + length + 1;
		}
	return NULL;
}

bool scope_trace_line_flag(struct scope_line *line, const char *word)
{
	for (unsigned int i = line->next; i < line->words; i++)
		if (!(line->used >> i & 1) && !strcmp(line->word[i], word)) {
			take(line, i);
			return true;
		}
	return false;
}

uint8_t scope_trace_line_flags(struct scope_line *line, const struct scope_text_flag *flag)
{
	uint8_t flags = 0;

	for (; flag->word; flag++)
		if (scope_trace_line_flag(line, flag->word))
			flags |= flag->bit;
	return flags;
}

uint64_t scope_trace_line_value(struct scope_line *line, const char *key, uint64_t max, uint64_t fallback)
{
	const char *text = scope_trace_line_find(line, key);

	return text ? scope_trace_line_parse(line, key, text, max) : fallback;
}

uint64_t scope_trace_line_need(struct scope_line *line, const char *key, uint64_t max)
{
	const char *text = scope_trace_line_find(line, key);

	if (text)
		return scope_trace_line_parse(line, key, text, max);
	scope_trace_line_fail(line, "%s= is missing", key);
	return 0;
}

unsigned int scope_trace_line_list(struct scope_line *line, const char *what, char *text, unsigned int max,
				   uint64_t *ret_number)
{
	unsigned int count = 0;
	char *rest = text;

	if (!strcmp(text, "-"))
		return 0;
	do {
		const char *item = strsep(&rest, ",");

		if (count == max) {
			scope_trace_line_fail(line, "%s has more than %u numbers", what, max);
			return 0;
		}
		ret_number[count++] = scope_trace_line_parse(line, what, item, UINT64_MAX);
	} while (rest && !line->err);
	return line->err ? 0 : count;
}

uint32_t scope_trace_line_hex(struct scope_line *line, const char *what, const char *text, uint32_t max,
			      uint8_t *ret_data)
{
	size_t length = strlen(text);

	if (length % 2 || length / 2 > max || strspn(text, "0123456789abcdefABCDEF") != length) {
		scope_trace_line_fail(line, "%s must be pairs of hexadecimal digits, at most %u", what, max);
		return 0;
	}
	for (size_t i = 0; i < length; i += 2)
		ret_data[i / 2] = hex_digit(text[i]) << 4 | hex_digit(text[i + 1]);
	return length / 2;
}

int scope_trace_line_end(struct scope_line *line)
{
	for (unsigned int i = 0; i < line->words; i++)
		if (!(line->used >> i & 1))
			scope_trace_line_fail(line, "'%.40s' is not known here", line->word[i]);
	return line->err;
}
