// SPDX-License-Identifier: GPL-2.0-only
/* A short list of processes whose maps must be read, filled from records. */
#include "capture/new_processes.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/proc.h"
#include "trace/walk.h"

/*
 * Limits for one flush, and in all. A target that starts more processes is usually a shell script, whose children are
 * similar.
 */
#define NEW_MAX 64
#define NEW_TOTAL 1024

struct scope_new_processes {
	uint32_t tgid[NEW_MAX];
	size_t count;
	size_t total; /* number written before */
};

int scope_capture_new_processes_create(struct scope_new_processes **ret_processes)
{
	struct scope_new_processes *processes = calloc(1, sizeof(*processes));

	if (!processes)
		return -ENOMEM;
	*ret_processes = processes;
	return 0;
}

void scope_capture_new_processes_destroy(struct scope_new_processes *processes)
{
	free(processes);
}

/* Keeps the latest processes, because they are most likely still alive. */
static void remember(struct scope_new_processes *processes, uint32_t tgid)
{
	size_t i, filled = processes->count < NEW_MAX ? processes->count : NEW_MAX;

	for (i = 0; i < filled; i++)
		if (processes->tgid[i] == tgid)
			return;
	processes->tgid[processes->count++ % NEW_MAX] = tgid;
}

void scope_capture_new_processes_note(struct scope_new_processes *processes, const void *record)
{
	const struct scope_record_fork *fork = record;
	const struct scope_record_exec *exec = record;
	const struct scope_record_state *state = record;

	if (scope_trace_walk_type(record) == SCOPE_RECORD_FORK) {
		if (fork->child_tid == fork->child_tgid)
			remember(processes, fork->child_tgid);
	} else if (scope_trace_walk_type(record) == SCOPE_RECORD_EXEC) {
		remember(processes, exec->tgid);
	} else if (!(state->flags & SCOPE_STATE_AT_STOP)) {
		remember(processes, state->tgid);
	}
}

int scope_capture_new_processes_write(struct scope_new_processes *processes, struct scope_proc *proc,
				      struct scope_writer *writer)
{
	const size_t filled = processes->count < NEW_MAX ? processes->count : NEW_MAX;
	uint32_t tgid[NEW_MAX];

	/* More may be noted while these are read. */
	memcpy(tgid, processes->tgid, sizeof(tgid));
	processes->count = 0;
	if (processes->total >= NEW_TOTAL)
		return 0;
	processes->total += filled;
	return scope_proc_write_maps(proc, tgid, filled, writer);
}
