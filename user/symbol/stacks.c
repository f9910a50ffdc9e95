// SPDX-License-Identifier: GPL-2.0-only
/* Rewrites sub-buffers record by record. */
#include "symbol/stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "interpreter/interpreter.h"
#include "symbol/names.h"
#include "symbol/symbol.h"
#include "trace/blank.h"
#include "trace/decode.h"
#include "trace/lock_word.h"

struct rewriter {
	const struct scope_stacks *stacks;
	struct scope_stacks_found *found;
	struct scope_subbuf *out;
};

static uint8_t *end_of(const struct rewriter *rewriter)
{
	return (uint8_t *)rewriter->out + rewriter->out->used_bytes;
}

static void copy(struct rewriter *rewriter, const uint8_t *from, const uint8_t *to)
{
	memcpy(end_of(rewriter), from, (size_t)(to - from));
	rewriter->out->used_bytes += (uint32_t)(to - from);
}

static void note_unmapped(struct scope_stacks_found *found, uint32_t tgid)
{
	for (uint32_t i = 0; i < found->unmapped_count; i++)
		if (found->unmapped[i] == tgid)
			return;
	if (found->unmapped_count < SCOPE_STACKS_UNMAPPED_MAX)
		found->unmapped[found->unmapped_count++] = tgid;
}

/* Unwinds as much of the stack as possible, at most max addresses, and notes them for their names. 0 or -ENOMEM. */
static int unwind(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *reg, unsigned int regs,
		  const uint8_t *data, size_t bytes, uint64_t *ret_ip, unsigned int max, unsigned int *ret_count,
		  unsigned int *ret_flags)
{
	int err = 0;

	*ret_count = 0;
	*ret_flags = SCOPE_UNWIND_BROKEN;
	if (!max)
		return 0;
	if (symbols) {
		err = scope_symbols_unwind(symbols, tgid, reg, regs, data, bytes, ret_ip, max, ret_count, ret_flags);
		if (!err)
			err = scope_symbol_names_note(symbols, tgid, ret_ip, *ret_count);
	} else if (regs) {
		ret_ip[0] = reg[regs - 1];
		*ret_count = 1;
	}
	return err == -EINVAL ? 0 : err;
}

/* Uses at most the bytes of the STACK record that it replaces. */
static int put_frames(struct rewriter *rewriter, const struct scope_event *event,
		      const struct scope_record_stack *record, size_t bytes)
{
	const bool kernel = event->flags & SCOPE_STACK_KERNEL_IP;
	const size_t words = (bytes - sizeof(struct scope_record_frames)) / sizeof(uint64_t) - kernel;
	const unsigned int max = words < SCOPE_FRAMES_MAX ? (unsigned int)words : SCOPE_FRAMES_MAX;
	const uint32_t tgid = rewriter->stacks->tgid_of(rewriter->stacks->context, event);
	struct scope_record_frames *frames = (void *)end_of(rewriter);
	uint64_t *ip = (uint64_t *)(frames + 1);
	unsigned int count, flags;
	int err = unwind(rewriter->stacks->symbols, tgid, event->stack.reg, event->stack.regs, event->stack.data,
			 event->stack.bytes, ip, max, &count, &flags);

	if (err)
		return err;
	if (flags & SCOPE_UNWIND_UNMAPPED)
		note_unmapped(rewriter->found, tgid);
	rewriter->found->stacks++;
	rewriter->found->copies[event->flags >> SCOPE_STACK_COPY_SHIFT]++;
	*frames = (struct scope_record_frames){
		.word = scope_record_word(SCOPE_RECORD_FRAMES, scope_record_delta(record->word)),
		.reason = event->stack.reason,
		.flags = event->flags & ((1u << SCOPE_STACK_COPY_SHIFT) - 1),
		.count = (uint16_t)(count + kernel),
		.cost_ns = event->stack.cost_ns,
		.ended = (uint8_t)(flags & ~SCOPE_UNWIND_UNMAPPED),
	};
	if (kernel)
		ip[count] = event->stack.kernel_ip;
	rewriter->out->used_bytes += (uint32_t)(sizeof(*frames) + frames->count * sizeof(*ip));
	return 0;
}

