/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the lines of a text that came from elsewhere. Each line has a bounded length; a line that
 * cannot be read is skipped and counted. If most lines are bad, the text is not of the expected
 * kind.
 */
#ifndef SCOPE_BASE_LINES_H
#define SCOPE_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Copies the next line of a text, cut to `size` bytes, and moves `text` to the line after it. Returns false if no line
 * is left. Use it for sscanf(), which searches for the end of the string that it gets: called on each line of a long
 * text itself, it takes time in proportion to the square of the length.
 */
bool scope_lines_take(const char **text, char *ret_line, size_t size);

struct scope_lines {
	FILE *stream;
	size_t max; /* bytes of a line; further ones are skipped */
	char *text; /* the line, without its end; bytes after a zero byte are not part of it */
	size_t room;
	uint64_t number;     /* number of the line, from 1 */
	bool cut;	     /* the text ended within this line */
	bool too_long;	     /* only its first `max` bytes are there */
	bool zero;	     /* there was a zero byte in it */
	uint64_t good, bad;  /* entries, as the caller counts them */
	char first_bad[256]; /* "line 12: what is wrong there"; "" if no entry is bad */
};

void scope_lines_init(struct scope_lines *lines, FILE *stream, size_t max);
void scope_lines_free(struct scope_lines *lines);

/* 1 and the next line; 0 at the end; -ENOMEM, or -EIO if the stream failed. */
int scope_lines_next(struct scope_lines *lines);

/* Counts an entry that cannot be read. Keeps the line number and the reason of the first one. */
void scope_lines_skip(struct scope_lines *lines, uint64_t number, const char *what);

/* 0; or -EINVAL if more entries were bad than good: error names the first of them. */
int scope_lines_check(const struct scope_lines *lines, const char *name, const char *kind, struct scope_error *error);

#endif
