// SPDX-License-Identifier: GPL-2.0-only
/*
 * Updates the entries of a session's filter so that they match the user's selection.
 *
 * If a probe runs in the task that joins or leaves, it handles that itself. Changes to other tasks change only their
 * entries, marked fresh or leaving. Then a work item makes every CPU look at its current task again and reports them
 * to the reader.
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include "cgroup.h"
#include "probe_syscall.h"
#include "record.h"
#include "select.h"
#include "state.h"
#include "traced.h"

#define FOLLOW_PASSES 32

static inline u32 thread_key(const struct task_struct *task)
{
	return task->pid | SCOPE_FILTER_THREAD;
}

/* The mark of a new entry. While tracing runs, the state of its thread must be recorded. */
static inline u32 fresh(const struct scope_session *session)
{
	return session->run_state == SCOPE_RUN_ON ? SCOPE_FILTER_FRESH : 0;
}

static inline bool process_lives(const struct task_struct *task)
{
	return atomic_read(&task->signal->live);
}

/* If a task ended before its entry was made, the exit probe did not remove the entry, and nothing else will. */
static void add_process(struct scope_session *session, const struct task_struct *task, u32 why)
{
	scope_filter_add(&session->filter, task->tgid, why);
	if (!process_lives(task))
		scope_filter_remove(&session->filter, task->tgid);
}

static void add_thread(struct scope_session *session, const struct task_struct *task, u32 why)
{
	scope_filter_add(&session->filter, thread_key(task), why);
	if (READ_ONCE(task->flags) & PF_EXITING)
		scope_filter_remove(&session->filter, thread_key(task));
}

/*
 * Every process that has an ancestor in the filter. The list is in order of creation, so one pass finds nearly all. A
 * child that gets another parent during the pass takes one more. The fork probe adds children born after it was
 * attached.
 */
static void add_descendants(struct scope_session *session)
{
	struct scope_filter *filter = &session->filter;
	struct task_struct *process;
	int before, passes = 0;

	do {
		before = atomic_read(&filter->count);
		rcu_read_lock();
		for_each_process(process)
			if (process_lives(process) && !scope_filter_has(filter, process->tgid) &&
			    scope_filter_has(filter, rcu_dereference(process->real_parent)->tgid))
				add_process(session, process, SCOPE_FILTER_CHILD | fresh(session));
		rcu_read_unlock();
	} while (atomic_read(&filter->count) != before && ++passes < FOLLOW_PASSES);
}

/* Under rcu_read_lock(). */
static bool in_chosen_cgroup(const struct scope_session *session, struct task_struct *task)
{
	int i;

	for (i = 0; i < SCOPE_CGROUP_RULES; i++) {
		const struct scope_cgroup_rule *rule = &session->cgroup_rule[i];

		/* Pairs with the release in add_cgroup(). */
		if (smp_load_acquire(&rule->used) && scope_compat_in_cgroup(task, rule->hierarchy, rule->id))
			return true;
	}
	return false;
}

static void set_thread(struct scope_session *session, struct task_struct *task, u32 why, bool in)
{
	if (in)
		add_thread(session, task, why | fresh(session));
	else
		scope_filter_drop(&session->filter, thread_key(task), why, fresh(session));
}

static void scan_threads(struct scope_session *session)
{
	struct task_struct *process, *thread;
	char comm[SCOPE_COMM_BYTES];

	/* A rename that is under way requests another scan; pairs with scope_select_renamed(). */
	WRITE_ONCE(session->scanning, true);
	smp_mb();
	rcu_read_lock();
	for_each_process_thread(process, thread) {
		if (thread->flags & PF_KTHREAD)
			continue;
		if (session->selects & SCOPE_SELECT_COMM) {
			scope_rename_comm(session->rename, thread, comm);
			set_thread(session, thread, SCOPE_FILTER_COMM,
				   scope_comm_matches(session->comm_rule, SCOPE_COMM_RULES, comm));
		}
		if (session->selects & SCOPE_SELECT_CGROUP)
			set_thread(session, thread, SCOPE_FILTER_CGROUP, in_chosen_cgroup(session, thread));
	}
	rcu_read_unlock();
	WRITE_ONCE(session->scanning, false);
}

