/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the metrics of groups that are correlated with the latency of units, step by step. */
#ifndef SCOPE_METRICS_RELATIONS_H
#define SCOPE_METRICS_RELATIONS_H

#include "metrics/relate.h"
#include "metrics/view.h"

struct scope_metric_relation {
	size_t line; /* of the view */
	uint8_t metric;
	struct scope_relation with;
};

struct scope_metric_relations {
	struct scope_metric_relation *relation; /* strong and significant ones, the strongest first */
	size_t count;
	size_t tried; /* number of pairs tried, for which p is corrected */
};

/* Mean latency of units in each step, of threads that serve clients if there are any; NAN: no unit ended. */
void scope_metrics_latency(const struct scope_metrics_view *view, double *latency);

/*
 * For a view by group; with the chosen metric of all groups together, or, if that is SCOPE_METRICS, the mean latency of units of threads that serve clients (of all threads, if none does). 0
 * or -ENOMEM; free(relations->relation).
 */
int scope_metrics_relations(const struct scope_metrics_view *view, unsigned chosen,
			    struct scope_metric_relations *ret_relations);

#endif
