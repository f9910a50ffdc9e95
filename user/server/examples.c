// SPDX-License-Identifier: GPL-2.0-only
/* Takes regular examples of each group's units, for what explains how long they take. */
#include <errno.h>
#include <stdlib.h>

#include "server/explain.h"

#define EXAMPLES_MAX 8192 /* no rule: of a group; a power of two */

/* Regular examples of each group's units. */
struct gathering {
	const struct scope_distributions *distributions;
	struct scope_example **example; /* by group */
	size_t *count;
	uint64_t *units;
	uint64_t *every; /* every n-th is taken */
};

static int gather(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct gathering *all = user;
	struct scope_example *example;
	const uint32_t group = unit->group;
	double calls = 0;

	if (unit->granularity != SCOPE_UNIT_REQUEST || unit->open ||
	    (!unit->asked && all->distributions->group[group].asked))
		return 0;
	if (all->units[group]++ % all->every[group])
		return 0;
	if (!all->example[group])
		all->example[group] = malloc(EXAMPLES_MAX * sizeof(*all->example[group]));
	example = all->example[group];
	if (!example)
		return -ENOMEM;
	if (all->count[group] == EXAMPLES_MAX) {
		for (size_t i = 0; i < EXAMPLES_MAX / 2; i++)
			example[i] = example[2 * i];
		all->count[group] = EXAMPLES_MAX / 2;
		all->every[group] *= 2;
	}
	for (unsigned i = 0; i < unit->calls; i++)
		calls += call[i].count;
	example[all->count[group]++] = (struct scope_example){
		.ns = (double)scope_unit_measure(unit),
		.feature = { (double)unit->bytes, calls },
	};
	return 0;
}

static int explain_all(struct gathering *all, const struct scope_groups *groups,
		       struct scope_explanations *explanations)
{
	const struct scope_unit_sink sink = { .unit = gather, .user = all };
	int err;

	for (size_t g = 0; g < groups->count; g++)
		all->every[g] = 1;
	err = scope_unit_distributions_replay(all->distributions, groups, &sink);
	for (size_t g = 0; !err && g < groups->count; g++) {
		struct scope_explained one = { .group = (uint32_t)g, .units = all->units[g] };

		if (scope_server_explain(all->example[g], all->count[g], &one))
			explanations->one[explanations->count++] = one;
	}
	return err;
}

int scope_server_explanations_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
				     struct scope_explanations **ret_explanations)
{
	const size_t count = groups->count + 1;
	struct gathering all = {
		.distributions = distributions,
		.example = calloc(count, sizeof(*all.example)),
		.count = calloc(count, sizeof(*all.count)),
		.units = calloc(count, sizeof(*all.units)),
		.every = calloc(count, sizeof(*all.every)),
	};
	struct scope_explanations *explanations = calloc(1, sizeof(*explanations));
	int err = -ENOMEM;

	if (explanations)
		explanations->one = calloc(count, sizeof(*explanations->one));
	if (explanations && explanations->one && all.example && all.count && all.units && all.every)
		err = explain_all(&all, groups, explanations);
	for (size_t g = 0; all.example && g < groups->count; g++)
		free(all.example[g]);
	free(all.example);
	free(all.count);
	free(all.units);
	free(all.every);
	if (err)
		scope_server_explanations_destroy(explanations);
	else
		*ret_explanations = explanations;
	return err;
}

void scope_server_explanations_destroy(struct scope_explanations *explanations)
{
	if (!explanations)
		return;
	free(explanations->one);
	free(explanations);
}
