/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of interrupts; NULL if the kernel has no such tracepoint. */
#ifndef SCOPE_KMOD_PROBE_INTERRUPT_H
#define SCOPE_KMOD_PROBE_INTERRUPT_H

extern void *const scope_hardirq_begin_probe, *const scope_hardirq_end_probe;
extern void *const scope_vector_begin_probe, *const scope_vector_end_probe; /* of x86: timer, calls from other CPUs */
extern void *const scope_softirq_begin_probe, *const scope_softirq_end_probe;

#endif