/*
 * In code that keeps no frame pointers a chain of them leads anywhere: its "return addresses" are then memory of the
 * program. *ret_count: the number of addresses before that; these are noted for their names. 0 or -ENOMEM.
 */
static int keep_code(struct rewriter *rewriter, const struct scope_event *event, uint16_t *ret_count)
{
	const struct scope_stacks *stacks = rewriter->stacks;
	uint32_t tgid;
	int err;

	*ret_count = event->stack.ips ? 1 : 0;
	if (!stacks->symbols) {
		rewriter->found->stacks += *ret_count < event->stack.ips;
		return 0;
	}
	tgid = stacks->tgid_of(stacks->context, event);
	*ret_count = (uint16_t)scope_symbols_code(stacks->symbols, tgid, event->stack.ip, event->stack.ips);
	err = scope_symbol_names_note(stacks->symbols, tgid, event->stack.ip, *ret_count);
	if (!err && *ret_count < event->stack.ips) {
		rewriter->found->stacks++;
		note_unmapped(rewriter->found, tgid);
	}
	return err;
}

/*
 * If an address is no code, the chain ends there and is marked as broken. FRAMES takes no more bytes than the record
 * that it replaces.
 */
static int put_chain(struct rewriter *rewriter, const struct scope_event *event, const uint8_t *from, const uint8_t *to)
{
	const bool kernel = event->flags & SCOPE_STACK_KERNEL_IP;
	struct scope_record_frames *frames = (void *)end_of(rewriter);
	uint64_t *ip = (uint64_t *)(frames + 1);
	uint16_t count;
	int err = keep_code(rewriter, event, &count);

	if (err || count == event->stack.ips) {
		copy(rewriter, from, to);
		return err;
	}
	*frames = (struct scope_record_frames){
		.word = scope_record_word(SCOPE_RECORD_FRAMES, scope_record_delta(*(const uint32_t *)from)),
		.reason = event->stack.reason,
		.flags = event->flags & (SCOPE_STACK_IN_KERNEL | SCOPE_STACK_KERNEL_IP),
		.count = (uint16_t)(count + kernel),
		.cost_ns = event->stack.cost_ns,
		.ended = SCOPE_FRAMES_BROKEN | SCOPE_FRAMES_GUESSED,
	};
	memcpy(ip, event->stack.ip, count * sizeof(*ip));
	if (kernel)
		ip[count] = event->stack.kernel_ip;
	rewriter->out->used_bytes += (uint32_t)(sizeof(*frames) + frames->count * sizeof(*ip));
	return 0;
}

/* The same for the places where tasks wait, which were read by frame pointers from outside. */
static int put_tasks(struct rewriter *rewriter, const struct scope_event *event, const uint8_t *from)
{
	struct scope_record_frames *frames = (void *)end_of(rewriter);
	uint16_t count;
	int err = keep_code(rewriter, event, &count);

	copy(rewriter, from, from + sizeof(*frames) + count * sizeof(uint64_t));
	if (count == event->stack.ips)
		return err;
	frames->count = count;
	frames->ended = SCOPE_FRAMES_BROKEN | SCOPE_FRAMES_GUESSED;
	return err;
}

/* True for functions of an interpreter, which have no real addresses, and have names in the trace already. */
static bool is_interpreted(const struct scope_event *event)
{
	for (uint16_t i = 0; i < event->stack.ips; i++)
		if (event->stack.ip[i] < SCOPE_INTERPRETED_BASE || event->stack.ip[i] >= SCOPE_INTERPRETED_END)
			return false;
	return event->stack.ips;
}

