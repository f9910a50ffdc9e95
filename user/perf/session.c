// SPDX-License-Identifier: GPL-2.0-only
/* The threads that a session of the perf source traces: those that come and go, and the kernel's filter for them. */
#include "perf/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/now.h"
#include "perf/select.h"
#include "proc/file.h"
#include "trace/packer.h"

#define AGE_RECORDS 20000
#define AGE_NS 1000000000u
#define FORK_NS 100000000u /* the fork of a thread is recorded within this time */

/*
 * Notes a child whose number the kernel's filter does not pass, because numbers have started again from the lowest. Its
 * events are missing until the filter passes it, so it is counted as late, and gets a STATE then.
 */
void scope_perf_session_watch_child(struct scope_perf_session *session, const struct scope_perf_record *record)
{
	if (record->type != SCOPE_PERF_TYPE_FORK || scope_perf_coverage_has(&session->cover, record->tid) ||
	    !scope_perf_tasks_find(session->tasks, record->tid))
		return;
	session->uncovered = true;
	session->late++;
	if (session->joined < SCOPE_PERF_JOINED_MAX)
		session->join[session->joined++] = record->tid;
}

void scope_perf_session_watch_young(struct scope_perf_session *session, const struct scope_perf_record *record)
{
	const struct scope_perf_thread *thread = NULL;

	if (record->type == SCOPE_PERF_TYPE_FORK || record->type == SCOPE_PERF_TYPE_EXIT)
		thread = scope_perf_tasks_find(session->tasks, record->tid);
	if (thread && !scope_perf_coverage_knows(&session->cover, record->tid))
		session->young_ns = record->time_ns;
}

static bool is_young(const struct scope_perf_thread *thread, const void *context)
{
	const struct scope_perf_session *session = context;

	return !scope_perf_coverage_knows(&session->cover, thread->tid);
}

bool scope_perf_session_had_young(const struct scope_perf_session *session, uint64_t since_ns)
{
	return (session->young_ns && session->young_ns >= since_ns) ||
	       scope_perf_tasks_any(session->tasks, is_young, session);
}

/* Notes a thread that takes a selected name. Its STATE is written when the drain is complete. */
void scope_perf_session_watch_name(struct scope_perf_session *session, const struct scope_perf_record *record,
				   bool known)
{
	if (known || !scope_perf_tasks_find(session->tasks, record->tid))
		return;
	if (session->joined < SCOPE_PERF_JOINED_MAX)
		session->join[session->joined++] = record->tid;
	if (!scope_perf_coverage_has(&session->cover, record->tid))
		session->uncovered = true;
}

/* Adds the thread, for one more reason. One that comes during tracing gets a STATE. */
int scope_perf_session_join(uint32_t tgid, uint32_t tid, uint8_t by, void *context)
{
	struct scope_perf_session *session = context;
	struct scope_perf_thread *thread = scope_perf_tasks_find(session->tasks, tid);
	struct scope_record_state state;
	uint64_t reg[SCOPE_REG_MAX];

	if (thread && !thread->ending && thread->tgid == tgid) {
		thread->by |= by;
		return 0;
	}
	/* A thread that ends before this has no state. */
	if (scope_perf_state_read(session->options.reader, &session->clock, tgid, tid, &state, reg))
		return 0;
	thread = scope_perf_tasks_add(session->tasks, tgid, tid);
	if (!thread)
		return -ENOMEM;
	thread->by = by;
	memcpy(thread->comm, state.comm, sizeof(thread->comm));
	thread->abi = scope_perf_program_abi(session->options.reader, tgid);
	if (!session->grouped_ns)
		return 0;
	if (session->joined < SCOPE_PERF_JOINED_MAX)
		session->join[session->joined++] = tid;
	if (!scope_perf_coverage_has(&session->cover, tid))
		session->uncovered = true;
	return 0;
}

/*
 * A thread that ended after it was listed and before its events were enabled has no record of its end, and nothing was
 * lost. If it ended later, its record has come.
 */
static int end_early(struct scope_perf_session *session, uint32_t tgid, uint32_t tid)
{
	const uint64_t now = scope_now_ns();
	const struct scope_perf_thread *thread;
	int err;

	if (scope_perf_state_lives(tgid, tid))
		return 0;
	err = scope_perf_session_until(session, now);
	thread = scope_perf_tasks_find(session->tasks, tid);
	if (err || !thread || thread->ending)
		return err;
	return scope_perf_pack_end(session->pack, 0, now, tid);
}

