// SPDX-License-Identifier: GPL-2.0-only
/* Finds threads whose own clients keep others from being accepted. */
#include "anomaly/kept_waiting.h"

#define BACKLOG_IDLE 0.5 /* share of the window in waits for its clients: with less the server is only busy */

static bool is_at_client(const struct scope_timeline *timeline, const struct scope_thread *thread)
{
	const enum scope_timeline_call_role role =
		scope_timeline_call_role_of(thread->open.nr, thread->open.args, thread->open.arg[0]);

	return thread->run == SCOPE_RUN_BLOCKED && thread->open.args &&
	       (role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE) &&
	       scope_timeline_fds_kind(timeline->fds, thread->tgid, (int32_t)thread->open.arg[0]) == SCOPE_FD_ACCEPTED;
}

/* True if a thread of the process waits for connections: those that wait are at a socket that it does not serve. */
static bool is_served(const struct scope_units *units, uint32_t tgid)
{
	for (size_t i = 0; i < units->threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, i);

		if (thread->tgid == tgid && thread->run == SCOPE_RUN_BLOCKED &&
		    scope_timeline_call_role(thread->open.nr) == SCOPE_CALL_ACCEPT)
			return true;
	}
	return false;
}

/* How long the thread waited for its clients, the sleep at the end of the window included. */
static uint64_t waited(const struct scope_units *units, uint32_t index, const struct scope_thread *thread)
{
	const struct scope_timeline *timeline = units->timeline;
	const uint64_t since_ns = thread->open.enter_ns > timeline->begin_ns ? thread->open.enter_ns
									     : timeline->begin_ns;

	return units->thread[index].idle_ns + (timeline->end_ns > since_ns ? timeline->end_ns - since_ns : 0);
}

bool scope_anomaly_kept_waiting(const struct scope_units *units, const struct scope_unserved *unserved, uint32_t index,
				struct scope_hang *hang)
{
	const struct scope_timeline *timeline = units->timeline;
	const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, index);
	if (!unserved || !unserved->backlog || !is_at_client(timeline, thread) || is_served(units, thread->tgid) ||
	    waited(units, index, thread) < BACKLOG_IDLE * (timeline->end_ns - timeline->begin_ns))
		return false;
	*hang = (struct scope_hang){
		.thread = index,
		.kind = SCOPE_HANG_BLOCKED,
		.nr = thread->open.nr,
		.object = thread->open.arg[0],
		.since_ns = unserved->since_ns,
		.until_ns = timeline->end_ns,
		.owner = SCOPE_OWNER_NONE,
		.backlog = unserved->backlog,
	};
	return true;
}
