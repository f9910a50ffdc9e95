/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds tracepoints and attaches to them: by pointer since 3.15, by name before. */
#ifndef SCOPE_COMPAT_TRACEPOINT_H
#define SCOPE_COMPAT_TRACEPOINT_H

#include <linux/preempt.h>
#include <linux/tracepoint.h>

#ifndef SCOPE_HAVE_TRACEPOINT_POINTER
static inline void for_each_kernel_tracepoint(void (*visit)(struct tracepoint *tracepoint, void *data), void *data)
{
	struct tracepoint_iter iter;

	tracepoint_iter_reset(&iter);
	for (tracepoint_iter_start(&iter); iter.tracepoint; tracepoint_iter_next(&iter))
		visit(*(struct tracepoint **)iter.tracepoint, data);
	tracepoint_iter_stop(&iter);
}

#define tracepoint_probe_register(tracepoint, probe, data) tracepoint_probe_register((tracepoint)->name, probe, data)
#define tracepoint_probe_unregister(tracepoint, probe, data)                                                           \
	tracepoint_probe_unregister((tracepoint)->name, probe, data)
#endif

/*
 * 4.3 always reports a waking on the CPU of the waker. Before, only the end of a waking is reported. For a thread of
 * another CPU it may be reported on that CPU, in an interrupt. Then the waker is not known.
 */
#ifdef SCOPE_HAVE_SCHED_WAKING
#define SCOPE_COMPAT_WAKING_NAME "sched_waking"
#define SCOPE_COMPAT_WAKER_KNOWN 1
#else
#define SCOPE_COMPAT_WAKING_NAME "sched_wakeup"
#define SCOPE_COMPAT_WAKER_KNOWN 0
#endif

/* The arguments of a probe on sched_switch that needs none of them: 5.18 added the state, 4.4 the preemption. */
#if defined(SCOPE_HAVE_SWITCH_PREV_STATE)
#define SCOPE_COMPAT_SWITCH_PROTO(data)                                                                                \
	void *data, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state
#elif defined(SCOPE_HAVE_SWITCH_PREEMPT)
#define SCOPE_COMPAT_SWITCH_PROTO(data) void *data, bool preempt, struct task_struct *prev, struct task_struct *next
#else
#define SCOPE_COMPAT_SWITCH_PROTO(data) void *data, struct task_struct *prev, struct task_struct *next
#endif

/* 6.13 calls the probes of system calls with preemption on, and made this macro for them. */
#ifdef DECLARE_TRACE_SYSCALL
#define scope_compat_stay_on_cpu() preempt_disable_notrace()
#define scope_compat_leave_cpu() preempt_enable_notrace()
#else
#define scope_compat_stay_on_cpu()                                                                                     \
	do {                                                                                                           \
	} while (0)
#define scope_compat_leave_cpu()                                                                                       \
	do {                                                                                                           \
	} while (0)
#endif

#endif
