/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Learns from a timeline how each thread picks up work.
 *
 * The code for every call is here, to be inlined into the code that takes events (timeline/take.h);
 * all else is in learner.c.
 */
#ifndef SCOPE_UNIT_LEARNER_H
#define SCOPE_UNIT_LEARNER_H

#include <errno.h>

#include "timeline/take.h"
#include "unit/thread_stats.h"

struct scope_learner {
	struct scope_thread_stats *stats; /* by thread */
	size_t count, capacity;
	struct scope_timeline *timeline;
	struct scope_timeline *own_timeline; /* NULL: the timeline belongs to another */
	uint32_t *answering;		     /* processes that write to clients */
	size_t answerings, answering_capacity;
};

/* Creates the statistics of a thread that has none yet. false: no memory. */
bool scope_unit_learn_meet(struct scope_learner *learner, uint32_t thread);
/* True if any thread of that process writes to clients. */
bool scope_unit_learner_answers(const struct scope_learner *learner, uint32_t tgid);
/* True if any of its threads reads from clients with connections or answers them, or reads datagrams that may be theirs. */
bool scope_unit_learner_serves(const struct scope_learner *learner, uint32_t tgid);
/* The entry of a call by its role: POLL, WRITE, FUTEX. WRITE: 0 or -ENOMEM. */
void scope_unit_learn_poll(struct scope_thread_stats *stats, const struct scope_open_call *call);
int scope_unit_learn_write(struct scope_learner *learner, struct scope_thread_stats *stats,
			   const struct scope_thread *thread, const struct scope_open_call *call);
void scope_unit_learn_wake(struct scope_thread_stats *stats, const struct scope_open_call *call);
/* The return of a call that may have taken work. */
void scope_unit_learn_return(struct scope_learner *learner, struct scope_thread_stats *stats,
			     const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret);
/* A poll or select in which the thread slept returned something. */
void scope_unit_learn_polled(struct scope_thread_stats *stats);
/* As in struct scope_timeline_ops. */
int scope_unit_learn_wait(struct scope_learner *learner, const struct scope_wait *wait);

/* Makes sure that the thread has statistics. false: no memory. */
static inline bool scope_unit_learn_has(struct scope_learner *learner, uint32_t thread)
{
	return thread < learner->count || scope_unit_learn_meet(learner, thread);
}

static inline void scope_unit_learn_gap(struct scope_thread_stats *stats, uint64_t enter_ns)
{
	if (stats->last_exit_ns && enter_ns > stats->last_exit_ns)
		stats->gap[scope_unit_thread_stats_power(enter_ns - stats->last_exit_ns)]++;
}

/* A write may be the first answer, show that the last poll was in the middle of a request, or answer a datagram. */
static inline bool scope_unit_learn_needs_writes(const struct scope_thread_stats *stats)
{
	return stats->polled || !stats->answers || stats->datagram_due || stats->owes;
}

#define SCOPE_LEARN_GAPS (1u << 31) /* in addition to the roles of plain calls: their times are needed */

/* As in struct scope_timeline_ops: calls of which only the time is needed. */
SCOPE_TAKE uint32_t scope_learn_plain_roles(const struct scope_learner *learner, uint32_t thread)
{
	const struct scope_thread_stats *stats = &learner->stats[thread];
	const uint32_t roles = SCOPE_PICKUP_PLAIN_ROLES &
			       (scope_unit_learn_needs_writes(stats) ? ~(1u << SCOPE_CALL_WRITE) : ~0u);

	return scope_unit_thread_stats_gaps(stats) ? roles | SCOPE_LEARN_GAPS : roles & ~SCOPE_LEARN_GAPS;
}

SCOPE_TAKE void scope_learn_plain(struct scope_learner *learner, const struct scope_thread *thread,
				  const struct scope_event *event)
{
	struct scope_thread_stats *stats;

	if (!(thread->plain & SCOPE_LEARN_GAPS))
		return;
	stats = &learner->stats[thread->index];
	scope_unit_learn_gap(stats, event->syscall.enter_ns);
	stats->last_exit_ns = event->time_ns;
}

SCOPE_TAKE int scope_learn_enter(struct scope_learner *learner, const struct scope_thread *thread,
				 const struct scope_open_call *call)
{
	struct scope_thread_stats *stats;

	if (!scope_unit_learn_has(learner, thread->index))
		return -ENOMEM;
	stats = &learner->stats[thread->index];
	if (scope_unit_thread_stats_gaps(stats))
		scope_unit_learn_gap(stats, call->enter_ns);
	if (call->role == SCOPE_CALL_POLL)
		scope_unit_learn_poll(stats, call);
	else if (call->role == SCOPE_CALL_FUTEX)
		scope_unit_learn_wake(stats, call);
	else if (call->role == SCOPE_CALL_WRITE && scope_unit_learn_needs_writes(stats))
		return scope_unit_learn_write(learner, stats, thread, call);
	return 0;
}

SCOPE_TAKE int scope_learn_exit(struct scope_learner *learner, const struct scope_thread *thread,
				const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	struct scope_thread_stats *stats;

	if (!scope_unit_learn_has(learner, thread->index))
		return -ENOMEM;
	stats = &learner->stats[thread->index];
	stats->last_exit_ns = exit_ns;
	if (call->role == SCOPE_CALL_READ || call->role == SCOPE_CALL_ACCEPT || call->role == SCOPE_CALL_SOCKET)
		scope_unit_learn_return(learner, stats, thread, call, ret);
	else if (call->role == SCOPE_CALL_POLL && !ret && !scope_timeline_call_is_epoll(call->nr))
		stats->vain_polls += !stats->asked_poll;
	else if (call->role == SCOPE_CALL_POLL && ret > 0 && stats->poll_slept_ns)
		scope_unit_learn_polled(stats);
	return 0;
}

#endif
