// SPDX-License-Identifier: GPL-2.0-only
/* Another trace of the same program and its distributions, with which analyses compare their units and metrics. */
#include "analysis/baseline.h"

#include <errno.h>
#include <stdlib.h>

#include "metrics/rejoin.h"

/* A window of 3 s has intervals as well; rows for 64 threads of 90 s, and longer steps beyond them. */
static const struct scope_metrics_options metrics_options = { .step_ns = 100000000, .rows_max = 60000 };

static int begin(struct scope_baseline *baseline)
{
	int err = scope_metrics_create(&metrics_options, &baseline->here);

	if (err)
		return err;
	baseline->listener = scope_metrics_listener(baseline->here);
	baseline->listeners = (struct scope_listeners){ &baseline->listener, 1 };
	return scope_analysis_meter(baseline->trace, &metrics_options, &baseline->metered);
}

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
	err = begin(baseline);
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
	scope_analysis_metered_free(&baseline->metered);
	scope_metrics_destroy(baseline->here);
	scope_trace_close(baseline->trace);
	free(baseline);
}

static size_t step_of(const struct scope_metrics_view *view, uint64_t time_ns)
{
	return time_ns > view->begin_ns ? (size_t)((time_ns - view->begin_ns) / view->step_ns) : 0;
}

int scope_analysis_baseline_changes(const struct scope_baseline *baseline, const struct scope_found_units *found,
				    uint64_t from_ns, struct scope_metric_changes *ret_changes)
{
	const struct scope_metered *metered = &baseline->metered;
	const struct scope_metrics_grouped now = { found->distributions, found->groups };
	const struct scope_metrics_grouped then = { metered->found.distributions, metered->found.groups };
	struct scope_metrics_view *before, *after = NULL;
	int err = scope_metrics_take_units(baseline->here, found->distributions, found->groups);

	if (!err)
		err = scope_metrics_view_create(metered->metrics, metered->found.distributions, metered->found.groups,
						SCOPE_METRICS_BY_GROUP, &before);
	if (err)
		return err;
	err = scope_metrics_view_create(baseline->here, found->distributions, found->groups, SCOPE_METRICS_BY_GROUP,
					&after);
	if (!err)
		err = scope_metrics_view_rejoin(after, &now, &then);
	if (!err)
		err = scope_metrics_change(&(struct scope_metrics_window){ .view = before, .end = before->steps },
					   &(struct scope_metrics_window){ .view = after,
									   .first = step_of(after, from_ns),
									   .end = after->steps },
					   ret_changes);
	scope_metrics_view_destroy(after);
	scope_metrics_view_destroy(before);
	return err;
}
