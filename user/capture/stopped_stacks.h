/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the stacks of threads that do not run from their memory, when their STATE records come. */
#ifndef SCOPE_CAPTURE_STOPPED_STACKS_H
#define SCOPE_CAPTURE_STOPPED_STACKS_H

#include <scope/ring.h>

struct scope_proc_reader;
struct scope_stopped_stacks;
struct scope_unwinder;
struct scope_writer;

/*
 * Remembers which threads were read, so that a thread that did not run in between is read only once. unwinder: unwinds
 * the stacks; NULL: stacks are written unchanged.
 */
int scope_capture_stopped_create(struct scope_proc_reader *reader, struct scope_unwinder *unwinder,
				 struct scope_stopped_stacks **ret_stopped);
void scope_capture_stopped_destroy(struct scope_stopped_stacks *stopped); /* NULL is fine */

/* Notes the STATE records of a sub-buffer. 0, -ENOMEM. */
int scope_capture_stopped_note(struct scope_stopped_stacks *stopped, const struct scope_subbuf *subbuf);

/*
 * For each thread noted since the last call that was off the CPU: reads up to 32 KiB of memory from its stack pointer
 * on, unwinds it and writes the frames. If the thread has ended, or a page cannot be read, its row ends there. Reads at
 * most 64 MiB in one call. At stop it also writes where each thread sleeps in the kernel, as metadata, for 1,000
 * threads at most. This may take long, so while_waiting(context) is called repeatedly; if it returns another value than
 * 0, the call ends and returns it. Otherwise 0, -ENOMEM, or what the writer returned.
 */
int scope_capture_stopped_write(struct scope_stopped_stacks *stopped, struct scope_writer *writer,
				int (*while_waiting)(void *context), void *context);

#endif
