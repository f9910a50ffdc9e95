// SPDX-License-Identifier: GPL-2.0-only
/* When a unit took abnormally long, or made a call abnormally often, for its population. */
#include "anomaly/detect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "anomaly/robust.h"
#include "base/grow.h"

#define SCALE_FLOOR_NS 1000 /* spreads below what the clock and the probes resolve mean nothing */
#define KINDS 2		    /* time and frequency are tested */

const struct scope_detect_options scope_detect_defaults = {
	.false_rate = 0.01,
	.z_min = 6,
	.times_min = 2,
	.units_min = 20,
	.rare_share = 0.25,
	.rare_times = 3,
	.cluster = SCOPE_CLUSTER_OPTIONS_DEFAULT,
};

struct work {
	const struct scope_groups *groups;
	const struct scope_survey *survey;
	const struct scope_detect_options *options;
	struct scope_detection *detection;
};

/* Clusters the vectors of a group; each cluster is a population. */
static int add_group(struct work *work, uint32_t group)
{
	struct scope_detection *detection = work->detection;
	const struct scope_survey_group *survey = &work->survey->group[group];
	struct scope_clustering *clustering = NULL;
	struct scope_population *grown;
	uint32_t *of_vector, clusters;
	int err;

	if (!survey->units)
		return 0;
	err = scope_cluster_run(work->groups->group[group].vectors, &work->options->cluster,
				&clustering);
	if (err)
		return err;
	clusters = scope_clustering_count(clustering);
	grown = reallocarray(detection->population, detection->populations + clusters,
			     sizeof(*grown));
	detection->population = grown ? grown : detection->population;
	of_vector = calloc(survey->rows, sizeof(*of_vector));
	detection->of_vector[group] = of_vector;
	if (!grown || !of_vector) {
		scope_clustering_destroy(clustering);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < clusters; i++)
		grown[detection->populations + i] =
			(struct scope_population){.group = group, .cluster = i};
	for (size_t i = 0; i < survey->rows; i++) {
		of_vector[i] = detection->populations + scope_clustering_label(clustering, i);
		grown[of_vector[i]].units += survey->row[i].units;
	}
	detection->populations += clusters;
	detection->sampled |= scope_clustering_sampled(clustering);
	scope_clustering_destroy(clustering);
	return 0;
}

/* The measures of a population, or of the whole group where population is UINT32_MAX. */
static int merge_measures(const struct work *work, uint32_t group, uint32_t population,
			  struct scope_sketch *measure)
{
	const struct scope_survey_group *survey = &work->survey->group[group];
	int err = 0;

	for (size_t i = 0; !err && i < survey->rows; i++)
		if (population == UINT32_MAX || work->detection->of_vector[group][i] == population)
			err = scope_sketch_merge(measure, &survey->row[i].measure);
	return err;
}

static double threshold(const struct scope_detect_options *options, struct scope_spread spread,
			double z)
{
	double by_scale = spread.median + z * spread.scale;
	double by_times = spread.median * options->times_min;

	return by_scale > by_times ? by_scale : by_times;
}

/* The median of n units spreads about 1.25 / sqrt(n) as much as the units do. */
static bool slow_as_a_whole(const struct scope_population *population, struct scope_spread own,
			    struct scope_spread whole, const struct scope_detect_options *options)
{
	double spread = 1.25 * whole.scale / sqrt(population->units);

	return own.median > whole.median * options->rare_times &&
	       own.median > whole.median + population->z * spread;
}

static void settle(const struct work *work, struct scope_population *population,
		   struct scope_spread own, struct scope_spread whole, bool rare)
{
	const struct scope_detect_options *options = work->options;
	uint64_t group_units = work->survey->group[population->group].units;

	population->against_group = group_units >= options->units_min && rare &&
				    (population->units < options->units_min ||
				     slow_as_a_whole(population, own, whole, options));
	if (population->against_group)
		own = whole;
	population->median_ns = own.median;
	population->scale_ns = own.scale;
	population->threshold_ns = threshold(options, own, population->z);
	/* Slow as a whole: its units need not stand out one by one. */
	if (population->against_group && population->units >= options->units_min)
		population->threshold_ns = own.median * options->times_min;
}

static int judge_times(struct work *work, uint32_t index, double z)
{
	struct scope_population *population = &work->detection->population[index];
	uint64_t group_units = work->survey->group[population->group].units;
	bool rare = population->units < work->options->rare_share * group_units;
	struct scope_sketch own = {0}, whole = {0};
	struct scope_spread own_spread, whole_spread;
	int err = merge_measures(work, population->group, index, &own);

	population->z = z;
	if (!err)
		err = scope_spread_of(&own, SCALE_FLOOR_NS, &own_spread);
	whole_spread = own_spread;
	if (!err && rare)
		err = merge_measures(work, population->group, UINT32_MAX, &whole);
	if (!err && rare)
		err = scope_spread_of(&whole, SCALE_FLOOR_NS, &whole_spread);
	if (!err) {
		settle(work, population, own_spread, whole_spread, rare);
		population->beyond = scope_sketch_above(&own, population->threshold_ns);
	}
	scope_sketch_free(&own);
	scope_sketch_free(&whole);
	return err;
}

