// SPDX-License-Identifier: GPL-2.0-only
/* Decides if a unit took abnormally long, or made a call abnormally often, for its population. */
#include "anomaly/detect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "anomaly/asks.h"
#include "anomaly/robust.h"
#include "base/grow.h"

#define MEDIAN_SPREAD 1.25 /* standard deviation of the median of n units, in units of their own spread / sqrt(n) */
#define KINDS 3		   /* time, running time and frequency are tested */

const struct scope_detect_options scope_anomaly_detect_defaults = {
	.false_rate = 0.01,
	.z_min = 6,
	.times_min = 2,
	.size_times_min = 1.2,
	.whole_times = 1.25,
	.units_min = 20,
	.rare_share = 0.25,
	.rare_times = 3,
	.step = {
		.connections_min = 20,
		.without = 0.1,
		.fewer_z = 3.3,
	},
	.serving_share = 0.1,
	.cluster = SCOPE_CLUSTER_OPTIONS_DEFAULT,
};

struct spreads {
	struct scope_spread measure, run;
};

struct work {
	const struct scope_groups *groups;
	const struct scope_distributions *distributions;
	const struct scope_detect_options *options;
	struct scope_detection *detection;
};

/* The units of a group, by population and by step, with which rare populations are compared. */
struct group_units {
	struct scope_baseline_units of_population, of_step, of_kind;
	uint32_t first, populations;
	uint32_t *step_of_vector; /* SCOPE_STEP_NONE: none */
	uint32_t *kind_of_vector; /* SCOPE_KIND_ASKS, or not */
	struct spreads *whole;	  /* by step, then of other work, then of requests; scale 0: not computed yet */
};

/* The mean of log2(1 + count) over the units of a vector that make a call. */
static int mean_level(const void *user, uint32_t id, uint32_t bit, double *ret_level)
{
	const struct scope_distributions_row *row = &((const struct scope_distributions_group *)user)->row[id];
	struct scope_sketch_run *runs = NULL;
	size_t count = 0;
	double sum = 0;
	int err = 0;

	for (size_t i = 0; i < row->calls; i++) {
		if (row->call[i].nr != bit)
			continue;
		err = scope_sketch_runs(&row->call[i].count, &runs, &count);
		for (size_t k = 0; !err && k < count; k++)
			sum += runs[k].count * log2(1 + runs[k].value);
		if (!err && row->call[i].count.total)
			*ret_level = sum / row->call[i].count.total;
		break;
	}
	free(runs);
	return err;
}

/* Clusters the vectors of a group; each cluster is a population. */
static int add_group(struct work *work, uint32_t group)
{
	struct scope_detection *detection = work->detection;
	const struct scope_distributions_group *distributions = &work->distributions->group[group];
	const struct scope_levels levels = { mean_level, distributions };
	struct scope_clustering *clustering = NULL;
	struct scope_population *grown;
	uint32_t *of_vector, clusters;
	int err;

	if (!distributions->units)
		return 0;
	err = scope_cluster_run(work->groups->group[group].vectors, &levels, &work->options->cluster, &clustering);
	if (err)
		return err;
	clusters = scope_cluster_count(clustering);
	of_vector = calloc(distributions->rows, sizeof(*of_vector));
	detection->of_vector[group] = of_vector;
	for (size_t i = 0; of_vector && i < distributions->rows; i++)
		of_vector[i] = scope_cluster_label(clustering, i);
	grown = !of_vector ? NULL
			   : reallocarray(detection->population, detection->populations + clusters, sizeof(*grown));
	detection->population = grown ? grown : detection->population;
	if (!grown) {
		scope_cluster_destroy(clustering);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < clusters; i++)
		grown[detection->populations + i] = (struct scope_population){ .group = group, .cluster = i };
	for (size_t i = 0; i < distributions->rows; i++) {
		of_vector[i] += detection->populations;
		grown[of_vector[i]].units += distributions->row[i].units;
	}
	detection->populations += clusters;
	detection->sampled |= scope_cluster_sampled(clustering);
	scope_cluster_destroy(clustering);
	return 0;
}

