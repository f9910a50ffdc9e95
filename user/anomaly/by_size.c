// SPDX-License-Identifier: GPL-2.0-only
/* Lets populations whose units take longer the larger they are be compared by size; explains times of groups. */
#include <errno.h>
#include <stdlib.h>

#include "anomaly/detect.h"

/*
 * Takes examples of each population whose group takes clients' requests. Nobody asked for the bytes that other units
 * read and write, so they have no size. Then it takes examples of each group: only clients' requests, if the group
 * takes some.
 */
struct sizing {
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
	uint32_t *const *of_vector;
	bool reference; /* units of another trace, for the populations that have one */
	const struct scope_detect_options *options;
	struct scope_detection *detection;
	struct scope_examples *list;
};

static unsigned choose(const void *user, const struct scope_unit *unit, uint32_t list[SCOPE_EXAMPLES_LISTS])
{
	const struct sizing *sizing = user;
	const struct scope_detection *detection = sizing->detection;
	const bool asked = sizing->distributions->group[unit->group].asked > 0;
	uint32_t population;
	unsigned lists = 0;

	if (!sizing->of_vector[unit->group])
		return 0;
	population = sizing->of_vector[unit->group][unit->vector];
	if (asked && population != SCOPE_POPULATION_NONE &&
	    !!detection->population[population].reference == sizing->reference)
		list[lists++] = population;
	if (!sizing->reference && (unit->asked || !asked))
		list[lists++] = (uint32_t)detection->populations + unit->group;
	return lists;
}

/* It uses examples of its own units, because the distributions do not have sizes. */
static void count_beyond(struct scope_population *population, const struct scope_examples *own)
{
	uint64_t beyond = 0;

	for (size_t i = 0; i < own->count; i++) {
		const struct scope_example *example = &own->example[i];
		const uint64_t bytes = (uint64_t)example->feature[SCOPE_FEATURE_BYTES];

		beyond += example->ns > scope_anomaly_population_baseline(population, bytes).limit_ns;
	}
	if (own->count)
		population->beyond = population->beyond_calls + beyond * population->units / own->count;
}

/* The baseline by a list's examples, made once. */
static int baseline_of(struct sizing *sizing, size_t list, struct scope_size_baseline **ret_baseline)
{
	struct scope_detection *detection = sizing->detection;
	int err = 0;

	if (!detection->size[list])
		err = scope_anomaly_size_fit(sizing->list[list].example, sizing->list[list].count, SCOPE_SCALE_FLOOR_NS,
					     &detection->size[list]);
	*ret_baseline = detection->size[list];
	return err;
}

static int fit_all(struct sizing *sizing)
{
	struct scope_detection *detection = sizing->detection;
	int err = 0;

	for (size_t i = 0; !err && i < detection->populations; i++) {
		struct scope_population *population = &detection->population[i];
		struct scope_size_baseline *baseline;

		if (!!population->reference != sizing->reference || !sizing->list[i].units)
			continue;
		/* The examples of a group are not those of one of its steps. */
		if (population->against_group && population->step != SCOPE_STEP_NONE)
			continue;
		err = baseline_of(sizing, population->against_group ? detection->populations + population->group : i,
				  &baseline);
		if (err || !baseline)
			continue;
		population->size = baseline;
		population->run_threshold_ns = HUGE_VAL;
		population->size_times = population->against_group ? sizing->options->times_min
								   : sizing->options->size_times_min;
		if (!sizing->reference)
			count_beyond(population, &sizing->list[i]);
	}
	return err;
}

static int find(struct sizing *sizing)
{
	struct scope_detection *detection = sizing->detection;
	struct scope_examples *of_group = sizing->list + detection->populations;
	int err;

	for (size_t g = 0; !sizing->reference && g < detection->groups; g++)
		of_group[g].settings = true;
	err = scope_anomaly_examples_take(sizing->distributions, sizing->groups, choose, sizing, sizing->list);
	if (!err && !sizing->reference)
		err = scope_anomaly_examples_at_work(sizing->distributions, sizing->groups, of_group);
	/* Fits sort the examples, and settings are in the order in which they were taken. */
	if (!err && !sizing->reference)
		err = scope_anomaly_explanations_create(of_group, detection->groups, &detection->explained);
	return err ? err : fit_all(sizing);
}

int scope_anomaly_detection_by_size(struct scope_detection *detection, const struct scope_distributions *distributions,
				    const struct scope_groups *groups, uint32_t *const *of_vector, bool reference,
				    const struct scope_detect_options *options)
{
	const size_t lists = detection->populations + detection->groups;
	struct sizing sizing = { distributions, groups, of_vector, reference, options, detection, NULL };
	int err = -ENOMEM;

	if (!detection->size)
		detection->size = calloc(lists + 1, sizeof(*detection->size));

	sizing.list = calloc(lists + 1, sizeof(*sizing.list));
	if (detection->size && sizing.list)
		err = find(&sizing);

	scope_anomaly_examples_free(sizing.list, lists);
	return err;
}
