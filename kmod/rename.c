// SPDX-License-Identifier: GPL-2.0-only
/* The names that tasks are about to take. */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/string.h>
#include "record.h"
#include "rename.h"

static inline u32 place_of(const struct task_struct *task)
{
	return hash_ptr(task, ilog2(SCOPE_RENAMES));
}

void scope_rename_note(struct scope_rename *names, const struct task_struct *task, const char *comm)
{
	struct scope_rename *name = &names[place_of(task)];
	size_t bytes = strnlen(comm, SCOPE_COMM_BYTES - 1);

	WRITE_ONCE(name->task, NULL);
	smp_wmb();
	memcpy(name->comm, comm, bytes);
	memset(name->comm + bytes, 0, SCOPE_COMM_BYTES - bytes);
	/* Pairs with scope_rename_comm(). */
	smp_store_release(&name->task, task);
}

/* After this its address may be another task's. */
void scope_rename_forget(struct scope_rename *names, const struct task_struct *task)
{
	struct scope_rename *name = &names[place_of(task)];

	if (READ_ONCE(name->task) == task)
		WRITE_ONCE(name->task, NULL);
}

void scope_rename_comm(const struct scope_rename *names, const struct task_struct *task,
		       char ret_comm[SCOPE_COMM_BYTES])
{
	const struct scope_rename *name = &names[place_of(task)];
	char comm[SCOPE_COMM_BYTES];

	scope_record_comm(ret_comm, task);
	/*
	 * Pairs with scope_rename_note(). The name is that of the task if the owner is the same before and after it
	 * is read.
	 */
	if (smp_load_acquire(&name->task) != task)
		return;
	memcpy(comm, name->comm, SCOPE_COMM_BYTES);
	smp_rmb();
	if (READ_ONCE(name->task) == task)
		memcpy(ret_comm, comm, SCOPE_COMM_BYTES);
}
