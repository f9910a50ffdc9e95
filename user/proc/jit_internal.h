/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that name code made at run time. Shared by the code that finds them and the code that reads them. */
#ifndef SCOPE_PROC_JIT_INTERNAL_H
#define SCOPE_PROC_JIT_INTERNAL_H

#include "proc/proc.h"
#include "proc/proc_internal.h"

/* Names that were read and are not written yet. */
#define SCOPE_JIT_BATCH 4096
#define SCOPE_JIT_NAME_BYTES 1024u

struct scope_proc_jit_rows {
	struct scope_writer *writer;
	struct scope_proc_jit_process *process; /* the process of these rows */
	size_t count;
	struct scope_trace_symbol row[SCOPE_JIT_BATCH];
	char name[SCOPE_JIT_BATCH][SCOPE_JIT_NAME_BYTES];
};

/* 0, -ENOMEM, or what the writer returned. */
int scope_proc_jit_flush(struct scope_proc_jit_rows *rows);

/*
 * Reads about 64 KiB more of the file, within the limits of its process. 1: there may be more; 0: there is no more
 * until the process writes again; -ENOMEM, or what the writer returned.
 */
int scope_proc_jit_read(struct scope_proc_jit *jit, struct scope_proc_jit_rows *rows);

/* Reads it again from its start. */
void scope_proc_jit_rewind(struct scope_proc_jit *jit);

#endif
