// SPDX-License-Identifier: GPL-2.0-only
/* Finds the metrics that are correlated with the latency of units. */
#include "metrics/relations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static bool any_serves(const struct scope_metrics_view *view)
{
	for (size_t i = 0; i < view->lines; i++)
		if (view->line[i].serves)
			return true;
	return false;
}

void scope_metrics_latency(const struct scope_metrics_view *view, double *latency)
{
	const bool serves = any_serves(view);

	for (size_t i = 0; i < view->steps; i++) {
		double ns = 0, units = 0;

		for (size_t j = 0; j < view->lines; j++) {
			if (serves && !view->line[j].serves)
				continue;
			ns += (double)view->line[j].cell[i].value[SCOPE_METRIC_UNIT_TIME];
			units += (double)view->line[j].cell[i].value[SCOPE_METRIC_UNITS];
		}
		latency[i] = units > 0 ? ns / units : NAN;
	}
}

static void find_series(const struct scope_metrics_view *view, const struct scope_metric_line *line, unsigned metric,
			double *series)
{
	for (size_t i = 0; i < view->steps; i++)
		series[i] = (double)line->cell[i].value[metric] / (double)scope_metrics_view_step_ns(view, i);
}

/* Of all lines together. */
static void find_chosen(const struct scope_metrics_view *view, unsigned metric, double *chosen)
{
	for (size_t i = 0; i < view->steps; i++) {
		chosen[i] = 0;
		for (size_t j = 0; j < view->lines; j++)
			chosen[i] += (double)view->line[j].cell[i].value[metric];
		chosen[i] /= (double)scope_metrics_view_step_ns(view, i);
	}
}

static bool is_strong(const struct scope_metric_relation *relation)
{
	const double least = relation->metric == SCOPE_METRIC_QUEUE ? SCOPE_RELATE_QUEUE : SCOPE_RELATE_STRENGTH;

	return fabs(relation->with.r) >= least && relation->with.p <= SCOPE_RELATE_CHANCE;
}

static int compare(const void *left, const void *right)
{
	const struct scope_metric_relation *a = left, *b = right;

	if (fabs(a->with.r) != fabs(b->with.r))
		return fabs(a->with.r) < fabs(b->with.r) ? 1 : -1;
	return a->line != b->line ? (a->line > b->line) - (a->line < b->line) : a->metric - b->metric;
}

/* All pairs that can be tried. */
static int try_all(const struct scope_metrics_view *view, unsigned chosen, const double *with, double *series,
		   struct scope_metric_relations *all)
{
	for (size_t i = 0; i < view->lines; i++)
		for (unsigned j = 0; j < SCOPE_METRICS; j++) {
			struct scope_metric_relation *one = &all->relation[all->count];
			int err;

			if (j == SCOPE_METRIC_UNIT_TIME || j == chosen || !view->line[i].total.value[j])
				continue;
			find_series(view, &view->line[i], j, series);
			*one = (struct scope_metric_relation){ .line = i, .metric = (uint8_t)j };
			err = scope_metrics_relate(with, series, view->steps, &one->with);
			if (err == -ENOMEM)
				return err;
			all->count += !err;
		}
	return 0;
}

static int correct(struct scope_metric_relations *all)
{
	struct scope_relation *with = malloc((all->count + 1) * sizeof(*with));
	size_t kept = 0;
	int err = with ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < all->count; i++)
		with[i] = all->relation[i].with;
	if (!err)
		err = scope_metrics_relate_correct(with, all->count);
	all->tried = all->count;
	for (size_t i = 0; !err && i < all->count; i++) {
		all->relation[i].with = with[i];
		if (is_strong(&all->relation[i]))
			all->relation[kept++] = all->relation[i];
	}
	all->count = kept;
	free(with);
	return err;
}

int scope_metrics_relations(const struct scope_metrics_view *view, unsigned chosen,
			    struct scope_metric_relations *ret_relations)
{
	struct scope_metric_relations all = { .relation =
						      calloc(view->lines * SCOPE_METRICS + 1, sizeof(*all.relation)) };
	double *latency = calloc(2 * view->steps + 1, sizeof(*latency));
	int err = all.relation && latency ? 0 : -ENOMEM;

	if (!err) {
		if (chosen == SCOPE_METRICS)
			scope_metrics_latency(view, latency);
		else
			find_chosen(view, chosen, latency);
		err = try_all(view, chosen, latency, latency + view->steps, &all);
	}
	if (!err)
		err = correct(&all);
	free(latency);
	if (err) {
		free(all.relation);
		return err;
	}
	qsort(all.relation, all.count, sizeof(*all.relation), compare);
	*ret_relations = all;
	return 0;
}
