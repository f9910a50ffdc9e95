/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of threads that stand still: read from their memory as their STATE records are seen. */
#ifndef SCOPE_CAPTURE_STACK_H
#define SCOPE_CAPTURE_STACK_H

#include <scope/ring.h>

/* Its place among the registers, in DWARF order. */
#if defined(__x86_64__)
#define SCOPE_STACK_POINTER 7
#elif defined(__aarch64__)
#define SCOPE_STACK_POINTER 31
#else
#error "no stack pointer known for this machine"
#endif

struct scope_writer;
struct scope_still;

/* Remembers which threads were read, so that one that never ran since is read once. */
int scope_still_create(struct scope_still **ret_still);
void scope_still_destroy(struct scope_still *still); /* NULL is fine */

/*
 * Writes a row of memory, from the stack pointer up to 32 KiB, for each STATE record in the
 * sub-buffer whose thread was off the CPU. A thread that is gone, or a page that cannot be read,
 * ends its row. Bounded to 64 MiB until scope_still_next_moment(). At stop also where each sleeps in
 * the kernel, as metadata: of 1,000 threads at most. 0, -ENOMEM, or what the writer
 * returned.
 */
int scope_still_write(struct scope_still *still, const struct scope_subbuf *subbuf,
		      struct scope_writer *writer);

/* From the records of the start to those of the stop: the bound begins anew. */
void scope_still_next_moment(struct scope_still *still);

#endif
