// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's counts of a traced thread while it ran. */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "counters.h"
#include "record.h"

static notrace void take(const struct task_struct *task, struct scope_counts *counts)
{
	counts->minor_faults = READ_ONCE(task->min_flt);
	counts->major_faults = READ_ONCE(task->maj_flt);
	scope_compat_io_bytes(task, &counts->read_bytes, &counts->written_bytes);
	scope_compat_delays(task, &counts->swapin_ns, &counts->thrashing_ns);
}

/* The thread comes to this CPU, or is found on it. */
notrace void scope_counters_note(struct scope_cpu *cpu, const struct task_struct *task)
{
	take(task, &cpu->counts);
}

/* The thread leaves this CPU, or is on it at a flush. */
notrace void scope_counters_put(struct scope_cpu *cpu, const struct task_struct *task, u64 now)
{
	struct scope_counts before = cpu->counts, *counts = &cpu->counts;
	struct scope_record_counters *r;

	take(task, counts);
	if (!memcmp(counts, &before, sizeof(before)))
		return;
	r = scope_ring_reserve(&cpu->ring, SCOPE_RECORD_COUNTERS, sizeof(*r), now);
	if (!r)
		return;
	r->minor_faults = min_t(unsigned long, counts->minor_faults - before.minor_faults, U32_MAX);
	r->major_faults = min_t(unsigned long, counts->major_faults - before.major_faults, U32_MAX);
	r->zero = 0;
	r->read_bytes = counts->read_bytes - before.read_bytes;
	r->written_bytes = counts->written_bytes - before.written_bytes;
	r->swapin_ns = counts->swapin_ns - before.swapin_ns;
	r->thrashing_ns = counts->thrashing_ns - before.thrashing_ns;
	scope_ring_commit(&cpu->ring, sizeof(*r));
}
