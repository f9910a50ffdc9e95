/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's bits of a task's state mean. */
#ifndef SCOPE_KMOD_TASK_STATE_H
#define SCOPE_KMOD_TASK_STATE_H

#include <linux/sched.h>
#include <scope/event.h>

/* From the kernel's bits to enum scope_state; the index is that of the letters in "RSDTtXZPI". */
static inline u8 scope_task_state(unsigned int task_state, unsigned int exit_state)
{
	static const u8 states[] = {
		SCOPE_STATE_RUNNABLE, SCOPE_STATE_SLEEPING, SCOPE_STATE_DISK,  SCOPE_STATE_STOPPED, SCOPE_STATE_STOPPED,
		SCOPE_STATE_DEAD,     SCOPE_STATE_DEAD,	    SCOPE_STATE_OTHER, SCOPE_STATE_IDLE,
	};
	unsigned int index = __task_state_index(task_state, exit_state);

	return index < ARRAY_SIZE(states) ? states[index] : SCOPE_STATE_OTHER;
}

#endif
