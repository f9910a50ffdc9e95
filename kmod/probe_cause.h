/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes that note which interrupt a CPU serves; NULL if the kernel's tracepoint has a form that is not known. */
#ifndef SCOPE_KMOD_PROBE_CAUSE_H
#define SCOPE_KMOD_PROBE_CAUSE_H

extern void *const scope_cause_softirq_probe;
extern void *const scope_cause_irq_probe;
extern void *const scope_cause_irq_end_probe;
extern void *const scope_cause_timer_probe;
extern void *const scope_cause_timer_end_probe;

#endif
