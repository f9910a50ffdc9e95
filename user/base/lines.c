// SPDX-License-Identifier: GPL-2.0-only
/* Reads a text line by line and counts what could not be read. */
#include "base/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

bool scope_lines_take(const char **text, char *ret_line, size_t size)
{
	const char *line = *text, *end;
	size_t bytes;

	if (!line || !*line)
		return false;
	end = strchrnul(line, '\n');
	bytes = (size_t)(end - line) < size ? (size_t)(end - line) : size - 1;
	memcpy(ret_line, line, bytes);
	ret_line[bytes] = '\0';
	*text = *end ? end + 1 : end;
	return true;
}

void scope_lines_init(struct scope_lines *lines, FILE *stream, size_t max)
{
	*lines = (struct scope_lines){ .stream = stream, .max = max };
}

void scope_lines_free(struct scope_lines *lines)
{
	free(lines->text);
	lines->text = NULL;
	lines->room = 0;
}

int scope_lines_next(struct scope_lines *lines)
{
	size_t used = 0;
	int c = EOF;

	lines->cut = lines->too_long = lines->zero = false;
	flockfile(lines->stream);
	while ((c = getc_unlocked(lines->stream)) != EOF && c != '\n') {
		if (used == lines->max) {
			lines->too_long = true;
			continue;
		}
		if (used + 1 >= lines->room && scope_grow(&lines->text, &lines->room, used + 2, 1)) {
			funlockfile(lines->stream);
			return -ENOMEM;
		}
		lines->zero |= !c;
		lines->text[used++] = (char)c;
	}
	funlockfile(lines->stream);
	if (ferror(lines->stream))
		return -EIO;
	if (c == EOF && !used)
		return 0;
	if (!lines->text && scope_grow(&lines->text, &lines->room, 1, 1))
		return -ENOMEM;
	lines->text[used] = '\0';
	lines->cut = c == EOF;
	lines->number++;
	return 1;
}

void scope_lines_skip(struct scope_lines *lines, uint64_t number, const char *what)
{
	if (!lines->bad++)
		snprintf(lines->first_bad, sizeof(lines->first_bad), "line %" PRIu64 ": %s", number, what);
}

int scope_lines_check(const struct scope_lines *lines, const char *name, const char *kind, struct scope_error *error)
{
	if (lines->bad <= lines->good)
		return 0;
	return scope_error_set(error, -EINVAL,
			       "%.120s is not %s: %" PRIu64 " of %" PRIu64 " entries cannot be "
			       "read; the first is %.220s",
			       name, kind, lines->bad, lines->bad + lines->good, lines->first_bad);
}
