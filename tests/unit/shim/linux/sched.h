/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of a task as records have. */
#ifndef SCOPE_SHIM_SCHED_H
#define SCOPE_SHIM_SCHED_H

struct task_struct {
	int pid;
	int tgid;
	char comm[16];
};

#endif
