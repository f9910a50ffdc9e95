/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that begin, or change their program, while tracing runs: their maps are still needed. */
#ifndef SCOPE_CAPTURE_NEWBORN_H
#define SCOPE_CAPTURE_NEWBORN_H

#include <scope/ring.h>

struct scope_newborn;
struct scope_proc;
struct scope_writer;

int scope_capture_newborn_create(struct scope_newborn **ret_newborn);
void scope_capture_newborn_destroy(struct scope_newborn *newborn); /* NULL is fine */

/* Remembers the processes of the FORK and EXEC records in the sub-buffer. */
void scope_capture_newborn_note(struct scope_newborn *newborn, const struct scope_subbuf *subbuf);

/* Writes the maps of those remembered and forgets them. 0, -ENOMEM, or what the writer returned. */
int scope_capture_newborn_write(struct scope_newborn *newborn, struct scope_proc *proc, struct scope_writer *writer);

#endif
