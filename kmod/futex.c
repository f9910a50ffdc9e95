// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records the memory of a futex as a thread goes to sleep on it.
 *
 * The memory of a lock names its owner, for which the thread begins to wait. Another thread may wake it later.
 */
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include "arch.h"
#include "futex.h"

/* True for an operation that sleeps until another thread wakes it. */
static bool waits(unsigned long op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI:
	case 13: /* FUTEX_LOCK_PI2, since 5.14 */
		return true;
	default:
		return false;
	}
}

void scope_futex_sleep(struct scope_ring *ring, struct scope_call call, u64 now)
{
	unsigned long arg[SCOPE_ARG_MAX];
	u32 memory[SCOPE_FUTEX_BYTES / 4] = { 0 }, bytes;

	if (call.nr != __NR_futex || (call.abi_args & 0xf) != SCOPE_ABI_NATIVE)
		return;
	syscall_get_arguments(current, task_pt_regs(current), arg);
	if (!waits(arg[1]))
		return;
	/* Reads only what is in memory, because the run queue is locked. */
	bytes = scope_arch_copy_user(memory, arg[0], sizeof(memory));
	bytes &= ~3u;
	if (bytes)
		scope_record_put_futex(ring, now, memory, bytes);
}
