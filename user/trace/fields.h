/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that consist of fixed fields only, and belong to the thread on their CPU. Each has one row, by which it is
 * decoded, encoded, written as text and read from text.
 */
#ifndef SCOPE_TRACE_FIELDS_H
#define SCOPE_TRACE_FIELDS_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"
#include "trace/text_line.h"

struct scope_fields; /* a row */

/* NULL: no row has that type of record, kind of event or first word of a line. */
const struct scope_fields *scope_trace_fields_of_type(uint32_t type);
const struct scope_fields *scope_trace_fields_of_kind(uint8_t kind);
const struct scope_fields *scope_trace_fields_of_word(const char *word);

/* The first word of its lines. */
const char *scope_trace_fields_word(const struct scope_fields *fields);
uint8_t scope_trace_fields_kind(const struct scope_fields *fields);

/* Fills in the members of this kind of event. left: bytes available. Returns the record's length; 0: it is cut. */
size_t scope_trace_fields_decode(const struct scope_fields *fields, const void *record, size_t left,
				 struct scope_event *event);
/* Writes the record to a buffer that has room for any record. 0, or -EINVAL: a number is too large for its field. */
int scope_trace_fields_encode(const struct scope_fields *fields, const struct scope_event *event, void *record,
			      struct scope_error *error, size_t *ret_bytes);
/* The part of a line that follows the thread's number. */
void scope_trace_fields_print(const struct scope_fields *fields, const struct scope_event *event, FILE *to);
void scope_trace_fields_parse(const struct scope_fields *fields, struct scope_line *line, struct scope_event *event);

#endif