uint64_t scope_anomaly_baseline_count(const struct scope_baseline_units *baseline, uint32_t population)
{
	uint64_t units = 0;

	for (size_t i = 0; i < baseline->distributions->rows; i++)
		if (baseline->of_vector[i] == population)
			units += baseline->distributions->row[i].units;
	return units;
}

/* Measures and running times of the units of a population. */
static int merge_times(const struct scope_baseline_units *baseline, uint32_t population, struct scope_sketch *measure,
		       struct scope_sketch *run)
{
	int err = 0;

	for (size_t i = 0; !err && i < baseline->distributions->rows; i++) {
		const struct scope_distributions_row *row = &baseline->distributions->row[i];

		if (baseline->of_vector[i] != population)
			continue;
		err = scope_sketch_merge(measure, &row->measure);
		if (!err)
			err = scope_sketch_merge(run, &row->run);
	}
	return err;
}

static int spreads_of(const struct scope_baseline_units *baseline, uint32_t population, struct spreads *ret_spreads)
{
	struct scope_sketch measure = { 0 }, run = { 0 };
	int err = merge_times(baseline, population, &measure, &run);

	if (!err)
		err = scope_anomaly_spread_of(&measure, SCOPE_SCALE_FLOOR_NS, &ret_spreads->measure);
	if (!err)
		err = scope_anomaly_spread_of(&run, SCOPE_SCALE_FLOOR_NS, &ret_spreads->run);
	scope_sketch_free(&measure);
	scope_sketch_free(&run);
	return err;
}

/* How often units of a population make call nr; those that do not make it count as 0. */
static int merge_counts(const struct scope_baseline_units *baseline, uint32_t population, uint16_t nr,
			struct scope_sketch *count)
{
	uint64_t units = scope_anomaly_baseline_count(baseline, population);
	int err = 0;

	for (size_t i = 0; !err && i < baseline->distributions->rows; i++) {
		const struct scope_distributions_row *row = &baseline->distributions->row[i];

		for (size_t j = 0; !err && baseline->of_vector[i] == population && j < row->calls; j++)
			if (row->call[j].nr == nr)
				err = scope_sketch_merge(count, &row->call[j].count);
	}
	if (!err && count->total < units)
		err = scope_sketch_add(count, 0, units - count->total);
	return err;
}

static double threshold(const struct scope_detect_options *options, struct scope_spread spread, double z)
{
	double by_scale = spread.median + z * spread.scale;
	double by_times = spread.median * options->times_min;

	return by_scale > by_times ? by_scale : by_times;
}

/*
 * Waits that vary widen the spread of whole times, and not that of running times. What a unit runs longer than usual
 * has to make a usual one slow by itself: more does not matter to its client.
 */
static double run_threshold(const struct scope_detect_options *options, const struct spreads *spreads, double z)
{
	double by_scale = spreads->run.median + z * spreads->run.scale;
	double by_times = spreads->run.median + (options->times_min - 1) * spreads->measure.median;

	return by_scale > by_times ? by_scale : by_times;
}

static void set_thresholds(struct scope_population *population, const struct scope_detect_options *options,
			   const struct spreads *spreads)
{
	population->median_ns = spreads->measure.median;
	population->scale_ns = spreads->measure.scale;
	population->threshold_ns = threshold(options, spreads->measure, population->z);
	population->run_threshold_ns = run_threshold(options, spreads, population->z);
}

static bool slow_as_a_whole(const struct scope_population *population, struct scope_spread own,
			    struct scope_spread whole, double times)
{
	double spread = MEDIAN_SPREAD * whole.scale / sqrt(population->units);

	return own.median > whole.median * times && own.median > whole.median + population->z * spread;
}

