// SPDX-License-Identifier: GPL-2.0-only
/* The slow path of the clock: takes anchors, and measures the counter's rate. */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/timekeeping.h>
#include "arch.h"
#include "clock.h"

#define BASELINE_MIN_NS 1000000u
#define WIDTH_MAX_NS 800u
#define TRIES 3

struct pair {
	u64 counter;
	u64 ns;
	u64 width; /* counts that reading the kernel's clock took */
};

/* A hypervisor or firmware may interrupt a reading, so the shortest of a few is taken. */
static struct pair read_both(void)
{
	struct pair best = { .width = U64_MAX };
	int try;

	for (try = 0; try < TRIES; try++) {
		u64 before = get_cycles();
		u64 ns = ktime_get_mono_fast_ns();
		u64 width = get_cycles() - before;

		if (width < best.width)
			best = (struct pair){ before + width / 2, ns, width };
	}
	return best;
}

static u64 rate_of(u64 ns, u64 counts)
{
	while (ns >> 32) {
		ns >>= 1;
		counts >>= 1;
	}
	return counts ? (ns << 32) / counts : 0;
}

/* After a suspend, or a move to another host, the rate over that time is unknown. */
static bool rates_agree(u64 a, u64 b)
{
	return a && (a > b ? a - b : b - a) <= a >> 10;
}

/* Interrupts off. Returns the time of the pair it read. */
static u64 take_anchor(struct scope_clock *clock)
{
	struct pair now = read_both();
	u64 ns = now.ns - clock->anchor_ns, rate = 0, window = 0;

	if (clock->anchor_ns) {
		rate = rate_of(ns, now.counter - clock->anchor);
		if (ns < BASELINE_MIN_NS || (now.width + 1) * rate >> 32 > WIDTH_MAX_NS)
			return now.ns;
		if (rates_agree(rate, clock->rate))
			window = (min_t(u64, 2 * ns, SCOPE_CLOCK_WINDOW_NS) << 32) / rate;
	}
	/* A non-maskable interrupt that comes now finds no valid window. */
	WRITE_ONCE(clock->window, 0);
	barrier();
	clock->anchor = now.counter;
	clock->anchor_ns = now.ns;
	clock->rate = rate;
	barrier();
	WRITE_ONCE(clock->window, window);
	return now.ns;
}

/* Preemption is off. */
u64 scope_clock_ns_slow(struct scope_clock *clock)
{
	unsigned long flags;
	u64 ns;

	/* The code that was interrupted may be reading the anchor. */
	if (in_interrupt() || !scope_arch_counter_steady())
		return ktime_get_mono_fast_ns();
	raw_local_irq_save(flags);
	ns = take_anchor(clock);
	raw_local_irq_restore(flags);
	return ns;
}

/*
 * The length of a number of counts at the latest rate, ns. 0 if the rate is not known for sure, or the number is
 * negative.
 */
u64 scope_clock_passed_ns(const struct scope_clock *clock, u64 counts)
{
	u32 shift = 32;
	u64 most;

	if (!clock->window || (s64)counts < 0)
		return 0;
	for (most = div64_u64(U64_MAX, clock->rate); counts > most; counts >>= 1)
		shift--;
	return counts * clock->rate >> shift;
}

/* The counts that ns (below 2^32) take. 0 if the rate is not known for sure. */
u64 scope_clock_counts(const struct scope_clock *clock, u64 ns)
{
	return clock->window ? div64_u64(ns << 32, clock->rate) : 0;
}
