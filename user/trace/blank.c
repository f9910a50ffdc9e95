// SPDX-License-Identifier: GPL-2.0-only
/* Selects the registers and arguments that stay in a STATE record, and what stays in a FUTEX record. */
#include "trace/blank.h"

#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/machine.h"
#include "base/syscall_name.h"
#include "trace/lock_word.h"
#include "trace/walk.h"

#define ROW(name, args)                                                                                                \
	{                                                                                                              \
		SYS_##name, args                                                                                       \
	}

/*
 * Calls in which a thread may sleep, with the number of arguments that a reader uses (a time-out,
 * for example). Other calls keep only the first argument, which names the object they wait for, if
 * they wait.
 */
static const struct {
	uint16_t nr;
	uint8_t args;
} rows[] = {
	ROW(sched_yield, 0),
	ROW(sync, 0),
	ROW(rt_sigreturn, 0),
	ROW(ppoll, 3),
	ROW(pselect6, 5),
	ROW(epoll_pwait, 4),
	ROW(futex, 4),
	ROW(recvmmsg, 5),
	ROW(clock_nanosleep, 3),
	ROW(rt_sigtimedwait, 3),
	ROW(io_getevents, 5),
	ROW(wait4, 3),
	ROW(waitid, 4),
	ROW(fcntl, 2),
	ROW(ioctl, 2),
	ROW(dup3, 2),
	ROW(sendfile, 2),
	ROW(splice, 3),
	ROW(tee, 2),
	ROW(epoll_ctl, 3),
	ROW(flock, 2),
#ifdef SYS_pause
	ROW(pause, 0),
	ROW(poll, 3),
	ROW(select, 5),
	ROW(epoll_wait, 4),
	ROW(dup2, 2),
	ROW(vfork, 0),
	ROW(fork, 0),
#endif
#ifdef SYS_copy_file_range
	ROW(copy_file_range, 3),
#endif
};

static unsigned int args_of(const struct scope_record_state *record)
{
	const uint16_t nr = record->nr == SCOPE_NR_NONE ? SCOPE_NR_NONE : scope_syscall_native(record->abi, record->nr);

	if (nr == SCOPE_NR_NONE)
		return 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].nr == nr)
			return rows[i].args;
	return 1;
}

void scope_trace_blank_state(struct scope_record_state *record, uint64_t *reg)
{
	const uint32_t sp = scope_machine_reg_sp(record->regs);

	for (unsigned int i = args_of(record); i < SCOPE_ARG_MAX; i++)
		record->arg[i] = 0;
	for (uint32_t i = 0; i + 1 < record->regs; i++)
		if (i != sp)
			reg[i] = 0;
}

static void blank_futex(struct scope_record_futex *record, bool (*is_thread)(void *context, uint32_t tid),
			void *context)
{
	const uint32_t owner = scope_trace_lock_owner(record->memory);

	memset(record->memory, 0, sizeof(record->memory));
	if (!owner || !is_thread(context, owner))
		return;
	record->memory[0] = FUTEX_WAITERS | owner;
	if (record->bytes == sizeof(record->memory))
		record->memory[2] = owner;
}

void scope_trace_blank_futexes(struct scope_subbuf *subbuf, bool (*is_thread)(void *context, uint32_t tid),
			       void *context)
{
	uint32_t offset = 0;
	const void *record;

	while ((record = scope_trace_walk_next(subbuf, SCOPE_WALK(FUTEX), &offset)))
		blank_futex((struct scope_record_futex *)((uint8_t *)subbuf + offset) - 1, is_thread, context);
}
