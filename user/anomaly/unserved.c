// SPDX-License-Identifier: GPL-2.0-only
/* Clients that wait while no thread of the process does anything for them. */
#include "anomaly/unserved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/backlog_row.h"

#define LAST_ROW_NS 1500000000ull /* before the end, at most: rows are a second apart */

static struct scope_unserved *entry_of(struct scope_unserved **unserved, size_t *count, size_t *room, uint32_t tgid,
				       uint64_t since_ns)
{
	struct scope_unserved *entry;

	for (size_t i = 0; i < *count; i++)
		if ((*unserved)[i].tgid == tgid)
			return &(*unserved)[i];
	if (scope_grow(unserved, room, *count + 1, sizeof(**unserved)))
		return NULL;
	entry = &(*unserved)[(*count)++];
	*entry = (struct scope_unserved){ .tgid = tgid, .since_ns = since_ns };
	return entry;
}

static bool lasts(const struct scope_timeline *timeline, const struct scope_backlog_row *row)
{
	return row->time_ns + LAST_ROW_NS >= timeline->end_ns && row->time_ns - row->since_ns >= SCOPE_UNSERVED_NS;
}

static int compare_inode(const void *inode, const void *row)
{
	const uint64_t a = *(const uint64_t *)inode, b = ((const struct scope_backlog_row *)row)->inode;

	return (a > b) - (a < b);
}

/* The file of the process' program: what the kernel maps first. NULL: not known. */
static const char *program_of(const struct scope_trace *trace, uint32_t tgid)
{
	const struct scope_trace_map *found = NULL;
	size_t count;
	const struct scope_trace_map *map = scope_trace_maps(trace, &count);

	for (size_t i = 0; i < count; i++)
		if (map[i].tgid == tgid && map[i].executable && (!found || map[i].start < found->start))
			found = &map[i];
	return found ? found->path : NULL;
}

/*
 * True if the descriptor is of a child that runs another program: a script or a command, which has the connections of its parent because
 * these were not closed. It serves none of them.
 */
static bool is_inherited(const struct scope_trace *trace, const struct scope_trace_fd *own)
{
	const uint64_t inode = scope_trace_socket_of(own);
	const char *program = NULL, *other;
	size_t fds;
	const struct scope_trace_fd *fd = scope_trace_fds(trace, &fds);

	for (size_t i = 0; i < fds; i++) {
		if (fd[i].tgid >= own->tgid || fd[i].kind != own->kind || scope_trace_socket_of(&fd[i]) != inode)
			continue;
		program = program ? program : program_of(trace, own->tgid);
		other = program_of(trace, fd[i].tgid);
		if (program && other && strcmp(program, other) != 0)
			return true;
	}
	return false;
}

static bool may_wait(enum scope_fd_kind kind, bool bytes)
{
	return bytes ? kind == SCOPE_FD_ACCEPTED || kind == SCOPE_FD_DATAGRAM : kind == SCOPE_FD_LISTEN;
}

/* Adds the sockets of one kind: of those rows, with descriptors of that kind. */
static int add_sockets(const struct scope_timeline *timeline, bool connections, struct scope_unserved **unserved,
		       size_t *count, size_t *room)
{
	struct scope_backlog_row *rows;
	struct scope_unserved *entry;
	size_t fds, row_count;
	const struct scope_trace_fd *fd = scope_trace_fds(timeline->trace, &fds);
	int err = scope_trace_backlogs(timeline->trace, connections, &rows, &row_count);

	for (size_t i = 0; !err && row_count && i < fds; i++) {
		const uint64_t inode = may_wait(fd[i].kind, connections) ? scope_trace_socket_of(&fd[i]) : 0;
		const struct scope_backlog_row *row =
			inode ? bsearch(&inode, rows, row_count, sizeof(*rows), compare_inode) : NULL;

		if (!row || !lasts(timeline, row) || is_inherited(timeline->trace, &fd[i]))
			continue;
		entry = entry_of(unserved, count, room, fd[i].tgid, row->since_ns);
		if (!entry) {
			err = -ENOMEM;
			break;
		}
		entry->unread += connections;
		entry->datagrams += fd[i].kind == SCOPE_FD_DATAGRAM;
		entry->backlog += connections ? 0 : row->count;
		entry->since_ns = row->since_ns < entry->since_ns ? row->since_ns : entry->since_ns;
	}
	free(rows);
	return err;
}

/* Counts the clients of the processes that are listed. */
static void add_clients(const struct scope_timeline *timeline, struct scope_unserved *unserved, size_t count)
{
	size_t fds;
	const struct scope_trace_fd *fd = scope_trace_fds(timeline->trace, &fds);

	for (size_t i = 0; count && i < fds; i++)
		for (size_t j = 0; fd[i].kind == SCOPE_FD_ACCEPTED && j < count; j++)
			unserved[j].clients += unserved[j].tgid == fd[i].tgid;
}

