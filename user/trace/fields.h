/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that are fields alone, of the thread on their CPU: a row each, from which follows how they are decoded,
 * encoded, written as text and read from it.
 */
#ifndef SCOPE_TRACE_FIELDS_H
#define SCOPE_TRACE_FIELDS_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"
#include "trace/text_line.h"

struct scope_fields; /* a row */

/* NULL: that type of record, kind of event, or word of a line is none of these. */
const struct scope_fields *scope_trace_fields_of_type(uint32_t type);
const struct scope_fields *scope_trace_fields_of_kind(uint8_t kind);
const struct scope_fields *scope_trace_fields_of_word(const char *word);

/* The word that its lines begin with. */
const char *scope_trace_fields_word(const struct scope_fields *fields);
uint8_t scope_trace_fields_kind(const struct scope_fields *fields);

/* Fills what is particular to the event. left: bytes that are there. Returns the record's length; 0: it is cut short. */
size_t scope_trace_fields_decode(const struct scope_fields *fields, const void *record, size_t left,
				 struct scope_event *event);
/* The record, in a buffer that has room for any. 0, or -EINVAL: a number that has no room. */
int scope_trace_fields_encode(const struct scope_fields *fields, const struct scope_event *event, void *record,
			      struct scope_error *error, size_t *ret_bytes);
/* What follows the thread's number in a line. */
void scope_trace_fields_print(const struct scope_fields *fields, const struct scope_event *event, FILE *to);
void scope_trace_fields_parse(const struct scope_fields *fields, struct scope_line *line, struct scope_event *event);

#endif
