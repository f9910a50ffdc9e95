/* SPDX-License-Identifier: GPL-2.0-only */
/* User stacks of the current task: when they are due, and writing them. */
#ifndef SCOPE_KMOD_STACK_H
#define SCOPE_KMOD_STACK_H

#include "session.h"

/* True if stacks are taken after calls of this number that take long enough. */
static inline bool scope_stack_wants_native(const struct scope_session *session, u32 nr)
{
	return READ_ONCE(session->config.arg_counts[nr]) & SCOPE_CALL_STACK;
}

/* Interrupts off, all of them. */
void scope_stack_note_enter(struct scope_session *session, u32 tid, u64 enter_ns);
u64 scope_stack_blocked_ns(struct scope_session *session, u32 tid, u64 now);
void scope_stack_after_syscall(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u16 nr,
			       u8 abi, u64 duration_ns, u64 now);
void scope_stack_at_probe(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u64 now);
void scope_stack_sample(struct scope_session *session, struct scope_cpu *cpu, u64 now);

#endif
