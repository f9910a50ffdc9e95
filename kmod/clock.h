/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC for one CPU, most readings taken from its cycle counter.
 *
 * The kernel's clock costs some 50 instructions a reading, this one 9. An anchor is one reading of both clocks; the
 * rate is that of the counter between the last two anchors. Time is extrapolated for a while after an anchor: for at
 * most SCOPE_CLOCK_WINDOW_NS, and at most twice as long as the rate was measured:
 *
 * ns = anchor_ns + (counter - anchor) * rate / 2^32
 *
 * A pair is taken within the time of one reading of the kernel's clock (some tens of ns), so a reading may be wrong by
 * that much, and by what NTP changes until the next anchor. Each CPU has its own anchor: counters need not agree
 * between CPUs. At an anchor the clock may step back by as much, and a difference of two readings can be negative. A
 * counter that the kernel does not consider stable is never used.
 *
 * Anchors are taken in task context with interrupts off, so a reading with preemption off can be interrupted by a new
 * anchor only in a non-maskable interrupt, and these take none. This compiles in user space as well, where
 * tests/unit/test_clock.c drives it.
 */
#ifndef SCOPE_KMOD_CLOCK_H
#define SCOPE_KMOD_CLOCK_H

#include <linux/compiler.h>
#include <linux/timex.h>
#include <linux/types.h>

#define SCOPE_CLOCK_WINDOW_NS 10000000u

/* All zero: nothing is known, and the kernel's clock is read. */
struct scope_clock {
	u64 anchor;    /* counter */
	u64 anchor_ns; /* 0: no anchor yet */
	u64 rate;      /* ns for each count, 32 bits of fraction */
	u64 window;    /* counts for which the anchor is valid; 0: read the kernel's clock */
};

u64 scope_clock_ns_slow(struct scope_clock *clock);
u64 scope_clock_passed_ns(const struct scope_clock *clock, u64 counts);
u64 scope_clock_counts(const struct scope_clock *clock, u64 ns);

/* Preemption is off, and counts were just read. Returns false if only scope_clock_ns_slow() knows the time. */
static __always_inline bool scope_clock_at(const struct scope_clock *clock, u64 counts, u64 *ret_ns)
{
	counts -= clock->anchor;
	if (unlikely(counts >= clock->window))
		return false;
	*ret_ns = clock->anchor_ns + (counts * clock->rate >> 32);
	return true;
}

/* The same, at this moment. */
static __always_inline bool scope_clock_quick(const struct scope_clock *clock, u64 *ret_ns)
{
	return scope_clock_at(clock, get_cycles(), ret_ns);
}

/* Preemption is off. */
static __always_inline u64 scope_clock_ns(struct scope_clock *clock)
{
	u64 ns;

	return likely(scope_clock_quick(clock, &ns)) ? ns : scope_clock_ns_slow(clock);
}

#endif
