// SPDX-License-Identifier: GPL-2.0-only
/* Numbers as people read them. */
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *scope_format_ns(struct scope_text *buffer, double ns)
{
	static const struct {
		double unit;
		const char *name;
	} scale[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
	size_t i = 0;
	double value;

	/* 0.1 ms reads better than 100 µs beside other ms. */
	while (i < 2 && ns < 0.1 * scale[i].unit)
		i++;
	value = ns / scale[i].unit;
	snprintf(buffer->text, sizeof(buffer->text), "%.*f %s",
		 value >= 100 || value == 0 ? 0 : value >= 1 ? 1 : 2, value, scale[i].name);
	return buffer->text;
}

const char *scope_format_count(struct scope_text *buffer, uint64_t count)
{
	char digits[24];
	size_t length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *to = buffer->text;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return buffer->text;
}

const char *scope_format_large(struct scope_text *buffer, uint64_t count)
{
	if (count < 100000)
		return scope_format_count(buffer, count);
	snprintf(buffer->text, sizeof(buffer->text), "%.1f %c",
		 count < 1000000 ? count / 1e3 : count / 1e6, count < 1000000 ? 'k' : 'M');
	return buffer->text;
}

static unsigned columns(const char *text, size_t length)
{
	unsigned count = 0;

	/* Bytes 10xxxxxx continue a character of UTF-8. */
	for (size_t i = 0; i < length; i++)
		count += (text[i] & 0xc0) != 0x80;
	return count;
}

void scope_format_padded(FILE *out, const char *text, unsigned width)
{
	unsigned used = columns(text, strlen(text));

	fprintf(out, "%s%*s", text, used < width ? (int)(width - used) : 0, "");
}

void scope_format_wrapped(FILE *out, const char *text, unsigned column, unsigned indent)
{
	while (*text) {
		size_t length = strcspn(text, " ");
		unsigned width = columns(text, length);

		if (column + width > 96) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		}
		fprintf(out, "%.*s", (int)length, text);
		column += width;
		text += length;
		if (*text == ' ') {
			text++;
			if (*text && column + 1 + columns(text, strcspn(text, " ")) <= 96)
				fputc(' ', out);
			column++;
		}
	}
}
