// SPDX-License-Identifier: GPL-2.0-only
/* A short list of processes to look at, filled from records. */
#include "capture/newborn.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/proc.h"
#include "trace/walk.h"

/* Per flush, and in all. A target that starts more is a shell script, whose children are all alike. */
#define NEWBORN_MAX 64
#define NEWBORN_TOTAL 1024

struct scope_newborn {
	uint32_t tgid[NEWBORN_MAX];
	size_t count;
	size_t total; /* written before */
};

int scope_capture_newborn_create(struct scope_newborn **ret_newborn)
{
	struct scope_newborn *newborn = calloc(1, sizeof(*newborn));

	if (!newborn)
		return -ENOMEM;
	*ret_newborn = newborn;
	return 0;
}

void scope_capture_newborn_destroy(struct scope_newborn *newborn)
{
	free(newborn);
}

/* The latest ones are kept: they are the likeliest to live still. */
static void remember(struct scope_newborn *newborn, uint32_t tgid)
{
	size_t i, filled = newborn->count < NEWBORN_MAX ? newborn->count : NEWBORN_MAX;

	for (i = 0; i < filled; i++)
		if (newborn->tgid[i] == tgid)
			return;
	newborn->tgid[newborn->count++ % NEWBORN_MAX] = tgid;
}

void scope_capture_newborn_note(struct scope_newborn *newborn, const struct scope_subbuf *subbuf)
{
	const struct scope_record_fork *fork;
	const struct scope_record_exec *exec;
	const struct scope_record_state *state;
	const uint32_t types = SCOPE_WALK(FORK) | SCOPE_WALK(EXEC) | SCOPE_WALK(STATE);
	const void *record;
	uint32_t offset = 0;

	while ((record = scope_trace_walk_next(subbuf, types, &offset))) {
		if (scope_trace_walk_type(record) == SCOPE_RECORD_FORK) {
			fork = record;
			if (fork->child_tid == fork->child_tgid)
				remember(newborn, fork->child_tgid);
		} else if (scope_trace_walk_type(record) == SCOPE_RECORD_EXEC) {
			exec = record;
			remember(newborn, exec->tgid);
		} else {
			state = record;
			if (!(state->flags & SCOPE_STATE_AT_STOP))
				remember(newborn, state->tgid);
		}
	}
}

int scope_capture_newborn_write(struct scope_newborn *newborn, struct scope_proc *proc, struct scope_writer *writer)
{
	const size_t filled = newborn->count < NEWBORN_MAX ? newborn->count : NEWBORN_MAX;
	uint32_t tgid[NEWBORN_MAX];

	/* More may be noted while these are looked at. */
	memcpy(tgid, newborn->tgid, sizeof(tgid));
	newborn->count = 0;
	if (newborn->total >= NEWBORN_TOTAL)
		return 0;
	newborn->total += filled;
	return scope_proc_write_maps(proc, tgid, filled, writer);
}
