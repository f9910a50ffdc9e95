/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of the host and of the target's control group, from the rows that a capture writes each second. */
#ifndef SCOPE_METRICS_HOST_LINE_H
#define SCOPE_METRICS_HOST_LINE_H

#include "metrics/view.h"

/* Fills in a name, and cells, which the caller frees. 0 or -ENOMEM. */
int scope_metrics_host_line(const struct scope_metrics *metrics, uint64_t step_ns, size_t steps,
			    struct scope_metric_line *line);

/* The reason why a view does not have that metric of the host; NULL: it has it. */
const char *scope_metrics_host_lacks(const struct scope_metrics *metrics, enum scope_metric metric, bool has_host);

#endif
