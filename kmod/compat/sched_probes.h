/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes of scheduler tracepoints whose prototypes changed, one for each prototype known.
 *
 * It is included after the functions it calls: probe_switch(), probe_waking(), probe_exit() and, without
 * SCOPE_WITHOUT_RENAME, probe_rename(). In that file the compiler checks that the kernel's prototype is the one chosen
 * here. This header has no guard, because it is a part of that file.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#if defined(SCOPE_HAVE_SWITCH_PREV_STATE) /* 5.18 */
static notrace void probe_sched_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
				       unsigned int prev_state)
{
	probe_switch(data, preempt, prev, next, prev_state);
}
#elif defined(SCOPE_HAVE_SWITCH_PREEMPT) /* 4.4 */
static notrace void probe_sched_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	probe_switch(data, preempt, prev, next, scope_compat_task_state(prev));
}
#elif defined(SCOPE_HAVE_SWITCH_PAIR) && defined(PREEMPT_ACTIVE)
/* Up to 4.3 a preempted task has a bit in its count, and still is the current task. */
static notrace void probe_sched_switch(void *data, struct task_struct *prev, struct task_struct *next)
{
	probe_switch(data, preempt_count() & PREEMPT_ACTIVE, prev, next, scope_compat_task_state(prev));
}
#else
#error "scope: the prototype of this kernel's sched_switch tracepoint is not known"
#endif

#if defined(SCOPE_HAVE_SCHED_WAKING) /* 4.3 */
static notrace void probe_sched_waking(void *data, struct task_struct *task)
{
	probe_waking(data, task);
}
#define check_trace_callback_type_waking check_trace_callback_type_sched_waking
#elif defined(SCOPE_HAVE_WAKEUP_SUCCESS)
static notrace void probe_sched_waking(void *data, struct task_struct *task, int success)
{
	if (success)
		probe_waking(data, task);
}
#define check_trace_callback_type_waking check_trace_callback_type_sched_wakeup
#else
#error "scope: the prototype of this kernel's sched_wakeup tracepoint is not known"
#endif

#ifndef SCOPE_WITHOUT_RENAME
/* 3.11 made the name const */
#ifdef SCOPE_HAVE_RENAME_CONST
static void probe_task_rename(void *data, struct task_struct *task, const char *comm)
#else
static void probe_task_rename(void *data, struct task_struct *task, char *comm)
#endif
{
	probe_rename(data, task, comm);
}
#endif

#ifdef SCOPE_HAVE_EXIT_GROUP_DEAD /* 6.16 */
static void probe_sched_exit(void *data, struct task_struct *task, bool group_dead)
{
	probe_exit(data, task, group_dead);
}
#else
static void probe_sched_exit(void *data, struct task_struct *task)
{
	probe_exit(data, task, !atomic_read(&task->signal->live));
}
#endif