/*
 * Judges a population by its own units, or if it is rare and slow, by the units of its step, or else by those of its
 * kind in its group. Requests are one kind; other work is another: a turn without a request is always short, and a
 * greeting does work that no request does.
 */
static int judge_times(struct work *work, struct group_units *units, uint32_t index)
{
	const struct scope_detect_options *options = work->options;
	struct scope_population *population = &work->detection->population[index];
	const bool step = population->step != SCOPE_STEP_NONE;
	const struct scope_baseline_units *among = step ? &units->of_step : &units->of_kind;
	const uint32_t part = step ? population->step : population->asks ? SCOPE_KIND_ASKS : SCOPE_KIND_TURN;
	const uint64_t all = scope_anomaly_baseline_count(among, part);
	const bool rare = population->units < options->rare_share * all;
	struct spreads *whole = &units->whole[step ? population->step : units->populations + population->asks], own;
	int err = spreads_of(&units->of_population, index, &own);

	if (!err && rare && !whole->measure.scale)
		err = spreads_of(among, part, whole);
	if (err)
		return err;
	population->against_group = all >= options->units_min && rare &&
				    (population->units < options->units_min ||
				     slow_as_a_whole(population, own.measure, whole->measure, options->rare_times));
	set_thresholds(population, options, population->against_group ? whole : &own);
	/* Slow as a whole: single units need not be abnormal. */
	if (population->against_group && population->units >= options->units_min)
		population->threshold_ns = population->median_ns * options->times_min;
	return 0;
}

/* Adds the limit on how often a unit of the population makes call nr. */
static int judge_call(struct scope_population *population, uint32_t index, const struct scope_baseline_units *baseline,
		      const struct scope_detect_options *options, uint16_t nr)
{
	struct scope_sketch count = { 0 };
	struct scope_spread spread;
	int err = merge_counts(baseline, index, nr, &count);

	if (!err)
		err = scope_anomaly_spread_of(&count, 1, &spread);
	scope_sketch_free(&count);
	if (err)
		return err;
	if (scope_grow(&population->call, &population->call_capacity, population->calls + 1, sizeof(*population->call)))
		return -ENOMEM;
	population->call[population->calls++] = (struct scope_call_limit){
		.nr = nr,
		.limit = spread.median * options->times_min + population->z * spread.scale,
	};
	return 0;
}

/* seen: calls that some unit makes often enough to be judged. */
static void see_calls(const struct scope_baseline_units *baseline, uint32_t index, double z, bool *seen)
{
	for (size_t i = 0; i < baseline->distributions->rows; i++) {
		const struct scope_distributions_row *row = &baseline->distributions->row[i];

		for (size_t j = 0; baseline->of_vector[i] == index && j < row->calls; j++)
			if (row->call[j].count.most > z && row->call[j].nr < SCOPE_SYSCALL_MAX)
				seen[row->call[j].nr] = true;
	}
}

/* own: gives the calls to test; baseline: how often they are usual. */
static int judge_calls(struct scope_population *population, uint32_t index, const struct scope_baseline_units *own,
		       const struct scope_baseline_units *baseline, const struct scope_detect_options *options)
{
	bool seen[SCOPE_SYSCALL_MAX] = { false };
	int err = 0;

	population->calls = 0;
	/* A call that no unit makes more than z times cannot be frequent. */
	see_calls(own, index, population->z, seen);
	for (uint32_t nr = 0; !err && nr < SCOPE_SYSCALL_MAX; nr++)
		if (seen[nr])
			err = judge_call(population, index, baseline, options, nr);
	return err;
}

