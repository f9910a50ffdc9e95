/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the lines of the text form that are events. */
#ifndef SCOPE_TRACE_TEXT_EVENT_H
#define SCOPE_TRACE_TEXT_EVENT_H

#include "trace/event.h"
#include "trace/text_line.h"

/* The data that an event's pointers point to while its line is parsed. */
struct scope_text_payload {
	struct scope_record_state state;
	char comm[SCOPE_COMM_BYTES];
	uint64_t number[SCOPE_FRAMES_MAX]; /* arguments, addresses or registers */
	unsigned int numbers;
	uint8_t data[SCOPE_EVENT_STACK_BYTES_MAX];
};

/*
 * Parses "TIME CPU WORD ...". The event's pointers point into payload. 0, or -EINVAL with the
 * line's error filled.
 */
int scope_trace_text_event(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *ret_event);

#endif
