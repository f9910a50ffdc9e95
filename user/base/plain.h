/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plain form of a text that came from elsewhere: names of threads, files and functions, command
 * lines, what a file says of itself. It is valid UTF-8 on one line, and no terminal takes any of it
 * for a command.
 *
 * These are written as \xHH, two lower-case hexadecimal digits for one byte:
 *   - bytes below blank, 127, and bytes that are not valid UTF-8 (RFC 3629: overlong forms,
 *     surrogates and cut characters are not valid);
 *   - each byte of the characters U+0080 to U+009F, U+2028, U+2029, and of invisible characters
 *     that change how their neighbours are shown: U+00AD, U+061C, U+180E, U+200B to U+200F, U+202A
 *     to U+202E, U+2060 to U+206F, U+FEFF, U+FFF9 to U+FFFB, U+E0000 to U+E007F.
 * A backslash stays as it is, except in a name where xHH follows it: there it becomes \x5c. So a
 * plain name has one meaning, and scope_plain_undo() can restore it. All other bytes stay.
 *
 * Names are made plain once, where they enter: rows of a trace (trace/rows.c), names of threads
 * (timeline/timeline.c), functions (symbol/symbol.c), sentences for the user (error.c). Code that
 * prints them does not convert again.
 */
#ifndef SCOPE_BASE_PLAIN_H
#define SCOPE_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <scope/event.h>

enum scope_plain {
	SCOPE_PLAIN_NAME,
	SCOPE_PLAIN_SENTENCE, /* backslashes stay, as plain names may be in it; a second conversion changes nothing */
};

/* The most bytes that one byte may become. */
#define SCOPE_PLAIN_GROWTH 4
/* Room for the plain name of a thread. */
#define SCOPE_PLAIN_COMM_BYTES (SCOPE_PLAIN_GROWTH * SCOPE_COMM_BYTES)

/*
 * Writes the plain form of the first bytes of text, and a zero byte, to room (1 or more).
 * Characters and escapes that do not fit are left out as a whole. Returns the length.
 */
size_t scope_plain_put(char *to, size_t room, const char *text, size_t bytes, enum scope_plain kind);

/* True if the text is its own plain form. */
bool scope_plain_is(const char *text, enum scope_plain kind);

/* A copy, to be freed; NULL without memory. */
char *scope_plain_copy(const char *text, enum scope_plain kind);

/* The plain name of a thread from the bytes of its record, into room for SCOPE_PLAIN_COMM_BYTES; returns it. */
const char *scope_plain_comm(char *to, const char comm[SCOPE_COMM_BYTES]);

/* Converts a plain name back, in place. \x00 stays, and so does a backslash that xHH does not follow. */
void scope_plain_undo(char *name);
/* The same as a copy, to be freed; NULL without memory. */
char *scope_plain_undone(const char *name);

/* The byte of the \xHH that text begins with, or -1. */
int scope_plain_byte(const char *text);

/*
 * For text that is read back: the characters of `also` (ASCII) become \xHH, too. Text that is plain
 * already is not converted twice.
 */
void scope_plain_write(FILE *to, const char *text, size_t bytes, const char *also);
void scope_plain_write_name(FILE *to, const char *plain, const char *also);

#endif
