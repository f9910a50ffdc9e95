/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits until every task has left the code in which it is now (synchronize_rcu_tasks(), 3.18).
 *
 * From 4.12 on every kernel has it. Without preemption it is synchronize_sched(), since a task leaves the
 * CPU only voluntarily. Before 4.12 it is always declared, but exists only if an option selects
 * TASKS_RCU, which only a test of RCU does. Without it synchronize_sched() is enough on kernels without preemption; on
 * others there is no way to wait, and the module cannot be unloaded.
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

/* Call it before the first task enters the code that scope_compat_synchronize_rcu_tasks() waits for. */
static inline void scope_compat_expect_rcu_tasks(void)
{
#if defined(CONFIG_PREEMPT) && !defined(CONFIG_TASKS_RCU) && !defined(synchronize_rcu_tasks)
	__module_get(THIS_MODULE);
#endif
}

#endif
