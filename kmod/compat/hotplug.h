/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * States of CPU hotplug with instances (4.10). Before, one notifier calls each instance of a list.
 *
 * Each file that includes this header gets one separate state. The functions have the kernel's names.
 */
#ifndef SCOPE_COMPAT_HOTPLUG_H
#define SCOPE_COMPAT_HOTPLUG_H

#include <linux/cpu.h>
#include <linux/cpumask.h>

#ifdef SCOPE_HAVE_CPUHP_MULTI
#include <linux/cpuhotplug.h>
#else
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
/* In 3.10 linux/smp.h needs this header and does not include it. */
#include <linux/percpu.h>
#include <linux/smp.h>

enum { SCOPE_COMPAT_PREPARE, SCOPE_COMPAT_ONLINE };

/* 4.7 to 4.9 have some of these functions, but not all */
#define CPUHP_BP_PREPARE_DYN SCOPE_COMPAT_PREPARE
#define CPUHP_AP_ONLINE_DYN SCOPE_COMPAT_ONLINE
#define cpuhp_setup_state_multi scope_compat_setup_state
#define cpuhp_remove_multi_state scope_compat_remove_state
#define cpuhp_state_add_instance scope_compat_add_instance
#define cpuhp_state_remove_instance scope_compat_remove_instance

static struct {
	int (*online)(unsigned int cpu, struct hlist_node *node);
	int (*offline)(unsigned int cpu, struct hlist_node *node);
	struct hlist_head instances;
	bool prepare; /* runs before the CPU is online, on the CPU that starts it; else on the new CPU, when it is online */
} scope_compat_hotplug;
/* It is taken while the lock of CPU hotplug is held. */
static DEFINE_MUTEX(scope_compat_hotplug_lock);

struct scope_compat_online_call {
	struct hlist_node *node;
	int err;
};

/* Runs with interrupts off. The kernel's own states run in a thread. */
static void scope_compat_online_here(void *data)
{
	struct scope_compat_online_call *call = data;

	call->err = scope_compat_hotplug.online(smp_processor_id(), call->node);
}

static int scope_compat_online(unsigned int cpu, struct hlist_node *node)
{
	struct scope_compat_online_call call = { .node = node };
	int err;

	if (scope_compat_hotplug.prepare)
		return scope_compat_hotplug.online(cpu, node);
	err = smp_call_function_single(cpu, scope_compat_online_here, &call, 1);

	return err ? err : call.err;
}

static void scope_compat_offline(unsigned int cpu, struct hlist_node *node)
{
	if (scope_compat_hotplug.offline)
		scope_compat_hotplug.offline(cpu, node);
}

static int scope_compat_hotplug_notify(struct notifier_block *notifier, unsigned long action, void *cpu)
{
	struct hlist_node *node;

	mutex_lock(&scope_compat_hotplug_lock);
	for (node = scope_compat_hotplug.instances.first; node; node = node->next) {
		switch (action & ~CPU_TASKS_FROZEN) {
		case CPU_UP_PREPARE:
			if (scope_compat_hotplug.prepare)
				scope_compat_online((unsigned long)cpu, node);
			break;
		case CPU_ONLINE:
		case CPU_DOWN_FAILED:
			if (!scope_compat_hotplug.prepare)
				scope_compat_online((unsigned long)cpu, node);
			break;
		case CPU_DOWN_PREPARE:
			scope_compat_offline((unsigned long)cpu, node);
			break;
		}
	}
	mutex_unlock(&scope_compat_hotplug_lock);
	return NOTIFY_OK;
}

static struct notifier_block scope_compat_hotplug_notifier = {
	.notifier_call = scope_compat_hotplug_notify,
};

static inline int cpuhp_setup_state_multi(int state, const char *name,
					  int (*online)(unsigned int cpu, struct hlist_node *node),
					  int (*offline)(unsigned int cpu, struct hlist_node *node))
{
	scope_compat_hotplug.prepare = state == CPUHP_BP_PREPARE_DYN;
	scope_compat_hotplug.online = online;
	scope_compat_hotplug.offline = offline;
	register_cpu_notifier(&scope_compat_hotplug_notifier);
	return 1;
}

static inline void cpuhp_remove_multi_state(int state)
{
	unregister_cpu_notifier(&scope_compat_hotplug_notifier);
}

static inline int cpuhp_state_add_instance(int state, struct hlist_node *node)
{
	int err = 0, cpu, done;

	get_online_cpus();
	mutex_lock(&scope_compat_hotplug_lock);
	for_each_online_cpu(cpu) {
		err = scope_compat_online(cpu, node);
		if (err)
			break;
	}
	if (!err)
		hlist_add_head(node, &scope_compat_hotplug.instances);
	else
		for_each_online_cpu(done) {
			if (done == cpu)
				break;
			scope_compat_offline(done, node);
		}
	mutex_unlock(&scope_compat_hotplug_lock);
	put_online_cpus();
	return err;
}

static inline int cpuhp_state_remove_instance(int state, struct hlist_node *node)
{
	int cpu;

	get_online_cpus();
	mutex_lock(&scope_compat_hotplug_lock);
	hlist_del_init(node);
	for_each_online_cpu(cpu)
		scope_compat_offline(cpu, node);
	mutex_unlock(&scope_compat_hotplug_lock);
	put_online_cpus();
	return 0;
}
#endif
#endif
