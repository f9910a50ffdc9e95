/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is traced: from what the user names to entries of a session's filter.
 *
 * A thread is traced while its process or it itself has an entry. Processes get one by being named,
 * or as descendants of those where the session follows. Threads get one by being named, by their
 * command name, or by their control group. Probes keep the entries true as tasks are born, end,
 * execute, change their name or their group.
 */
#ifndef SCOPE_KMOD_SELECT_H
#define SCOPE_KMOD_SELECT_H

#include "session.h"

/* One thing the user names. */
struct scope_target {
	enum scope_attr kind; /* SCOPE_ATTR_TARGET, _THREAD, _COMM, _COMM_PREFIX, _CGROUP */
	u32 id;		      /* tgid or tid of the first pid namespace; hierarchy of a group */
	u64 cgroup;	      /* inode number */
	char comm[SCOPE_COMM_BYTES];
};

/* What changes together: all of it or, where one thing fails, what stands before that. */
struct scope_change {
	const struct scope_target *add, *remove;
	u32 adds, removes;
	const u8 *syscalls; /* SCOPE_SYSCALL_MAX bits, or NULL: as before */
};

/* By what a session selects threads, beside their process: each needs tracepoints, see probe.c. */
#define SCOPE_SELECT_THREADS 0x01u /* threads may have entries of their own */
#define SCOPE_SELECT_COMM 0x02u
#define SCOPE_SELECT_CGROUP 0x04u

static __always_inline bool scope_select_has(const struct scope_session *session,
					     const struct task_struct *task)
{
	if (scope_filter_has(&session->filter, task->tgid))
		return true;
	return unlikely(session->selects) &&
	       scope_filter_has(&session->filter, task->pid | SCOPE_FILTER_THREAD);
}

/* False as a rule where scope_select_has() is, and then by one cache line; true wherever it is. */
static __always_inline bool scope_select_may_have(const struct scope_session *session,
						  const struct task_struct *task)
{
	return scope_filter_may_have(scope_filter_line_of(&session->filter, task->tgid)) ||
	       unlikely(session->selects);
}

/* Under session->lock. The first two: target.c. */
int scope_select_add(struct scope_session *session, const struct scope_target *target);
int scope_select_remove(struct scope_session *session, const struct scope_target *target);
void scope_select_clear(struct scope_session *session);
void scope_select_scan(struct scope_session *session);
void scope_select_sweep(struct scope_session *session);
int scope_select_settle(struct scope_session *session);

/* From probes. */
bool scope_select_fork(struct scope_session *session, const struct task_struct *parent,
		       struct task_struct *child);
void scope_select_exec(struct scope_session *session, struct task_struct *task, u32 old_tid);
bool scope_select_exit(struct scope_session *session, const struct task_struct *task, bool last);
void scope_select_renamed(struct scope_session *session, struct task_struct *task,
			  const char *comm);
void scope_select_settle_soon(struct scope_session *session);

void scope_select_prepare(struct scope_session *session);
void scope_select_cancel(struct scope_session *session);

#endif
