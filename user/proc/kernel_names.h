/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the kernel's functions that samples hit, by /proc/kallsyms.
 *
 * Traces hold no address of the kernel they were taken under: what stands there is how far behind the
 * kernel's first instruction an address lies, counted from SCOPE_KERNEL_TEXT. So a name goes with it,
 * also where the report is made, and nobody learns where that kernel runs.
 */
#ifndef SCOPE_PROC_KERNEL_NAMES_H
#define SCOPE_PROC_KERNEL_NAMES_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct scope_subbuf;
struct scope_writer;
struct scope_kernel_names;

#define SCOPE_KERNEL_TEXT 0xffffffff81000000ull

/*
 * What is to be taken off an address, from the beginning of such a file. 0, or -errno with what forbids it
 * and the remedy in error: -EACCES where addresses are hidden, -ENOENT where the file names none.
 */
int scope_proc_kernel_base(FILE *kallsyms, struct scope_error *error, uint64_t *ret_base);

/* base: as above. 0, -ENOMEM. Free with scope_proc_kernel_names_destroy(), which takes NULL. */
int scope_proc_kernel_names_create(uint64_t base, struct scope_kernel_names **ret_names);
void scope_proc_kernel_names_destroy(struct scope_kernel_names *names);

/* Notes where the samples of a sub-buffer hit. 0, -ENOMEM. */
int scope_proc_kernel_names_note(struct scope_kernel_names *names, const struct scope_subbuf *subbuf);

/*
 * Writes the functions of what was noted since the last time, by the text of such a file, as symbols of
 * all processes; their module is "[kernel]", or "[name]". To read the file takes a tenth of a second and
 * more, so meanwhile(context) is called now and then, unless it is NULL, and may note what comes; what it
 * returns but 0 ends it. 0, -errno, or that.
 */
int scope_proc_kernel_names_write(struct scope_kernel_names *names, FILE *kallsyms, int (*meanwhile)(void *context),
				  void *context, struct scope_writer *writer);

#endif
