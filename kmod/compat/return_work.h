/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A callback in the running thread's own context just before it returns to user mode.
 *
 * The kernel's task_work_add() is not exported. Since 3.7 its list is one word of the thread: entries are pushed by
 * compare-and-exchange, and the kernel calls them, without locks held, if TIF_NOTIFY_RESUME is set. Only a thread that
 * ends closes its list, after it has set PF_EXITING. So a running thread without that flag may push onto its own list.
 */
#ifndef SCOPE_COMPAT_RETURN_WORK_H
#define SCOPE_COMPAT_RETURN_WORK_H

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include "order.h"

#if defined(SCOPE_HAVE_RETURN_WORK)
#define SCOPE_RETURN_WORK_KNOWN 1

/* Returns false if this thread does not return to user mode. Callable in any context that belongs to the thread. */
static inline bool scope_compat_return_work(struct callback_head *work, void (*function)(struct callback_head *work))
{
	struct callback_head *head;

	if (current->flags & (PF_EXITING | PF_KTHREAD))
		return false;
	work->func = function;
	do {
		head = READ_ONCE(current->task_works);
		work->next = head;
	} while (cmpxchg(&current->task_works, head, work) != head);
	set_thread_flag(TIF_NOTIFY_RESUME);
	return true;
}

#else /* the format of the thread's list of work is not known */
#define SCOPE_RETURN_WORK_KNOWN 0

static inline bool scope_compat_return_work(struct callback_head *work, void (*function)(struct callback_head *work))
{
	return false;
}

#endif
#endif