/*
 * True if the exit probe of the task has run. A process counts as dead, and a thread as exiting, well before that: on
 * its way out it may sleep, and its exit must still find the entry.
 */
static bool has_ended(const struct task_struct *task, bool thread)
{
	if (!READ_ONCE(task->exit_state))
		return false;
	return thread || (!process_lives(task) && thread_group_empty((struct task_struct *)task));
}

/* Entries of tasks that ended while no probe was attached, or before a probe could see them. */
void scope_select_sweep(struct scope_session *session)
{
	u32 i;

	for (i = 0; i < SCOPE_FILTER_SLOTS; i++) {
		u32 entry = scope_filter_at(&session->filter, i);
		struct task_struct *task;

		if (!entry)
			continue;
		rcu_read_lock();
		task = scope_state_find(entry & SCOPE_FILTER_NUMBER);
		if (!task || has_ended(task, entry & SCOPE_FILTER_THREAD))
			scope_filter_remove(&session->filter, entry & SCOPE_FILTER_KEY);
		rcu_read_unlock();
		cond_resched();
	}
}

/* Under session->lock, with the probes attached: the task that is selected now has an entry after it. */
void scope_select_scan(struct scope_session *session)
{
	lockdep_assert_held(&session->lock);
	scope_select_sweep(session);
	if (session->config.follow)
		add_descendants(session);
	if (session->selects & (SCOPE_SELECT_COMM | SCOPE_SELECT_CGROUP))
		scan_threads(session);
}

static u32 entries_of(struct scope_session *session, const struct task_struct *task)
{
	return scope_filter_entry(&session->filter, task->tgid) |
	       scope_filter_entry(&session->filter, thread_key(task));
}

static bool must_report(struct scope_session *session, struct task_struct *thread)
{
	return entries_of(session, thread) & SCOPE_FILTER_DUE;
}

static void put_untraced(struct scope_session *session, const struct task_struct *task)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	scope_record_put_thread_exit(&this_cpu_ptr(session->cpu)->ring, ktime_get_mono_fast_ns(), task,
				     SCOPE_EXIT_UNTRACED);
	raw_local_irq_restore(flags);
}

/* Under rcu_read_lock(). A thread that is leaving by one entry may stay by the other. */
static void report(struct scope_session *session, struct task_struct *task)
{
	if (!scope_traced_has(session, task))
		put_untraced(session, task);
	else if (entries_of(session, task) & SCOPE_FILTER_FRESH)
		scope_state_put(session, task);
}

/*
 * Under session->lock, while tracing runs. After it every CPU knows whether its current task is traced, and the
 * reader knows which threads to expect: STATE of all that joined, THREAD_EXIT of all that left. -ENOMEM: the entries
 * are right, but nothing was reported to the reader.
 */
int scope_select_settle(struct scope_session *session)
{
	struct scope_filter *filter = &session->filter;
	struct scope_thread_table table;
	struct task_struct *task;
	int err;
	u32 i;

	lockdep_assert_held(&session->lock);
	scope_filter_mark(filter);
	scope_traced_refresh_all(session);
	err = scope_thread_table_fill(session, must_report, &table);
	if (err)
		return err;
	for (i = 0; i < table.count; i++) {
		rcu_read_lock();
		task = scope_state_find(table.tid[i]);
		if (task && !(task->flags & PF_EXITING))
			report(session, task);
		rcu_read_unlock();
		cond_resched();
	}
	kvfree(table.tid);
	for (i = 0; i < SCOPE_FILTER_SLOTS; i++)
		if (scope_filter_at(filter, i) & SCOPE_FILTER_DUE)
			scope_filter_reported(filter, scope_filter_at(filter, i) & SCOPE_FILTER_KEY);
	return 0;
}

static void settle_work(struct work_struct *work)
{
	struct scope_session *session = container_of(work, struct scope_session, settle);

	mutex_lock(&session->lock);
	if (session->run_state == SCOPE_RUN_ON) {
		scope_select_scan(session);
		/* If there is no memory the next change reports this one as well. */
		scope_select_settle(session);
	}
	mutex_unlock(&session->lock);
}

static void settle_irq(struct irq_work *work)
{
	schedule_work(&container_of(work, struct scope_session, settle_irq)->settle);
}