/* Most units that run too long take too long as well, and count once; those that call too often count again. */
static int count_beyond(struct scope_population *population, uint32_t index, const struct scope_baseline_units *own)
{
	struct scope_sketch measure = { 0 }, run = { 0 }, count = { 0 };
	uint64_t beyond_run;
	int err = merge_times(own, index, &measure, &run);

	if (!err) {
		population->beyond = scope_sketch_above(&measure, population->threshold_ns);
		beyond_run = scope_sketch_above(&run, population->run_threshold_ns);
		if (beyond_run > population->beyond)
			population->beyond = beyond_run;
	}
	population->beyond_calls = 0;
	scope_sketch_free(&measure);
	scope_sketch_free(&run);
	for (size_t i = 0; !err && i < population->calls; i++) {
		err = merge_counts(own, index, population->call[i].nr, &count);
		if (!err)
			population->beyond_calls += scope_sketch_above(&count, population->call[i].limit);
		scope_sketch_free(&count);
	}
	population->beyond += population->beyond_calls;
	return err;
}

/* The mean measure of a population's closed units, ns; 0 if it has none. 0 or -ENOMEM. */
static int mean_of(const struct scope_baseline_units *units, uint32_t index, double *ret_mean_ns)
{
	struct scope_sketch measure = { 0 }, run = { 0 };
	struct scope_sketch_run *runs = NULL;
	double sum_ns = 0, total = 0;
	size_t count = 0;
	int err = merge_times(units, index, &measure, &run);

	if (!err)
		err = scope_sketch_runs(&measure, &runs, &count);
	for (size_t i = 0; !err && i < count; i++) {
		sum_ns += runs[i].value * runs[i].count;
		total += runs[i].count;
	}
	free(runs);
	scope_sketch_free(&measure);
	scope_sketch_free(&run);
	if (!err)
		*ret_mean_ns = total > 0 ? sum_ns / total : 0;
	return err;
}

int scope_anomaly_detection_compare(struct scope_detection *detection, uint32_t index,
				    const struct scope_baseline_units *own, const struct scope_baseline_units *baseline,
				    bool as_a_whole, const struct scope_detect_options *options)
{
	struct scope_population *population = &detection->population[index];
	struct spreads spreads, here;
	double here_ns, before_ns;
	int err = spreads_of(baseline, index, &spreads);

	if (!err)
		err = spreads_of(own, index, &here);
	if (!err)
		err = judge_calls(population, index, own, baseline, options);
	if (!err)
		err = mean_of(own, index, &here_ns);
	if (!err)
		err = mean_of(baseline, index, &before_ns);
	if (err)
		return err;
	population->against_group = false;
	population->reference = scope_anomaly_baseline_count(baseline, index);
	population->grown = before_ns > 0 ? here_ns / before_ns : 0;
	set_thresholds(population, options, &spreads);
	/* times_min allows for differences of units in one run. Medians of two runs differ less. */
	population->slower = as_a_whole && population->units >= options->units_min &&
			     slow_as_a_whole(population, here.measure, spreads.measure, options->whole_times);
	if (population->slower)
		population->threshold_ns = fmin(population->threshold_ns, population->median_ns * options->whole_times);
	return count_beyond(population, index, own);
}

/* The caller frees. */
static int find_steps(const struct work *work, uint32_t group, struct group_units *units)
{
	const struct scope_distributions_group *distributions = &work->distributions->group[group];
	const uint32_t *of_vector = work->detection->of_vector[group];
	uint32_t *step = NULL;
	int err;

	units->of_population = (struct scope_baseline_units){ distributions, of_vector };
	units->whole = calloc(units->populations + 2ul, sizeof(*units->whole));
	units->step_of_vector = calloc(distributions->rows + 1, sizeof(*units->step_of_vector));
	units->kind_of_vector = calloc(distributions->rows + 1, sizeof(*units->kind_of_vector));
	units->of_step = (struct scope_baseline_units){ distributions, units->step_of_vector };
	units->of_kind = (struct scope_baseline_units){ distributions, units->kind_of_vector };
	if (!units->whole || !units->step_of_vector || !units->kind_of_vector)
		return -ENOMEM;
	scope_anomaly_asks_find(&units->of_population, work->detection->population, units->first, units->populations,
				units->kind_of_vector);
	err = scope_anomaly_steps_find(distributions, of_vector, units->first, units->populations, &work->options->step,
				       &step);
	for (size_t i = 0; !err && i < distributions->rows; i++)
		units->step_of_vector[i] = step[of_vector[i] - units->first];
	for (uint32_t i = 0; !err && i < units->populations; i++)
		work->detection->population[units->first + i].step = step[i];
	free(step);
	return err;
}

