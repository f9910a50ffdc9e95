// SPDX-License-Identifier: GPL-2.0-only
/* The clock of compat/fast_clock.h. It is empty if the kernel has one. */
#include "fast_clock.h"

#ifndef SCOPE_HAVE_MONO_FAST
#include <linux/compiler.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/workqueue.h>

#define SCOPE_FAST_CLOCK_MS 100
#define TRIES 4
#define RATE_SHIFT 24
#define RATE_ONE (1ull << RATE_SHIFT)

struct anchor {
	u64 ns;
	u64 clock; /* the scheduler's clock at the same moment */
	u64 rate;  /* ns for each unit of that clock, in 1 / RATE_ONE */
};

/* One is in use. The other one is written: it was in use 100 ms ago, so no reader uses it any more. */
static struct anchor anchors[2];
static unsigned int in_use;

static u64 ns_at(const struct anchor *anchor, u64 clock)
{
	s64 passed = clock - anchor->clock;

	/* The clocks of two CPUs may differ a little. A time longer than a second is returned without the rate. */
	if (passed < 0 || passed > NSEC_PER_SEC)
		return anchor->ns + passed;
	return anchor->ns + (passed * anchor->rate >> RATE_SHIFT);
}

/*
 * A hypervisor may interrupt for milliseconds between the two readings. The pair with the shortest time of a few is
 * taken.
 */
static struct anchor read_both(void)
{
	struct anchor best = { .rate = RATE_ONE };
	u64 least = U64_MAX, before, ns, width;
	unsigned long flags;
	int try;

	for (try = 0; try < TRIES; try++) {
		local_irq_save(flags);
		before = local_clock();
		ns = ktime_to_ns(ktime_get());
		width = local_clock() - before;
		local_irq_restore(flags);
		if (width >= least)
			continue;
		least = width;
		best.clock = before + width / 2;
		best.ns = ns;
	}
	return best;
}

/* Call it in a task, with interrupts on. */
static void take_anchor(void)
{
	const struct anchor *last = &anchors[READ_ONCE(in_use)];
	struct anchor *next = &anchors[!READ_ONCE(in_use)], now = read_both();
	u64 passed = now.clock - last->clock, ns = now.ns - last->ns;

	/* NTP changes the rate by a thousandth at most. A larger change, for example after a suspend, gives no rate. */
	if (last->ns && passed && passed < NSEC_PER_SEC && ns < NSEC_PER_SEC)
		now.rate = div64_u64(ns << RATE_SHIFT, passed);
	if (now.rate < RATE_ONE - (RATE_ONE >> 9) || now.rate > RATE_ONE + (RATE_ONE >> 9))
		now.rate = RATE_ONE;
	*next = now;
	smp_store_release(&in_use, next - anchors);
}

static void refresh(struct work_struct *work);
static DECLARE_DELAYED_WORK(refresh_work, refresh);

static void refresh(struct work_struct *work)
{
	take_anchor();
	schedule_delayed_work(&refresh_work, msecs_to_jiffies(SCOPE_FAST_CLOCK_MS));
}

u64 scope_compat_fast_clock_ns(void)
{
	if (!in_interrupt() && !irqs_disabled())
		return ktime_to_ns(ktime_get());
	return ns_at(&anchors[smp_load_acquire(&in_use)], local_clock());
}

void scope_compat_fast_clock_start(void)
{
	take_anchor();
	refresh(NULL);
}

void scope_compat_fast_clock_stop(void)
{
	cancel_delayed_work_sync(&refresh_work);
}
#endif
