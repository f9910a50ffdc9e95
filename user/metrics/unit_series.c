// SPDX-License-Identifier: GPL-2.0-only
/* Adds units of work to metrics: their number, their latency, and the reasons of sleeps in them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "metrics/metrics.h"

struct taker {
	struct scope_metrics *metrics;
	const struct scope_groups *groups;
};

static void free_latency(struct scope_metric_latency *latency)
{
	scope_sketch_free(&latency->now);
	scope_sketch_free(&latency->all);
	free(latency->step);
}

void scope_metrics_forget_units(struct scope_metrics *metrics)
{
	for (size_t i = 0; metrics->group_latency && i < metrics->groups; i++)
		free_latency(&metrics->group_latency[i]);
	for (size_t i = 0; metrics->kind_latency && i <= SCOPE_METRICS_KINDS_MAX; i++)
		free_latency(&metrics->kind_latency[i]);
	free(metrics->group_latency);
	free(metrics->kind_latency);
	metrics->group_latency = metrics->kind_latency = NULL;
	metrics->groups = metrics->kind_count = 0;
	metrics->late_units = 0;
	metrics->units = false;
	metrics->taken = (struct scope_log_place){ 0 };
	metrics->taken_step_ns = 0;
	scope_metrics_store_free(&metrics->kind);
}

/* Merges the quantiles of two parts of one step. */
static struct scope_metric_quantiles higher(struct scope_metric_quantiles a, struct scope_metric_quantiles b)
{
	return (struct scope_metric_quantiles){ fmaxf(a.p50, b.p50), fmaxf(a.p95, b.p95), fmaxf(a.p99, b.p99) };
}

static void fold(struct scope_metric_latency *latency)
{
	for (size_t i = 0; i < latency->steps; i++)
		latency->step[i / 2] = i % 2 ? higher(latency->step[i / 2], latency->step[i]) : latency->step[i];
	latency->steps = (latency->steps + 1) / 2;
	latency->at /= 2;
}

/* Makes latencies and kinds use the steps of threads. */
static void follow_step(struct scope_metrics *metrics)
{
	while (metrics->kind.step_ns < metrics->thread.step_ns)
		scope_metrics_store_double(&metrics->kind);
	for (; metrics->taken_step_ns < metrics->thread.step_ns; metrics->taken_step_ns *= 2) {
		for (size_t i = 0; i < metrics->groups; i++)
			fold(&metrics->group_latency[i]);
		for (size_t i = 0; i <= SCOPE_METRICS_KINDS_MAX; i++)
			fold(&metrics->kind_latency[i]);
	}
}

/* The step has ended. */
static int end_step(struct scope_metric_latency *latency)
{
	int err;

	if (!latency->now.total)
		return 0;
	if (scope_grow(&latency->step, &latency->capacity, latency->at + 1, sizeof(*latency->step)))
		return -ENOMEM;
	while (latency->steps <= latency->at)
		latency->step[latency->steps++] = (struct scope_metric_quantiles){ 0 };
	latency->step[latency->at] =
		higher(latency->step[latency->at], (struct scope_metric_quantiles){
							   .p50 = (float)scope_sketch_quantile(&latency->now, 0.5),
							   .p95 = (float)scope_sketch_quantile(&latency->now, 0.95),
							   .p99 = (float)scope_sketch_quantile(&latency->now, 0.99),
						   });
	err = scope_sketch_merge(&latency->all, &latency->now);
	scope_sketch_free(&latency->now);
	latency->now = (struct scope_sketch){ 0 };
	return err;
}

/* Units come nearly in the order of their ends. One that comes late counts in the current step. */
static int add_latency(struct scope_metrics *metrics, struct scope_metric_latency *latency, size_t step, uint64_t ns)
{
	int err = 0;

	if (step < latency->at)
		metrics->late_units++;
	if (step > latency->at) {
		err = end_step(latency);
		latency->at = step;
	}
	return err ? err : scope_sketch_count(&latency->now, ns);
}

static size_t step_of(const struct scope_metrics *metrics, uint64_t time_ns)
{
	return time_ns > metrics->begin_ns ? (time_ns - metrics->begin_ns) / metrics->thread.step_ns : 0;
}

/* The number of a kind, which may be new; the last number is for all kinds without room. */
static int kind_of(struct scope_metrics *metrics, const struct scope_unit *unit, size_t *ret_kind)
{
	const struct scope_metric_kind kind = { unit->group, unit->vector };
	uint8_t *recent = &metrics->kind_recent[(kind.group * 31 + kind.vector) % SCOPE_METRICS_KINDS_MAX];
	size_t at = *recent;

	if (at < metrics->kind_count && metrics->kinds[at].group == kind.group &&
	    metrics->kinds[at].vector == kind.vector) {
		*ret_kind = at;
		return 0;
	}
	at = 0;
	while (at < metrics->kind_count && at < SCOPE_METRICS_KINDS_MAX &&
	       (metrics->kinds[at].group != kind.group || metrics->kinds[at].vector != kind.vector))
		at++;
	*ret_kind = at;
	*recent = (uint8_t)at;
	while (metrics->kind_count <= at) {
		long made = scope_metrics_store_series(&metrics->kind);

		if (made < 0)
			return (int)made;
		metrics->kinds[metrics->kind_count++] =
			at == SCOPE_METRICS_KINDS_MAX ? (struct scope_metric_kind){ UINT32_MAX, UINT32_MAX } : kind;
	}
	return 0;
}

