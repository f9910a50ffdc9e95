/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts what copied stacks unwind to in the place of their registers and bytes, so that a trace holds
 * addresses and no memory of its target.
 */
#ifndef SCOPE_SYMBOL_STACKS_H
#define SCOPE_SYMBOL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>

#include "trace/event.h"
#include "trace/trace.h"

struct scope_symbols;

/* What it takes. */
struct scope_stacks {
	struct scope_symbols *symbols; /* NULL: of each stack the program counter stays, as broken */
	/* The process of the thread of a STACK event, unwound or not; asked once for each, in their order. */
	uint32_t (*tgid_of)(void *context, const struct scope_event *event);
	void *context;
};

/* Processes whose stacks led to addresses where nothing that is known is mapped. */
#define SCOPE_STACKS_UNMAPPED_MAX 8u

struct scope_stacks_found {
	uint32_t stacks;
	uint32_t unmapped[SCOPE_STACKS_UNMAPPED_MAX]; /* tgids, each once */
	uint32_t unmapped_count;
};

/*
 * Copies a sub-buffer to out, which has room for subbuf->used_bytes, with a FRAMES record for each STACK,
 * and with STATE records without what may be memory (trace/blank.h). The addresses of all stacks are noted to be
 * named (symbol/names.h). All else stays as it is. What
 * follows a record that cannot be read is left out. 0 or -ENOMEM.
 */
int scope_symbol_stacks_replace(const struct scope_stacks *stacks, const struct scope_subbuf *subbuf,
				struct scope_subbuf *out, struct scope_stacks_found *ret_found);

/*
 * The stack of a thread that stood still. reg: regs of them. ret_ip: room for SCOPE_FRAMES_MAX
 * addresses, which *ret_standing points to. *ret_unmapped: it led to where nothing is mapped. 0 or -ENOMEM.
 */
int scope_symbol_stacks_stopped(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *reg, unsigned int regs,
				const struct scope_trace_memory *memory, uint64_t *ret_ip,
				struct scope_trace_stopped_stack *ret_stopped_stack, bool *ret_unmapped);

/*
 * The owner of a lock, by the SCOPE_FUTEX_MEMORY_BYTES of it. is_thread: does the process of the thread
 * that sleeps on it have that thread? memory->tid and address are taken over; owner 0: none is named.
 */
void scope_symbol_stacks_lock(const struct scope_trace_memory *memory, bool (*is_thread)(void *context, uint32_t tid),
			      void *context, struct scope_trace_lock *ret_lock);

#endif
