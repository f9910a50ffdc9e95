// SPDX-License-Identifier: GPL-2.0-only
/* Adds a value to the series of its thread, and of its object. */
#include "metrics/accumulate.h"

int scope_metrics_meet(struct scope_metrics *metrics, uint32_t thread)
{
	/* The begin of the window is known only from the first event on. */
	if (!metrics->thread.count)
		metrics->thread.begin_ns = metrics->object.begin_ns = metrics->kind.begin_ns = metrics->begin_ns =
			metrics->timeline->begin_ns;
	while (metrics->thread.count <= scope_metrics_series(metrics, thread)) {
		long err = scope_metrics_store_series(&metrics->thread);

		if (err < 0)
			return (int)err;
	}
	return 0;
}

int scope_metrics_place_of(struct scope_metrics *metrics, uint32_t thread, const struct scope_metric_object *object,
			   struct scope_metrics_place *ret_place)
{
	int err = scope_metrics_meet(metrics, thread);

	*ret_place = (struct scope_metrics_place){ .thread = scope_metrics_series(metrics, thread),
						   .has_object = metrics->options.objects && object };
	if (!ret_place->has_object)
		return err;
	ret_place->object = scope_metrics_object(&metrics->objects, object);
	while (!err && metrics->object.count <= ret_place->object) {
		long made = scope_metrics_store_series(&metrics->object);

		err = made < 0 ? (int)made : 0;
	}
	return err;
}

int scope_metrics_add(struct scope_metrics *metrics, const struct scope_metrics_place *place, uint8_t metric,
		      uint64_t time_ns, uint64_t value)
{
	int err = scope_metrics_store_add(&metrics->thread, place->thread, (enum scope_metric)metric, time_ns, value);

	return err || !place->has_object ? err
					 : scope_metrics_store_add(&metrics->object, place->object,
								   (enum scope_metric)metric, time_ns, value);
}

int scope_metrics_spread(struct scope_metrics *metrics, const struct scope_metrics_place *place, uint8_t metric,
			 uint64_t begin_ns, uint64_t end_ns)
{
	int err = scope_metrics_store_spread(&metrics->thread, place->thread, (enum scope_metric)metric, begin_ns,
					     end_ns);

	return err || !place->has_object ? err
					 : scope_metrics_store_spread(&metrics->object, place->object,
								      (enum scope_metric)metric, begin_ns, end_ns);
}
