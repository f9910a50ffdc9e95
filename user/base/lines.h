/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of a text from elsewhere: each of bounded length, those that cannot be read skipped and counted. A
 * text most of whose lines are bad is none of the kind that was asked for.
 */
#ifndef SCOPE_BASE_LINES_H
#define SCOPE_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct scope_lines {
	FILE *stream;
	size_t max; /* bytes of a line; more are read past */
	char *text; /* the line, without its end; what stands behind a zero byte is not part of it */
	size_t room;
	uint64_t number;     /* of the line, from 1 */
	bool cut;	     /* the text ended before the line did */
	bool too_long;	     /* its first `max` bytes are there */
	bool zero;	     /* there was a zero byte in it */
	uint64_t good, bad;  /* entries, as the caller counts them */
	char first_bad[256]; /* "line 12: what is wrong there"; "" where none is */
};

void scope_lines_init(struct scope_lines *lines, FILE *stream, size_t max);
void scope_lines_free(struct scope_lines *lines);

/* 1 and the next line; 0 at the end; -ENOMEM, or -EIO where the stream failed. */
int scope_lines_next(struct scope_lines *lines);

/* Counts an entry that cannot be read; of the first one, which line it is and what is wrong is kept. */
void scope_lines_skip(struct scope_lines *lines, uint64_t number, const char *what);

/* 0; or -EINVAL where more entries were bad than good: error names the first of them. */
int scope_lines_check(const struct scope_lines *lines, const char *name, const char *kind, struct scope_error *error);

#endif
