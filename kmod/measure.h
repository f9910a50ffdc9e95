/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost of the probes of one CPU, measured on a sample of their calls.
 *
 * After a sub-buffer was published, the next SCOPE_MEASURE_CALLS calls of syscall, switch and waking probes, and of
 * probes set at run time, measure themselves: each takes the slow path, and reads the clock
 * once more. They add up their time and their events; all other calls count with the mean of these. Stacks
 * cost many times as much as the rest and vary, so the time of each one is measured and added.
 *
 * Probes set at run time and delays add further known costs. For each hit, also of untraced threads,
 * this is the time that the kernel takes to call their handlers (trap_cost.h). For a delay it is the time on the
 * CPU: all of it if it spins; the time before and after the sleep if it sleeps.
 *
 * Not included are the time that a kernel takes to call a tracepoint's probe, calls for untraced tasks, those
 * of virtual speedups, and publishing a sub-buffer.
 */
#ifndef SCOPE_KMOD_MEASURE_H
#define SCOPE_KMOD_MEASURE_H

#include "session.h"

#define SCOPE_MEASURE_CALLS 64u

u64 scope_measure_events(const struct scope_cpu *cpu);
u64 scope_measure_ns(const struct scope_cpu *cpu);
u64 scope_measure_since(struct scope_cpu *cpu);
void scope_measure_stack(struct scope_cpu *cpu, u64 ns);
void scope_measure_call(struct scope_cpu *cpu, u64 begin_ns);

/* Interrupts off, on the CPU itself. */
static inline void scope_measure_arm(struct scope_cpu *cpu)
{
	cpu->measure.left = SCOPE_MEASURE_CALLS + 1;
	cpu->pending |= SCOPE_CALL_MEASURED;
}

/* At the end of a probe that read the clock at begin_ns. */
static __always_inline void scope_measure_end(struct scope_cpu *cpu, u64 begin_ns)
{
	if (unlikely(cpu->pending & SCOPE_CALL_MEASURED))
		scope_measure_call(cpu, begin_ns);
}

#endif
