/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that start, or execute another program, during tracing, and whose maps must still be read. */
#ifndef SCOPE_CAPTURE_NEW_PROCESSES_H
#define SCOPE_CAPTURE_NEW_PROCESSES_H

#include "trace/walk.h"

struct scope_new_processes;
struct scope_proc;
struct scope_writer;

int scope_capture_new_processes_create(struct scope_new_processes **ret_processes);
void scope_capture_new_processes_destroy(struct scope_new_processes *processes); /* NULL is fine */

/* Remembers the process of a record of these types. */
#define SCOPE_NEW_PROCESSES_TYPES (SCOPE_WALK(FORK) | SCOPE_WALK(EXEC) | SCOPE_WALK(STATE))
void scope_capture_new_processes_note(struct scope_new_processes *processes, const void *record);

/* Writes the maps of the remembered processes and forgets them. 0, -ENOMEM, or what the writer returned. */
int scope_capture_new_processes_write(struct scope_new_processes *processes, struct scope_proc *proc,
				      struct scope_writer *writer);

#endif
