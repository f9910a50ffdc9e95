// SPDX-License-Identifier: GPL-2.0-only
/* Measures one function by the evidence: counts, shares, percentiles. */
#include "rank/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "anomaly/robust.h"
#include "base/sort.h"
#include "rank/classify.h"
#include "rank/first.h"
#include "rank/shares.h"
#include "rank/sums.h"

#define NEAR 0.1		 /* no rule: of the median; a unit this far from it is as good an example */
#define SPREAD_OF_NS 10000000000 /* the longest time of which units have to be spread over a part: 2 s are enough */

/* Stacks of one unit repeat the same fact: how many stacks of the function each unit has. */
static double stacks_of_unit(const struct scope_sums *sums, enum scope_finding_kind kind)
{
	const bool run = kind == SCOPE_FINDING_TIME || kind == SCOPE_FINDING_CALLS;
	const double stacks = sums->samples + (run ? 0 : sums->sleeps);

	return sums->units ? fmax(stacks / sums->units, 1) : 1;
}

/*
 * A function that runs longer is compared only with running time, because units may sleep for
 * another bug elsewhere. If others wait for a function, its running time in its own usual units
 * does not matter: only sleeps count.
 */
static struct scope_shares shares_of(const struct scope_evidence *evidence, const struct scope_sums *sums,
				     const struct scope_finding *finding)
{
	const enum scope_finding_kind kind = finding->kind;
	const bool blamed = kind == SCOPE_FINDING_LOCK || kind == SCOPE_FINDING_LATE;
	const double all = sums->all_ns[0], run = sums->all_run_ns[0];
	const double each = stacks_of_unit(sums, kind);

	if (kind == SCOPE_FINDING_TIME || kind == SCOPE_FINDING_CALLS)
		return (struct scope_shares){
			.here_ns = sums->run_ns,
			.all_here_ns = sums->all_run_ns[1],
			.usual_ns = sums->normal_ns - sums->normal_wait_ns,
			.all_usual_ns = run,
			.stacks = sums->samples / each,
			.all_stacks = sums->all_samples[1] / each,
			.usual_stacks = run > 0 ? run * run / sums->usual_run_ns2 : 0,
		};
	return (struct scope_shares){
		.here_ns = sums->abnormal_ns,
		.all_here_ns = sums->all_ns[1],
		.usual_ns = blamed ? sums->normal_wait_ns : sums->normal_ns,
		.all_usual_ns = all,
		.stacks = (sums->samples + sums->sleeps) / each,
		.all_stacks = sums->all[1] / each,
		.weighed_stacks = sums->abnormal_ns2 > 0 ? sums->all_ns[1] * sums->all_ns[1] / sums->abnormal_ns2 / each
							 : 0,
		.usual_stacks = all > 0 ? all * all / sums->usual_ns2 : 0,
		/* Their waits in it or for it cannot be longer than all their waits. */
		.usual_units = !scope_rank_finding_outside(finding) && evidence->usual_ns > 0 ? evidence->usual_units
											      : 0,
		.usual_share_max =
			(evidence->usual_blocked_ns + (blamed ? 0 : sums->normal_ns - sums->normal_wait_ns)) /
			evidence->usual_ns,
	};
}

static uint32_t most_common_population(const struct scope_rank_input *input, const struct scope_sums *sums)
{
	uint32_t *count = calloc(input->detection->populations + 1, sizeof(*count));
	uint32_t best = 0;

	if (!count)
		return 0;
	for (size_t i = 0; i < sums->units; i++)
		count[input->kept->population[sums->unit[i]]]++;
	for (uint32_t i = 1; i < input->detection->populations; i++)
		if (count[i] > count[best])
			best = i;
	free(count);
	return best;
}

/*
 * A slow unit to show: one nearest to the median. Of several within NEAR of it, the one that waited least for a CPU, because
 * the times that are compared have no such waits.
 */
static uint32_t find_example(const struct scope_rank_input *input, const struct scope_sums *sums, double median_ns)
{
	uint32_t best = UINT32_MAX;
	double best_far = HUGE_VAL, best_distance = HUGE_VAL;
	uint64_t best_queue_ns = 0;

	for (size_t i = 0; i < sums->units; i++) {
		const struct scope_unit *unit = &input->units->unit[sums->unit[i]];
		const double distance = fabs(scope_unit_measure(unit) - median_ns);
		const double far = fmax(distance, NEAR * median_ns);

		if (far != best_far		      ? far > best_far
		    : unit->queue_ns != best_queue_ns ? unit->queue_ns > best_queue_ns
						      : distance >= best_distance)
			continue;
		best = sums->unit[i];
		best_far = far;
		best_distance = distance;
		best_queue_ns = unit->queue_ns;
	}
	return best;
}

