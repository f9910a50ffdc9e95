// SPDX-License-Identifier: GPL-2.0-only
/* Which thread owns a lock, by a copy of the lock's memory. */
#include "anomaly/lock_owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lock_word.h"

/* The living thread of that number, of the same process, or of another one if the lock may be shared with it. */
static long find_thread(struct scope_threads *threads, const struct scope_thread *waits, uint32_t tid)
{
	long index = tid ? scope_timeline_threads_find(threads, tid) : -ENOENT;

	return index >= 0 && (scope_timeline_threads_at(threads, index)->tgid == waits->tgid ||
			      scope_timeline_futex_is_shared(waits->open.args, waits->open.arg))
		       ? index
		       : -ENOENT;
}

/*
 * The owner that the lock's memory named when the capture read it last, for any thread that waited: a lock has one
 * owner, and its memory may have been read again for another thread. 0: the memory named none.
 */
static uint32_t named_owner(const struct scope_trace *trace, struct scope_threads *threads,
			    const struct scope_thread *waits, uint64_t address)
{
	size_t count;
	const struct scope_trace_lock *row = scope_trace_locks(trace, &count);

	while (count--)
		if (row[count].address == address &&
		    (row[count].tid == waits->tid || find_thread(threads, waits, row[count].tid) >= 0))
			return row[count].tid != waits->tid && row[count].owner == waits->tid ? 0 : row[count].owner;
	return 0;
}

static long known_owner(const struct scope_trace *trace, struct scope_threads *threads, uint32_t thread,
			uint64_t address)
{
	const struct scope_thread *waits = scope_timeline_threads_at(threads, thread);
	const uint32_t named = named_owner(trace, threads, waits, address);
	size_t count;
	const struct scope_trace_memory *row = scope_trace_memories(trace, &count);

	if (named)
		return find_thread(threads, waits, named);
	while (count--)
		if (row[count].tid == waits->tid && row[count].address == address &&
		    row[count].bytes == SCOPE_FUTEX_MEMORY_BYTES)
			break;
	if (count == SIZE_MAX)
		return -ENOENT;
	return find_thread(threads, waits, scope_trace_lock_owner(row[count].data));
}

/*
 * True if that thread waits for the same lock, and the lock's memory does not name it as its own owner. Then another
 * thread got the lock while it was read, and its owner is not known.
 */
static bool waits_for_the_same(const struct scope_trace *trace, struct scope_threads *threads, long owner,
			       uint32_t thread, uint64_t address)
{
	const struct scope_thread *of =
		owner >= 0 && (uint32_t)owner != thread ? scope_timeline_threads_at(threads, (uint32_t)owner) : NULL;

	return of && of->run == SCOPE_RUN_BLOCKED && of->open.role == SCOPE_CALL_FUTEX &&
	       scope_timeline_futex_is_lock(of->open.args, of->open.arg) && of->open.arg[0] == address &&
	       of->tgid == scope_timeline_threads_at(threads, thread)->tgid &&
	       known_owner(trace, threads, (uint32_t)owner, address) != owner;
}

