/* SPDX-License-Identifier: GPL-2.0-only */
/* Removes from STATE and FUTEX records all values that may come from the target's memory. */
#ifndef SCOPE_TRACE_BLANK_H
#define SCOPE_TRACE_BLANK_H

#include <stdbool.h>
#include <stdint.h>

#include <scope/event.h>
#include <scope/ring.h>

/*
 * Sets to 0 all registers but the program counter and the stack pointer, and the arguments that the
 * call does not have or that no reader uses, because a register may hold any value the program
 * computed. reg: record->regs of them. The number of a 32-bit call is taken as a native one.
 */
void scope_trace_blank_state(struct scope_record_state *record, uint64_t *reg);

/*
 * Replaces the memory in the FUTEX records of a sub-buffer: it then has only the owner that it named, in the form of a
 * robust mutex (trace/lock_word.h), or zeros if it named no owner. is_thread: returns true if there is such a thread.
 */
void scope_trace_blank_futexes(struct scope_subbuf *subbuf, bool (*is_thread)(void *context, uint32_t tid),
			       void *context);

#endif
