// SPDX-License-Identifier: GPL-2.0-only
/*
 * What every traced thread is doing when tracing starts or stops: a STATE record each.
 *
 * Threads that run or wake while they are examined are examined again, up to a few times.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include "arch.h"
#include "record.h"
#include "state.h"
#include "task_state.h"
#include "traced.h"

#define ATTEMPTS 3
#define TABLE_SLACK 64

struct view {
	struct pt_regs regs;
	u64 since_ns;
	u64 run_ns;
	unsigned long switches;
	u8 state;
	bool on_cpu;
	bool iowait;
	bool regs_valid;
};

/*
 * The CLOCK_MONOTONIC time at which a thread left its CPU: the time when it got the CPU, plus the time that it then
 * ran, if the fair scheduler keeps that. If it does not, the result is early by that time. It is also early by the time
 * that interrupts took. The clock is that of run queues, which is not sched_clock(); after correction it differs from
 * CLOCK_MONOTONIC by the rate that NTP sets. Interrupts off. 0: unknown.
 */
static u64 off_cpu_since(struct task_struct *task, u64 now)
{
	u64 arrival = scope_compat_last_arrival(task), age, ran = 0;
	u64 clock = local_clock();

	if (!arrival || arrival > clock)
		return 0;
	age = clock - arrival;
	if (task->policy == SCHED_NORMAL || task->policy == SCHED_BATCH || task->policy == SCHED_IDLE)
		ran = scope_compat_ran_ns(task);
	if (ran < age)
		age -= ran;
	return age < now ? now - age : 1;
}

static unsigned long switch_count(struct task_struct *task)
{
	return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
}

static void look(struct task_struct *task, struct view *view)
{
	view->switches = switch_count(task);
	view->on_cpu = task == current || scope_compat_on_cpu(task);
	smp_rmb();
	view->state = scope_task_state(scope_compat_task_state(task), task->exit_state);
	view->iowait = task->in_iowait;
	view->run_ns = READ_ONCE(task->se.sum_exec_runtime);
	view->since_ns = 0;
	view->regs_valid = false;
	if (view->on_cpu)
		return;
	view->since_ns = off_cpu_since(task, ktime_get_mono_fast_ns());
	/* An exiting thread may free its stack at the same time. A fault means that, and does not crash. */
	if (!copy_from_kernel_nofault(&view->regs, task_pt_regs(task), sizeof(view->regs)))
		view->regs_valid = true;
}

/* Returns false if the thread exits. If exit_state is still clear, its stack was there all the time. */
static bool look_twice(struct task_struct *task, struct view *view)
{
	int i;

	for (i = 0; i < ATTEMPTS; i++) {
		look(task, view);
		smp_rmb();
		if (READ_ONCE(task->exit_state))
			return false;
		if (view->on_cpu || (switch_count(task) == view->switches && !scope_compat_on_cpu(task)))
			return true;
	}
	/* In no attempt was it off the CPU from begin to end. So it runs, and no more is known. */
	view->on_cpu = true;
	view->regs_valid = false;
	view->since_ns = 0;
	view->state = SCOPE_STATE_RUNNABLE;
	return true;
}

/* As /proc/PID/syscall decides it: a blocked thread is inside the call that its registers name. */
static void put_call(struct scope_record_state *r, struct task_struct *task, struct view *view)
{
	unsigned long arg[SCOPE_ARG_MAX];
	long nr;
	int i;

	r->nr = SCOPE_NR_NONE;
	r->abi = SCOPE_ABI_NATIVE;
	memset(r->arg, 0, sizeof(r->arg));
	if (!view->regs_valid || view->state == SCOPE_STATE_RUNNABLE)
		return;
	nr = syscall_get_nr(task, &view->regs);
	if (nr < 0)
		return;
	r->abi = scope_arch_task_abi(task, &nr);
	r->nr = scope_record_nr(nr);
	syscall_get_arguments(task, &view->regs, arg);
	for (i = 0; i < SCOPE_ARG_MAX; i++)
		r->arg[i] = arg[i];
}

