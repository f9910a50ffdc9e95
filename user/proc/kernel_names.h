/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the kernel's functions that samples hit, from /proc/kallsyms.
 *
 * A trace holds no real address of its kernel. It holds the distance of an address from the
 * kernel's first instruction, plus SCOPE_KERNEL_TEXT. So the trace needs the names, too, and a
 * reader of the trace does not learn the kernel's load address.
 */
#ifndef SCOPE_PROC_KERNEL_NAMES_H
#define SCOPE_PROC_KERNEL_NAMES_H

#include <stdint.h>
#include <stdio.h>

#include "trace/walk.h"

#include "base/error.h"

struct scope_subbuf;
struct scope_writer;
struct scope_kernel_names;

#define SCOPE_KERNEL_TEXT 0xffffffff81000000ull

/*
 * The value to subtract from an address, read from the start of that file. 0, or -errno with the reason and the remedy
 * in error. -EACCES: addresses are hidden; -ENOENT: the file has none.
 */
int scope_proc_kernel_base(FILE *kallsyms, struct scope_error *error, uint64_t *ret_base);

/* base: as above. 0, -ENOMEM. Free with scope_proc_kernel_names_destroy(), which takes NULL. */
int scope_proc_kernel_names_create(uint64_t base, struct scope_kernel_names **ret_names);
void scope_proc_kernel_names_destroy(struct scope_kernel_names *names);

/* Notes the kernel address of a sample, from a record of these types, unless its function was written before. 0, -ENOMEM. */
#define SCOPE_KERNEL_NAMES_TYPES (SCOPE_WALK(CHAIN) | SCOPE_WALK(FRAMES) | SCOPE_WALK(STACK))
int scope_proc_kernel_names_note(struct scope_kernel_names *names, const void *record);

/*
 * Writes the functions of the addresses noted since the last call as symbols of all processes, with names from that
 * file; their module is "[kernel]", or "[name]" of a kernel module. Each function is written once, and the file is not
 * read if samples hit no new function, because a recorder that runs for days writes many copies. The name of a module
 * that was unloaded stays. Reading the file takes a tenth of a second or more, so while_waiting(context), unless NULL,
 * is called repeatedly and may note new addresses. If it returns another value than 0, the call ends and returns it. 0
 * or -errno otherwise.
 */
int scope_proc_kernel_names_write(struct scope_kernel_names *names, FILE *kallsyms, int (*while_waiting)(void *context),
				  void *context, struct scope_writer *writer);

#endif