static int measure_units(const struct scope_rank_input *input, const struct scope_sums *sums,
			 struct scope_finding *finding)
{
	double *value = calloc(sums->units + 1, sizeof(*value));

	if (!value)
		return -ENOMEM;
	finding->first_ns = sums->units ? UINT64_MAX : 0;
	for (size_t i = 0; i < sums->units; i++) {
		const struct scope_unit *unit = &input->units->unit[sums->unit[i]];

		value[i] = scope_unit_measure(unit);
		if (unit->begin_ns < finding->first_ns)
			finding->first_ns = unit->begin_ns;
		if (unit->end_ns > finding->last_ns)
			finding->last_ns = unit->end_ns;
	}
	scope_sort_doubles(value, sums->units);
	finding->units = sums->units;
	finding->p50_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.5);
	finding->p95_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.95);
	finding->p99_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.99);
	finding->p05_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.05);
	free(value);
	finding->example = find_example(input, sums, finding->p50_ns);
	return 0;
}

/* Where sizes explain times: the median of what is usual for the sizes of its units. */
static int measure_usual(const struct scope_rank_input *input, const struct scope_sums *sums,
			 struct scope_finding *finding)
{
	const struct scope_population *population = &input->detection->population[finding->population];
	double *value;

	if (!population->size || !sums->units)
		return 0;
	value = calloc(sums->units, sizeof(*value));
	if (!value)
		return -ENOMEM;
	for (size_t i = 0; i < sums->units; i++)
		value[i] =
			scope_anomaly_population_baseline(population, input->units->unit[sums->unit[i]].bytes).usual_ns;
	scope_sort_doubles(value, sums->units);
	finding->usual_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.5);
	free(value);
	return 0;
}

static const struct scope_vector *vector_of(const struct scope_units *units, uint32_t unit)
{
	const struct scope_unit *of = &units->unit[unit];

	return scope_cluster_vector_set_get(units->groups->group[of->group].vectors, of->vector);
}

/* Its time is nearer to that of slow units than to the usual one, by their ratios: it is of another kind, which is not usual here. */
static bool is_like_slow(const struct scope_unit *unit, const struct scope_finding *finding, double usual_ns)
{
	const double ns = scope_unit_measure(unit);

	return ns * ns > usual_ns * finding->p50_ns;
}

/*
 * A usual unit to show with the example: of those not like slow ones the one with the most similar calls, then nearest to
 * the median.
 */
static void find_usual(const struct scope_rank_input *input, struct scope_finding *finding)
{
	const struct scope_population *of = &input->detection->population[finding->population];
	const struct scope_kept *baseline = scope_rank_compared_with(input, finding->population);
	uint32_t fewest = UINT32_MAX;
	double nearest = HUGE_VAL, usual_ns;

	finding->usual_example = UINT32_MAX;
	finding->usual_elsewhere = baseline == input->reference;
	if (finding->example == UINT32_MAX)
		return;
	usual_ns = scope_anomaly_population_baseline(of, input->units->unit[finding->example].bytes).usual_ns;
	for (size_t i = 0; i < baseline->units->count; i++) {
		const struct scope_unit *unit = &baseline->units->unit[i];
		bool mine = baseline == input->reference ? baseline->population[i] == finding->population
							 : unit->group == of->group;
		double distance = fabs(scope_unit_measure(unit) - usual_ns);
		uint32_t differing;

		if (!mine || baseline->mark[i] || unit->open || is_like_slow(unit, finding, usual_ns))
			continue;
		differing = scope_cluster_vector_distance(vector_of(input->units, finding->example),
							  vector_of(baseline->units, i));
		if (differing < fewest || (differing == fewest && distance < nearest)) {
			fewest = differing;
			nearest = distance;
			finding->usual_example = i;
		}
	}
}

