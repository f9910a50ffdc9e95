// SPDX-License-Identifier: GPL-2.0-only
/* Wakes the readers of a session when a CPU publishes a sub-buffer. */
#include <linux/irq_work.h>
#include "measure.h"
#include "reader.h"

/* Never wake from a probe: sched_switch holds the run queue's lock, which a wake-up takes. */
static void reader_wake(struct irq_work *work)
{
	struct scope_cpu *cpu = container_of(work, struct scope_cpu, wake);

	wake_up_interruptible(&cpu->session->readers);
}

/* Interrupts off, on the ring's CPU. */
void scope_reader_notify(struct scope_ring *ring)
{
	struct scope_cpu *cpu = container_of(ring, struct scope_cpu, ring);

	scope_measure_arm(cpu);
	/* No reader waits for data that may be overwritten at any moment. */
	if (!ring->flight)
		irq_work_queue(&cpu->wake);
}

void scope_reader_prepare(struct scope_session *session)
{
	int id;

	init_waitqueue_head(&session->readers);
	for_each_possible_cpu(id)
		init_irq_work(&per_cpu_ptr(session->cpu, id)->wake, reader_wake);
}

/* Call it after the probes are gone. When it returns no wake-up is under way. */
void scope_reader_cancel(struct scope_session *session)
{
	int id;

	for_each_possible_cpu(id)
		irq_work_sync(&per_cpu_ptr(session->cpu, id)->wake);
}