/* Writes the thread's STATE. */
static int look_at(struct scope_perf_session *session, uint32_t tgid, uint32_t tid)
{
	struct scope_perf_thread *thread;
	struct scope_record_state state;
	uint64_t reg[SCOPE_REG_MAX], now;
	int err;

	if (scope_perf_state_read(session->options.reader, &session->clock, tgid, tid, &state, reg))
		return session->moment == SCOPE_PERF_MOMENT_START ? end_early(session, tgid, tid) : 0;
	now = scope_now_ns();
	err = scope_perf_session_until(session, now);
	thread = scope_perf_tasks_find(session->tasks, tid);
	if (err || !thread)
		return err;
	state.abi = thread->abi;
	state.flags = session->moment == SCOPE_PERF_MOMENT_STOP ? SCOPE_STATE_AT_STOP : 0;
	/* All registers are known from when it went to sleep in this call. */
	if (state.regs && thread->held && thread->held->time_ns && thread->held->regs == state.regs)
		memcpy(reg, thread->held->reg, state.regs * sizeof(*reg));
	return scope_perf_pack_state(session->pack, now, &state, reg);
}

int scope_perf_session_put_states(struct scope_perf_session *session)
{
	struct scope_perf_thread *thread;
	uint32_t *tids;
	size_t count, i;
	int err = scope_perf_tasks_list(session->tasks, &tids, &count);

	if (err)
		return err;
	for (i = 0; i < count && !err; i++) {
		thread = scope_perf_tasks_find(session->tasks, tids[i]);
		if (thread && !thread->ending)
			err = look_at(session, thread->tgid, thread->tid);
	}
	free(tids);
	return err;
}

static int pack_state(struct scope_perf_session *session, struct scope_packer *packer,
		      const struct scope_perf_thread *thread)
{
	struct scope_event event = { .kind = SCOPE_EVENT_STATE, .tid = thread->tid };
	struct scope_record_state state;
	uint64_t reg[SCOPE_REG_MAX];

	if (scope_perf_state_read(session->options.reader, &session->clock, thread->tgid, thread->tid, &state, reg))
		return 0;
	state.abi = thread->abi;
	state.flags = SCOPE_STATE_AT_STOP;
	if (state.state == SCOPE_STATE_RUNNABLE && scope_perf_pack_runs(session->pack, thread->tid))
		state.flags |= SCOPE_STATE_ON_CPU;
	event.time_ns = scope_now_ns();
	event.flags = state.flags;
	event.state.record = &state;
	event.state.reg = reg;
	return scope_trace_packer_event(packer, &event, NULL);
}

int scope_perf_session_states(void *context, int (*take)(const struct scope_subbuf *subbuf, void *context), void *taker)
{
	struct scope_perf_session *session = context;
	const struct scope_perf_thread *thread;
	struct scope_packer *packer;
	uint32_t *tids;
	size_t count, i;
	int err = scope_perf_tasks_list(session->tasks, &tids, &count);

	if (err)
		return err;
	err = scope_trace_packer_create_for(take, taker, 0, &packer);
	if (err) {
		free(tids);
		return err;
	}
	for (i = 0; i < count && !err; i++) {
		thread = scope_perf_tasks_find(session->tasks, tids[i]);
		if (thread && !thread->ending)
			err = pack_state(session, packer, thread);
	}
	if (!err)
		err = scope_trace_packer_flush(packer, NULL);
	scope_trace_packer_destroy(packer);
	free(tids);
	return err;
}

int scope_perf_session_put_late_states(struct scope_perf_session *session)
{
	const struct scope_perf_thread *thread;
	int err = 0;

	/* More may be appended while these are processed. */
	for (uint32_t i = 0; i < session->joined && !err; i++) {
		thread = scope_perf_tasks_find(session->tasks, session->join[i]);
		if (thread && !thread->ending)
			err = look_at(session, thread->tgid, thread->tid);
	}
	session->joined = 0;
	return err;
}

/* Reads the threads in the groups, to find those that have left. */
struct members {
	struct scope_perf_session *session;
	uint32_t *tid;
	size_t count, capacity;
};

/* Most members are known, and their processes need not be looked up again. */
static int add_member(uint32_t tid, uint8_t by, void *context)
{
	struct members *members = context;
	const struct scope_perf_thread *thread = scope_perf_tasks_find(members->session->tasks, tid);
	const uint32_t tgid = thread && !thread->ending ? thread->tgid : scope_perf_select_process(tid);

	if (!tgid)
		return 0;
	if (scope_grow(&members->tid, &members->capacity, members->count + 1, sizeof(*members->tid)))
		return -ENOMEM;
	members->tid[members->count++] = tid;
	return scope_perf_session_join(tgid, tid, by, members->session);
}