/* Mean bytes of its units, with those of the usual units of its population. */
static void compare_bytes(const struct scope_rank_input *input, const struct scope_sums *sums,
			  struct scope_finding *finding)
{
	const uint32_t population = finding->population;
	const struct scope_kept *baseline = scope_rank_compared_with(input, population);
	double here = 0, usual = 0, count = 0;

	for (size_t i = 0; i < sums->units; i++)
		here += input->units->unit[sums->unit[i]].bytes;
	for (size_t i = 0; i < baseline->units->count; i++)
		if (scope_rank_is_usual(baseline, population, i)) {
			usual += baseline->units->unit[i].bytes;
			count++;
		}
	here /= sums->units ? sums->units : 1;
	usual /= count ? count : 1;
	finding->bytes_more = here - usual;
	finding->bytes_times = usual > 0 ? here / usual : 0;
}

static double window_of(const struct scope_rank_input *input)
{
	const struct scope_timeline *timeline = input->units->timeline;

	return fmax(1, (double)(timeline->end_ns - timeline->begin_ns));
}

/* The time in which its units begin, but for the first and the last tenth, as a part of the window, or of the time since the change. */
static int measure_spread(const struct scope_rank_input *input, const struct scope_sums *sums,
			  struct scope_finding *finding)
{
	const struct scope_timeline *timeline = input->units->timeline;
	const uint64_t from_ns = input->since_ns ? input->since_ns : timeline->begin_ns;
	const double window_ns = fmax(1, fmin((double)(timeline->end_ns - from_ns), SPREAD_OF_NS));
	double *begin_ns;

	if (!sums->units)
		return 0;
	begin_ns = calloc(sums->units, sizeof(*begin_ns));
	if (!begin_ns)
		return -ENOMEM;
	for (size_t i = 0; i < sums->units; i++)
		begin_ns[i] = (double)input->units->unit[sums->unit[i]].begin_ns;
	scope_sort_doubles(begin_ns, sums->units);
	finding->spread = (scope_anomaly_quantile_sorted(begin_ns, sums->units, 0.9) -
			   scope_anomaly_quantile_sorted(begin_ns, sums->units, 0.1)) /
			  window_ns;
	free(begin_ns);
	return 0;
}

int scope_rank_measure(const struct scope_rank_input *input, struct scope_finding *finding)
{
	struct scope_shares shares;
	struct scope_sums *sums;
	int err = scope_rank_sums_create(input->evidence, input->attribution, finding->function, &sums);

	if (err)
		return err;
	err = measure_units(input, sums, finding);
	if (err) {
		scope_rank_sums_destroy(sums);
		return err;
	}
	finding->units_at_first = sums->units_at_first;
	finding->samples = sums->samples;
	finding->sleeps = sums->sleeps - sums->held;
	finding->held = sums->held;
	finding->usual_stacks = sums->usual_stacks;
	finding->population = most_common_population(input, sums);
	finding->group = input->detection->population[finding->population].group;
	finding->usual_ns = scope_anomaly_population_usual(&input->detection->population[finding->population]);
	if (!err)
		err = measure_usual(input, sums, finding);
	finding->first_requests = scope_rank_in_first_requests(input, sums->unit, sums->units, finding->group);
	finding->serves = input->units->groups->group[finding->group].serves;
	finding->asks = finding->serves &&
			(!input->units->groups->group[finding->group].reads || !input->distributions->asked ||
			 input->detection->population[finding->population].asks);
	finding->window_share = finding->excess_ns / window_of(input);
	find_usual(input, finding);
	if (!err)
		err = measure_spread(input, sums, finding);
	for (size_t i = 0; i < sums->units; i++)
		finding->freezes += scope_anomaly_freeze_of(input->freezes, &input->units->unit[sums->unit[i]]) != NULL;
	if (!err)
		err = scope_rank_classify(input, sums, finding);
	shares = shares_of(input->evidence, sums, finding);
	shares.grown = scope_rank_grown(&input->detection->population[finding->population]);
	shares.slower = input->detection->population[finding->population].slower;
	scope_rank_shares_compare(shares, finding);
	compare_bytes(input, sums, finding);
	finding->kernel_share = sums->run_ns > 0 ? sums->kernel_ns / sums->run_ns : 0;
	if (!err)
		err = scope_rank_classify_connection(input, sums, finding);
	finding->score = finding->excess_ns * (1 - scope_rank_doubt(finding));
	scope_rank_sums_destroy(sums);
	return err;
}
