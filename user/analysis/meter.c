// SPDX-License-Identifier: GPL-2.0-only
/* The metrics of a trace. */
#include "analysis/meter.h"

void scope_analysis_metered_free(struct scope_metered *metered)
{
	scope_analysis_found_units_destroy(&metered->found);
	scope_metrics_destroy(metered->metrics);
	*metered = (struct scope_metered){ 0 };
}

int scope_analysis_meter(struct scope_trace *trace, const struct scope_metrics_options *options,
			 struct scope_metered *ret_metered)
{
	struct scope_metered metered = { 0 };
	struct scope_pass_listener listener;
	const struct scope_listeners listeners = { &listener, 1 };
	int err = scope_metrics_create(options, &metered.metrics);

	if (err)
		return err;
	listener = scope_metrics_listener(metered.metrics);
	err = scope_analysis_single_pass_run(trace, SCOPE_SINGLE_PASS_EVENTS, &listeners, &metered.found, NULL);
	if (!err)
		err = scope_unit_groups_conclude(metered.found.groups, metered.found.pickups,
						 metered.found.distributions->run->timeline->threads);
	if (!err)
		err = scope_metrics_take_units(metered.metrics, metered.found.distributions, metered.found.groups);
	if (err)
		scope_analysis_metered_free(&metered);
	else
		*ret_metered = metered;
	return err;
}
