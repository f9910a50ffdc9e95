// SPDX-License-Identifier: GPL-2.0-only
/* Adds targets that the user selects to a session, and removes them. */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include "target.h"

/* Call it before the start: it is as if no target had been named. */
void scope_target_clear(struct scope_session *session)
{
	memset(&session->filter, 0, sizeof(session->filter));
	memset(session->comm_rule, 0, sizeof(session->comm_rule));
	memset(session->cgroup_rule, 0, sizeof(session->cgroup_rule));
	session->selects = 0;
}

static inline u32 fresh(const struct scope_session *session)
{
	return session->run_state == SCOPE_RUN_ON ? SCOPE_FILTER_FRESH : 0;
}

static int add_comm(struct scope_session *session, const struct scope_target *target)
{
	const u8 bytes = strnlen(target->comm, SCOPE_COMM_BYTES - 1);
	struct scope_comm_rule *rule;

	for (rule = session->comm_rule; rule->bytes; rule++)
		if (rule == &session->comm_rule[SCOPE_COMM_RULES - 1])
			return -ENOSPC;
	memcpy(rule->text, target->comm, SCOPE_COMM_BYTES);
	rule->prefix = target->kind == SCOPE_ATTR_COMM_PREFIX;
	/* Pairs with the acquire in scope_comm_matches(). */
	smp_store_release(&rule->bytes, bytes);
	return 0;
}

static int add_cgroup(struct scope_session *session, const struct scope_target *target)
{
	struct scope_cgroup_rule *rule;

	for (rule = session->cgroup_rule; rule->used; rule++)
		if (rule == &session->cgroup_rule[SCOPE_CGROUP_RULES - 1])
			return -ENOSPC;
	rule->hierarchy = target->id;
	rule->id = target->cgroup;
	smp_store_release(&rule->used, true);
	return 0;
}

/*
 * Under session->lock. It takes effect at the start; while tracing runs, after a scan and scope_select_settle().
 * -ESRCH: it has ended. -ENOSPC: there is no place for one more.
 */
int scope_target_add(struct scope_session *session, const struct scope_target *target)
{
	static const u8 bits[] = { [SCOPE_ATTR_THREAD] = SCOPE_SELECT_THREADS,
				   [SCOPE_ATTR_COMM] = SCOPE_SELECT_COMM,
				   [SCOPE_ATTR_COMM_PREFIX] = SCOPE_SELECT_COMM,
				   [SCOPE_ATTR_CGROUP] = SCOPE_SELECT_CGROUP };
	const u32 key = target->kind == SCOPE_ATTR_THREAD ? target->id | SCOPE_FILTER_THREAD : target->id;

	lockdep_assert_held(&session->lock);
	if (target->kind < ARRAY_SIZE(bits))
		WRITE_ONCE(session->selects, session->selects | bits[target->kind]);
	switch (target->kind) {
	case SCOPE_ATTR_COMM:
	case SCOPE_ATTR_COMM_PREFIX:
		return add_comm(session, target);
	case SCOPE_ATTR_CGROUP:
		return add_cgroup(session, target);
	default:
		return scope_filter_add(&session->filter, key, SCOPE_FILTER_NAMED | fresh(session)) ? 0 : -ENOSPC;
	}
}

static int remove_comm(struct scope_session *session, const struct scope_target *target)
{
	const u8 bytes = strnlen(target->comm, SCOPE_COMM_BYTES - 1);
	bool prefix = target->kind == SCOPE_ATTR_COMM_PREFIX;
	int i;

	for (i = 0; i < SCOPE_COMM_RULES; i++) {
		struct scope_comm_rule *rule = &session->comm_rule[i];

		if (!bytes || rule->bytes != bytes || rule->prefix != prefix || memcmp(rule->text, target->comm, bytes))
			continue;
		WRITE_ONCE(rule->bytes, 0);
		/* No probe compares with it any more, so its place can be used again. */
		tracepoint_synchronize_unregister();
		return 0;
	}
	return -ENOENT;
}

static int remove_cgroup(struct scope_session *session, const struct scope_target *target)
{
	int i;

	for (i = 0; i < SCOPE_CGROUP_RULES; i++) {
		struct scope_cgroup_rule *rule = &session->cgroup_rule[i];

		if (!rule->used || rule->hierarchy != target->id || rule->id != target->cgroup)
			continue;
		WRITE_ONCE(rule->used, false);
		tracepoint_synchronize_unregister();
		return 0;
	}
	return -ENOENT;
}

/* Under rcu_read_lock(). True if tgid is the nearest ancestor that is, or was, named as a target. */
static bool descends_from(const struct scope_session *session, struct task_struct *process, u32 tgid)
{
	struct task_struct *task = process;

	while (task->pid > 1) {
		task = rcu_dereference(task->real_parent)->group_leader;
		if (task->tgid == tgid)
			return true;
		if (scope_filter_entry(&session->filter, task->tgid) & SCOPE_FILTER_NAMED)
			return false;
	}
	return false;
}

/* A descendant stays if it was named itself, or descends from one that was. */
static int remove_process(struct scope_session *session, u32 tgid)
{
	struct scope_filter *filter = &session->filter;
	struct task_struct *process;
	bool due = fresh(session);

	if (!(scope_filter_entry(filter, tgid) & SCOPE_FILTER_REASONS))
		return -ENOENT;
	scope_filter_drop(filter, tgid, SCOPE_FILTER_NAMED | SCOPE_FILTER_CHILD, due);
	rcu_read_lock();
	for_each_process(process)
		if (scope_filter_entry(filter, process->tgid) & SCOPE_FILTER_CHILD &&
		    descends_from(session, process, tgid))
			scope_filter_drop(filter, process->tgid, SCOPE_FILTER_CHILD, due);
	rcu_read_unlock();
	return 0;
}

static int remove_thread(struct scope_session *session, u32 key)
{
	if (!(scope_filter_entry(&session->filter, key) & SCOPE_FILTER_NAMED))
		return -ENOENT;
	scope_filter_drop(&session->filter, key, SCOPE_FILTER_NAMED, fresh(session));
	return 0;
}

/* As scope_target_add(). -ENOENT: it was not named. */
int scope_target_remove(struct scope_session *session, const struct scope_target *target)
{
	lockdep_assert_held(&session->lock);
	switch (target->kind) {
	case SCOPE_ATTR_COMM:
	case SCOPE_ATTR_COMM_PREFIX:
		return remove_comm(session, target);
	case SCOPE_ATTR_CGROUP:
		return remove_cgroup(session, target);
	case SCOPE_ATTR_THREAD:
		return remove_thread(session, target->id | SCOPE_FILTER_THREAD);
	default:
		return remove_process(session, target->id);
	}
}
