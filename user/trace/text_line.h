/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line of text as words: positional ones taken from left to right, then key=value words and
 * flags in any order.
 *
 * The first thing wrong with a line stays: later takes give 0, "" and false, and scope_trace_line_end()
 * returns it. So a line is parsed without a test behind each word.
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
	int failed;
	struct scope_error *error;
};

/* Cuts text at its spaces, in place. number and error must be set. Borrows text. */
void scope_trace_line_begin(struct scope_line *line, char *text);

/* Notes what is wrong. */
__attribute__((format(printf, 2, 3))) void scope_trace_line_fail(struct scope_line *line, const char *format, ...);

/* Is there a positional word left? */
bool scope_trace_line_more(const struct scope_line *line);

/* Positional. what: for the message. "-" is the empty string; \xHH a byte. In place. */
const char *scope_trace_line_string(struct scope_line *line, const char *what);
uint64_t scope_trace_line_number(struct scope_line *line, const char *what, uint64_t max);
uint32_t scope_trace_line_name(struct scope_line *line, const char *what, const struct scope_text_words *words,
			       uint32_t max);
bool scope_trace_line_literal(struct scope_line *line, const char *word); /* true: was there, taken */

/* Value of the word KEY=..., NULL where it is not there. Raw. */
char *scope_trace_line_find(struct scope_line *line, const char *key);
bool scope_trace_line_flag(struct scope_line *line, const char *word);
uint8_t scope_trace_line_flags(struct scope_line *line, const struct scope_text_flag *flag);

/* The same, parsed. An absent word is `fallback`; _need calls it an error. */
uint64_t scope_trace_line_value(struct scope_line *line, const char *key, uint64_t max, uint64_t fallback);
uint64_t scope_trace_line_need(struct scope_line *line, const char *key, uint64_t max);

/* Parse what was found. List: numbers with commas between, "-" is none. Returns their count. */
uint64_t scope_trace_line_parse(struct scope_line *line, const char *what, const char *text, uint64_t max);
unsigned int scope_trace_line_list(struct scope_line *line, const char *what, char *text, unsigned int max,
				   uint64_t *ret_number);
void scope_trace_line_unescape(struct scope_line *line, char *text);

/* Pairs of hexadecimal digits, at most max. Returns the count of bytes. */
uint32_t scope_trace_line_hex(struct scope_line *line, const char *what, const char *text, uint32_t max,
			      uint8_t *ret_data);

/* 0 where all words were taken and all was well, else -EINVAL. */
int scope_trace_line_end(struct scope_line *line);

#endif
