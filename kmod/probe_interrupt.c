// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time that interrupts and softirqs take from the traced thread that they interrupt.
 *
 * An interrupt may come within a softirq, not the other way round, and both end before the CPU switches. So the begin
 * of each is kept per CPU. What an interrupt took within a softirq is not part of the softirq's time. If the kernel
 * runs softirqs in threads (-rt), a switch clears a begin that is left.
 */
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <trace/events/irq.h>
#include "interrupt.h"
#include "measure.h"
#include "probe_interrupt.h"
#include "record.h"
#include "session.h"

static noinline notrace void hardirq_begin(struct scope_session *session)
{
	struct scope_cpu *cpu;
	unsigned long irq;

	raw_local_irq_save(irq);
	cpu = this_cpu_ptr(session->cpu);
	/* A handler of a device may be called within the time of another interrupt. Then that time continues. */
	if (cpu->traced && !cpu->hardirq_ns && READ_ONCE(session->running))
		cpu->hardirq_ns = scope_clock_ns(&cpu->clock);
	raw_local_irq_restore(irq);
}

static noinline notrace void hardirq_end(struct scope_session *session)
{
	struct scope_cpu *cpu;
	unsigned long irq;
	u64 now, took;

	raw_local_irq_save(irq);
	cpu = this_cpu_ptr(session->cpu);
	if (cpu->hardirq_ns && cpu->traced && READ_ONCE(session->running)) {
		now = scope_clock_ns(&cpu->clock);
		took = now > cpu->hardirq_ns ? now - cpu->hardirq_ns : 0;
		cpu->softirq_taken_ns += took;
		scope_record_put_interrupt(&cpu->ring, now, SCOPE_RECORD_HARDIRQ, took);
		scope_measure_end(cpu, now);
	}
	cpu->hardirq_ns = 0;
	raw_local_irq_restore(irq);
}

static noinline notrace void softirq_begin(struct scope_session *session)
{
	struct scope_cpu *cpu;
	unsigned long irq;

	raw_local_irq_save(irq);
	cpu = this_cpu_ptr(session->cpu);
	if (cpu->traced && READ_ONCE(session->running)) {
		cpu->softirq_ns = scope_clock_ns(&cpu->clock);
		cpu->softirq_taken_ns = 0;
	}
	raw_local_irq_restore(irq);
}

static noinline notrace void softirq_end(struct scope_session *session)
{
	struct scope_cpu *cpu;
	unsigned long irq;
	u64 now, took;

	raw_local_irq_save(irq);
	cpu = this_cpu_ptr(session->cpu);
	if (cpu->softirq_ns && cpu->traced && READ_ONCE(session->running)) {
		now = scope_clock_ns(&cpu->clock);
		took = now > cpu->softirq_ns ? now - cpu->softirq_ns : 0;
		took -= min(took, cpu->softirq_taken_ns);
		scope_record_put_interrupt(&cpu->ring, now, SCOPE_RECORD_SOFTIRQ, took);
		scope_measure_end(cpu, now);
	}
	cpu->softirq_ns = 0;
	raw_local_irq_restore(irq);
}

/* For threads that are not traced an interrupt costs the check of one byte. */
#define TRACED(session) this_cpu_read((session)->cpu->traced)

static notrace void probe_hardirq_begin(void *data, int irq, struct irqaction *action)
{
	struct scope_session *session = data;

	if (TRACED(session))
		hardirq_begin(session);
}

static notrace void probe_hardirq_end(void *data, int irq, struct irqaction *action, int ret)
{
	struct scope_session *session = data;

	if (TRACED(session))
		hardirq_end(session);
}

static notrace void __maybe_unused probe_vector_begin(void *data, int vector)
{
	struct scope_session *session = data;

	if (TRACED(session))
		hardirq_begin(session);
}

static notrace void __maybe_unused probe_vector_end(void *data, int vector)
{
	struct scope_session *session = data;

	if (TRACED(session))
		hardirq_end(session);
}

static notrace void probe_softirq_begin(void *data, unsigned int vector)
{
	struct scope_session *session = data;

	if (TRACED(session))
		softirq_begin(session);
}

static notrace void probe_softirq_end(void *data, unsigned int vector)
{
	struct scope_session *session = data;

	if (TRACED(session))
		softirq_end(session);
}

void *const scope_hardirq_begin_probe = probe_hardirq_begin;
void *const scope_hardirq_end_probe = probe_hardirq_end;
void *const scope_vector_begin_probe = SCOPE_VECTORS_KNOWN ? probe_vector_begin : NULL;
void *const scope_vector_end_probe = SCOPE_VECTORS_KNOWN ? probe_vector_end : NULL;
void *const scope_softirq_begin_probe = probe_softirq_begin;
void *const scope_softirq_end_probe = probe_softirq_end;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_irq_handler_entry(probe_hardirq_begin);
	check_trace_callback_type_irq_handler_exit(probe_hardirq_end);
	check_trace_callback_type_local_timer_entry(probe_vector_begin);
	check_trace_callback_type_local_timer_exit(probe_vector_end);
	check_trace_callback_type_softirq_entry(probe_softirq_begin);
	check_trace_callback_type_softirq_exit(probe_softirq_end);
}
