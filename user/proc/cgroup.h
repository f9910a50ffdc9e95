/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds where the control group of a process is mounted. */
#ifndef SCOPE_PROC_CGROUP_H
#define SCOPE_PROC_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_PROC_CGROUP_BYTES 4096 /* no rule */

/* A control group: the path of its directory. top: length of the mount point; the group's own path follows it. */
struct scope_proc_cgroup {
	char path[SCOPE_PROC_CGROUP_BYTES];
	size_t top;
};

/*
 * root: the directory that has proc/ and the mount points, "" on a host. controller: of version 1; "" is the hierarchy
 * of version 2. Returns false if there is no group, it is the top group, or it is above the root of this process's
 * namespace.
 */
bool scope_proc_cgroup_find(const char *root, uint32_t tgid, const char *controller,
			    struct scope_proc_cgroup *ret_group);

/* Changes it to the group above. Returns false if that is the top group, which has no limits. */
bool scope_proc_cgroup_up(struct scope_proc_cgroup *group);

#endif
