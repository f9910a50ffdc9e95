/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host kept from the target within the window of a trace. */
#ifndef SCOPE_RANK_HOST_COUNTS_H
#define SCOPE_RANK_HOST_COUNTS_H

#include <stdint.h>

struct scope_trace;

/* Times in ns; window_ns: of the counts, 0: they are not known. Strings are borrowed from the trace. */
struct scope_host_times {
	uint64_t window_ns, busy_ns, irq_ns, softirq_ns, steal_ns; /* of all CPUs together */
};

struct scope_host_limit {
	uint64_t window_ns, quota_us, period_us, periods, throttled, throttled_ns;
	const char *group;
};

struct scope_host_counts {
	struct scope_host_times times;
	struct scope_host_limit limit;		/* of the group that its limit throttled for longest */
	uint64_t pressure_window_ns, memory_ns; /* for which a task of the target's group waited for memory */
	const char *pressure_group;
};

/*
 * By the rows of each second, if they cover half of the window; else by the sums of the whole session, which may be
 * longer than the trace. 0 or -ENOMEM.
 */
int scope_rank_host_counts(const struct scope_trace *trace, struct scope_host_counts *ret_counts);

#endif
