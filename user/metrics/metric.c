// SPDX-License-Identifier: GPL-2.0-only
/* The table of metrics. */
#include "metrics/metric.h"

const struct scope_metric_row scope_metrics_row[SCOPE_METRICS] = {
#define SCOPE_METRIC_ROW(NAME, name, family, unit, text)                                                               \
	[SCOPE_METRIC_##NAME] = { #name, SCOPE_METRICS_##family, SCOPE_METRICS_##unit, text },
	SCOPE_METRIC_LIST(SCOPE_METRIC_ROW)
#undef SCOPE_METRIC_ROW
};

const char *const scope_metrics_family_name[SCOPE_METRICS_FAMILIES] = {
	[SCOPE_METRICS_SCHEDULING] = "scheduling",
	[SCOPE_METRICS_FUTEX] = "futex",
	[SCOPE_METRICS_PIPE] = "pipe",
	[SCOPE_METRICS_NETWORK] = "network",
	[SCOPE_METRICS_POLL] = "poll",
	[SCOPE_METRICS_BLOCK] = "block",
	[SCOPE_METRICS_FILE] = "file",
	[SCOPE_METRICS_OTHER] = "other",
	[SCOPE_METRICS_MEMORY] = "memory",
	[SCOPE_METRICS_STALL] = "stall",
	[SCOPE_METRICS_INTERRUPT] = "interrupt",
	[SCOPE_METRICS_WORK] = "work",
	[SCOPE_METRICS_HOST] = "host",
};
