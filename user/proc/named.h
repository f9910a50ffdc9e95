/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the process that the user named, or those of a control group. */
#ifndef SCOPE_PROC_NAMED_H
#define SCOPE_PROC_NAMED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * The process with that name in /proc/PID/comm. If all processes with that name are one process and its descendants, it
 * is that process, because its descendants are traced with it. 0; -ESRCH: there is none; -ENOTUNIQ: there are several,
 * which error lists.
 */
int scope_proc_target_named(const char *name, struct scope_error *error, uint32_t *ret_tgid);

/*
 * The processes of a control group, and of groups below it, whose parents are not in the group (descendants are traced
 * with them). name: an absolute path as in /proc/PID/cgroup, or its last part, such as "nginx.service". At most `room`
 * processes, in ascending order. 0 with *ret_count of 1 or more; -ESRCH: there is none; -ENOMEM.
 */
int scope_proc_target_group(const char *name, uint32_t *tgid, size_t room, struct scope_error *error,
			    size_t *ret_count);

#endif