long scope_anomaly_owner_find(const struct scope_trace *trace, struct scope_threads *threads, uint32_t thread,
			      uint64_t address)
{
	const long owner = known_owner(trace, threads, thread, address);

	return waits_for_the_same(trace, threads, owner, thread, address) ? -ENOENT : owner;
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

/* Asleep for a lock without a time limit, as far as the call shows it, and so it was found as tracing stopped. */
static bool waits_for_lock(const struct scope_thread *thread)
{
	const struct scope_open_call *open = &thread->open;

	return thread->run == SCOPE_RUN_BLOCKED && thread->stopped && thread->stopped_ns &&
	       open->role == SCOPE_CALL_FUTEX && scope_timeline_futex_is_lock(open->args, open->arg) &&
	       open->args > 3 && !open->arg[3];
}

/* Marks the threads of circles: next[i] is the owner of the lock that thread i waits for, or SCOPE_OWNER_NONE. */
static void mark_circles(const uint32_t *next, size_t threads, uint8_t *mark)
{
	enum { UNSEEN, ON_WAY, DONE, CIRCLE };

	for (size_t i = 0; i < threads; i++) {
		uint32_t at = (uint32_t)i;

		for (; at != SCOPE_OWNER_NONE && mark[at] == UNSEEN; at = next[at])
			mark[at] = ON_WAY;
		/* A way that returns to one of its threads ends in a circle. */
		for (; at != SCOPE_OWNER_NONE && mark[at] == ON_WAY; at = next[at])
			mark[at] = CIRCLE;
		for (at = (uint32_t)i; at != SCOPE_OWNER_NONE && mark[at] == ON_WAY; at = next[at])
			mark[at] = DONE;
	}
	for (size_t i = 0; i < threads; i++)
		mark[i] = mark[i] == CIRCLE;
}

static int by_thread(const void *left, const void *right)
{
	const struct scope_hang *a = left, *b = right;

	return (a->thread > b->thread) - (a->thread < b->thread);
}

static int add_hangs(const struct scope_timeline *timeline, size_t threads, const uint8_t *in_circle,
		     struct scope_hang **hangs, size_t *count)
{
	struct scope_hang *grown = reallocarray(*hangs, *count + threads + 1, sizeof(*grown));
	const size_t before = *count;

	if (!grown)
		return -ENOMEM;
	*hangs = grown;
	for (size_t i = 0; i < threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, i);

		if (!in_circle[i] || hang_of(grown, before, (uint32_t)i))
			continue;
		grown[(*count)++] = (struct scope_hang){
			.thread = (uint32_t)i,
			.kind = SCOPE_HANG_BLOCKED,
			.nr = thread->open.nr,
			.object = thread->open.arg[0],
			.since_ns = thread->open.enter_ns,
			.until_ns = timeline->end_ns,
			.lock = true,
			.owner = SCOPE_OWNER_NONE,
		};
	}
	qsort(grown, *count, sizeof(*grown), by_thread);
	return 0;
}

int scope_anomaly_owner_circles(const struct scope_trace *trace, const struct scope_timeline *timeline, size_t threads,
				struct scope_hang **hangs, size_t *count)
{
	const char *said = scope_trace_meta(trace, SCOPE_META_LOCKS);
	uint32_t *next;
	uint8_t *mark;
	int err = -ENOMEM;

	if (!said || strcmp(said, "asleep"))
		return 0;
	next = calloc(threads + 1, sizeof(*next));
	mark = calloc(threads + 1, sizeof(*mark));
	if (next && mark) {
		for (size_t i = 0; i < threads; i++) {
			const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, i);
			const long owner = waits_for_lock(thread)
						   ? scope_anomaly_owner_find(trace, timeline->threads, (uint32_t)i,
									      thread->open.arg[0])
						   : -ENOENT;

			next[i] = owner < 0 || (size_t)owner >= threads ? SCOPE_OWNER_NONE : (uint32_t)owner;
		}
		mark_circles(next, threads, mark);
		err = add_hangs(timeline, threads, mark, hangs, count);
	}
	free(next);
	free(mark);
	return err;
}

size_t scope_anomaly_owner_leave_turns(const struct scope_trace *trace, const struct scope_units *units,
				       const struct scope_pickups *pickups, struct scope_hang *hangs, size_t count)
{
	struct scope_threads *threads = units->timeline->threads;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const uint32_t thread = hangs[i].thread;
		/* What a thread did before the window is not known. */
		const bool turn = hangs[i].lock && !units->thread[thread].owes &&
				  hangs[i].since_ns >= units->timeline->begin_ns;
		const long owner = turn ? scope_anomaly_owner_find(trace, threads, thread, hangs[i].object) : -ENOENT;

		if (owner < 0 || (uint32_t)owner == thread ||
		    !scope_anomaly_hang_waits(units, pickups, (uint32_t)owner))
			hangs[kept++] = hangs[i];
	}
	return kept;
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