void scope_select_prepare(struct scope_session *session)
{
	INIT_WORK(&session->settle, settle_work);
	init_irq_work(&session->settle_irq, settle_irq);
}

/* After the probes are gone, without session->lock. */
void scope_select_cancel(struct scope_session *session)
{
	irq_work_sync(&session->settle_irq);
	cancel_work_sync(&session->settle);
}

/* In the parent, before the child runs. Returns true if the child is traced. */
bool scope_select_fork(struct scope_session *session, const struct task_struct *parent, struct task_struct *child)
{
	if (session->config.follow && child->tgid != parent->tgid && scope_filter_has(&session->filter, parent->tgid))
		scope_filter_add(&session->filter, child->tgid, SCOPE_FILTER_CHILD);
	if (session->selects & SCOPE_SELECT_COMM &&
	    scope_comm_matches(session->comm_rule, SCOPE_COMM_RULES, child->comm))
		scope_filter_add(&session->filter, thread_key(child), SCOPE_FILTER_COMM);
	if (session->selects & SCOPE_SELECT_CGROUP) {
		rcu_read_lock();
		if (in_chosen_cgroup(session, child))
			scope_filter_add(&session->filter, thread_key(child), SCOPE_FILTER_CGROUP);
		rcu_read_unlock();
	}
	return scope_traced_has(session, child);
}

/* The thread took over the number of the first thread; its name is complete by then. */
void scope_select_exec(struct scope_session *session, struct task_struct *task, u32 old_tid)
{
	const u32 key = old_tid | SCOPE_FILTER_THREAD;
	u32 why = scope_filter_entry(&session->filter, key) & (SCOPE_FILTER_NAMED | SCOPE_FILTER_CGROUP);

	if (!scope_filter_remove(&session->filter, key) || !why)
		return;
	scope_filter_add(&session->filter, thread_key(task), why);
}

/* True: it had an entry. */
bool scope_select_exit(struct scope_session *session, const struct task_struct *task, bool last)
{
	bool had = last && scope_filter_remove(&session->filter, task->tgid);

	if (session->selects)
		had |= scope_filter_remove(&session->filter, thread_key(task));
	if (session->selects & SCOPE_SELECT_COMM)
		scope_rename_forget(session->rename, task);
	return had;
}

/* Interrupts off. The current thread left the filter or entered it. */
static void settle_current(struct scope_session *session, bool left)
{
	struct scope_cpu *cpu = this_cpu_ptr(session->cpu);

	if (left && cpu->traced && !scope_traced_has(session, current)) {
		if (cpu->pending & SCOPE_CALL_PENDING)
			scope_syscall_put_pending(session, cpu, ktime_get_mono_fast_ns());
		scope_record_put_thread_exit(&cpu->ring, ktime_get_mono_fast_ns(), current, SCOPE_EXIT_UNTRACED);
	}
	scope_traced_refresh(session, cpu);
}

/* comm: the new name, of any length, not yet in task->comm. */
void scope_select_renamed(struct scope_session *session, struct task_struct *task, const char *comm)
{
	bool in = scope_comm_matches(session->comm_rule, SCOPE_COMM_RULES, comm);
	struct scope_filter *filter = &session->filter;
	bool self = task == current, changed;
	unsigned long flags;

	if (task->flags & PF_KTHREAD)
		return;
	scope_rename_note(session->rename, task, comm);
	if (in) {
		changed = !scope_filter_has(filter, thread_key(task));
		scope_filter_add(filter, thread_key(task), SCOPE_FILTER_COMM | SCOPE_FILTER_FRESH);
	} else {
		changed = scope_filter_drop(filter, thread_key(task), SCOPE_FILTER_COMM, !self);
	}
	if (changed && self) {
		raw_local_irq_save(flags);
		settle_current(session, !in);
		raw_local_irq_restore(flags);
	}
	/* Pairs with scan_threads(). */
	smp_mb();
	if ((changed && (in || !self)) || READ_ONCE(session->scanning))
		scope_select_settle_soon(session);
}

/* From any context. */
void scope_select_settle_soon(struct scope_session *session)
{
	irq_work_queue(&session->settle_irq);
}
