/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Series of metrics over steps of time, in bounded memory.
 *
 * A series has a row of cells, one for each metric, for each step from the first to the last in which anything was
 * added. Values are whole numbers: ns, counts, bytes. Times are split at the ends of steps, so that totals do not
 * depend on the step. When a series would have more than SCOPE_METRICS_STEPS steps, or all of them together more than
 * the store's rows, the step doubles and neighbours are added up: only resolution is lost.
 *
 * Memory: rows * SCOPE_METRICS * 8 bytes; SCOPE_METRICS_ROWS of them are 104 MB. Series beyond half of the rows are
 * refused, so that the step cannot double without end.
 */
#ifndef SCOPE_METRICS_TIME_SERIES_H
#define SCOPE_METRICS_TIME_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "metrics/metric.h"

#define SCOPE_METRICS_STEPS 4096  /* no rule */
#define SCOPE_METRICS_ROWS 240000 /* no rule */

struct scope_metric_cells {
	uint64_t value[SCOPE_METRICS];
};

struct scope_metric_series {
	struct scope_metric_cells *cell; /* of steps first to first + steps - 1 */
	uint32_t first, steps, capacity;
};

/* Read it through the functions below. It is empty if it is zeroed and begin_ns, step_ns and rows_max are set. */
struct scope_metric_store {
	uint64_t begin_ns, step_ns; /* step 0 begins at the first of them */
	size_t rows, rows_max;
	struct scope_metric_series *series;
	size_t count, capacity;
	uint64_t at_ns, at_end_ns; /* the last step that was looked up: begin, end (0: none was), and number */
	uint32_t at;
};

void scope_metrics_store_free(struct scope_metric_store *store);

/* Adds an empty series and returns its number. -ENOSPC: there are too many; -ENOMEM. */
long scope_metrics_store_series(struct scope_metric_store *store);

/* The cells of that time, which must not be before begin_ns. Valid until the next call. 0 or -ENOMEM. */
int scope_metrics_store_cells(struct scope_metric_store *store, size_t series, uint64_t time_ns,
			      struct scope_metric_cells **ret_cells);

/* The same for the times from begin to end, if all are in the step that was looked up last; else NULL. */
static inline struct scope_metric_cells *scope_metrics_store_recent(const struct scope_metric_store *store,
								    size_t series, uint64_t begin_ns, uint64_t end_ns)
{
	const struct scope_metric_series *one = &store->series[series];
	const uint32_t step = store->at - one->first;

	return begin_ns >= store->at_ns && end_ns < store->at_end_ns && step < one->steps ? &one->cell[step] : NULL;
}

/* Adds a value at a time; one before begin_ns is added at begin_ns. 0 or -ENOMEM. */
int scope_metrics_store_add(struct scope_metric_store *store, size_t series, enum scope_metric metric, uint64_t time_ns,
			    uint64_t value);

/* Adds the time from begin to end, its part to each step. The part before begin_ns is left out. 0 or -ENOMEM. */
int scope_metrics_store_spread(struct scope_metric_store *store, size_t series, enum scope_metric metric,
			       uint64_t begin_ns, uint64_t end_ns);

/* Doubles the step, and adds up neighbours. */
void scope_metrics_store_double(struct scope_metric_store *store);

/*
 * Adds all of one series to cells of that many steps (1 or more), from step 0 on. Values exactly at the end of the
 * window, where another step would begin, are added to the last step.
 */
void scope_metrics_store_sum(const struct scope_metric_store *store, size_t series, struct scope_metric_cells *to,
			     size_t steps);

/* One value; 0 in steps which the series does not have. */
static inline uint64_t scope_metrics_store_value(const struct scope_metric_store *store, size_t series, size_t step,
						 enum scope_metric metric)
{
	const struct scope_metric_series *one = &store->series[series];

	return step - one->first < one->steps ? one->cell[step - one->first].value[metric] : 0;
}

#endif
