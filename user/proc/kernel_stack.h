/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel functions in which a thread sleeps. */
#ifndef SCOPE_PROC_KERNEL_STACK_H
#define SCOPE_PROC_KERNEL_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SCOPE_KERNEL_STACK_BYTES 512

struct scope_proc_reader;

/*
 * Reads /proc/TID/stack: names of functions, innermost first, a blank between them. Entry functions of system calls,
 * addresses, offsets, and outer names that do not fit are left out. "" if the thread is not in a call. 0; -ESRCH: the
 * thread has ended; or -errno with the reason and the remedy in error.
 */
int scope_proc_kernel_stack_read(struct scope_proc_reader *reader, uint32_t tgid, uint32_t tid,
				 struct scope_error *error, char ret_names[SCOPE_KERNEL_STACK_BYTES]);

#endif
