/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC from any context, which the kernel has since 3.17.
 *
 * Before, a reader of the kernel's clock waits while the clock is being set: forever, in a probe that interrupted
 * the code that sets it. So the clock is read only in tasks with interrupts on, where the code that sets it cannot be
 * on the stack. Elsewhere time is extrapolated from the last of these readings by the scheduler's clock, at the latest
 * rate between the two. Only a work item takes these readings, every SCOPE_FAST_CLOCK_MS.
 */
#ifndef SCOPE_COMPAT_FAST_CLOCK_H
#define SCOPE_COMPAT_FAST_CLOCK_H

#ifdef SCOPE_HAVE_MONO_FAST
#include <linux/ktime.h>
#include <linux/timekeeping.h>

static inline void scope_compat_fast_clock_start(void)
{
}

static inline void scope_compat_fast_clock_stop(void)
{
}
#else
#include <linux/types.h>

#define ktime_get_mono_fast_ns scope_compat_fast_clock_ns

u64 scope_compat_fast_clock_ns(void);
void scope_compat_fast_clock_start(void);
/* No probe asks any more. */
void scope_compat_fast_clock_stop(void);
#endif

#endif
