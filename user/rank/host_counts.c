// SPDX-License-Identifier: GPL-2.0-only
/* What the host kept from the target within the window of a trace. */
#include "rank/host_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/host_row.h"
#include "trace/trace.h"

/* Sums that the capture wrote at its end. */
static void read_times(const struct scope_trace *trace, struct scope_host_times *times)
{
	const char *text = scope_trace_meta(trace, SCOPE_META_HOST_CPU);
	struct scope_host_times read;
	uint64_t begin_ns, end_ns;

	if (text &&
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &begin_ns, &end_ns,
		   &read.busy_ns, &read.irq_ns, &read.softirq_ns, &read.steal_ns) == 6 &&
	    end_ns > begin_ns) {
		read.window_ns = end_ns - begin_ns;
		*times = read;
	}
}

static void read_limit(const struct scope_trace *trace, struct scope_host_limit *limit)
{
	const char *text = scope_trace_meta(trace, SCOPE_META_CPU_LIMIT);
	struct scope_host_limit read;
	uint64_t begin_ns, end_ns;
	int group;

	if (text &&
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n",
		   &begin_ns, &end_ns, &read.quota_us, &read.period_us, &read.periods, &read.throttled,
		   &read.throttled_ns, &group) == 7 &&
	    end_ns > begin_ns) {
		read.window_ns = end_ns - begin_ns;
		read.group = text + group;
		*limit = read;
	}
}

/* Replaces sums of the session by those of the window. */
static void take_growth(const struct scope_host_row *growth, uint64_t covered_ns, const struct scope_trace *trace,
			struct scope_host_counts *counts)
{
	const uint64_t *value = growth->value;

	if (growth->known >> SCOPE_HOST_BUSY & 1)
		counts->times = (struct scope_host_times){ .window_ns = covered_ns,
							   .busy_ns = value[SCOPE_HOST_BUSY],
							   .irq_ns = value[SCOPE_HOST_IRQ],
							   .softirq_ns = value[SCOPE_HOST_SOFTIRQ],
							   .steal_ns = value[SCOPE_HOST_STEAL] };
	if (growth->known >> SCOPE_HOST_THROTTLED & 1 && counts->limit.window_ns) {
		counts->limit.window_ns = covered_ns;
		counts->limit.throttled_ns = value[SCOPE_HOST_THROTTLED];
		counts->limit.periods = value[SCOPE_HOST_PERIODS];
		counts->limit.throttled = value[SCOPE_HOST_PERIODS_MET];
	}
	counts->pressure_group = scope_trace_meta(trace, SCOPE_META_PRESSURE_OF);
	if (growth->known >> SCOPE_HOST_MEMORY & 1 && counts->pressure_group) {
		counts->pressure_window_ns = covered_ns;
		counts->memory_ns = value[SCOPE_HOST_MEMORY];
	}
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

int scope_rank_host_counts(const struct scope_trace *trace, struct scope_host_counts *ret_counts)
{
	const uint64_t begin_ns =
		later(scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0), scope_trace_window_from(trace));
	const uint64_t end_ns = scope_trace_meta_number(trace, SCOPE_META_END, UINT64_MAX);
	const uint64_t to_ns = end_ns < scope_trace_window_to(trace) ? end_ns : scope_trace_window_to(trace);
	struct scope_host_counts counts = { .pressure_group = NULL };
	struct scope_host_row *row, growth;
	uint64_t covered_ns;
	size_t rows;
	int err = scope_trace_host_rows(trace, &row, &rows);

	if (err)
		return err;
	read_times(trace, &counts.times);
	read_limit(trace, &counts.limit);
	covered_ns = to_ns > begin_ns ? scope_trace_host_growth(row, rows, begin_ns, to_ns, &growth) : 0;
	if (covered_ns && (to_ns == UINT64_MAX || covered_ns >= (to_ns - begin_ns) / 2))
		take_growth(&growth, covered_ns, trace, &counts);
	free(row);
	*ret_counts = counts;
	return 0;
}
