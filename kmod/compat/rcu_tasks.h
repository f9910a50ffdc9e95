/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting until no task is where it was, which 3.18 brought.
 *
 * From 4.12 on every kernel has it. On one that does not preempt it is synchronize_sched(), since a task leaves the
 * CPU only where it says so. Before 4.12 it is declared everywhere, and is there only where an option selected
 * TASKS_RCU, which only a test of RCU's does. Without it synchronize_sched() serves kernels that do not preempt; on
 * others there is nothing to wait for, and the module has to stay.
 */
#ifndef SCOPE_COMPAT_RCU_TASKS_H
#define SCOPE_COMPAT_RCU_TASKS_H

#include <linux/module.h>
#include <linux/rcupdate.h>

#if defined(CONFIG_TASKS_RCU) || defined(synchronize_rcu_tasks)
#define scope_compat_synchronize_rcu_tasks() synchronize_rcu_tasks()
#else
#define scope_compat_synchronize_rcu_tasks() synchronize_sched()
#endif

/* Before the first task enters what scope_compat_synchronize_rcu_tasks() is to wait for. */
static inline void scope_compat_expect_rcu_tasks(void)
{
#if defined(CONFIG_PREEMPT) && !defined(CONFIG_TASKS_RCU) && !defined(synchronize_rcu_tasks)
	__module_get(THIS_MODULE);
#endif
}

#endif
