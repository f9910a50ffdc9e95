// SPDX-License-Identifier: GPL-2.0-only
/* Whether the thread that runs on a CPU is traced, after the filter changed. */
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include "counters.h"
#include "each_cpu.h"
#include "probe_syscall.h"
#include "record.h"
#include "traced.h"

/*
 * Interrupts off. The filter changed. If that concerns the task on this CPU, a switch is recorded, as if a traced
 * thread, or another one, had come to the CPU.
 */
void scope_traced_refresh(struct scope_session *session, struct scope_cpu *cpu)
{
	bool traced = READ_ONCE(session->running) && scope_traced_has(session, current);
	u64 now = ktime_get_mono_fast_ns();

	if (traced == cpu->traced)
		return;
	if ((cpu->pending & SCOPE_CALL_PENDING) && cpu->traced)
		scope_syscall_put_pending(session, cpu, now);
	cpu->pending &= ~SCOPE_CALL_SLOT;
	if (cpu->traced && scope_counters_wanted(session))
		scope_counters_put(cpu, current, now);
	if (session->config.events & SCOPE_EVENTS_SCHED)
		scope_record_put_switch(&cpu->ring, now,
					current->pid | SCOPE_SWITCH_PREEMPT |
						(traced ? SCOPE_SWITCH_NEXT_TRACED : SCOPE_SWITCH_PREV_TRACED),
					traced ? current->pid : 0);
	else
		scope_ring_force_thread(&cpu->ring, traced ? current->pid : 0);
	cpu->traced = traced;
	cpu->hardirq_ns = cpu->softirq_ns = 0;
	if (traced && scope_counters_wanted(session))
		scope_counters_note(cpu, current);
}

static void cpu_refresh(struct scope_session *session, struct scope_cpu *cpu)
{
	cpu->plain_counts = 0;
	if (cpu->ring.page->cpu == raw_smp_processor_id())
		scope_traced_refresh(session, cpu);
}

/* Under session->lock, while tracing runs: the filter changed for tasks that are on a CPU, or plain_ns changed. */
void scope_traced_refresh_all(struct scope_session *session)
{
	scope_each_cpu(session, cpu_refresh);
}
