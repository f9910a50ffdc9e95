// SPDX-License-Identifier: GPL-2.0-only
/* Which units took abnormally long, or made a call abnormally often, against their population. */
#include "anomaly/detect.h"

#include <errno.h>
#include <stdlib.h>

#include "anomaly/robust.h"

#define SCALE_FLOOR_NS 1000 /* spreads below what the clock and the probes resolve mean nothing */
#define KINDS 2		    /* time and frequency are tested */

const struct scope_detect_options scope_detect_defaults = {
	.false_rate = 0.01,
	.z_min = 6,
	.times_min = 2,
	.units_min = 20,
	.rare_share = 0.25,
	.cluster = SCOPE_CLUSTER_OPTIONS_DEFAULT,
};

struct work {
	const struct scope_units *units;
	const struct scope_detect_options *options;
	struct scope_detection *detection;
	double *value; /* scratch, one per unit */
};

static int add_group(struct work *work, uint32_t group)
{
	struct scope_detection *detection = work->detection;
	const struct scope_group *of = &work->units->group[group];
	struct scope_clustering *clustering = NULL;
	struct scope_population *grown;
	uint32_t clusters;
	int err = 0;

	if (!of->units)
		return 0;
	err = scope_cluster_run(of->vectors, &work->options->cluster, &clustering);
	if (err)
		return err;
	clusters = scope_clustering_count(clustering);
	grown = reallocarray(detection->population, detection->populations + clusters,
			     sizeof(*grown));
	if (!grown) {
		scope_clustering_destroy(clustering);
		return -ENOMEM;
	}
	detection->population = grown;
	for (uint32_t i = 0; i < clusters; i++)
		grown[detection->populations + i] =
			(struct scope_population){.group = group, .cluster = i};
	for (size_t i = 0; i < work->units->count; i++)
		if (work->units->unit[i].group == group)
			detection->of_unit[i] =
				detection->populations +
				scope_clustering_label(clustering, work->units->unit[i].vector);
	detection->populations += clusters;
	detection->sampled |= scope_clustering_sampled(clustering);
	scope_clustering_destroy(clustering);
	return 0;
}

/* Spread of the measure over the closed units of one population, or of its whole group. */
static struct scope_spread measure_spread(struct work *work, uint32_t population, bool whole_group)
{
	const struct scope_units *units = work->units;
	uint32_t group = work->detection->population[population].group;
	size_t count = 0;

	for (size_t i = 0; i < units->count; i++)
		if (!units->unit[i].open &&
		    (whole_group ? units->unit[i].group == group
				 : work->detection->of_unit[i] == population))
			work->value[count++] = scope_unit_measure(&units->unit[i]);
	return scope_spread_of(work->value, count, SCALE_FLOOR_NS);
}

static double threshold(const struct scope_detect_options *options, struct scope_spread spread,
			double z)
{
	double by_scale = spread.median + z * spread.scale;
	double by_times = spread.median * options->times_min;

	return by_scale > by_times ? by_scale : by_times;
}

static void judge_population(struct work *work, uint32_t index, double z)
{
	const struct scope_detect_options *options = work->options;
	struct scope_population *population = &work->detection->population[index];
	uint32_t group_units = work->units->group[population->group].units;
	struct scope_spread own = measure_spread(work, index, false);
	struct scope_spread whole = measure_spread(work, index, true);
	bool rare = population->units < options->rare_share * group_units;

	population->against_group = group_units >= options->units_min && rare &&
				    (population->units < options->units_min ||
				     own.median > threshold(options, whole, z));
	if (population->against_group)
		own = whole;
	population->median_ns = own.median;
	population->scale_ns = own.scale;
	population->threshold_ns = threshold(options, own, z);
	population->z = z;
}

/* Count of one call in a unit; 0 where it made none. */
static unsigned call_count(const struct scope_units *units, const struct scope_unit *unit,
			   uint32_t nr)
{
	for (unsigned i = 0; i < unit->calls; i++)
		if (units->call[unit->call + i].nr == nr)
			return units->call[unit->call + i].count;
	return 0;
}

