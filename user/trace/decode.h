/* SPDX-License-Identifier: GPL-2.0-only */
/* Turn the records of one sub-buffer into events. */
#ifndef SCOPE_TRACE_DECODE_H
#define SCOPE_TRACE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>

#include "trace/event.h"

/* Later than any clock: a time that is not below was never one. Sums below it cannot overflow. */
#define SCOPE_TIME_LIMIT_NS (1ULL << 63)

/* One CPU's place in its records. Fields are the decoder's own, except where said. */
struct scope_decoder {
	const uint8_t *pos, *end;
	const uint8_t *after_state; /* a CHAIN that starts here belongs to state_tid */
	uint64_t time_ns;	    /* of the last record */
	uint64_t next_ns;	    /* to read: time of the next event, once peek returned true */
	uint32_t tid;		    /* on this CPU; 0: none that is traced */
	uint32_t state_tid;
	uint16_t cpu;
	const char *problem; /* to read: what is wrong, once take failed */
};

/*
 * Checks the head of a sub-buffer of which `bytes` bytes are there, 8-byte aligned, and starts at
 * its first record. The decoder, zeroed at first, keeps the time of the sub-buffer before: events
 * of a CPU never go back in time. 0, or -EBADMSG with problem set.
 */
int scope_trace_decoder_begin(struct scope_decoder *decoder, const struct scope_subbuf *subbuf, size_t bytes);

/* Passes TIME and THREAD records. The rest of scope_trace_decoder_peek. */
bool scope_trace_decoder_peek_slow(struct scope_decoder *decoder);

/* True: next_ns is set, and take will give that event. False: no more events here. */
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

/* Passes whole calls that took less than that: for who looks for slow ones alone. peek is to follow. */
void scope_trace_decoder_skip_calls(struct scope_decoder *decoder, uint32_t below_ns);

/*
 * Takes the event that peek found. 0, or -EBADMSG with problem set: nothing behind that place can
 * be read. Pointers in the event lead into the sub-buffer.
 */
int scope_trace_decoder_take(struct scope_decoder *decoder, struct scope_event *ret_event);

/*
 * Takes up to max events; fewer where the sub-buffer ends, or with problem set. Pointers in them
 * hold as long as the sub-buffer is there.
 */
size_t scope_trace_decoder_batch(struct scope_decoder *decoder, struct scope_event *ret_event, size_t max);

#endif
