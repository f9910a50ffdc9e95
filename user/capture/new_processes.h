/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that start, or execute another program, during tracing: their maps must still be read. */
#ifndef SCOPE_CAPTURE_NEW_PROCESSES_H
#define SCOPE_CAPTURE_NEW_PROCESSES_H

#include <scope/ring.h>

struct scope_new_processes;
struct scope_proc;
struct scope_writer;

int scope_capture_new_processes_create(struct scope_new_processes **ret_processes);
void scope_capture_new_processes_destroy(struct scope_new_processes *processes); /* NULL is fine */

/* Remembers the processes of the FORK and EXEC records in the sub-buffer. */
void scope_capture_new_processes_note(struct scope_new_processes *processes, const struct scope_subbuf *subbuf);

/* Writes the maps of those remembered and forgets them. 0, -ENOMEM, or what the writer returned. */
int scope_capture_new_processes_write(struct scope_new_processes *processes, struct scope_proc *proc,
				      struct scope_writer *writer);

#endif
