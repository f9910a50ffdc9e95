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

/*
 * Limits for one flush, and for one file. On a busy host there are many such threads; important ones are noted again
 * and again.
 */
#define OTHERS_MAX 128	  /* no rule */
#define OTHERS_TOTAL 2048 /* no rule */
#define SEEN_BITS 22	  /* number of bits of SCOPE_TID_MASK */

struct scope_others {
	uint32_t tid[OTHERS_MAX];
	size_t count;		    /* threads that are noted and not written */
	size_t total;		    /* written */
	uint32_t row[OTHERS_TOTAL]; /* the latest rows, each at its number modulo OTHERS_TOTAL */
	struct {
		uint32_t tgid;	 /* 0: it had ended, or the kernel does not report its run time */
		uint64_t run_ns; /* its run time until its row was written */
	} ran[OTHERS_TOTAL];
	bool full; /* no more rows fit into the file */
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

static int write_one(struct scope_others *others, uint32_t tid, struct scope_writer *writer)
{
	const size_t at = others->total++ % OTHERS_TOTAL;
	struct scope_proc_task task;
	char key[32], value[sizeof(task) + 64];
	int err;

	others->row[at] = tid;
	others->ran[at].tgid = 0;
	/* The thread has ended, so its row would be empty. */
	if (scope_proc_task_read(tid, &task))
		return 0;
	if (!scope_proc_task_run_ns(task.tgid, tid, &others->ran[at].run_ns))
		others->ran[at].tgid = task.tgid;
	snprintf(key, sizeof(key), SCOPE_META_TASK "%" PRIu32, tid);
	snprintf(value, sizeof(value), "%" PRIu32 " %s", task.tgid, task.comm);
	err = scope_trace_writer_meta(writer, key, value);
	if (err || !task.group[0])
		return err;
	snprintf(key, sizeof(key), SCOPE_META_TASK_GROUP "%" PRIu32, tid);
	return scope_trace_writer_meta(writer, key, task.group);
}

/*
 * A flight recorder runs for months: drops the oldest row, whose number may belong to another thread now. Returns false
 * for a file, in which rows stay.
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
	snprintf(key, sizeof(key), SCOPE_META_TASK_RAN "%" PRIu32, tid);
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
		err = write_one(others, others->tid[i], writer);
	}
	others->count = 0;
	return err;
}

int scope_capture_others_end(const struct scope_others *others, struct scope_writer *writer)
{
	const size_t rows = others->total < OTHERS_TOTAL ? others->total : OTHERS_TOTAL;
	int err = 0;

	for (size_t i = 0; !err && i < rows; i++) {
		char key[32], value[24];
		uint64_t run_ns;

		if (!others->ran[i].tgid || scope_proc_task_run_ns(others->ran[i].tgid, others->row[i], &run_ns) ||
		    run_ns < others->ran[i].run_ns)
			continue;
		snprintf(key, sizeof(key), SCOPE_META_TASK_RAN "%" PRIu32, others->row[i]);
		snprintf(value, sizeof(value), "%" PRIu64, run_ns - others->ran[i].run_ns);
		err = scope_trace_writer_meta(writer, key, value);
	}
	return err;
}
