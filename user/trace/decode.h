/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the records of one sub-buffer into events. */
#ifndef SCOPE_TRACE_DECODE_H
#define SCOPE_TRACE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>

#include "trace/event.h"

/* Every valid time is below this limit. Sums of two valid times cannot overflow. */
#define SCOPE_TIME_LIMIT_NS (1ULL << 63)

/* One CPU's place in its records. Callers read only the fields marked "to read". */
struct scope_decoder {
	const uint8_t *pos, *end;
	const uint8_t *after_state; /* a CHAIN that starts here belongs to state_tid */
	uint64_t time_ns;	    /* of the last record */
	uint64_t next_ns;	    /* to read: time of the next event, once peek returned true */
	uint32_t tid;		    /* the traced thread on this CPU; 0: none */
	uint32_t state_tid;
	uint16_t cpu;
	const char *problem; /* to read: what is wrong, once take failed */
};

/*
 * Checks the head of a sub-buffer of `bytes` bytes, 8-byte aligned, and starts at its first record.
 * The decoder, zeroed at first, keeps the time of the sub-buffer before, because events of a CPU
 * never go back in time. 0, or -EBADMSG with problem set.
 */
int scope_trace_decoder_begin(struct scope_decoder *decoder, const struct scope_subbuf *subbuf, size_t bytes);

/* The slow part of scope_trace_decoder_peek: skips TIME and THREAD records. */
bool scope_trace_decoder_peek_slow(struct scope_decoder *decoder);

/*
 * Returns true if there is a next event: next_ns is its time, and take gives it. Returns false if there are no more
 * events in this sub-buffer.
 */
static inline bool scope_trace_decoder_peek(struct scope_decoder *decoder)
{
	uint32_t word;

	if (decoder->pos >= decoder->end)
		return false;
	word = *(const uint32_t *)decoder->pos;
	if (scope_record_type(word) <= SCOPE_RECORD_THREAD)
		return scope_trace_decoder_peek_slow(decoder);
	decoder->next_ns = decoder->time_ns + scope_record_delta(word);
	return true;
}

/* Skips complete calls that took less than below_ns, for callers that need only slow calls. Call peek next. */
void scope_trace_decoder_skip_calls(struct scope_decoder *decoder, uint32_t below_ns);

/*
 * Takes the event that peek found. 0, or -EBADMSG with problem set: the rest of the sub-buffer cannot be read. Pointers
 * in the event lead into the sub-buffer.
 */
int scope_trace_decoder_take(struct scope_decoder *decoder, struct scope_event *ret_event);

/*
 * Takes up to max events; fewer if the sub-buffer ends, or with problem set. Pointers in them are valid as long as the
 * sub-buffer is.
 */
size_t scope_trace_decoder_batch(struct scope_decoder *decoder, struct scope_event *ret_event, size_t max);

#endif