static int add_kind(struct scope_metrics *metrics, const struct scope_unit *unit)
{
	struct scope_metric_cells *cells;
	size_t kind;
	int err = kind_of(metrics, unit, &kind);

	if (!err)
		err = scope_metrics_store_cells(&metrics->kind, kind, unit->end_ns, &cells);
	if (err)
		return err;
	cells->value[SCOPE_METRIC_UNITS]++;
	cells->value[SCOPE_METRIC_UNIT_TIME] += scope_unit_wall(unit);
	cells->value[SCOPE_METRIC_RUN] += unit->run_ns;
	cells->value[SCOPE_METRIC_QUEUE] += unit->queue_ns;
	cells->value[SCOPE_METRIC_WORK_WAIT] += unit->blocked_ns;
	return add_latency(metrics, &metrics->kind_latency[kind], step_of(metrics, unit->end_ns),
			   scope_unit_wall(unit));
}

/* A unit that has not ended has no length yet. */
static bool does_count(const struct taker *taker, const struct scope_unit *unit)
{
	return !unit->open && scope_metrics_series(taker->metrics, unit->thread) < taker->metrics->thread.count &&
	       unit->group < taker->metrics->groups;
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct taker *taker = user;
	struct scope_metrics *metrics = taker->metrics;
	const size_t series = scope_metrics_series(metrics, unit->thread);
	struct scope_metric_cells *cells;
	uint32_t group;
	int err;

	(void)call;
	if (!does_count(taker, unit))
		return 0;
	err = scope_metrics_store_cells(&metrics->thread, series, unit->end_ns, &cells);
	follow_step(metrics);
	if (!err) {
		cells->value[SCOPE_METRIC_UNITS]++;
		cells->value[SCOPE_METRIC_UNIT_TIME] += scope_unit_wall(unit);
		group = scope_unit_group_of_threads(taker->groups, unit->group);
		err = add_latency(metrics, &metrics->group_latency[group], step_of(metrics, unit->end_ns),
				  scope_unit_wall(unit));
	}
	return err || !metrics->options.kinds ? err : add_kind(metrics, unit);
}

static int take_wait(void *user, const struct scope_wait *wait)
{
	const struct taker *taker = user;
	struct scope_metrics *metrics = taker->metrics;
	const size_t series = scope_metrics_series(metrics, wait->thread);

	if (wait->queue || wait->outside || wait->idle || series >= metrics->thread.count ||
	    wait->thread >= taker->groups->threads)
		return 0;
	if (taker->groups->group[taker->groups->of_thread[wait->thread]].granularity != SCOPE_UNIT_REQUEST)
		return 0;
	return scope_metrics_store_spread(&metrics->thread, series, SCOPE_METRIC_WORK_WAIT, wait->begin_ns,
					  wait->wake_ns);
}

static int end_steps(struct scope_metrics *metrics)
{
	int err = 0;

	for (size_t i = 0; !err && i < metrics->groups; i++)
		err = end_step(&metrics->group_latency[i]);
	for (size_t i = 0; !err && i <= SCOPE_METRICS_KINDS_MAX; i++)
		err = end_step(&metrics->kind_latency[i]);
	return err;
}

/* Room for the groups there are now. */
static int meet_groups(struct scope_metrics *metrics, const struct scope_groups *groups)
{
	struct scope_metric_latency *grown;

	if (groups->count <= metrics->groups && metrics->group_latency)
		return 0;
	grown = reallocarray(metrics->group_latency, groups->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + metrics->groups, 0, (groups->count + 1 - metrics->groups) * sizeof(*grown));
	metrics->group_latency = grown;
	metrics->groups = groups->count;
	return 0;
}

static int prepare(struct scope_metrics *metrics, const struct scope_groups *groups)
{
	if (!metrics->kind_latency)
		metrics->kind_latency = calloc(SCOPE_METRICS_KINDS_MAX + 1, sizeof(*metrics->kind_latency));
	if (!metrics->kind_latency || meet_groups(metrics, groups))
		return -ENOMEM;
	if (!metrics->taken_step_ns) {
		metrics->kind.begin_ns = metrics->begin_ns;
		metrics->kind.step_ns = metrics->taken_step_ns = metrics->thread.step_ns;
	}
	follow_step(metrics);
	return 0;
}

int scope_metrics_take_units_until(struct scope_metrics *metrics, const struct scope_distributions *distributions,
				   const struct scope_groups *groups, const struct scope_log_place *until)
{
	struct taker taker = { metrics, groups };
	const struct scope_unit_sink sink = { .unit = take_unit, .wait = take_wait, .user = &taker };
	int err;

	/* The begin of the window is not known before the first row. */
	if (!until->row.piece && !until->row.used)
		return 0;
	err = prepare(metrics, groups);
	if (!err)
		err = scope_unit_log_replay(distributions->log, groups, &metrics->taken, until, &sink);
	metrics->taken = *until;
	return err;
}

int scope_metrics_take_units(struct scope_metrics *metrics, const struct scope_distributions *distributions,
			     const struct scope_groups *groups)
{
	struct taker taker = { metrics, groups };
	const struct scope_unit_sink sink = { .unit = take_unit, .wait = take_wait, .user = &taker };
	int err = prepare(metrics, groups);

	if (!err)
		err = scope_unit_distributions_replay_from(distributions, groups, &metrics->taken, &sink);
	if (!err)
		err = end_steps(metrics);
	metrics->units = !err;
	return err;
}