static int leave_groups(struct scope_perf_session *session, const struct members *members)
{
	struct scope_perf_thread *thread;
	uint32_t *tids;
	size_t count, i;
	int err = scope_perf_tasks_list(session->tasks, &tids, &count);

	if (err)
		return err;
	for (i = 0; i < count && !err; i++) {
		thread = scope_perf_tasks_find(session->tasks, tids[i]);
		if (!thread || !(thread->by & SCOPE_PERF_BY_GROUP) ||
		    (members->count && bsearch(&tids[i], members->tid, members->count, sizeof(*members->tid),
					       scope_perf_tasks_by_number)))
			continue;
		thread->by &= ~SCOPE_PERF_BY_GROUP;
		if (!thread->by)
			err = scope_perf_pack_leave(session->pack, 0, scope_now_ns(), thread);
	}
	free(tids);
	return err;
}

/* No perf event reports moves between groups, so the groups are read regularly. */
int scope_perf_session_follow_groups(struct scope_perf_session *session)
{
	struct members members = { .session = session };
	int err = scope_perf_select_walk_groups(&session->options, add_member, &members);

	if (!err && members.count)
		qsort(members.tid, members.count, sizeof(*members.tid), scope_perf_tasks_by_number);
	if (!err)
		err = leave_groups(session, &members);
	free(members.tid);
	return err;
}

/*
 * Ends a thread whose exit record was lost. The record may still be in the ring, so all records up to now are packed
 * first.
 */
static int bury(struct scope_perf_session *session, uint32_t tid)
{
	const uint64_t now = scope_now_ns();
	const struct scope_perf_thread *thread;
	int err = scope_perf_session_until(session, now);

	thread = scope_perf_tasks_find(session->tasks, tid);
	if (err || !thread || thread->ending)
		return err;
	err = scope_perf_pack_lost(session->pack, 0, now, 1);
	return err ? err : scope_perf_pack_end(session->pack, 0, now, tid);
}

/*
 * The kernel does not report a loss if no record follows, and then a capture that waits for its target's end would
 * never end. A process whose first thread lives has not ended.
 */
int scope_perf_session_end_gone(struct scope_perf_session *session)
{
	const struct scope_perf_thread *thread;
	uint32_t *tids, there = 0;
	size_t count, i;
	int err = scope_perf_tasks_list(session->tasks, &tids, &count);

	if (err)
		return err;
	for (i = 0; i < count && !err; i++) {
		thread = scope_perf_tasks_find(session->tasks, tids[i]);
		if (!thread || thread->ending || thread->tgid == there)
			continue;
		if (scope_perf_state_lives(thread->tgid, thread->tgid))
			there = thread->tgid;
		else if (!scope_perf_state_lives(thread->tgid, thread->tid))
			err = bury(session, thread->tid);
	}
	free(tids);
	return err;
}

/* "0.10 0.20 0.30 1/160 5234": the last number given to a thread. */
static uint32_t newest_thread(void)
{
	uint32_t newest = SCOPE_TID_MASK;
	const char *last;
	char *text;

	if (!scope_proc_file_read(&text, "/proc/loadavg")) {
		last = strrchr(text, ' ');
		if (last)
			newest = (uint32_t)strtoul(last, NULL, 10);
		free(text);
	}
	return newest;
}

static int cover_up_to(struct scope_perf_session *session, uint32_t newest)
{
	uint32_t *tids;
	size_t count;
	int err = scope_perf_tasks_list(session->tasks, &tids, &count);

	if (err)
		return err;
	scope_perf_coverage_make(tids, count, newest, &session->cover);
	free(tids);
	session->covered_ns = scope_now_ns();
	session->young_records = 0;
	session->newest_ns = 0;
	return 0;
}

int scope_perf_session_cover(struct scope_perf_session *session)
{
	return cover_up_to(session, newest_thread());
}

/*
 * Threads become old only up to a number that is old enough that all forks up to it were recorded. Otherwise the filter
 * would not pass a new child of the target.
 */
int scope_perf_session_age(struct scope_perf_session *session)
{
	const uint64_t now = scope_now_ns();
	int err;

	if (session->young_records < AGE_RECORDS || now - session->covered_ns < AGE_NS)
		return 0;
	if (!session->newest_ns) {
		session->newest = newest_thread();
		session->newest_ns = now;
	}
	if (now - session->newest_ns < FORK_NS)
		return 0;
	err = cover_up_to(session, session->newest);
	if (!err)
		err = scope_perf_events_recover(&session->events, &session->options, &session->cover, NULL);
	return err;
}

int scope_perf_session_cover_again(struct scope_perf_session *session)
{
	int err = scope_perf_session_cover(session);

	session->uncovered = false;
	if (!err)
		err = scope_perf_events_recover(&session->events, &session->options, &session->cover, NULL);
	return err;
}
