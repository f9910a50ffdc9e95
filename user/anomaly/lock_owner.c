// SPDX-License-Identifier: GPL-2.0-only
/* Which thread owns a lock, by a copy of the lock's memory. */
#include "anomaly/lock_owner.h"

#include <errno.h>

#include "trace/lock_word.h"

/* The living thread of that number, of the same process. */
static long find_thread(struct scope_threads *threads, uint32_t tgid, uint32_t tid)
{
	long index = tid ? scope_timeline_threads_find(threads, tid) : -ENOENT;

	return index >= 0 && scope_timeline_threads_at(threads, index)->tgid == tgid ? index : -ENOENT;
}

/* What the lock's memory named as the capture looked at it. 0: nothing did. */
static uint32_t named_owner(const struct scope_trace *trace, uint32_t tid, uint64_t address)
{
	size_t count;
	const struct scope_trace_lock *row = scope_trace_locks(trace, &count);

	while (count--)
		if (row[count].tid == tid && row[count].address == address)
			return row[count].owner;
	return 0;
}

long scope_anomaly_owner_find(const struct scope_trace *trace, struct scope_threads *threads, uint32_t thread,
			      uint64_t address)
{
	const struct scope_thread *waits = scope_timeline_threads_at(threads, thread);
	const uint32_t named = named_owner(trace, waits->tid, address);
	size_t count;
	const struct scope_trace_memory *row = scope_trace_memories(trace, &count);

	if (named)
		return find_thread(threads, waits->tgid, named);
	while (count--)
		if (row[count].tid == waits->tid && row[count].address == address &&
		    row[count].bytes == SCOPE_FUTEX_MEMORY_BYTES)
			break;
	if (count == SIZE_MAX)
		return -ENOENT;
	return find_thread(threads, waits->tgid, scope_trace_lock_owner(row[count].data));
}

static const struct scope_hang *hang_of(const struct scope_hang *hangs, size_t count, uint32_t thread)
{
	for (size_t i = 0; i < count; i++)
		if (hangs[i].thread == thread)
			return &hangs[i];
	return NULL;
}

/* Does the way from owner to owner lead back to where it begins? */
static bool in_circle(const struct scope_hang *hangs, size_t count, const struct scope_hang *hang)
{
	const struct scope_hang *at = hang;

	for (size_t steps = 0; at && at->owner != SCOPE_OWNER_NONE && steps < count; steps++) {
		if (at->owner == hang->thread)
			return true;
		at = hang_of(hangs, count, at->owner);
	}
	return false;
}

void scope_anomaly_owner_fill(const struct scope_trace *trace, struct scope_threads *threads, struct scope_hang *hangs,
			      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const long owner = hangs[i].lock
					   ? scope_anomaly_owner_find(trace, threads, hangs[i].thread, hangs[i].object)
					   : -ENOENT;

		hangs[i].owner = owner < 0 ? SCOPE_OWNER_NONE : (uint32_t)owner;
	}
	for (size_t i = 0; i < count; i++)
		hangs[i].circle = in_circle(hangs, count, &hangs[i]);
}
