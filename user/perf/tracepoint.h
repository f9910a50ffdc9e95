/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the fields of a tracepoint are, from its format file in tracefs. */
#ifndef SCOPE_PERF_TRACEPOINT_H
#define SCOPE_PERF_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scope_perf_field {
	uint32_t offset; /* in the raw data of a sample */
	uint32_t bytes;	 /* 0: there is none */
	bool is_signed;
};

/* 0; -ENOENT: no such field; -EBADMSG: its line is invalid. */
int scope_perf_field_find(const char *format, const char *name, struct scope_perf_field *ret_field);

/*
 * The number in the raw data; 0 if the field is outside of them. Fields of 1, 2, 4 and 8 bytes are numbers; of longer
 * fields (arrays) the first 8 bytes are taken.
 */
int64_t scope_perf_field_get(const struct scope_perf_field *field, const uint8_t *raw, size_t bytes);

/* What the bits of sched_switch's prev_state mean on this kernel: its print format names them. */
struct scope_perf_states {
	struct {
		uint32_t mask;
		uint8_t state; /* enum scope_state */
	} row[16];
	uint32_t count;
	uint32_t all; /* all masks together; a bit above them means that the thread was preempted */
};

/* 0, or -EBADMSG if the format names no states. */
int scope_perf_states_find(const char *format, struct scope_perf_states *ret_states);

/* A thread that was preempted is runnable, whatever other bits are set. */
uint8_t scope_perf_state(const struct scope_perf_states *states, int64_t prev_state, bool *ret_preempted);

/* The state for a letter of /proc and of the print format. */
uint8_t scope_perf_state_of_letter(char letter);

#endif
