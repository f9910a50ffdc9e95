// SPDX-License-Identifier: GPL-2.0-only
/* Series of metrics over steps of time, in bounded memory. */
#include "metrics/time_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void scope_metrics_store_free(struct scope_metric_store *store)
{
	for (size_t i = 0; i < store->count; i++)
		free(store->series[i].cell);
	free(store->series);
	store->series = NULL;
	store->count = store->capacity = store->rows = 0;
}

long scope_metrics_store_series(struct scope_metric_store *store)
{
	if (store->count >= store->rows_max / 2)
		return -ENOSPC;
	if (scope_grow(&store->series, &store->capacity, store->count + 1, sizeof(*store->series)))
		return -ENOMEM;
	store->series[store->count] = (struct scope_metric_series){ 0 };
	return (long)store->count++;
}

static void add_cells(struct scope_metric_cells *to, const struct scope_metric_cells *from)
{
	for (unsigned i = 0; i < SCOPE_METRICS; i++)
		to->value[i] += from->value[i];
}

/* Adds up each two neighbouring steps to one. */
static void fold(struct scope_metric_series *series)
{
	const uint32_t first = series->first / 2;
	uint32_t last = 0;

	for (uint32_t i = 0; i < series->steps; i++) {
		const uint32_t to = (series->first + i) / 2 - first;

		if (i && to == last)
			add_cells(&series->cell[to], &series->cell[i]);
		else
			series->cell[to] = series->cell[i];
		last = to;
	}
	series->first = first;
	series->steps = series->steps ? last + 1 : 0;
}

/* Frees the rest after folding, so that memory matches rows. */
static void shrink(struct scope_metric_series *series)
{
	struct scope_metric_cells *cell;

	if (!series->steps || series->capacity == series->steps)
		return;
	cell = realloc(series->cell, series->steps * sizeof(*cell));
	if (!cell)
		return;
	series->cell = cell;
	series->capacity = series->steps;
}

void scope_metrics_store_double(struct scope_metric_store *store)
{
	store->step_ns *= 2;
	store->at_end_ns = 0;
	store->rows = 0;
	for (size_t i = 0; i < store->count; i++) {
		fold(&store->series[i]);
		shrink(&store->series[i]);
		store->rows += store->series[i].capacity;
	}
}

/* The number of the step of that time. It is cached, because successive times are near each other. */
static uint32_t step_of(struct scope_metric_store *store, uint64_t time_ns)
{
	if (time_ns >= store->at_ns && time_ns < store->at_end_ns)
		return store->at;
	while ((time_ns - store->begin_ns) / store->step_ns >= SCOPE_METRICS_STEPS)
		scope_metrics_store_double(store);
	store->at = (uint32_t)((time_ns - store->begin_ns) / store->step_ns);
	store->at_ns = store->begin_ns + store->at * store->step_ns;
	store->at_end_ns = store->at_ns + store->step_ns;
	return store->at;
}

/* Makes room for further steps before or after, and for half as many more if rows allow it. */
static int extend(struct scope_metric_store *store, struct scope_metric_series *series, uint32_t step)
{
	const uint32_t first = series->steps && series->first < step ? series->first : step;
	const uint32_t end = series->steps && series->first + series->steps > step + 1 ? series->first + series->steps
										       : step + 1;
	const uint32_t steps = end - first, front = series->steps ? series->first - first : 0;

	if (steps > series->capacity) {
		const uint32_t capacity = steps + steps / 2 + 1;
		struct scope_metric_cells *cell = realloc(series->cell, capacity * sizeof(*cell));

		if (!cell)
			return -ENOMEM;
		store->rows += capacity - series->capacity;
		series->cell = cell;
		series->capacity = capacity;
	}
	memmove(series->cell + front, series->cell, series->steps * sizeof(*series->cell));
	memset(series->cell, 0, front * sizeof(*series->cell));
	memset(series->cell + front + series->steps, 0, (steps - front - series->steps) * sizeof(*series->cell));
	series->first = first;
	series->steps = steps;
	return 0;
}

int scope_metrics_store_cells(struct scope_metric_store *store, size_t number, uint64_t time_ns,
			      struct scope_metric_cells **ret_cells)
{
	struct scope_metric_series *series = &store->series[number];
	uint32_t step = step_of(store, time_ns);

	if (step - series->first >= series->steps) {
		int err = extend(store, series, step);

		if (err)
			return err;
		while (store->rows > store->rows_max && store->step_ns < UINT64_MAX / 4) {
			scope_metrics_store_double(store);
			step = step_of(store, time_ns);
		}
	}
	*ret_cells = &series->cell[step - series->first];
	return 0;
}

int scope_metrics_store_add(struct scope_metric_store *store, size_t series, enum scope_metric metric, uint64_t time_ns,
			    uint64_t value)
{
	struct scope_metric_cells *cells;
	int err;

	if (!value)
		return 0;
	err = scope_metrics_store_cells(store, series, time_ns > store->begin_ns ? time_ns : store->begin_ns, &cells);
	if (!err)
		cells->value[metric] += value;
	return err;
}

int scope_metrics_store_spread(struct scope_metric_store *store, size_t series, enum scope_metric metric,
			       uint64_t begin_ns, uint64_t end_ns)
{
	if (begin_ns < store->begin_ns)
		begin_ns = store->begin_ns;
	while (begin_ns < end_ns) {
		struct scope_metric_cells *cells;
		uint64_t until_ns;
		int err = scope_metrics_store_cells(store, series, begin_ns, &cells);

		if (err)
			return err;
		/* The step of begin_ns ends here. Looking it up may have doubled the length of steps. */
		until_ns = store->at_end_ns;
		if (until_ns > end_ns)
			until_ns = end_ns;
		cells->value[metric] += until_ns - begin_ns;
		begin_ns = until_ns;
	}
	return 0;
}

void scope_metrics_store_sum(const struct scope_metric_store *store, size_t series, struct scope_metric_cells *to,
			     size_t steps)
{
	const struct scope_metric_series *one = &store->series[series];

	for (uint32_t i = 0; i < one->steps; i++)
		add_cells(&to[one->first + i < steps ? one->first + i : steps - 1], &one->cell[i]);
}
