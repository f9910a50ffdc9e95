/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's counts of a traced thread while it ran: page faults, bytes of storage, waits for memory.
 *
 * Only the thread itself adds to these counts, while it runs. So the counts are copied when the thread gets a CPU, and
 * the difference is written when it leaves the CPU. Interrupts are off in both cases.
 */
#ifndef SCOPE_KMOD_COUNTERS_H
#define SCOPE_KMOD_COUNTERS_H

#include "session.h"

void scope_counters_note(struct scope_cpu *cpu, const struct task_struct *task);
void scope_counters_put(struct scope_cpu *cpu, const struct task_struct *task, u64 now);

static inline bool scope_counters_wanted(const struct scope_session *session)
{
	return unlikely(session->config.events & SCOPE_EVENTS_COUNTERS);
}

#endif
