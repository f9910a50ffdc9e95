/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints of interrupts without a handler of a device. On x86 these are the timer and calls between CPUs. */
#ifndef SCOPE_COMPAT_INTERRUPT_H
#define SCOPE_COMPAT_INTERRUPT_H

#if defined(CONFIG_X86_LOCAL_APIC) && defined(SCOPE_HAVE_IRQ_VECTORS)
#define SCOPE_VECTORS_KNOWN 1
#include <asm/trace/irq_vectors.h>
#else
#define SCOPE_VECTORS_KNOWN 0
#define check_trace_callback_type_local_timer_entry(probe) ((void)(probe))
#define check_trace_callback_type_local_timer_exit(probe) ((void)(probe))
#endif

#endif
