// SPDX-License-Identifier: GPL-2.0-only
/* The slow path of measuring probes: one call that measured itself, and the total of all calls. */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "measure.h"

#define MEAN_SHIFT 10 /* fraction of a ns in the mean */
/*
 * Above these the clock measured more than the probe: an interrupt came, or a hypervisor ran something else. Calls
 * take some hundred ns, stacks some us.
 */
#define CALL_NS_MAX 20000u
#define STACK_NS_MAX 100000u

/* Events that probes recorded on this CPU or lost, stacks left out. */
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

	/* Otherwise a flush may come in between, which writes to pending and arms. */
	raw_local_irq_save(flags);
	stacks = measure->stack_ns;
	events = scope_measure_events(cpu);
	/* The time of a stack that this call took is counted already. A clock may step back a little. */
	ns -= stacks - measure->stack_seen_ns;
	/*
	 * The first of them may be the call that requested the measurement. It differs from the others, and is one of
	 * thousands.
	 */
	if (measure->left <= SCOPE_MEASURE_CALLS && (s64)ns <= CALL_NS_MAX) {
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

/* On the CPU itself, with interrupts off: taking a stack took ns. */
void scope_measure_stack(struct scope_cpu *cpu, u64 ns)
{
	struct scope_measure *measure = &cpu->measure;

	WRITE_ONCE(measure->stack_ns, measure->stack_ns + min_t(u64, ns, STACK_NS_MAX));
}

/* The time of a number of events, at the mean of those measured. */
static u64 estimate(u64 events, u64 measured_ns, u64 measured)
{
	return measured ? events * div64_u64(measured_ns << MEAN_SHIFT, measured) >> MEAN_SHIFT : 0;
}

/* Time that the probes of this CPU have taken so far, ns. From any CPU. */
u64 scope_measure_ns(const struct scope_cpu *cpu)
{
	const struct scope_measure *measure = &cpu->measure;

	return estimate(scope_measure_events(cpu), READ_ONCE(measure->ns), READ_ONCE(measure->events)) +
	       READ_ONCE(measure->stack_ns) + READ_ONCE(measure->other_ns);
}

/*
 * The same since the last time this was called, by the calls measured since then, if there are some. If the mean of
 * all time was used, a small change of it would change all earlier values.
 */
u64 scope_measure_since(struct scope_cpu *cpu)
{
	struct scope_measure *measure = &cpu->measure;
	struct scope_measure_mark now = {
		.all = scope_measure_events(cpu),
		.ns = READ_ONCE(measure->ns),
		.events = READ_ONCE(measure->events),
		.stack_ns = READ_ONCE(measure->stack_ns),
		.other_ns = READ_ONCE(measure->other_ns),
	}, before = measure->mark;

	measure->mark = now;
	if (now.events - before.events < SCOPE_MEASURE_CALLS / 2) {
		before.ns = 0;
		before.events = 0;
	}
	return estimate(now.all - before.all, now.ns - before.ns, now.events - before.events) + now.stack_ns -
	       before.stack_ns + now.other_ns - before.other_ns;
}
