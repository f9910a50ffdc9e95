// SPDX-License-Identifier: GPL-2.0-only
/* Prints numbers and names in a readable form. */
#include "report/numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>

const char *scope_report_format_ns(struct scope_text *buffer, double ns)
{
	static const struct {
		double unit;
		const char *name;
	} scale[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" } };
	size_t i = 0;
	double value;

	/* 0.1 ms is easier to compare with other ms than 100 µs. */
	while (i < 2 && ns < 0.1 * scale[i].unit)
		i++;
	if (ns > 0 && ns < 10)
		i = 3; /* what would be 0.00 µs */
	value = ns / scale[i].unit;
	snprintf(buffer->text, sizeof(buffer->text), "%.*f %s",
		 value >= 100 || value == 0 ? 0
		 : value >= 1		    ? 1
					    : 2,
		 value, scale[i].name);
	return buffer->text;
}

const char *scope_report_format_window(struct scope_text *buffer, uint64_t ns)
{
	if (ns < 50000000 && ns)
		return scope_report_format_ns(buffer, (double)ns);
	snprintf(buffer->text, sizeof(buffer->text), ns ? "%.1f s" : "empty", (double)ns / 1e9);
	return buffer->text;
}

const char *scope_report_format_count(struct scope_text *buffer, uint64_t count)
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

const char *scope_report_format_some(struct scope_text *buffer, uint64_t count, const char *word)
{
	struct scope_text number;

	snprintf(buffer->text, sizeof(buffer->text), "%s %.24s%s", scope_report_format_count(&number, count), word,
		 count == 1 ? "" : "s");
	return buffer->text;
}

const char *scope_report_format_large(struct scope_text *buffer, uint64_t count)
{
	if (count < 1000000)
		return scope_report_format_count(buffer, count);
	snprintf(buffer->text, sizeof(buffer->text), "%.1f M", count / 1e6);
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

void scope_report_format_padded(FILE *out, const char *text, unsigned width)
{
	unsigned used = columns(text, strlen(text));

	fprintf(out, "%s%*s", text, used < width ? (int)(width - used) : 0, "");
}

unsigned scope_report_format_columns(const char *text)
{
	return columns(text, strlen(text));
}

/* The bracket that opens the arguments at the name's end; the end if there are none, or nothing before them. */
static const char *find_arguments(const char *name, const char *end)
{
	int depth = 0;

	for (const char *at = end; at-- > name && end[-1] == ')';) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			return at > name ? at : end;
	}
	return end;
}

/* The last blank outside of brackets, or NULL. */
static const char *find_blank(const char *name, const char *end)
{
	int depth = 0;

	for (const char *at = end; at-- > name;) {
		depth += (*at == '>' || *at == ')') - (*at == '<' || *at == '(');
		if (!depth && *at == ' ')
			return at;
	}
	return NULL;
}

/* The longest sequence of last parts (between "::" or '.' outside of brackets) that fits; NULL: not even one fits. */
static const char *find_parts(const char *name, const char *end, unsigned width)
{
	const char *found = NULL;
	int depth = 0;

	for (const char *at = end; at-- > name;) {
		depth += (*at == '>' || *at == ')') - (*at == '<' || *at == '(');
		if (depth || (*at != '.' && *at != ':'))
			continue;
		if (columns(at + 1, (size_t)(end - at - 1)) > width)
			break;
		if (at + 1 < end && at[1] != ':')
			found = at + 1;
	}
	return found;
}

/* The place in the text after that many columns. */
static const char *skip_columns(const char *text, const char *end, unsigned width)
{
	while (text < end && width--)
		for (text++; text < end && (*text & 0xc0) == 0x80; text++)
			;
	return text;
}

void scope_report_format_clipped(FILE *out, const char *text, unsigned width)
{
	const char *end = text + strlen(text);

	if (columns(text, (size_t)(end - text)) <= width)
		fputs(text, out);
	else if (width)
		fprintf(out, "%.*s…", (int)(skip_columns(text, end, width - 1) - text), text);
}

void scope_report_format_name(FILE *out, const char *name, unsigned width)
{
	const char *end = name + strlen(name), *cut, *blank;

	if (columns(name, (size_t)(end - name)) > width) {
		cut = find_arguments(name, end);
		blank = find_blank(name, cut);
		if (cut < end && blank)
			name = blank + 1;
		end = cut == end && blank ? blank : cut;
	}
	if (columns(name, (size_t)(end - name)) <= width) {
		fprintf(out, "%.*s%*s", (int)(end - name), name, (int)(width - columns(name, (size_t)(end - name))),
			"");
		return;
	}
	cut = find_parts(name, end, width - 1);
	if (cut)
		fprintf(out, "…%.*s%*s", (int)(end - cut), cut, (int)(width - 1 - columns(cut, (size_t)(end - cut))),
			"");
	else
		fprintf(out, "%.*s…", (int)(skip_columns(name, end, width - 1) - name), name);
}

static bool is_unit(const char *word, size_t length)
{
	static const char *const units[] = { "ns", "µs", "us", "ms", "s", "min", "h", "d", "%", "B", "kB", "MB", "GB" };

	while (length && strchr(".,;:)", word[length - 1]))
		length--;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (length == strlen(units[i]) && !memcmp(word, units[i], length))
			return true;
	return false;
}

/* Bytes that stay in one line: up to the next space, or with it and a unit if a number is before it. */
static size_t unbroken(const char *text)
{
	const size_t length = strcspn(text, " ");
	const char *next = text + length + 1;

	if (!length || !text[length] || text[length - 1] < '0' || text[length - 1] > '9' ||
	    !is_unit(next, strcspn(next, " ")))
		return length;
	return length + 1 + strcspn(next, " ");
}

void scope_report_format_wrapped_to(FILE *out, const char *text, unsigned column, unsigned indent, unsigned last)
{
	while (*text) {
		size_t length = unbroken(text);
		unsigned width = columns(text, length);

		if (column + width > last) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		}
		fprintf(out, "%.*s", (int)length, text);
		column += width;
		text += length;
		if (*text == ' ') {
			text++;
			if (*text && column + 1 + columns(text, unbroken(text)) <= last)
				fputc(' ', out);
			column++;
		}
	}
}

void scope_report_format_paragraph(FILE *out, const char *head, const char *text)
{
	const unsigned column = columns(head, strlen(head));

	fputs(head, out);
	scope_report_format_wrapped_to(out, text, column, column, 96);
	fputc('\n', out);
}

int scope_report_paragraph_begin(struct scope_paragraph *paragraph)
{
	*paragraph = (struct scope_paragraph){ 0 };
	paragraph->to = open_memstream(&paragraph->text, &paragraph->size);
	return paragraph->to ? 0 : -ENOMEM;
}

int scope_report_paragraph_end(struct scope_paragraph *paragraph, char **ret_text)
{
	if (fclose(paragraph->to)) {
		free(paragraph->text);
		return -ENOMEM;
	}
	*ret_text = paragraph->text;
	return 0;
}

int scope_report_paragraph_print(struct scope_paragraph *paragraph, unsigned indent, unsigned width, FILE *out)
{
	char *text;
	int err = scope_report_paragraph_end(paragraph, &text);

	if (err)
		return err;
	fprintf(out, "%*s", (int)indent, "");
	scope_report_format_clipped(out, text, width - indent);
	fputc('\n', out);
	free(text);
	return 0;
}

void scope_report_append(char *text, size_t room, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, room - used, format, arguments);
	va_end(arguments);
}
