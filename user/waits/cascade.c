// SPDX-License-Identifier: GPL-2.0-only
/* Splits a wait by its cause: for each part, the thread that ran, or the cause outside the traced threads. */
#include "waits/cascade.h"

#define QUEUE_KNOWN                                                                                                    \
	16 /* no rule: threads of a queue that are found again in a circle; the other places are for nested waits */

struct walk {
	const struct scope_history *history;
	const struct scope_cascade_listener *listener;
	uint32_t asleep[SCOPE_CASCADE_DEPTH]; /* the threads of the chain, each asleep during this whole time */
	unsigned depth, steps;
};

static int report_part(const struct walk *walk, uint32_t thread, uint32_t node, enum scope_end end,
		       const struct scope_stay *stay, uint64_t begin_ns, uint64_t end_ns)
{
	const struct scope_part part = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.thread = thread,
		.end = (uint8_t)end,
		.node = node,
		.class = stay && !stay->queue ? stay->class : 0,
		.idle = stay && stay->idle,
		.fd = end == SCOPE_END_OUTSIDE ? stay->fd : 0,
		.tid = end == SCOPE_END_QUEUE || end == SCOPE_END_PROCESS ? stay->tid : 0,
	};

	return begin_ns < end_ns ? walk->listener->part(walk->listener->user, &part) : 0;
}

static bool is_asleep(const struct walk *walk, uint32_t thread)
{
	for (unsigned i = 0; i < walk->depth; i++)
		if (walk->asleep[i] == thread)
			return true;
	return false;
}

/* The cause of a sleep that no thread ended; SCOPE_ENDS: a thread ended it. */
static enum scope_end end_of(const struct walk *walk, const struct scope_stay *sleep)
{
	if (sleep->waker < 0)
		return sleep->tid ? SCOPE_END_PROCESS : SCOPE_END_OUTSIDE;
	if (is_asleep(walk, (uint32_t)sleep->waker))
		return SCOPE_END_CIRCLE;
	return walk->depth == SCOPE_CASCADE_DEPTH ? SCOPE_END_UNSEEN : SCOPE_ENDS;
}

static int follow(struct walk *walk, uint32_t thread, uint32_t node, uint64_t begin_ns, uint64_t end_ns);

static int pass_on(struct walk *walk, uint32_t thread, uint32_t node, const struct scope_stay *sleep, uint64_t begin_ns,
		   uint64_t end_ns)
{
	const struct scope_cascade_listener *listener = walk->listener;
	const enum scope_end end = end_of(walk, sleep);
	const uint32_t waker = (uint32_t)sleep->waker;
	int err;

	if (begin_ns >= end_ns)
		return 0;
	if (end != SCOPE_ENDS)
		return report_part(walk, thread, node, end, sleep, begin_ns, end_ns);
	walk->asleep[walk->depth++] = thread;
	err = follow(walk, waker, listener->follow(listener->user, node, sleep), begin_ns, end_ns);
	walk->depth--;
	return err;
}

/* The number of stays that began before that time. */
static uint32_t count_before(const struct scope_past_stays *stays, uint64_t end_ns)
{
	uint32_t low = 0, high = stays ? stays->count : 0;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (stays->stay[middle].begin_ns < end_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Reports the time before the thread's first known stretch: since known_ns it ran; nothing is known about the time
 * before that.
 */
static int report_first(const struct walk *walk, const struct scope_past_stays *stays, uint32_t thread, uint32_t node,
			uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t known_ns = stays ? stays->known_ns : 0;
	int err;

	if (known_ns < begin_ns)
		known_ns = begin_ns;
	if (known_ns > end_ns)
		known_ns = end_ns;
	err = report_part(walk, thread, node, SCOPE_END_RUNS, NULL, known_ns, end_ns);
	return err ? err : report_part(walk, thread, node, SCOPE_END_UNSEEN, NULL, begin_ns, known_ns);
}

/*
 * Splits what the thread did from begin to end, the latest part first. If its sleep began before that, as in a convoy
 * of hundreds of threads, the walk continues with its waker and need not return.
 */
static int follow(struct walk *walk, uint32_t thread, uint32_t node, uint64_t begin_ns, uint64_t end_ns)
{
	const struct scope_past_stays *stays = scope_waits_history_of(walk->history, thread);
	const unsigned depth = walk->depth;
	uint32_t at = count_before(stays, end_ns);
	int err = 0;

	while (!err && at-- && end_ns > begin_ns) {
		const struct scope_stay *stay = &stays->stay[at];
		const uint64_t until_ns = stay->end_ns < end_ns ? stay->end_ns : end_ns;
		const uint64_t from_ns = stay->begin_ns > begin_ns ? stay->begin_ns : begin_ns;

		if (until_ns <= begin_ns)
			break;
		if (walk->steps++ >= walk->listener->steps) {
			err = report_part(walk, thread, node, SCOPE_END_LEFT, NULL, begin_ns, end_ns);
			end_ns = begin_ns;
			break;
		}
		err = report_part(walk, thread, node, SCOPE_END_RUNS, NULL, until_ns, end_ns);
		end_ns = from_ns;
		if (err)
			break;
		if (stay->queue) {
			err = report_part(walk, thread, node, stay->own ? SCOPE_END_OWN : SCOPE_END_QUEUE, stay,
					  from_ns, until_ns);
		} else if (stay->begin_ns <= begin_ns && end_of(walk, stay) == SCOPE_ENDS) {
			if (walk->depth < QUEUE_KNOWN)
				walk->asleep[walk->depth++] = thread;
			node = walk->listener->follow(walk->listener->user, node, stay);
			thread = (uint32_t)stay->waker;
			stays = scope_waits_history_of(walk->history, thread);
			end_ns = until_ns;
			at = count_before(stays, end_ns);
		} else {
			err = pass_on(walk, thread, node, stay, from_ns, until_ns);
		}
	}
	if (!err && end_ns > begin_ns)
		err = report_first(walk, stays, thread, node, begin_ns, end_ns);
	walk->depth = depth;
	return err;
}

int scope_waits_cascade_run(const struct scope_history *history, uint32_t thread, const struct scope_stay *sleep,
			    uint32_t node, const struct scope_cascade_listener *listener, unsigned *ret_steps)
{
	struct walk walk = { .history = history, .listener = listener };
	int err = pass_on(&walk, thread, node, sleep, sleep->begin_ns, sleep->end_ns);

	*ret_steps = walk.steps;
	return err;
}

int scope_waits_cascade_span(const struct scope_history *history, uint32_t thread, uint64_t begin_ns, uint64_t end_ns,
			     uint32_t node, const struct scope_cascade_listener *listener, unsigned *ret_steps)
{
	struct walk walk = { .history = history, .listener = listener };
	int err = follow(&walk, thread, node, begin_ns, end_ns);

	*ret_steps = walk.steps;
	return err;
}
