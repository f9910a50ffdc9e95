// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's counts of a traced thread while it ran. */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "counters.h"
#include "record.h"

static __always_inline void take(const struct task_struct *task, struct scope_counts *counts)
{
	counts->minor_faults = READ_ONCE(task->min_flt);
	counts->major_faults = READ_ONCE(task->maj_flt);
	counts->read_bytes = counts->written_bytes = counts->swapin_ns = counts->thrashing_ns = 0;
	scope_compat_io_bytes(task, &counts->read_bytes, &counts->written_bytes);
	scope_compat_delays(task, &counts->swapin_ns, &counts->thrashing_ns);
}

/* Most stretches on a CPU count nothing. In registers, this takes a fraction of memcmp(). */
static __always_inline bool same(const struct scope_counts *a, const struct scope_counts *b)
{
	return !((a->minor_faults ^ b->minor_faults) | (a->major_faults ^ b->major_faults) |
		 (a->read_bytes ^ b->read_bytes) | (a->written_bytes ^ b->written_bytes) |
		 (a->swapin_ns ^ b->swapin_ns) | (a->thrashing_ns ^ b->thrashing_ns));
}

static noinline notrace void put(struct scope_ring *ring, const struct scope_counts *before,
				 const struct scope_counts *counts, u64 now)
{
	struct scope_record_counters *r = scope_ring_reserve(ring, SCOPE_RECORD_COUNTERS, sizeof(*r), now);

	if (!r)
		return;
	r->minor_faults = min_t(unsigned long, counts->minor_faults - before->minor_faults, U32_MAX);
	r->major_faults = min_t(unsigned long, counts->major_faults - before->major_faults, U32_MAX);
	r->zero = 0;
	r->read_bytes = counts->read_bytes - before->read_bytes;
	r->written_bytes = counts->written_bytes - before->written_bytes;
	r->swapin_ns = counts->swapin_ns - before->swapin_ns;
	r->thrashing_ns = counts->thrashing_ns - before->thrashing_ns;
	scope_ring_commit(ring, sizeof(*r));
}

/* The thread comes to this CPU, or is found on it. */
notrace void scope_counters_note(struct scope_cpu *cpu, const struct task_struct *task)
{
	take(task, &cpu->counts);
}

/* The thread leaves this CPU, or is on it at a flush. */
notrace void scope_counters_put(struct scope_cpu *cpu, const struct task_struct *task, u64 now)
{
	struct scope_counts counts;

	take(task, &counts);
	if (likely(same(&counts, &cpu->counts)))
		return;
	put(&cpu->ring, &cpu->counts, &counts, now);
	cpu->counts = counts;
}
