// SPDX-License-Identifier: GPL-2.0-only
/* Another trace of the same program, surveyed, for analyses to compare their units with. */
#include "analysis/baseline.h"

#include <errno.h>
#include <stdlib.h>

int scope_analysis_baseline_create(struct scope_trace *trace, struct scope_baseline **ret_baseline)
{
	uint64_t begin_ns = scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0);
	struct scope_baseline *baseline = calloc(1, sizeof(*baseline));
	int err;

	if (!baseline) {
		scope_trace_close(trace);
		return -ENOMEM;
	}
	baseline->trace = trace;
	baseline->seconds = (scope_trace_meta_number(trace, SCOPE_META_END, 0) - begin_ns) / 1e9;
	err = scope_analysis_single_pass_run(trace, SCOPE_SINGLE_PASS_EVENTS, NULL, &baseline->found, NULL);
	if (err) {
		scope_analysis_baseline_destroy(baseline);
		return err;
	}
	*ret_baseline = baseline;
	return 0;
}

void scope_analysis_baseline_destroy(struct scope_baseline *baseline)
{
	if (!baseline)
		return;
	scope_analysis_found_units_destroy(&baseline->found);
	scope_trace_close(baseline->trace);
	free(baseline);
}
