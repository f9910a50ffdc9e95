/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints numbers and names in a readable form. */
#ifndef SCOPE_REPORT_NUMBERS_H
#define SCOPE_REPORT_NUMBERS_H

#include <stdint.h>
#include <stdio.h>

/* Texts in a buffer of the caller's, which is returned. */
struct scope_text {
	char text[64];
};

const char *scope_report_format_ns(struct scope_text *buffer, double ns); /* "4.1 ms" */
/* "1 stack", "2,367 stacks": of a word whose plural ends in s. */
const char *scope_report_format_some(struct scope_text *buffer, uint64_t count, const char *word);
/* How long a trace is: "20.0 s", "31.0 ms", "empty". */
const char *scope_report_format_window(struct scope_text *buffer, uint64_t ns);
const char *scope_report_format_count(struct scope_text *buffer, uint64_t count); /* "48,310" */
const char *scope_report_format_large(struct scope_text *buffer, uint64_t count); /* "12.4 M" */

/* Prints text and fills up to width columns; multi-byte characters take one column each. */
void scope_report_format_padded(FILE *out, const char *text, unsigned width);
/*
 * Prints the name of a function in exactly that many columns (at least 8). From a longer name the
 * types of arguments and result (Java), or the file (Node), are left out first; then leading
 * qualifiers; then its end. An ellipsis marks a missing part other than types and files.
 */
void scope_report_format_name(FILE *out, const char *name, unsigned width);
/* Prints the text in at most width columns; an ellipsis ends one that is longer. */
void scope_report_format_clipped(FILE *out, const char *text, unsigned width);
unsigned scope_report_format_columns(const char *text);
/* Prints text broken into lines at the last column, with an indent. */
void scope_report_format_wrapped_to(FILE *out, const char *text, unsigned column, unsigned indent, unsigned last);
/* The head, then the text in a separate column, up to column 96. Ends its line. */
void scope_report_format_paragraph(FILE *out, const char *head, const char *text);

/* A text that is written piece by piece. */
struct scope_paragraph {
	FILE *to; /* where the text is written */
	char *text;
	size_t size;
};

/* end must follow. 0 or -ENOMEM. */
int scope_report_paragraph_begin(struct scope_paragraph *paragraph);
/* The text, malloc'd. 0 or -ENOMEM. */
int scope_report_paragraph_end(struct scope_paragraph *paragraph, char **ret_text);
/* Ends it and prints it as one line with an indent, in at most width columns. 0 or -ENOMEM. */
int scope_report_paragraph_print(struct scope_paragraph *paragraph, unsigned indent, unsigned width, FILE *out);

/* Appends to a text, as far as there is room for it. */
__attribute__((format(printf, 3, 4))) void scope_report_append(char *text, size_t room, const char *format, ...);

#endif
