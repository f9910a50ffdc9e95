/* SPDX-License-Identifier: GPL-2.0-only */
/* What it costs that the kernel calls a handler: the part of a probe that the probe cannot measure itself. */
#ifndef SCOPE_KMOD_TRAP_COST_H
#define SCOPE_KMOD_TRAP_COST_H

#include <linux/kprobes.h>
#include "arch.h"
#include "session.h"

/* Of one hit, by the way the handler is called. */
struct scope_trap_cost {
	u32 breakpoint_ns; /* a trap in the kernel */
	u32 entry_ns;	   /* by ftrace, or by a jump that the kernel made of a breakpoint */
};
extern struct scope_trap_cost scope_trap_cost;

/* Before the first probe is set. May sleep. */
void scope_trap_measure(void);

/* Uprobes are not measured: they take two traps, the breakpoint and the step after it. */
static inline u32 scope_trap_user_ns(void)
{
	return 2 * scope_trap_cost.breakpoint_ns;
}

/* Adds a time of the CPU for that session which no measured call includes. Any context. */
static inline void scope_trap_charge(struct scope_session *session, u64 ns)
{
	this_cpu_add(session->cpu->measure.other_ns, ns);
}

/*
 * From its handler. Where a trap counts as a non-maskable interrupt, a breakpoint without one is a jump
 * that the kernel made of it.
 */
static inline u32 scope_trap_kernel_ns(struct kprobe *kprobe)
{
	return kprobe_ftrace(kprobe) || (SCOPE_ARCH_TRAP_NMIS && !(preempt_count() & NMI_MASK))
		       ? scope_trap_cost.entry_ns
		       : scope_trap_cost.breakpoint_ns;
}

#endif
