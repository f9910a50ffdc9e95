/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the kernel calls a probe's handler, as measured on this machine: the cost, which the probe cannot measure
 * itself, and how to distinguish a thread in it from an interrupt.
 */
#ifndef SCOPE_KMOD_TRAP_COST_H
#define SCOPE_KMOD_TRAP_COST_H

#include <linux/hardirq.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include "arch.h"
#include "session.h"

/* Of one hit, by the way the handler is called. */
struct scope_trap_cost {
	u32 breakpoint_ns; /* a trap in the kernel */
	u32 entry_ns;	   /* by ftrace, or by a jump with which the kernel replaced a breakpoint */
	u32 hard_irqs;	   /* hard interrupts that a trap counts as in preempt_count(): one on x86 from 4.0 to 4.3 */
};
extern struct scope_trap_cost scope_trap_cost;

/* Before the first probe is set. May sleep. */
void scope_trap_measure(void);

/*
 * For the handlers of kprobes: true if the probe was hit by an interrupt, and not by the thread that it interrupted.
 * traps: the probe is a breakpoint, whose trap may count as an interrupt itself.
 */
static inline bool scope_trap_in_interrupt(bool traps)
{
	u32 nmis = (preempt_count() & NMI_MASK) >> NMI_SHIFT;

	return in_serving_softirq() ||
	       hardirq_count() >> HARDIRQ_SHIFT > nmis + (traps ? scope_trap_cost.hard_irqs : 0) ||
	       nmis > (traps ? SCOPE_ARCH_TRAP_NMIS : 0);
}

/*
 * Before a kprobe whose handler asks scope_trap_in_interrupt() is registered. If a trap counts as a hard interrupt,
 * the kernel must not replace this one by a jump: without its trap a hard interrupt would be taken for the thread.
 */
void scope_trap_keep(struct kprobe *kprobe);

/* Uprobes are not measured: they take two traps, the breakpoint and the step after it. */
static inline u32 scope_trap_user_ns(void)
{
	return 2 * scope_trap_cost.breakpoint_ns;
}

/* Adds CPU time to the session that no measured call includes. Any context. */
static inline void scope_trap_charge(struct scope_session *session, u64 ns)
{
	this_cpu_add(session->cpu->measure.other_ns, ns);
}

/*
 * From its handler. If a trap counts as a non-maskable interrupt, a breakpoint that does not is a jump that the
 * kernel made of it.
 */
static inline u32 scope_trap_kernel_ns(struct kprobe *kprobe)
{
	return kprobe_ftrace(kprobe) || (SCOPE_ARCH_TRAP_NMIS && !(preempt_count() & NMI_MASK))
		       ? scope_trap_cost.entry_ns
		       : scope_trap_cost.breakpoint_ns;
}

#endif