static int judge_group(struct work *work, uint32_t group, uint32_t first, uint32_t populations, double z)
{
	struct group_units units = { .first = first, .populations = populations };
	int err = find_steps(work, group, &units);

	for (uint32_t i = first; !err && i < first + populations; i++) {
		struct scope_population *population = &work->detection->population[i];

		population->z = z;
		err = judge_times(work, &units, i);
		if (!err && population->units >= work->options->units_min)
			err = judge_calls(population, i, &units.of_population, &units.of_population, work->options);
		if (!err)
			err = count_beyond(population, i, &units.of_population);
	}
	free(units.step_of_vector);
	free(units.kind_of_vector);
	free(units.whole);
	return err;
}

static int detect(struct work *work)
{
	struct scope_detection *detection = work->detection;
	uint32_t first = 0, end;
	double z;
	int err = 0;

	for (uint32_t group = 0; !err && group < work->groups->count; group++)
		err = add_group(work, group);
	detection->busy_ns = work->distributions->busy_ns;
	if (err || !detection->populations)
		return err;
	scope_anomaly_asks_background(work->groups, work->distributions, work->options, detection);
	z = scope_anomaly_normal_upper(work->options->false_rate / (detection->populations * KINDS));
	z = z > work->options->z_min ? z : work->options->z_min;
	/* Those of a group follow one another. */
	for (; !err && first < detection->populations; first = end) {
		const uint32_t group = detection->population[first].group;

		for (end = first; end < detection->populations && detection->population[end].group == group; end++)
			;
		err = judge_group(work, group, first, end - first, z);
	}
	return err;
}

int scope_anomaly_detect_run(const struct scope_groups *groups, const struct scope_distributions *distributions,
			     const struct scope_detect_options *options, struct scope_detection **ret_detection)
{
	struct scope_detection *detection = calloc(1, sizeof(*detection));
	struct work work = { groups, distributions, options, detection };
	int err = -ENOMEM;

	if (!detection)
		return -ENOMEM;
	detection->linkage = options->cluster.linkage;
	detection->groups = groups->count;
	detection->of_vector = calloc(groups->count + 1, sizeof(*detection->of_vector));
	if (detection->of_vector)
		err = detect(&work);
	if (err) {
		scope_anomaly_detection_destroy(detection);
		return err;
	}
	*ret_detection = detection;
	return 0;
}

bool scope_anomaly_population_frequent(const struct scope_population *population, const struct scope_unit_call *call,
				       unsigned calls)
{
	for (size_t i = 0; i < population->calls; i++)
		for (unsigned j = 0; j < calls; j++)
			if (call[j].nr == population->call[i].nr && call[j].count > population->call[i].limit)
				return true;
	return false;
}

void scope_anomaly_detection_destroy(struct scope_detection *detection)
{
	if (!detection)
		return;
	for (size_t i = 0; i < detection->populations; i++)
		free(detection->population[i].call);
	for (size_t i = 0; detection->of_vector && i < detection->groups; i++)
		free(detection->of_vector[i]);
	for (size_t i = 0; detection->size && i < detection->populations + detection->groups; i++)
		scope_anomaly_size_destroy(detection->size[i]);
	free(detection->size);
	scope_anomaly_explanations_destroy(detection->explained);
	free(detection->population);
	free(detection->of_vector);
	free(detection);
}
