/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of threads that stand still: read from their memory as their STATE records are seen. */
#ifndef SCOPE_CAPTURE_STOPPED_STACKS_H
#define SCOPE_CAPTURE_STOPPED_STACKS_H

#include <scope/ring.h>

struct scope_proc_reader;
struct scope_stopped_stacks;
struct scope_unwinder;
struct scope_writer;

/*
 * Remembers which threads were read, so that one that never ran since is read once. unwinder: of their
 * stacks; NULL: these are written as they are.
 */
int scope_capture_stopped_create(struct scope_proc_reader *reader, struct scope_unwinder *unwinder,
				 struct scope_stopped_stacks **ret_still);
void scope_capture_stopped_destroy(struct scope_stopped_stacks *stopped); /* NULL is fine */

/* Notes the STATE records of a sub-buffer. 0, -ENOMEM. */
int scope_capture_stopped_note(struct scope_stopped_stacks *stopped, const struct scope_subbuf *subbuf);

/*
 * Of what was noted since the last time: reads memory, from the stack pointer up to 32 KiB, of each thread that
 * was off the CPU, and writes what it unwinds to. A thread that is gone, or a page that cannot be read, ends its row.
 * Bounded to 64 MiB in one call. At stop also where each sleeps in the kernel, as metadata: of 1,000
 * threads at most. It may take long, so meanwhile(context) is called now and then; what that returns
 * but 0 ends it. 0, -ENOMEM, that, or what the writer returned.
 */
int scope_capture_stopped_write(struct scope_stopped_stacks *stopped, struct scope_writer *writer,
				int (*meanwhile)(void *context), void *context);

#endif
