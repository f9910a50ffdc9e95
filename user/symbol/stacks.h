/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwinds copied stacks and stores the addresses instead of the registers and bytes, so that a trace holds no memory of
 * its target.
 */
#ifndef SCOPE_SYMBOL_STACKS_H
#define SCOPE_SYMBOL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>
#include <scope/table.h>

#include "trace/event.h"
#include "trace/trace.h"

struct scope_symbols;

/* Arguments. */
struct scope_stacks {
	struct scope_symbols *symbols; /* NULL: only the program counter of copies and chains stays, marked as broken */
	/*
	 * Returns the process of the thread of a STACK event, unwound or not; called once for each event, in their
	 * order.
	 */
	uint32_t (*tgid_of)(void *context, const struct scope_event *event);
	void *context;
};

/* Processes whose stacks have addresses at which no known file is mapped. */
#define SCOPE_STACKS_UNMAPPED_MAX 8u

struct scope_stacks_found {
	uint32_t stacks;
	uint32_t walked;			      /* stacks that the module walked, without a copy */
	uint32_t copies[SCOPE_COPY_REASONS];	      /* copied stacks, by the reason why the module copied them */
	uint32_t unmapped[SCOPE_STACKS_UNMAPPED_MAX]; /* tgids, each once */
	uint32_t unmapped_count;
};

/*
 * Copies a sub-buffer to out, which has room for subbuf->used_bytes. Each STACK becomes a FRAMES record. So does each
 * CHAIN with an address that is no code; it ends before that address, and FRAMES of tasks are cut in the same way.
 * STATE records lose all values that may be memory (trace/blank.h). The addresses of all stacks and tasks are noted for
 * their names (symbol/names.h). All other records stay unchanged. Records after one that cannot be read are left out. 0
 * or -ENOMEM.
 */
int scope_symbol_stacks_replace(const struct scope_stacks *stacks, const struct scope_subbuf *subbuf,
				struct scope_subbuf *out, struct scope_stacks_found *ret_found);

/*
 * Unwinds the stack of a thread that did not run. reg: `regs` registers. ret_ip: room for SCOPE_FRAMES_MAX addresses,
 * to which *ret_stopped_stack points. *ret_unmapped: an address has no known mapping. 0 or -ENOMEM.
 */
int scope_symbol_stacks_stopped(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *reg, unsigned int regs,
				const struct scope_trace_memory *memory, uint64_t *ret_ip,
				struct scope_trace_stopped_stack *ret_stopped_stack, bool *ret_unmapped);

/*
 * Finds the owner of a lock in its first SCOPE_FUTEX_MEMORY_BYTES. is_thread: returns true if the process of the
 * sleeping thread has that thread. memory->tid and address are copied; owner 0: the memory names none.
 */
void scope_symbol_stacks_lock(const struct scope_trace_memory *memory, bool (*is_thread)(void *context, uint32_t tid),
			      void *context, struct scope_trace_lock *ret_lock);

#endif
