/* SPDX-License-Identifier: GPL-2.0-only */
/* Words that the text form has for numbers. */
#ifndef SCOPE_TRACE_TEXT_NAMES_H
#define SCOPE_TRACE_TEXT_NAMES_H

#include <stdint.h>

#include "trace/trace.h"

struct scope_text_words {
	unsigned int count;
	const char *word[SCOPE_FD_KINDS]; /* as many as the longest list has */
};

extern const struct scope_text_words scope_trace_text_states;	  /* enum scope_state */
extern const struct scope_text_words scope_trace_text_contexts;	  /* enum scope_context */
extern const struct scope_text_words scope_trace_text_interrupts; /* enum scope_interrupt */
extern const struct scope_text_words scope_trace_text_fd_kinds;	  /* enum scope_fd_kind */
extern const struct scope_text_words scope_trace_text_outcomes;	  /* enum scope_file_outcome */
extern const struct scope_text_words scope_trace_text_block_ops;  /* enum scope_block_op */

/* Flags of a record, each with its word; a NULL word ends the list. */
struct scope_text_flag {
	const char *word;
	uint8_t bit;
};

extern const struct scope_text_flag scope_trace_text_stack_flags[];
extern const struct scope_text_flag scope_trace_text_ended_flags[]; /* SCOPE_FRAMES_* */
extern const struct scope_text_flag scope_trace_text_place_flags[]; /* SCOPE_PLACE_* */
extern const struct scope_text_flag scope_trace_text_state_flags[];
extern const struct scope_text_flag scope_trace_text_block_flags[];
extern const struct scope_text_flag scope_trace_text_probe_flags[];
extern const struct scope_text_flag scope_trace_text_delay_flags[];
extern const struct scope_text_flag scope_trace_text_stall_flags[];

#endif
