/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting until no task is where it was, which 3.18 brought.
 *
 * Kernels without it that do not preempt need no more than synchronize_sched(): a task leaves the CPU
 * only where it says so. There and later, kernels that do not preempt have it mean just that.
 */
#ifndef SCOPE_COMPAT_RCU_TASKS_H
#define SCOPE_COMPAT_RCU_TASKS_H

#include <linux/rcupdate.h>

#ifdef SCOPE_HAVE_RCU_TASKS
#define scope_compat_synchronize_rcu_tasks() synchronize_rcu_tasks()
#else
#define scope_compat_synchronize_rcu_tasks() synchronize_sched()
#endif

#endif
