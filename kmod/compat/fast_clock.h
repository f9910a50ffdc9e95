/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads CLOCK_MONOTONIC in any context. The kernel itself can do this since 3.17.
 *
 * Before, a reader of the kernel's clock waits while the clock is being set: forever, in a probe that interrupted the
 * code that sets it. So the kernel's clock is read only in tasks with interrupts on: they cannot have interrupted the
 * code that sets it. A work item does this every SCOPE_FAST_CLOCK_MS. All other code computes the time from the last of
 * these readings, the scheduler's clock, and the latest rate between the two clocks.
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
/* Call it when no probe needs the time any more. */
void scope_compat_fast_clock_stop(void);
#endif

#endif
