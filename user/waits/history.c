// SPDX-License-Identifier: GPL-2.0-only
/* Keeps when each thread slept or was in the run queue, and which thread woke it: the last stretches of each. */
#include "waits/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/grow.h"

#define STAYS_FIRST 8 /* no rule */

/* A wait for a lock that ended by itself (a time limit, a signal) was for the thread that had the lock. */
static int32_t waited_for(const struct scope_wait *wait)
{
	if (wait->waker < 0 && !wait->waker_tid && !wait->queue && wait->lock && wait->owner)
		return (int32_t)wait->owner - 1;
	return wait->waker;
}

uint32_t scope_waits_descriptor_of(const struct scope_wait *wait)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(wait->nr);
	/* A poll is of the class of a peer if it is known for which peer it was. */
	const bool moves = role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE || role == SCOPE_CALL_POLL;

	if (wait->queue || wait->nr == SCOPE_NR_NONE || wait->object > INT32_MAX)
		return 0;
	if (wait->class == SCOPE_WAIT_NETWORK ? !moves && role != SCOPE_CALL_CONNECT
					      : wait->class != SCOPE_WAIT_DISK || (!moves && role != SCOPE_CALL_SYNC))
		return 0;
	return wait->nr == SYS_sync || wait->nr == SYS_msync ? 0 : (uint32_t)wait->object + 1;
}

struct scope_stay scope_waits_history_stay(const struct scope_wait *wait)
{
	return (struct scope_stay){
		.begin_ns = wait->begin_ns,
		.end_ns = wait->queue ? wait->end_ns : wait->wake_ns,
		.waker = waited_for(wait),
		.tid = wait->waker_tid,
		.fd = scope_waits_descriptor_of(wait),
		.nr = wait->nr,
		.class = wait->waker_tid || wait->queue
				 ? wait->class
				 : scope_timeline_wait_ended_by((enum scope_wait_class)wait->class, wait->interrupt),
		.queue = wait->queue,
		.idle = wait->idle || wait->outside,
		.own = wait->queue && 2 * wait->object >= wait->end_ns - wait->begin_ns,
	};
}

void scope_waits_history_free(struct scope_history *history)
{
	for (size_t i = 0; i < history->threads; i++)
		free(history->thread[i].stay);
	free(history->thread);
	*history = (struct scope_history){ 0 };
}

static struct scope_past_stays *stays_of(struct scope_history *history, uint32_t thread)
{
	if (scope_grow(&history->thread, &history->capacity, thread + 1ul, sizeof(*history->thread)))
		return NULL;
	while (history->threads <= thread)
		history->thread[history->threads++] = (struct scope_past_stays){ 0 };
	return &history->thread[thread];
}

/* Makes room for one more: allocates memory, or drops the older half. */
static int make_room(struct scope_past_stays *stays)
{
	const uint32_t half = SCOPE_HISTORY_MAX / 2;
	uint32_t capacity = stays->capacity ? 2 * stays->capacity : STAYS_FIRST;
	struct scope_stay *grown;

	if (stays->count < stays->capacity)
		return 0;
	if (stays->count == SCOPE_HISTORY_MAX) {
		stays->known_ns = stays->stay[half - 1].end_ns;
		memmove(stays->stay, stays->stay + half, half * sizeof(*stays->stay));
		stays->count = half;
		return 0;
	}
	grown = reallocarray(stays->stay, capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	stays->stay = grown;
	stays->capacity = capacity;
	return 0;
}

int scope_waits_history_add(struct scope_history *history, uint32_t thread, const struct scope_stay *stay)
{
	struct scope_past_stays *stays = stays_of(history, thread);
	uint32_t at, until;

	if (!stays || make_room(stays))
		return -ENOMEM;
	at = until = stays->count;
	while (at && stays->stay[at - 1].begin_ns >= stay->begin_ns)
		at--;
	/* Stretches from `at` up to `until` began later. Those that ended no later than this one are parts of it. */
	while (until > at && stays->stay[until - 1].end_ns > stay->end_ns)
		until--;
	memmove(stays->stay + at + 1, stays->stay + until, (stays->count - until) * sizeof(*stay));
	stays->stay[at] = *stay;
	stays->count = stays->count - (until - at) + 1;
	return 0;
}

/* Sets known_ns of a thread. 0 or -ENOMEM. */
static int know(struct scope_history *history, uint32_t thread, uint64_t known_ns)
{
	struct scope_past_stays *stays = stays_of(history, thread);

	if (!stays)
		return -ENOMEM;
	if (known_ns > stays->known_ns)
		stays->known_ns = known_ns;
	return 0;
}

int scope_waits_history_know_threads(struct scope_history *history, struct scope_threads *threads, size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = know(history, (uint32_t)i, scope_timeline_threads_at(threads, i)->first_ns);
	return err;
}

const struct scope_past_stays *scope_waits_history_of(const struct scope_history *history, uint32_t thread)
{
	return thread < history->threads ? &history->thread[thread] : NULL;
}
