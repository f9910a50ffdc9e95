/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC from any context, which 3.17 brought.
 *
 * Before, a reader of the kernel's clock waits while the clock is being set: for ever, in a probe that interrupted
 * the code that sets it. So the clock is read only where no interrupted or calling setter can be below, in tasks with
 * interrupts on. Elsewhere time goes on from the last of such readings as the scheduler's clock does, at the latest
 * rate between the two. Only a work item takes such readings, every SCOPE_FAST_CLOCK_MS.
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
