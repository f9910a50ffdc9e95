/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of the host and of the target's control group, from the rows that a capture writes each second. */
#ifndef SCOPE_METRICS_HOST_LINE_H
#define SCOPE_METRICS_HOST_LINE_H

#include "metrics/view.h"

/* Fills in a name, and cells, which the caller frees. 0 or -ENOMEM. */
int scope_metrics_host_line(const struct scope_metrics *metrics, uint64_t step_ns, size_t steps,
			    struct scope_metric_line *line);

/* Why that metric of the host is not there, in a view that has the host or not; NULL: it is. */
const char *scope_metrics_host_lacks(const struct scope_metrics *metrics, enum scope_metric metric, bool has_host);

#endif
