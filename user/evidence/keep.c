// SPDX-License-Identifier: GPL-2.0-only
/* Selects the units that the report may need. */
#include "evidence/keep.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "unit/histogram.h"

/* What all units with the same calls have in common. */
struct judged_histogram {
	uint32_t population; /* SCOPE_POPULATION_NONE: not reported */
	bool frequent;	     /* scope_anomaly_population_frequent() */
};

struct keeper {
	struct scope_kept *kept;
	const struct scope_detection *detection;
	uint32_t *const *of_vector;	    /* per group: id of a vector -> population */
	struct judged_histogram *histogram; /* by number */
	bool asked;			    /* requests are those of clients, see struct scope_distributions */
	bool reference;			    /* the units of another trace: only usual ones */
};

/* The step n at which every n-th unit is kept, by the numbers of units. */
static uint64_t every(uint64_t units, uint64_t all, uint64_t room)
{
	uint64_t least = room / SCOPE_KEEP_PARTS + 1;
	uint64_t share = all ? (double)room * units / all : 0;

	if (share < least)
		share = least;
	/* At least 1, because by rounding the distributions may count none. */
	return units > share ? (units + share - 1) / share : 1;
}

/* reference: of the units of another trace. */
static void choose_shares(struct scope_kept *kept, const struct scope_detection *detection, uint64_t room,
			  bool reference)
{
	uint64_t all = 0, beyond = 0;

	for (size_t i = 0; i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];

		all += reference ? population->reference : population->units;
		beyond += population->beyond;
	}
	for (size_t i = 0; i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];

		kept->of[i].side[0].every = every(reference ? population->reference : population->units, all, room);
		kept->of[i].side[1].every = every(population->beyond, beyond, room);
	}
}

static struct judged_histogram judge_calls(const struct keeper *keeper, uint32_t group, uint32_t vector,
					   const struct scope_unit_call *call, unsigned calls)
{
	const uint32_t population = keeper->of_vector[group][vector];

	return (struct judged_histogram){
		population,
		population != SCOPE_POPULATION_NONE &&
			scope_anomaly_population_frequent(&keeper->detection->population[population], call, calls),
	};
}

/* 0 or -ENOMEM. */
static int judge_histograms(struct keeper *keeper, const struct scope_histograms *histograms)
{
	keeper->histogram = calloc(2 * histograms->count + 1, sizeof(*keeper->histogram));
	if (!keeper->histogram)
		return -ENOMEM;
	for (size_t i = 0; i < 2 * histograms->count; i++) {
		const struct scope_histogram *histogram = &histograms->histogram[i / 2];

		/* Some have no unit that ended, and some groups none that is still reported. */
		keeper->histogram[i].population = SCOPE_POPULATION_NONE;
		if (keeper->of_vector[histogram->group] && histogram->vector[i % 2] != SCOPE_HISTOGRAM_NO_VECTOR)
			keeper->histogram[i] = judge_calls(keeper, histogram->group, histogram->vector[i % 2],
							   scope_unit_histogram_calls(histograms, histogram),
							   histogram->calls);
	}
	return 0;
}

static int store(struct keeper *keeper, const struct scope_unit *unit, const struct scope_unit_call *call,
		 uint32_t population, uint8_t mark)
{
	struct scope_kept *kept = keeper->kept;
	size_t number = kept->units->count;

	if (scope_grow(&kept->population, &kept->population_capacity, number + 1, sizeof(*kept->population)) ||
	    scope_grow(&kept->mark, &kept->mark_capacity, number + 1, sizeof(*kept->mark)))
		return -ENOMEM;
	kept->population[number] = population;
	kept->mark[number] = mark;
	return scope_units_keep(kept->units, unit, call);
}

