/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds a value to the series of its thread, and of its object. */
#ifndef SCOPE_METRICS_ACCUMULATE_H
#define SCOPE_METRICS_ACCUMULATE_H

#include "metrics/metrics.h"

/* The series to which a value is added: of the thread, and of the object if objects are kept. */
struct scope_metrics_place {
	size_t thread; /* its series */
	bool has_object;
	size_t object;
};

/* Creates a series for each thread up to that one. 0 or -ENOMEM, as the functions below. */
int scope_metrics_meet(struct scope_metrics *metrics, uint32_t thread);

/* object: NULL: there is none. */
int scope_metrics_place_of(struct scope_metrics *metrics, uint32_t thread, const struct scope_metric_object *object,
			   struct scope_metrics_place *ret_place);

int scope_metrics_add(struct scope_metrics *metrics, const struct scope_metrics_place *place, uint8_t metric,
		      uint64_t time_ns, uint64_t value);

/* Adds the time between the two to the steps that it is in. */
int scope_metrics_spread(struct scope_metrics *metrics, const struct scope_metrics_place *place, uint8_t metric,
			 uint64_t begin_ns, uint64_t end_ns);

#endif
