// SPDX-License-Identifier: GPL-2.0-only
/* Which units took abnormally long, or made a call abnormally often, against their population. */
#include "anomaly/detect.h"

#include <errno.h>
#include <math.h>
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
	.rare_times = 3,
	.cluster = SCOPE_CLUSTER_OPTIONS_DEFAULT,
};

struct work {
	const struct scope_units *units;
	const struct scope_detect_options *options;
	struct scope_detection *detection;
	double *value;	 /* scratch, one per unit */
	uint32_t *order; /* units by population; those of a group are neighbours */
	size_t *first;	 /* per population its first place in order; one more than populations */
};

/* A run of places in work->order. */
struct span {
	size_t first, end;
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

static int order_units(struct work *work)
{
	const struct scope_detection *detection = work->detection;
	size_t *next;

	work->first = calloc(detection->populations + 2, sizeof(*work->first));
	if (!work->first)
		return -ENOMEM;
	/* Counting sort, one place ahead, so that filling moves each start to where it belongs. */
	next = work->first + 1;
	for (size_t i = 0; i < work->units->count; i++)
		if (detection->of_unit[i] + 1 < detection->populations)
			next[detection->of_unit[i] + 1]++;
	for (size_t i = 1; i < detection->populations; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < work->units->count; i++)
		work->order[next[detection->of_unit[i]]++] = i;
	return 0;
}

static struct span population_span(const struct work *work, uint32_t population)
{
	return (struct span){work->first[population], work->first[population + 1]};
}

static struct span group_span(const struct work *work, uint32_t population)
{
	const struct scope_detection *detection = work->detection;
	uint32_t group = detection->population[population].group, low = population,
		 high = population + 1;

	while (low && detection->population[low - 1].group == group)
		low--;
	while (high < detection->populations && detection->population[high].group == group)
		high++;
	return (struct span){work->first[low], work->first[high]};
}

/* Spread of the measure over closed units. */
static struct scope_spread measure_spread(struct work *work, struct span span)
{
	size_t count = 0;

	for (size_t at = span.first; at < span.end; at++) {
		const struct scope_unit *unit = &work->units->unit[work->order[at]];

		if (!unit->open)
			work->value[count++] = scope_unit_measure(unit);
	}
	return scope_spread_of(work->value, count, SCALE_FLOOR_NS);
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

static void judge_population(struct work *work, uint32_t index, double z)
{
	const struct scope_detect_options *options = work->options;
	struct scope_population *population = &work->detection->population[index];
	uint32_t group_units = work->units->group[population->group].units;
	struct scope_spread own = measure_spread(work, population_span(work, index));
	struct scope_spread whole = own;
	bool rare = population->units < options->rare_share * group_units;

	if (rare)
		whole = measure_spread(work, group_span(work, index));
	population->z = z;
	population->against_group = group_units >= options->units_min && rare &&
				    (population->units < options->units_min ||
				     slow_as_a_whole(population, own, whole, options));
	if (population->against_group)
		own = whole;
	population->median_ns = own.median;
	population->scale_ns = own.scale;
	population->threshold_ns = threshold(options, own, z);
	/* Slow as a whole: its units need not stand out one by one. */
	if (population->against_group && population->units >= options->units_min)
		population->threshold_ns = own.median * options->times_min;
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
	struct span span = population_span(work, population);
	struct scope_spread spread;
	size_t count = 0;
	double limit;

	for (size_t at = span.first; at < span.end; at++)
		work->value[count++] = call_count(units, &units->unit[work->order[at]], nr);
	spread = scope_spread_of(work->value, count, 1);
	limit = spread.median * work->options->times_min + z * spread.scale;
	for (size_t at = span.first; at < span.end; at++)
		if (call_count(units, &units->unit[work->order[at]], nr) > limit)
			work->detection->mark[work->order[at]] |= SCOPE_UNIT_FREQUENT;
}

static void mark_population_calls(struct work *work, uint32_t population, double z)
{
	const struct scope_units *units = work->units;
	bool seen[SCOPE_SYSCALL_MAX] = {false};
	struct span span = population_span(work, population);

	/* Only calls that some unit makes often are worth the pass. */
	for (size_t at = span.first; at < span.end; at++) {
		const struct scope_unit *unit = &units->unit[work->order[at]];

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
			detection->mark[i] = SCOPE_UNIT_USUAL;
		abnormal = scope_mark_abnormal(detection->mark[i]);
		if (!abnormal && measure > population->median_ns + population->scale_ns) {
			detection->mark[i] = SCOPE_UNIT_BETWEEN;
			continue;
		}
		population->usual += !abnormal;
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
	if (order_units(work))
		return -ENOMEM;
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
	work.order = calloc(units->count + 1, sizeof(*work.order));
	detection->groups = units->groups;
	detection->of_unit = calloc(units->count + 1, sizeof(*detection->of_unit));
	detection->mark = calloc(units->count + 1, sizeof(*detection->mark));
	detection->group_busy_ns = calloc(units->groups + 1, sizeof(*detection->group_busy_ns));
	if (work.value && work.order && detection->of_unit && detection->mark &&
	    detection->group_busy_ns)
		err = detect(&work);
	free(work.value);
	free(work.order);
	free(work.first);
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
