/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoint of moves between control groups. It exists since 4.13, and has the group's path since 4.19.
 *
 * Included by the one probe file that attaches to it.
 */
#ifndef SCOPE_COMPAT_CGROUP_MOVES_H
#define SCOPE_COMPAT_CGROUP_MOVES_H

#include <linux/cgroup.h>
#include <linux/sched.h>

#ifdef SCOPE_HAVE_CGROUP_ATTACH
#include <trace/events/cgroup.h>
#define SCOPE_CGROUP_MOVES_KNOWN 1
#ifdef SCOPE_HAVE_CGROUP_ATTACH_PATH
#define SCOPE_COMPAT_CGROUP_MOVE_PROTO(data)                                                                           \
	void *data, struct cgroup *to, const char *path, struct task_struct *task, bool all_threads
#else
#define SCOPE_COMPAT_CGROUP_MOVE_PROTO(data) void *data, struct cgroup *to, struct task_struct *task, bool all_threads
#endif
#else
#define SCOPE_CGROUP_MOVES_KNOWN 0
#define SCOPE_COMPAT_CGROUP_MOVE_PROTO(data) void *data
#define check_trace_callback_type_cgroup_attach_task(probe) ((void)(probe))
#endif

#endif
