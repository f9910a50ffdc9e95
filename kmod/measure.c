// SPDX-License-Identifier: GPL-2.0-only
/* The seldom part of measuring probes: one call that measured itself, and what all took. */
#include <linux/irqflags.h>
#include <linux/math64.h>
#include "measure.h"

#define MEAN_SHIFT 10 /* fraction of a ns in the mean */

/* What probes made on this CPU or lost, stacks aside. */
u64 scope_measure_events(const struct scope_cpu *cpu)
{
	const struct scope_ring_page *page = cpu->ring.page;
	u64 events = READ_ONCE(cpu->ring.records) - READ_ONCE(page->stacks);
	int i;

	for (i = 0; i < SCOPE_LOST_REASONS; i++)
		events += READ_ONCE(page->lost[i]);
	return events;
}

/* Preemption is off. */
noinline void scope_measure_call(struct scope_cpu *cpu, u64 begin_ns)
{
	struct scope_measure *measure = &cpu->measure;
	u64 ns = scope_clock_ns(&cpu->clock) - begin_ns, stacks, events;
	unsigned long flags;

	/* A flush may come by otherwise, and it writes to pending and arms. */
	raw_local_irq_save(flags);
	stacks = measure->stack_ns;
	events = scope_measure_events(cpu);
	/* The time of a stack taken in this call is counted already; a clock may step back a little. */
	ns -= stacks - measure->stack_seen_ns;
	/* The first of them may be the call that armed: one in thousands, and not like the others. */
	if (measure->left <= SCOPE_MEASURE_CALLS) {
		if ((s64)ns > 0)
			WRITE_ONCE(measure->ns, measure->ns + ns);
		WRITE_ONCE(measure->events, measure->events + (events - measure->events_seen));
	}
	measure->events_seen = events;
	measure->stack_seen_ns = stacks;
	if (!--measure->left)
		cpu->pending &= ~SCOPE_CALL_MEASURED;
	raw_local_irq_restore(flags);
}

/* Time that the probes of this CPU have taken so far, ns. From any CPU. */
u64 scope_measure_ns(const struct scope_cpu *cpu)
{
	const struct scope_measure *measure = &cpu->measure;
	u64 events = READ_ONCE(measure->events), mean;

	if (!events)
		return READ_ONCE(measure->stack_ns);
	mean = div64_u64(READ_ONCE(measure->ns) << MEAN_SHIFT, events);
	return (scope_measure_events(cpu) * mean >> MEAN_SHIFT) + READ_ONCE(measure->stack_ns);
}
