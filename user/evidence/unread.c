// SPDX-License-Identifier: GPL-2.0-only
/* Decides by their stacks which of several threads keeps clients waiting. */
#include "evidence/unread.h"

#include <string.h>

#include "anomaly/unserved.h"

struct choice {
	const struct scope_evidence *evidence;
	const struct scope_units *units;
	const struct scope_hang *hangs;
	size_t count;
	uint32_t tgid;
};

static const struct scope_thread *thread_of(const struct choice *choice, uint32_t index)
{
	return scope_timeline_threads_at(choice->units->timeline->threads, index);
}

/* It waits for other threads to end, and serves nobody itself. */
static bool joins(const struct scope_stopped_stack *stopped_stack)
{
	return stopped_stack->below && strstr(stopped_stack->below->name, "join");
}

/* A thread that a library keeps for itself has no function of the program on its stack. */
static bool may_be(const struct choice *choice, const struct scope_hang *hang)
{
	const struct scope_stopped_stack *stopped_stack = &choice->evidence->stopped_stack[hang->thread];

	return hang->one_of && thread_of(choice, hang->thread)->tgid == choice->tgid &&
	       stopped_stack->node != SCOPE_TREE_ROOT && !stopped_stack->idle && !joins(stopped_stack);
}

/*
 * True if calls alone show that it is this thread. A thread that a library keeps is not. The last stack of a thread
 * that spins may not show where it is now.
 */
static bool is_sure(const struct choice *choice, const struct scope_hang *hang)
{
	return !hang->one_of && !hang->needs_peers && thread_of(choice, hang->thread)->tgid == choice->tgid &&
	       (hang->kind == SCOPE_HANG_SPIN || !choice->evidence->stopped_stack[hang->thread].bare);
}

/* True if another thread of the process sleeps where threads usually wait for clients. */
static bool others_may_serve(const struct choice *choice, uint32_t index)
{
	for (uint32_t i = 0; i < choice->units->threads; i++) {
		const struct scope_thread *thread = thread_of(choice, i);

		if (i != index && thread->tgid == choice->tgid && thread->run == SCOPE_RUN_BLOCKED &&
		    !scope_anomaly_unserved_aside(thread) && !choice->evidence->stopped_stack[i].bare)
			return true;
	}
	return false;
}

/* If all threads sleep where threads that serve nobody sleep, the first thread of the process is usually the loop. */
static bool is_chosen(const struct choice *choice, size_t number)
{
	const struct scope_thread *thread = thread_of(choice, choice->hangs[number].thread);
	size_t could = 0;

	if (thread->tgid != choice->tgid || !may_be(choice, &choice->hangs[number]) ||
	    others_may_serve(choice, choice->hangs[number].thread))
		return false;
	for (size_t i = 0; i < choice->count; i++) {
		if (is_sure(choice, &choice->hangs[i]))
			return false;
		could += may_be(choice, &choice->hangs[i]);
	}
	return could == 1 || thread->tid == thread->tgid || !scope_anomaly_unserved_aside(thread);
}

enum scope_unread scope_evidence_unread_choose(const struct scope_evidence *evidence, const struct scope_units *units,
					       const struct scope_hang *hangs, size_t count, size_t number)
{
	struct scope_threads *threads = units->timeline->threads;
	const uint32_t tgid = scope_timeline_threads_at(threads, hangs[number].thread)->tgid;
	const struct choice choice = { evidence, units, hangs, count, tgid };
	bool any = false;

	if (is_chosen(&choice, number))
		return SCOPE_UNREAD_THIS;
	if (!hangs[number].one_of && !evidence->stopped_stack[hangs[number].thread].bare)
		return SCOPE_UNREAD_UNKNOWN;
	for (size_t i = 0; i < count; i++)
		any |= i != number && (is_chosen(&choice, i) || is_sure(&choice, &hangs[i]));
	/* By its own call, the thread was judged before or is idle. */
	return any || (hangs[number].one_of && !hangs[number].needs_peers) ? SCOPE_UNREAD_OTHER : SCOPE_UNREAD_UNKNOWN;
}