static void put_state(struct scope_session *session, struct task_struct *task, u8 flags)
{
	struct scope_record_state *r;
	unsigned long irq;
	struct view view;
	u32 regs;

	raw_local_irq_save(irq);
	if (!look_twice(task, &view))
		goto out;
	if (view.on_cpu)
		flags |= SCOPE_STATE_ON_CPU;
	if (view.iowait)
		flags |= SCOPE_STATE_IOWAIT;
	regs = view.regs_valid ? SCOPE_ARCH_REGS : 0;
	r = scope_ring_reserve(&this_cpu_ptr(session->cpu)->ring, SCOPE_RECORD_STATE, sizeof(*r) + regs * 8,
			       ktime_get_mono_fast_ns());
	if (!r)
		goto out;
	r->tid = task->pid;
	r->tgid = task->tgid;
	r->state = view.on_cpu ? SCOPE_STATE_RUNNABLE : view.state;
	r->flags = flags;
	r->since_ns = view.since_ns;
	r->run_ns = view.run_ns;
	put_call(r, task, &view);
	scope_rename_comm(session->rename, task, r->comm);
	r->regs = regs;
	if (regs)
		scope_arch_regs((u64 *)(r + 1), &view.regs);
	scope_ring_commit(&this_cpu_ptr(session->cpu)->ring, sizeof(*r) + regs * 8);
out:
	raw_local_irq_restore(irq);
}

/* The task with this number in the first pid namespace. Under rcu_read_lock(). */
struct task_struct *scope_state_find(u32 tid)
{
	return pid_task(find_pid_ns(tid, &init_pid_ns), PIDTYPE_PID);
}

void scope_state_put(struct scope_session *session, struct task_struct *task)
{
	put_state(session, task, 0);
}

static u32 count_threads(struct scope_session *session, scope_state_choose *choose)
{
	struct task_struct *process, *thread;
	u32 count = 0;

	rcu_read_lock();
	for_each_process_thread(process, thread)
		count += choose(session, thread);
	rcu_read_unlock();
	return count;
}

/* Threads that were created after the count have a FORK record. Those for which there is no room here need no STATE. */
int scope_thread_table_fill(struct scope_session *session, scope_state_choose *choose,
			    struct scope_thread_table *ret_table)
{
	struct scope_thread_table table = { .size = count_threads(session, choose) + TABLE_SLACK };
	struct task_struct *process, *thread;

	table.tid = kvmalloc_array(table.size, sizeof(*table.tid), GFP_KERNEL);
	if (!table.tid)
		return -ENOMEM;
	rcu_read_lock();
	for_each_process_thread(process, thread)
		if (table.count < table.size && choose(session, thread))
			table.tid[table.count++] = thread->pid;
	rcu_read_unlock();
	*ret_table = table;
	return 0;
}

static bool is_traced(struct scope_session *session, struct task_struct *thread)
{
	return scope_traced_has(session, thread);
}

/*
 * flags: SCOPE_STATE_AT_STOP or 0. Threads that are exiting are left out. May sleep: to examine a thread takes many
 * times as long as to find it, so each has a read-side section of its own. -ENOMEM: nothing was written.
 */
int scope_state_write_all(struct scope_session *session, u8 flags)
{
	struct task_struct *task;
	struct scope_thread_table table;
	int err = scope_thread_table_fill(session, is_traced, &table);
	u32 i;

	if (err)
		return err;
	for (i = 0; i < table.count; i++) {
		rcu_read_lock();
		task = scope_state_find(table.tid[i]);
		/* Another thread may have got the number since then. */
		if (task && scope_traced_has(session, task))
			put_state(session, task, flags);
		rcu_read_unlock();
		cond_resched();
	}
	kvfree(table.tid);
	return 0;
}
