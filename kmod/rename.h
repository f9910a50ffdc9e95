/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names that tasks are about to take: the kernel reports a rename before it writes the name.
 *
 * Between the two a task may lose its CPU, under PREEMPT_RT even to the work that its own rename requested. A reader of
 * task->comm then gets the earlier name, so the last name reported is kept here until the kernel has written it. A task
 * has one place, which its address selects. Another task's rename may use the same place. This makes a difference only
 * if both are renamed at the same time.
 */
#ifndef SCOPE_KMOD_RENAME_H
#define SCOPE_KMOD_RENAME_H

#include <linux/sched.h>
#include <scope/event.h>

#define SCOPE_RENAMES 64

struct scope_rename {
	const struct task_struct *task; /* NULL: none */
	char comm[SCOPE_COMM_BYTES];
};

/* From probes; names: SCOPE_RENAMES of them, comm of any length. */
void scope_rename_note(struct scope_rename *names, const struct task_struct *task, const char *comm);
void scope_rename_forget(struct scope_rename *names, const struct task_struct *task);

/* The name that a task has, or is about to have. */
void scope_rename_comm(const struct scope_rename *names, const struct task_struct *task,
		       char ret_comm[SCOPE_COMM_BYTES]);

#endif
