/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a thread is in a control group that user space names by hierarchy and inode number.
 *
 * Only structures and inline functions are used, because each kernel exports other functions that find a group.
 * Hierarchy 0 is the one of version 2. The hierarchies of version 1 have the number that /proc/PID/cgroup shows, and
 * are known if they have a controller. The inode number of a group's directory is that of its kernfs node.
 */
#ifndef SCOPE_COMPAT_CGROUP_H
#define SCOPE_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#ifdef SCOPE_HAVE_CGROUP_ID /* 5.5 */

#define SCOPE_COMPAT_CGROUPS 1

static inline bool scope_compat_cgroup_below(struct cgroup *cgroup, u32 hierarchy, u64 id)
{
	if (cgroup->root->hierarchy_id != (int)hierarchy)
		return false;
	for (; cgroup; cgroup = cgroup_parent(cgroup))
		if (cgroup_id(cgroup) == id)
			return true;
	return false;
}

/* Under rcu_read_lock(). True if it is the group itself or one below it. */
static inline bool scope_compat_in_cgroup(struct task_struct *task, u32 hierarchy, u64 id)
{
	struct css_set *set = rcu_dereference(task->cgroups);
	int i;

	if (!hierarchy)
		return scope_compat_cgroup_below(set->dfl_cgrp, hierarchy, id);
	for (i = 0; i < CGROUP_SUBSYS_COUNT; i++)
		if (set->subsys[i] && scope_compat_cgroup_below(set->subsys[i]->cgroup, hierarchy, id))
			return true;
	return false;
}

#else

#define SCOPE_COMPAT_CGROUPS 0

static inline bool scope_compat_in_cgroup(struct task_struct *task, u32 hierarchy, u64 id)
{
	return false;
}

#endif

#endif
