// SPDX-License-Identifier: GPL-2.0-only
/* Metrics of the host and of the target's control group, from the rows that a capture writes each second. */
#include "metrics/host_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNTS (SCOPE_METRIC_PSI_IO - SCOPE_METRIC_THROTTLED + 1) /* no rule */

static const enum scope_host_count count_of[COUNTS] = {
	[SCOPE_METRIC_THROTTLED - SCOPE_METRIC_THROTTLED] = SCOPE_HOST_THROTTLED,
	[SCOPE_METRIC_STOLEN - SCOPE_METRIC_THROTTLED] = SCOPE_HOST_STEAL,
	[SCOPE_METRIC_HOST_IRQ - SCOPE_METRIC_THROTTLED] = SCOPE_HOST_IRQ,
	[SCOPE_METRIC_HOST_SOFTIRQ - SCOPE_METRIC_THROTTLED] = SCOPE_HOST_SOFTIRQ,
	[SCOPE_METRIC_PSI_CPU - SCOPE_METRIC_THROTTLED] = SCOPE_HOST_CPU,
	[SCOPE_METRIC_PSI_MEMORY - SCOPE_METRIC_THROTTLED] = SCOPE_HOST_MEMORY,
	[SCOPE_METRIC_PSI_IO - SCOPE_METRIC_THROTTLED] = SCOPE_HOST_IO,
};

int scope_metrics_host_line(const struct scope_metrics *metrics, uint64_t step_ns, size_t steps,
			    struct scope_metric_line *line)
{
	line->cell = calloc(steps, sizeof(*line->cell));
	if (!line->cell)
		return -ENOMEM;
	/* A thread's name is shorter than that. */
	snprintf(line->name, sizeof(line->name), "host and control group%s%.60s%s", metrics->pressure_of[0] ? " (" : "",
		 metrics->pressure_of, metrics->pressure_of[0] ? ")" : "");
	for (size_t i = 0; i < steps; i++) {
		const uint64_t begin_ns = metrics->begin_ns + i * step_ns;
		const uint64_t end_ns = begin_ns + step_ns < metrics->end_ns ? begin_ns + step_ns : metrics->end_ns;
		struct scope_host_row growth;

		(void)scope_trace_host_growth(metrics->host, metrics->host_rows, begin_ns, end_ns, &growth);
		for (unsigned j = 0; j < COUNTS; j++)
			line->cell[i].value[SCOPE_METRIC_THROTTLED + j] = growth.value[count_of[j]];
	}
	return 0;
}

const char *scope_metrics_host_lacks(const struct scope_metrics *metrics, enum scope_metric metric, bool has_host)
{
	const enum scope_host_count count = count_of[metric - SCOPE_METRIC_THROTTLED];
	uint32_t known = 0;

	if (metrics->host_rows < 2)
		return "the trace has no counts of the host: record again with this version";
	if (!has_host)
		return "it is known of the host alone: print --by group or thread";
	for (size_t i = 0; i < metrics->host_rows; i++)
		known |= metrics->host[i].known;
	if (known >> count & 1)
		return NULL;
	if (count == SCOPE_HOST_THROTTLED)
		return "no control group of the target has a limit of CPU time";
	return count >= SCOPE_HOST_CPU ? "the kernel has no pressure stall information (CONFIG_PSI, psi=1)"
				       : "/proc/stat could not be read";
}
