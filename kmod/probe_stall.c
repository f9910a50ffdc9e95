// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that have to free memory before they continue: direct reclaim, reclaim for a cgroup's limit, compaction.
 *
 * Begin and end are records of their own, because the thread may sleep and move to another CPU in between. All of these
 * happen in a thread's own context, with interrupts on.
 */
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include "measure.h"
#include "probe_stall.h"
#include "record.h"
#include "session.h"
#include "stall.h"

static noinline notrace void put(struct scope_session *session, enum scope_stall_kind kind, u8 flags)
{
	struct scope_cpu *cpu;
	unsigned long irq;
	u64 now;

	raw_local_irq_save(irq);
	cpu = this_cpu_ptr(session->cpu);
	/* kswapd and its like are not traced. */
	if (cpu->traced && !in_interrupt() && READ_ONCE(session->running)) {
		now = scope_clock_ns(&cpu->clock);
		scope_record_put_stall(&cpu->ring, now, kind, flags);
		scope_measure_end(cpu, now);
	}
	raw_local_irq_restore(irq);
}

static notrace void probe_reclaim_begin(SCOPE_RECLAIM_PROTO(data))
{
	put(data, SCOPE_STALL_RECLAIM, 0);
}

static notrace void probe_group_begin(SCOPE_RECLAIM_PROTO(data))
{
	put(data, SCOPE_STALL_GROUP, 0);
}

static notrace void probe_reclaim_end(SCOPE_RECLAIM_END_PROTO(data))
{
	put(data, SCOPE_STALL_RECLAIM, SCOPE_STALL_END);
}

static notrace void probe_group_end(SCOPE_RECLAIM_END_PROTO(data))
{
	put(data, SCOPE_STALL_GROUP, SCOPE_STALL_END);
}

static notrace void probe_compact_begin(SCOPE_COMPACT_PROTO(data))
{
	put(data, SCOPE_STALL_COMPACT, 0);
}

static notrace void probe_compact_end(SCOPE_COMPACT_PROTO(data), int status)
{
	put(data, SCOPE_STALL_COMPACT, SCOPE_STALL_END);
}

void *const scope_reclaim_begin_probe = SCOPE_RECLAIM_KNOWN ? probe_reclaim_begin : NULL;
void *const scope_reclaim_end_probe = SCOPE_RECLAIM_KNOWN ? probe_reclaim_end : NULL;
void *const scope_group_begin_probe = SCOPE_RECLAIM_KNOWN ? probe_group_begin : NULL;
void *const scope_group_end_probe = SCOPE_RECLAIM_KNOWN ? probe_group_end : NULL;
void *const scope_compact_begin_probe = SCOPE_COMPACT_KNOWN ? probe_compact_begin : NULL;
void *const scope_compact_end_probe = SCOPE_COMPACT_KNOWN ? probe_compact_end : NULL;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_mm_vmscan_direct_reclaim_begin(probe_reclaim_begin);
	check_trace_callback_type_mm_vmscan_direct_reclaim_end(probe_reclaim_end);
	check_trace_callback_type_mm_compaction_begin(probe_compact_begin);
	check_trace_callback_type_mm_compaction_end(probe_compact_end);
}
