// SPDX-License-Identifier: GPL-2.0-only
/* Finds threads that wait for what another process of the target sends. */
#include "anomaly/coprocess.h"

#include <string.h>

#include "anomaly/hang.h"
#include "trace/peer.h"

/*
 * True if tgid is another traced process that makes progress: one of its threads runs, has slept for less than
 * SCOPE_HANG_MIN_NS, or waits for work.
 */
static bool goes_on(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t tgid, uint32_t self)
{
	const struct scope_timeline *timeline = units->timeline;

	for (size_t i = 0; tgid != self && i < units->threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, i);

		if (thread->tgid == tgid && thread->run != SCOPE_RUN_ENDED &&
		    (thread->run != SCOPE_RUN_BLOCKED || scope_anomaly_hang_waits(units, pickups, i) ||
		     scope_anomaly_hang_idles(scope_timeline_call_role(thread->open.nr)) ||
		     timeline->end_ns - scope_anomaly_hang_asleep_since(thread) < SCOPE_HANG_MIN_NS))
			return true;
	}
	return false;
}

/* The process at the other end of a socket that never had a listener; 0: it is another kind of socket. */
static uint32_t pair_of(const struct scope_fd_index *fds, const struct scope_trace_fd *own)
{
	const struct scope_trace_fd *row;
	struct scope_trace_peer peer;
	size_t at = 0;

	if (!scope_trace_peer_of(own, &peer) || strncmp(peer.address, "socket:", strlen("socket:")))
		return 0;
	while ((row = scope_anomaly_fd_index_object(fds, peer.address, &at)))
		if (row->tgid == peer.pid && row->kind == SCOPE_FD_ACCEPTED)
			return 0;
	return peer.pid;
}

bool scope_anomaly_coprocess_reads(const struct scope_units *units, const struct scope_pickups *pickups,
				   const struct scope_fd_index *fds, const struct scope_thread *thread)
{
	const struct scope_open_call *call = &thread->open;
	const struct scope_trace_fd *own, *row;
	size_t at = 0;

	if (scope_timeline_call_role(call->nr) != SCOPE_CALL_READ || !call->args ||
	    scope_timeline_fds_renewed(units->timeline->fds, thread->tgid, (int64_t)call->arg[0]))
		return false;
	own = scope_anomaly_fd_index_find(fds, thread->tgid, (int64_t)call->arg[0]);
	if (!own)
		return fds->rows && !scope_anomaly_fd_index_has(fds, thread->tgid);
	if (own->kind != SCOPE_FD_PIPE)
		return pair_of(fds, own) && goes_on(units, pickups, pair_of(fds, own), thread->tgid);
	while (!strncmp(own->name, "pipe:", strlen("pipe:")) &&
	       (row = scope_anomaly_fd_index_object(fds, own->name, &at)))
		if (goes_on(units, pickups, row->tgid, thread->tgid))
			return true;
	return false;
}
