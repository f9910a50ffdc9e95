// SPDX-License-Identifier: GPL-2.0-only
/* Writes the names of untraced threads that took the CPU from traced ones, or woke them. */
#include "capture/others.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "proc/task.h"
#include "trace/trace.h"
#include "trace/walk.h"
#include "trace/writer.h"

/* Per flush, and in one file. On a busy host there are many such threads; important ones are noted repeatedly. */
#define OTHERS_MAX 128	  /* no rule */
#define OTHERS_TOTAL 2048 /* no rule */
#define SEEN_BITS 22	  /* of SCOPE_TID_MASK */

struct scope_others {
	uint32_t tid[OTHERS_MAX];
	size_t count;		    /* noted, and not written */
	size_t total;		    /* written */
	uint32_t row[OTHERS_TOTAL]; /* the last that were, each at its number modulo OTHERS_TOTAL */
	bool full;		    /* the file takes no more */
	uint8_t seen[1 << (SEEN_BITS - 3)];
};

int scope_capture_others_create(struct scope_others **ret_others)
{
	*ret_others = calloc(1, sizeof(**ret_others));
	return *ret_others ? 0 : -ENOMEM;
}

void scope_capture_others_destroy(struct scope_others *others)
{
	free(others);
}

static void remember(struct scope_others *others, uint32_t tid)
{
	uint8_t *seen;

	tid &= SCOPE_TID_MASK;
	seen = &others->seen[tid >> 3];
	if (!tid || *seen >> (tid & 7) & 1 || others->count == OTHERS_MAX)
		return;
	*seen |= (uint8_t)(1u << (tid & 7));
	others->tid[others->count++] = tid;
}

void scope_capture_others_note(struct scope_others *others, const void *record)
{
	const struct scope_record_switch *change = record;
	const struct scope_record_waking_from *waking = record;

	if (others->full)
		return;
	if (scope_trace_walk_type(record) == SCOPE_RECORD_WAKING_FROM)
		remember(others, waking->waker_tid);
	else if (!(change->bits & SCOPE_SWITCH_NEXT_TRACED))
		remember(others, change->bits);
}

static int write_one(uint32_t tid, struct scope_writer *writer)
{
	struct scope_proc_task task;
	char key[32], value[sizeof(task) + 64];
	int err;

	/* It has ended, so its row would be empty. */
	if (scope_proc_task_read(tid, &task))
		return 0;
	snprintf(key, sizeof(key), SCOPE_META_TASK "%" PRIu32, tid);
	snprintf(value, sizeof(value), "%" PRIu32 " %s", task.tgid, task.comm);
	err = scope_trace_writer_meta(writer, key, value);
	if (err || !task.group[0])
		return err;
	snprintf(key, sizeof(key), SCOPE_META_TASK_GROUP "%" PRIu32, tid);
	return scope_trace_writer_meta(writer, key, task.group);
}

/*
 * A flight recorder runs for months: the oldest row makes room, and its number may be another thread's by now. False: rows
 * of a file stay.
 */
static bool make_room(struct scope_others *others, struct scope_writer *writer)
{
	const uint32_t tid = others->row[others->total % OTHERS_TOTAL];
	char key[32];

	if (others->total < OTHERS_TOTAL)
		return true;
	snprintf(key, sizeof(key), SCOPE_META_TASK "%" PRIu32, tid);
	if (!scope_trace_writer_forget_meta(writer, key))
		return false;
	snprintf(key, sizeof(key), SCOPE_META_TASK_GROUP "%" PRIu32, tid);
	scope_trace_writer_forget_meta(writer, key);
	others->seen[tid >> 3] &= (uint8_t) ~(1u << (tid & 7));
	return true;
}

int scope_capture_others_write(struct scope_others *others, struct scope_writer *writer)
{
	int err = 0;

	for (size_t i = 0; !err && i < others->count && !others->full; i++) {
		others->full = !make_room(others, writer);
		if (others->full)
			break;
		others->row[others->total++ % OTHERS_TOTAL] = others->tid[i];
		err = write_one(others->tid[i], writer);
	}
	others->count = 0;
	return err;
}