/* Limit on how often a unit of the population makes call nr; units that do not make it count as 0. */
static int judge_call(struct work *work, uint32_t index, uint16_t nr)
{
	struct scope_population *population = &work->detection->population[index];
	const struct scope_survey_group *survey = &work->survey->group[population->group];
	struct scope_sketch count = {0};
	struct scope_spread spread;
	double limit;
	int err = 0;

	for (size_t i = 0; !err && i < survey->rows; i++) {
		const struct scope_survey_row *row = &survey->row[i];

		if (work->detection->of_vector[population->group][i] != index)
			continue;
		for (size_t j = 0; !err && j < row->calls; j++)
			if (row->call[j].nr == nr)
				err = scope_sketch_merge(&count, &row->call[j].count);
	}
	if (!err && count.total < population->units)
		err = scope_sketch_add(&count, 0, population->units - count.total);
	if (!err)
		err = scope_spread_of(&count, 1, &spread);
	if (err) {
		scope_sketch_free(&count);
		return err;
	}
	limit = spread.median * work->options->times_min + population->z * spread.scale;
	population->beyond += scope_sketch_above(&count, limit);
	scope_sketch_free(&count);
	if (scope_grow(&population->call, &population->call_capacity, population->calls + 1,
		       sizeof(*population->call)))
		return -ENOMEM;
	population->call[population->calls++] = (struct scope_call_limit){nr, limit};
	return 0;
}

static int judge_calls(struct work *work, uint32_t index)
{
	struct scope_population *population = &work->detection->population[index];
	const struct scope_survey_group *survey = &work->survey->group[population->group];
	bool seen[SCOPE_SYSCALL_MAX] = {false};
	int err = 0;

	/* No unit can be frequent in a call that none makes more than z times. */
	for (size_t i = 0; i < survey->rows; i++) {
		const struct scope_survey_row *row = &survey->row[i];

		if (work->detection->of_vector[population->group][i] != index)
			continue;
		for (size_t j = 0; j < row->calls; j++)
			if (row->call[j].count.most > population->z &&
			    row->call[j].nr < SCOPE_SYSCALL_MAX)
				seen[row->call[j].nr] = true;
	}
	for (uint32_t nr = 0; !err && nr < SCOPE_SYSCALL_MAX; nr++)
		if (seen[nr])
			err = judge_call(work, index, nr);
	return err;
}

static int detect(struct work *work)
{
	struct scope_detection *detection = work->detection;
	double z;
	int err = 0;

	for (uint32_t group = 0; !err && group < work->groups->count; group++) {
		detection->group_busy_ns[group] = work->survey->group[group].busy_ns;
		err = add_group(work, group);
	}
	detection->busy_ns = work->survey->busy_ns;
	if (err || !detection->populations)
		return err;
	z = scope_normal_upper(work->options->false_rate / (detection->populations * KINDS));
	z = z > work->options->z_min ? z : work->options->z_min;
	for (uint32_t i = 0; !err && i < detection->populations; i++) {
		err = judge_times(work, i, z);
		if (!err && detection->population[i].units >= work->options->units_min)
			err = judge_calls(work, i);
	}
	return err;
}

int scope_detect_run(const struct scope_groups *groups, const struct scope_survey *survey,
		     const struct scope_detect_options *options,
		     struct scope_detection **ret_detection)
{
	struct work work = {groups, survey, options, calloc(1, sizeof(*work.detection))};
	struct scope_detection *detection = work.detection;
	int err = -ENOMEM;

	if (!detection)
		return -ENOMEM;
	detection->groups = groups->count;
	detection->of_vector = calloc(groups->count + 1, sizeof(*detection->of_vector));
	detection->group_busy_ns = calloc(groups->count + 1, sizeof(*detection->group_busy_ns));
	if (detection->of_vector && detection->group_busy_ns)
		err = detect(&work);
	if (err) {
		scope_detection_destroy(detection);
		return err;
	}
	*ret_detection = detection;
	return 0;
}

static bool is_frequent(const struct scope_population *population, const struct scope_unit *unit,
			const struct scope_unit_call *call)
{
	for (size_t i = 0; i < population->calls; i++)
		for (unsigned j = 0; j < unit->calls; j++)
			if (call[j].nr == population->call[i].nr)
				if (call[j].count > population->call[i].limit)
					return true;
	return false;
}

uint8_t scope_detection_judge(const struct scope_detection *detection,
			      const struct scope_unit *unit, const struct scope_unit_call *call,
			      uint32_t *ret_population)
{
	uint32_t index = detection->of_vector[unit->group][unit->vector];
	const struct scope_population *population = &detection->population[index];
	double measure = scope_unit_measure(unit);
	uint8_t mark = SCOPE_UNIT_USUAL;

	*ret_population = index;
	if (measure > population->threshold_ns)
		mark |= SCOPE_UNIT_SLOW;
	/* A unit that calls often and still is no slower than the rest costs nothing. */
	if ((mark || measure > population->median_ns) && is_frequent(population, unit, call))
		mark |= SCOPE_UNIT_FREQUENT;
	if (!mark && measure > population->median_ns + population->scale_ns)
		mark = SCOPE_UNIT_BETWEEN;
	return mark;
}

void scope_detection_destroy(struct scope_detection *detection)
{
	if (!detection)
		return;
	for (size_t i = 0; i < detection->populations; i++)
		free(detection->population[i].call);
	for (size_t i = 0; detection->of_vector && i < detection->groups; i++)
		free(detection->of_vector[i]);
	free(detection->population);
	free(detection->of_vector);
	free(detection->group_busy_ns);
	free(detection);
}