static int keep_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct keeper *keeper = user;
	struct scope_kept *kept = keeper->kept;
	struct scope_kept_population *of;
	struct scope_kept_side *side;
	const struct judged_histogram histogram =
		unit->histogram != SCOPE_HISTOGRAM_NONE
			? keeper->histogram[2ul * unit->histogram + scope_unit_took(unit)]
			: judge_calls(keeper, unit->group, unit->vector, call, unit->calls);
	const uint32_t index = histogram.population, number = kept->units->count;
	const struct scope_population *population;
	struct scope_unit_baseline baseline;
	bool abnormal, due;
	uint8_t mark;
	int err;

	if (index == SCOPE_POPULATION_NONE)
		return 0;
	population = &keeper->detection->population[index];
	baseline = scope_anomaly_population_baseline(population, unit->bytes);
	mark = scope_anomaly_baseline_judge(population, &baseline, unit, histogram.frequent);
	if (keeper->reference && (mark != SCOPE_UNIT_USUAL || !population->reference || unit->open))
		return 0;
	if (mark == SCOPE_UNIT_BETWEEN)
		return unit->open ? store(keeper, unit, call, index, mark) : 0;
	abnormal = scope_anomaly_mark_abnormal(mark);
	of = &kept->of[index];
	side = &of->side[abnormal];
	if (abnormal) {
		kept->slow_units++;
		kept->slow_requests += keeper->asked ? unit->asked : unit->granularity == SCOPE_UNIT_REQUEST;
		of->first_slow += unit->first;
		of->excess_ns += scope_unit_measure(unit) - baseline.usual_ns;
	}
	due = side->units++ == side->next;
	if (due)
		side->next += side->every;
	else if (!unit->open)
		return 0;
	side->kept++;
	side->run_ns += unit->run_ns;
	side->blocked_ns += unit->blocked_ns;
	err = store(keeper, unit, call, index, mark);
	if (err || !abnormal)
		return err;
	err = scope_evidence_wait_chains_unit(&kept->wait_chains, unit, number, (double)side->every);
	if (!err && (double)unit->run_ns <= baseline.run_limit_ns &&
	    scope_evidence_wait_chains_held_up(&kept->wait_chains, baseline.limit_ns, unit))
		kept->mark[number] |= SCOPE_UNIT_HELD_UP;
	return err;
}

static int keep_wait(void *user, const struct scope_wait *wait)
{
	struct keeper *keeper = user;

	/* No unit's excess: blame follows sleeps in units, and idle sleeps of threads that clients wait for. */
	if (wait->queue || (wait->outside && !wait->idle))
		return 0;
	return scope_evidence_wait_chains_wait(&keeper->kept->wait_chains, wait);
}

static int keep(const struct scope_distributions *distributions, const struct scope_groups *groups,
		struct keeper *keeper, uint64_t room, struct scope_kept **ret_kept)
{
	const struct scope_unit_sink sink = {
		.unit = keep_unit,
		.wait = keeper->reference ? NULL : keep_wait,
		.user = keeper,
	};
	struct scope_kept *kept = calloc(1, sizeof(*kept));
	int err = -ENOMEM;

	if (!kept)
		return -ENOMEM;
	keeper->kept = kept;
	kept->log = distributions->log;
	kept->populations = keeper->detection->populations;
	kept->of = calloc(kept->populations + 1, sizeof(*kept->of));
	if (kept->of) {
		choose_shares(kept, keeper->detection, room, keeper->reference);
		err = scope_units_create(distributions->run, &kept->units);
	}
	if (!err)
		err = judge_histograms(keeper, distributions->histograms);
	if (!err)
		err = scope_unit_distributions_replay(distributions, groups, &sink);
	free(keeper->histogram);
	if (err) {
		scope_evidence_kept_destroy(kept);
		return err;
	}
	scope_evidence_wait_chains_sort(&kept->wait_chains);
	*ret_kept = kept;
	return 0;
}

int scope_evidence_keep_run(const struct scope_distributions *distributions, const struct scope_groups *groups,
			    const struct scope_detection *detection, uint64_t room, struct scope_kept **ret_kept)
{
	struct keeper keeper = {
		.detection = detection,
		.of_vector = detection->of_vector,
		.asked = distributions->asked,
	};

	return keep(distributions, groups, &keeper, room, ret_kept);
}

int scope_evidence_keep_reference(const struct scope_reference *reference, const struct scope_detection *detection,
				  uint64_t room, struct scope_kept **ret_kept)
{
	struct keeper keeper = {
		.detection = detection,
		.of_vector = reference->of_vector,
		.reference = true,
	};

	return keep(reference->distributions, reference->groups, &keeper, room, ret_kept);
}

void scope_evidence_kept_destroy(struct scope_kept *kept)
{
	if (!kept)
		return;
	scope_evidence_wait_chains_free(&kept->wait_chains);
	scope_units_destroy(kept->units);
	free(kept->population);
	free(kept->mark);
	free(kept->of);
	free(kept);
}
