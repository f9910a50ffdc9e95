/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts traces of other tools to traces of Scope. */
#ifndef SCOPE_IMPORT_IMPORT_H
#define SCOPE_IMPORT_IMPORT_H

#include <stdio.h>

#include "import/build.h"

struct scope_import_result {
	uint64_t left_out;	   /* events of other kinds */
	uint64_t entries, skipped; /* of a text: all, and those that cannot be read */
	char first_skipped[256];   /* "line 12: what is wrong there" */
};

/*
 * Reads the output of `perf script` for raw_syscalls and sched tracepoints, and for samples, with call chains if they
 * were recorded. Lines of other events are counted and left out; entries that cannot be read are skipped and counted.
 * 0; -EINVAL: most entries cannot be read, and error names the first; or an error of the writer.
 */
int scope_import_script(FILE *stream, const char *name, const struct scope_import_choice *choice,
			struct scope_writer *writer, struct scope_error *error, struct scope_import_result *ret_result);

/* Reads a directory of CTF streams of a kernel, in the form of LTTng. The same errors. */
int scope_import_ctf(const char *path, const struct scope_import_choice *choice, struct scope_writer *writer,
		     struct scope_error *error, struct scope_import_result *ret_result);

/* 'S', 'D', 'R+' … of sched_switch, as enum scope_state. */
uint8_t scope_import_state(const char *letters, bool *ret_preempted);
/* TASK_* bits of prev_state, also. */
uint8_t scope_import_state_bits(uint64_t bits, bool *ret_preempted);

#endif
