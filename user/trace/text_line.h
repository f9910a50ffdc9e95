/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line of text as words: positional words, which are taken from left to right, then key=value
 * words and flags in any order.
 *
 * The first error of a line is kept: later takes give 0, "" and false, and scope_trace_line_end()
 * returns the error. So a line is parsed without a test after each word.
 */
#ifndef SCOPE_TRACE_TEXT_LINE_H
#define SCOPE_TRACE_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/text_names.h"

#define SCOPE_LINE_WORDS 32

struct scope_line {
	uint64_t number; /* counted from 1 */
	char *word[SCOPE_LINE_WORDS];
	unsigned int words, next;
	uint32_t used; /* bit i: word i was taken */
	int err;
	struct scope_error *error;
};

/* Splits text at its spaces, in place. number and error must be set. Borrows text. */
void scope_trace_line_begin(struct scope_line *line, char *text);

/* Sets the line's error, if it has none yet. */
__attribute__((format(printf, 2, 3))) void scope_trace_line_fail(struct scope_line *line, const char *format, ...);

/* True if a positional word is left. */
bool scope_trace_line_more(const struct scope_line *line);

/*
 * Takes a positional word. what: its name for the message. "-" is the empty string; \xHH is a byte. The word is
 * converted in place.
 */
const char *scope_trace_line_string(struct scope_line *line, const char *what);
uint64_t scope_trace_line_number(struct scope_line *line, const char *what, uint64_t max);
uint32_t scope_trace_line_name(struct scope_line *line, const char *what, const struct scope_text_words *words,
			       uint32_t max);
bool scope_trace_line_literal(struct scope_line *line, const char *word); /* true: the word was there; takes it */

/* Value of the word KEY=..., not parsed; NULL if there is none. */
char *scope_trace_line_find(struct scope_line *line, const char *key);
bool scope_trace_line_flag(struct scope_line *line, const char *word);
uint8_t scope_trace_line_flags(struct scope_line *line, const struct scope_text_flag *flag);

/* The same, parsed. An absent word gives `fallback`; _need reports it as an error. */
uint64_t scope_trace_line_value(struct scope_line *line, const char *key, uint64_t max, uint64_t fallback);
uint64_t scope_trace_line_need(struct scope_line *line, const char *key, uint64_t max);

/* These parse a value. A list is numbers separated by commas, "-" if it is empty; returns how many there are. */
uint64_t scope_trace_line_parse(struct scope_line *line, const char *what, const char *text, uint64_t max);
unsigned int scope_trace_line_list(struct scope_line *line, const char *what, char *text, unsigned int max,
				   uint64_t *ret_number);
void scope_trace_line_unescape(struct scope_line *line, char *text);

/* Pairs of hexadecimal digits, at most max. Returns the count of bytes. */
uint32_t scope_trace_line_hex(struct scope_line *line, const char *what, const char *text, uint32_t max,
			      uint8_t *ret_data);

/* 0 if all words were taken without an error, else -EINVAL. */
int scope_trace_line_end(struct scope_line *line);

#endif