int scope_anomaly_unserved_find(const struct scope_timeline *timeline, struct scope_unserved **ret_unserved,
				size_t *ret_count)
{
	size_t room = 0;
	int err;

	*ret_unserved = NULL;
	*ret_count = 0;
	err = add_sockets(timeline, true, ret_unserved, ret_count, &room);
	if (!err)
		err = add_sockets(timeline, false, ret_unserved, ret_count, &room);
	if (err) {
		free(*ret_unserved);
		*ret_unserved = NULL;
		return err;
	}
	add_clients(timeline, *ret_unserved, *ret_count);
	return 0;
}

/*
 * Since when it sleeps, waits that only time-outs ended included: those that began with the window began before it. UINT64_MAX: it
 * runs.
 */
static uint64_t asleep_since(const struct scope_units *units, uint32_t index, const struct scope_thread *thread)
{
	const struct scope_retry *retry = &units->thread[index].retry;

	if (thread->run != SCOPE_RUN_BLOCKED)
		return UINT64_MAX;
	if (retry->sleeps < SCOPE_HANG_RETRIES_MIN)
		return scope_anomaly_hang_asleep_since(thread);
	return scope_anomaly_hang_took_nothing(units, index) ? 0 : retry->from_ns;
}

bool scope_anomaly_unserved_aside(const struct scope_thread *thread)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(thread->open.nr);

	return role == SCOPE_CALL_FUTEX || role == SCOPE_CALL_SLEEP || role == SCOPE_CALL_CHILD ||
	       role == SCOPE_CALL_PICK;
}

/*
 * True if it fell asleep after the other one. If all threads of a process sleep, the last thread that worked is the one
 * that hangs: threads that it gives work to were idle before, or continued until they hung as well. 0: before the
 * window, and not known when.
 */
static bool slept_last(const struct scope_units *units, uint32_t index, uint32_t other)
{
	struct scope_threads *threads = units->timeline->threads;
	const uint64_t since_ns = asleep_since(units, index, scope_timeline_threads_at(threads, index));
	const uint64_t other_ns = asleep_since(units, other, scope_timeline_threads_at(threads, other));

	return other_ns && other_ns < since_ns;
}

/*
 * True if none of the other threads of its process has served, and all of them sleep in places for threads without
 * clients. If it sleeps in such a place as well, it must be the one that fell asleep last.
 */
static bool is_alone(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	struct scope_threads *threads = units->timeline->threads;
	const struct scope_thread *of = scope_timeline_threads_at(threads, index);
	const bool aside = scope_anomaly_unserved_aside(of);

	for (uint32_t i = 0; i < units->threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(threads, i);

		if (i == index || thread->tgid != of->tgid || thread->run == SCOPE_RUN_ENDED)
			continue;
		if (scope_unit_pickups_serves(pickups, i) || thread->run != SCOPE_RUN_BLOCKED ||
		    !scope_anomaly_unserved_aside(thread) || (aside && !slept_last(units, index, i)))
			return false;
	}
	return true;
}

const struct scope_unserved *scope_anomaly_unserved_of(const struct scope_unserved *unserved, size_t count,
						       uint32_t tgid)
{
	for (size_t i = 0; i < count; i++)
		if (unserved[i].tgid == tgid)
			return &unserved[i];
	return NULL;
}

/*
 * A socket of datagrams may be one of which the program reads nothing, and that is in none of its polls: a thread that waits for clients there is
 * idle.
 */
static bool waits_for_others(const struct scope_unserved *unserved, const struct scope_thread *thread)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(thread->open.nr);

	return unserved->unread && unserved->unread == unserved->datagrams && !unserved->backlog &&
	       (role == SCOPE_CALL_POLL || role == SCOPE_CALL_READ || role == SCOPE_CALL_ACCEPT);
}

bool scope_anomaly_unserved_by(const struct scope_unserved *unserved, const struct scope_units *units,
			       const struct scope_pickups *pickups, uint32_t index)
{
	const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, index);

	/* A parent of those that serve has their listening socket as well, but no clients. */
	if (!unserved->unread && !unserved->clients &&
	    scope_anomaly_hang_idles(scope_timeline_call_role(thread->open.nr)))
		return false;
	return !waits_for_others(unserved, thread) && asleep_since(units, index, thread) <= unserved->since_ns &&
	       is_alone(units, pickups, index);
}

bool scope_anomaly_unserved_among(const struct scope_unserved *unserved, const struct scope_units *units,
				  const struct scope_pickups *pickups, uint32_t index)
{
	struct scope_threads *threads = units->timeline->threads;
	const struct scope_thread *thread = scope_timeline_threads_at(threads, index);

	if (!unserved->unread || waits_for_others(unserved, thread) ||
	    asleep_since(units, index, thread) > unserved->since_ns)
		return false;
	for (uint32_t i = 0; i < units->threads; i++)
		if (scope_timeline_threads_at(threads, i)->tgid == thread->tgid &&
		    scope_unit_pickups_serves(pickups, i))
			return false;
	return true;
}
