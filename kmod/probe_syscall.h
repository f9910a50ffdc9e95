/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of system calls; probe.h says what holds for all probes. */
#ifndef SCOPE_KMOD_PROBE_SYSCALL_H
#define SCOPE_KMOD_PROBE_SYSCALL_H

#include "session.h"

extern void *const scope_syscall_enter_probe, *const scope_syscall_exit_probe;

/*
 * Interrupts off, in the thread that is in the call, which is the ring's current thread. Writes the pending call as
 * ENTER; false: the session leaves it out.
 */
bool scope_syscall_put_pending(struct scope_session *session, struct scope_cpu *cpu, u64 now);

#endif
