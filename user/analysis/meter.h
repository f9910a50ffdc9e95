/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes the metrics of a trace with only the needed part of the analysis: one pass, and one more over its log. */
#ifndef SCOPE_ANALYSIS_METER_H
#define SCOPE_ANALYSIS_METER_H

#include "analysis/single_pass.h"
#include "metrics/metrics.h"

struct scope_metered {
	struct scope_found_units found;
	struct scope_metrics *metrics;
};

/* 0 or -errno. The trace must outlive the result, which the caller frees. */
int scope_analysis_meter(struct scope_trace *trace, const struct scope_metrics_options *options,
			 struct scope_metered *ret_metered);
void scope_analysis_metered_free(struct scope_metered *metered);

#endif