/* Frequency: units of a population that made call nr far more often than its others. */
static void mark_frequent(struct work *work, uint32_t population, uint32_t nr, double z)
{
	const struct scope_units *units = work->units;
	struct scope_spread spread;
	size_t count = 0;

	for (size_t i = 0; i < units->count; i++)
		if (work->detection->of_unit[i] == population)
			work->value[count++] = call_count(units, &units->unit[i], nr);
	spread = scope_spread_of(work->value, count, 1);
	for (size_t i = 0; i < units->count; i++)
		if (work->detection->of_unit[i] == population &&
		    call_count(units, &units->unit[i], nr) >
			    spread.median * work->options->times_min + z * spread.scale)
			work->detection->mark[i] |= SCOPE_UNIT_FREQUENT;
}

static void mark_population_calls(struct work *work, uint32_t population, double z)
{
	const struct scope_units *units = work->units;
	bool seen[SCOPE_SYSCALL_MAX] = {false};

	/* Only calls that some unit makes often are worth the pass. */
	for (size_t i = 0; i < units->count; i++) {
		const struct scope_unit *unit = &units->unit[i];

		if (work->detection->of_unit[i] != population)
			continue;
		for (unsigned j = 0; j < unit->calls; j++) {
			const struct scope_unit_call *call = &units->call[unit->call + j];

			if (call->count > z && call->nr < SCOPE_SYSCALL_MAX)
				seen[call->nr] = true;
		}
	}
	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++)
		if (seen[nr])
			mark_frequent(work, population, nr, z);
}

static void mark_units(struct work *work)
{
	struct scope_detection *detection = work->detection;

	for (size_t i = 0; i < work->units->count; i++) {
		const struct scope_unit *unit = &work->units->unit[i];
		struct scope_population *population =
			&detection->population[detection->of_unit[i]];
		double measure = scope_unit_measure(unit);
		bool abnormal;

		if (measure > population->threshold_ns)
			detection->mark[i] |= SCOPE_UNIT_SLOW;
		/* A unit that calls often and still is no slower than the rest costs nothing. */
		if (!(detection->mark[i] & SCOPE_UNIT_SLOW) && measure <= population->median_ns)
			detection->mark[i] = SCOPE_UNIT_NORMAL;
		abnormal = detection->mark[i] != SCOPE_UNIT_NORMAL;
		population->run_ns[abnormal] += unit->run_ns;
		population->blocked_ns[abnormal] += unit->blocked_ns;
		if (abnormal) {
			population->abnormal++;
			population->excess_ns += measure - population->median_ns;
		}
	}
}

static int detect(struct work *work)
{
	struct scope_detection *detection = work->detection;
	const struct scope_units *units = work->units;
	double z;

	for (uint32_t group = 0; group < units->groups; group++) {
		int err = add_group(work, group);

		if (err)
			return err;
	}
	if (!detection->populations)
		return 0;
	for (size_t i = 0; i < units->count; i++) {
		const struct scope_unit *unit = &units->unit[i];
		double busy = scope_unit_measure(unit) + unit->queue_ns;

		detection->population[detection->of_unit[i]].units++;
		detection->group_busy_ns[unit->group] += busy;
		detection->busy_ns += busy;
	}
	z = scope_normal_upper(work->options->false_rate / (detection->populations * KINDS));
	z = z > work->options->z_min ? z : work->options->z_min;
	for (uint32_t i = 0; i < detection->populations; i++) {
		judge_population(work, i, z);
		if (detection->population[i].units >= work->options->units_min)
			mark_population_calls(work, i, z);
	}
	mark_units(work);
	return 0;
}

int scope_detect_run(const struct scope_units *units, const struct scope_detect_options *options,
		     struct scope_detection **ret_detection)
{
	struct work work = {.units = units, .options = options};
	struct scope_detection *detection = calloc(1, sizeof(*detection));
	int err = -ENOMEM;

	if (!detection)
		return -ENOMEM;
	work.detection = detection;
	work.value = calloc(units->count + 1, sizeof(*work.value));
	detection->groups = units->groups;
	detection->of_unit = calloc(units->count + 1, sizeof(*detection->of_unit));
	detection->mark = calloc(units->count + 1, sizeof(*detection->mark));
	detection->group_busy_ns = calloc(units->groups + 1, sizeof(*detection->group_busy_ns));
	if (work.value && detection->of_unit && detection->mark &&
	    detection->group_busy_ns)
		err = detect(&work);
	free(work.value);
	if (err) {
		scope_detection_destroy(detection);
		return err;
	}
	*ret_detection = detection;
	return 0;
}

void scope_detection_destroy(struct scope_detection *detection)
{
	if (!detection)
		return;
	free(detection->population);
	free(detection->of_unit);
	free(detection->mark);
	free(detection->group_busy_ns);
	free(detection);
}
