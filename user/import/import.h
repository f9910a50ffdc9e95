/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces that other tools took, as traces of Scope. */
#ifndef SCOPE_IMPORT_IMPORT_H
#define SCOPE_IMPORT_IMPORT_H

#include <stdio.h>

#include "import/build.h"

/*
 * The output of `perf script` on raw_syscalls and sched tracepoints, and on samples; call chains
 * where they were recorded. Lines of other events are counted and left out.
 * 0; -EINVAL: a line that cannot be read, error names it; or an error of the writer.
 */
int scope_import_script(FILE *stream, const char *name, const struct scope_import_choice *choice,
			struct scope_writer *writer, struct scope_error *error,
			uint64_t *ret_left_out);

/* A directory of CTF streams of a kernel, as LTTng writes them. Likewise. */
int scope_import_ctf(const char *path, const struct scope_import_choice *choice,
		     struct scope_writer *writer, struct scope_error *error,
		     uint64_t *ret_left_out);

/* 'S', 'D', 'R+' … of sched_switch, as enum scope_state. */
uint8_t scope_import_state(const char *letters, bool *ret_preempted);
/* TASK_* bits of prev_state, likewise. */
uint8_t scope_import_state_bits(uint64_t bits, bool *ret_preempted);

#endif