static int put_record(struct rewriter *rewriter, const struct scope_event *event, const uint8_t *from,
		      const uint8_t *to)
{
	uint8_t *place = end_of(rewriter);

	if (event->kind == SCOPE_EVENT_STACK && event->stack.reg)
		return put_frames(rewriter, event, (const void *)from, (size_t)(to - from));
	if (scope_record_type(*(const uint32_t *)from) == SCOPE_RECORD_CHAIN)
		return put_chain(rewriter, event, from, to);
	if (event->kind == SCOPE_EVENT_STACK && event->stack.reason == SCOPE_STACK_TASKS) {
		if (!is_interpreted(event))
			return put_tasks(rewriter, event, from);
		copy(rewriter, from, to);
		return 0;
	}
	copy(rewriter, from, to);
	if (scope_record_type(*(const uint32_t *)from) == SCOPE_RECORD_FRAMES &&
	    event->stack.reason != SCOPE_STACK_SNAPSHOT)
		rewriter->found->walked++;
	if (event->kind == SCOPE_EVENT_STACK && rewriter->stacks->symbols)
		return scope_symbol_names_note(rewriter->stacks->symbols,
					       rewriter->stacks->tgid_of(rewriter->stacks->context, event),
					       event->stack.ip, event->stack.ips);
	if (event->kind == SCOPE_EVENT_STATE)
		scope_trace_blank_state((void *)place, (uint64_t *)(place + sizeof(struct scope_record_state)));
	return 0;
}

int scope_symbol_stacks_replace(const struct scope_stacks *stacks, const struct scope_subbuf *subbuf,
				struct scope_subbuf *out, struct scope_stacks_found *ret_found)
{
	struct rewriter rewriter = { .stacks = stacks, .found = ret_found, .out = out };
	struct scope_decoder decoder = { 0 };
	struct scope_event event;
	const uint8_t *from;
	int err = 0;

	*ret_found = (struct scope_stacks_found){ 0 };
	*out = *subbuf;
	out->used_bytes = sizeof(*out);
	if (scope_trace_decoder_begin(&decoder, subbuf, subbuf->used_bytes))
		return 0;
	for (from = decoder.pos; !err && scope_trace_decoder_peek(&decoder); from = decoder.pos) {
		const uint8_t *record = decoder.pos;

		copy(&rewriter, from, record); /* TIME and THREAD */
		from = record;
		if (scope_trace_decoder_take(&decoder, &event))
			return 0;
		err = put_record(&rewriter, &event, record, decoder.pos);
	}
	if (!err)
		copy(&rewriter, from, decoder.pos);
	return err;
}

int scope_symbol_stacks_stopped(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *reg, unsigned int regs,
				const struct scope_trace_memory *memory, uint64_t *ret_ip,
				struct scope_trace_stopped_stack *ret_stopped_stack, bool *ret_unmapped)
{
	unsigned int count, flags;
	int err =
		unwind(symbols, tgid, reg, regs, memory->data, memory->bytes, ret_ip, SCOPE_FRAMES_MAX, &count, &flags);

	if (err)
		return err;
	*ret_stopped_stack = (struct scope_trace_stopped_stack){
		.tid = memory->tid,
		.count = count,
		.address = memory->address,
		.ip = ret_ip,
		.ended = (uint8_t)(flags & ~SCOPE_UNWIND_UNMAPPED),
	};
	*ret_unmapped = flags & SCOPE_UNWIND_UNMAPPED;
	return 0;
}

void scope_symbol_stacks_lock(const struct scope_trace_memory *memory, bool (*is_thread)(void *context, uint32_t tid),
			      void *context, struct scope_trace_lock *ret_lock)
{
	uint32_t owner = scope_trace_lock_owner(memory->data);

	if (owner && !is_thread(context, owner))
		owner = 0;
	*ret_lock = (struct scope_trace_lock){ memory->tid, owner, memory->address };
}
