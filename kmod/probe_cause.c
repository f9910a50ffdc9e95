// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which interrupt a CPU serves, for the wakings from it.
 *
 * Each probe is one store to this CPU's own memory, so preemption (soft interrupts of PREEMPT_RT) does no harm. Soft
 * interrupts of a CPU do not nest, so only their begin is recorded. Hard interrupts may nest in anything.
 */
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <trace/events/irq.h>
#include "expire.h"
#include "probe_cause.h"
#include "session.h"

static const u8 of_softirq[NR_SOFTIRQS] = {
	[HI_SOFTIRQ] = SCOPE_INTERRUPT_TASKLET,
	[TIMER_SOFTIRQ] = SCOPE_INTERRUPT_TIMER,
	[NET_TX_SOFTIRQ] = SCOPE_INTERRUPT_NET,
	[NET_RX_SOFTIRQ] = SCOPE_INTERRUPT_NET,
	[BLOCK_SOFTIRQ] = SCOPE_INTERRUPT_BLOCK,
	[BLOCK_SOFTIRQ + 1] = SCOPE_INTERRUPT_BLOCK, /* polls block devices; its name changed in 4.5 */
	[TASKLET_SOFTIRQ] = SCOPE_INTERRUPT_TASKLET,
	[SCHED_SOFTIRQ] = SCOPE_INTERRUPT_SCHED,
	[HRTIMER_SOFTIRQ] = SCOPE_INTERRUPT_TIMER,
	[RCU_SOFTIRQ] = SCOPE_INTERRUPT_RCU,
};

static __always_inline struct scope_cpu __percpu *cpus_of(void *data)
{
	return (__force struct scope_cpu __percpu *)(unsigned long)data;
}

static notrace void probe_softirq_entry(void *data, unsigned int number)
{
	this_cpu_write(cpus_of(data)->softirq, number < NR_SOFTIRQS ? of_softirq[number] : SCOPE_INTERRUPT_OTHER);
}

static notrace void probe_irq_entry(void *data, int irq, struct irqaction *action)
{
	this_cpu_write(cpus_of(data)->hardirq, SCOPE_INTERRUPT_DEVICE);
}

static notrace void probe_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	this_cpu_write(cpus_of(data)->hardirq, SCOPE_INTERRUPT_OTHER);
}

static notrace void probe_expire_entry(SCOPE_COMPAT_EXPIRE_PROTO(data))
{
	this_cpu_write(cpus_of(data)->hardirq, SCOPE_INTERRUPT_TIMER);
}

static notrace void probe_expire_exit(void *data, struct hrtimer *timer)
{
	this_cpu_write(cpus_of(data)->hardirq, SCOPE_INTERRUPT_OTHER);
}

void *const scope_cause_softirq_probe = probe_softirq_entry;
void *const scope_cause_irq_probe = probe_irq_entry;
void *const scope_cause_irq_end_probe = probe_irq_exit;
void *const scope_cause_timer_probe = SCOPE_EXPIRE_KNOWN ? probe_expire_entry : NULL;
void *const scope_cause_timer_end_probe = probe_expire_exit;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_softirq_entry(probe_softirq_entry);
	check_trace_callback_type_irq_handler_entry(probe_irq_entry);
	check_trace_callback_type_irq_handler_exit(probe_irq_exit);
	check_trace_callback_type_hrtimer_expire_entry(probe_expire_entry);
	check_trace_callback_type_hrtimer_expire_exit(probe_expire_exit);
}
