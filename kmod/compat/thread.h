/* SPDX-License-Identifier: GPL-2.0-only */
/* Walks the threads of processes, and reads fields of a thread, under the newest names. */
#ifndef SCOPE_COMPAT_THREAD_H
#define SCOPE_COMPAT_THREAD_H

/* Old versions of delayacct.h use it without a declaration if the kernel does not account for delays. */
struct taskstats;

#include <linux/delayacct.h>
#ifdef SCOPE_HAVE_MEMSTALL_FLAG
#include <linux/psi_types.h>
#endif
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/thread_info.h>
#include "order.h"

/*
 * 3.14. Before, the threads of a process are a ring without a head, and the walk ends when it reaches the first thread
 * again. That thread may leave the ring during the walk: another thread's exec() replaces it and ends all other
 * threads. Then the threads that the walk did not reach have ended.
 */
#ifndef for_each_thread
static inline struct task_struct *scope_compat_next_thread(struct task_struct *process, struct task_struct *thread)
{
	thread = next_thread(thread);
	return thread == process || !pid_alive(process) ? NULL : thread;
}

#define for_each_thread(process, thread)                                                                               \
	for (thread = (process); thread; thread = scope_compat_next_thread(process, thread))
#endif
#ifndef for_each_process_thread
#define for_each_process_thread(process, thread)                                                                       \
	for_each_process(process)                                                                                      \
		for_each_thread(process, thread)
#endif

/*
 * When the thread was last given a CPU, by the clock of run queues; 0: not known, because the kernel does not store
 * such times.
 */
static inline u64 scope_compat_last_arrival(const struct task_struct *task)
{
#ifdef SCOPE_HAVE_SCHED_INFO_ARRIVAL
	return READ_ONCE(task->sched_info.last_arrival);
#else
	return 0;
#endif
}

/* How long it has run since then, by the fair scheduler; 0: the kernel does not store that. */
static inline u64 scope_compat_ran_ns(const struct task_struct *task)
{
#ifdef SCOPE_HAVE_PREV_SUM_EXEC
	return READ_ONCE(task->se.sum_exec_runtime) - READ_ONCE(task->se.prev_sum_exec_runtime);
#else
	return 0;
#endif
}

/*
 * True if the kernel counts the thread's present time in /proc/pressure/memory (4.20). Since 5.16 it is a separate bit.
 */
static __always_inline bool scope_compat_in_memstall(const struct task_struct *task)
{
#if defined(SCOPE_HAVE_MEMSTALL_BIT)
	return task->in_memstall;
#elif defined(SCOPE_HAVE_MEMSTALL_FLAG)
	return task->psi_flags & TSK_MEMSTALL;
#else
	return false;
#endif
}

/*
 * The bytes that it read from storage and that will be written there for it; unchanged if the kernel does not count
 * them.
 */
static __always_inline void scope_compat_io_bytes(const struct task_struct *task, u64 *read_bytes, u64 *written_bytes)
{
#ifdef CONFIG_TASK_IO_ACCOUNTING
	*read_bytes = READ_ONCE(task->ioac.read_bytes);
	*written_bytes = READ_ONCE(task->ioac.write_bytes);
#endif
}

/* How long it waited for pages by delay accounting; unchanged if that is off. 4.20 counts the second. */
static __always_inline void scope_compat_delays(const struct task_struct *task, u64 *swapin_ns, u64 *thrashing_ns)
{
#ifdef SCOPE_HAVE_SWAPIN_DELAY
	if (!task->delays)
		return;
	*swapin_ns = READ_ONCE(task->delays->swapin_delay);
#ifdef SCOPE_HAVE_THRASHING_DELAY
	*thrashing_ns = READ_ONCE(task->delays->thrashing_delay);
#endif
#endif
}

/*
 * How many programs the thread's process has executed, and how many its parent had executed when it forked this
 * process. EL8 has larger counts in another place. SCOPE_COMPAT_EXEC_ID is 0 if the counts are not found.
 */
#if defined(SCOPE_HAVE_EXEC_ID)
#define SCOPE_COMPAT_EXEC_ID 1
#define scope_compat_self_exec_id(task) READ_ONCE((task)->self_exec_id)
#define scope_compat_parent_exec_id(task) READ_ONCE((task)->parent_exec_id)
#elif defined(SCOPE_HAVE_EXEC_ID_APART)
#define SCOPE_COMPAT_EXEC_ID 1
#define scope_compat_self_exec_id(task) READ_ONCE((task)->task_struct_rh->self_exec_id)
#define scope_compat_parent_exec_id(task) READ_ONCE((task)->task_struct_rh->parent_exec_id)
#else
#define SCOPE_COMPAT_EXEC_ID 0
#define scope_compat_self_exec_id(task) ((void)(task), 0)
#define scope_compat_parent_exec_id(task) ((void)(task), 0)
#endif

/*
 * Bits of 32-bit programs on x86-64. From 4.9 to 4.16, and in stable kernels of that time, they are in the processor's
 * state.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_IA32_EMULATION)
static __always_inline u32 scope_compat_thread_status(struct task_struct *task)
{
#ifdef SCOPE_HAVE_THREAD_INFO_STATUS
	return READ_ONCE(task_thread_info(task)->status);
#else
	return READ_ONCE(task->thread.status);
#endif
}
#endif

#endif
