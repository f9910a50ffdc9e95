// SPDX-License-Identifier: GPL-2.0-only
/* Correlates the latency of a kind's requests with other properties of each request. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "variance/variance.h"

/* Sums of one key and its products with the latency, both less their first value. */
struct sums {
	double first, key, squares, with_latency;
};

struct follower {
	const struct scope_distributions *distributions;
	struct scope_variance_kind *const *of_group;
	struct sums (*sums)[SCOPE_KEYS]; /* by group */
	uint64_t *units;		 /* by group */
	struct scope_spread *spread;	 /* by group: latencies less the kind's shift */
	uint64_t *last_ns;		 /* by thread: when its last request ended; 0: none has */
	size_t threads;
};

static void add(struct sums *sums, bool first, double value, double shifted_ns)
{
	if (first)
		sums->first = value;
	value -= sums->first;
	sums->key += value;
	sums->squares += value * value;
	sums->with_latency += value * shifted_ns;
}

/* Requests come in the order of their ends, so those of one thread are in order. */
static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct follower *follower = user;
	const struct scope_variance_kind *kind = follower->of_group[unit->group];
	double value[SCOPE_KEYS] = { [SCOPE_KEY_BYTES] = (double)unit->bytes };
	uint64_t *last_ns;
	double shifted_ns;

	if (!kind || unit->thread >= follower->threads || !scope_unit_is_request(follower->distributions, unit))
		return 0;
	last_ns = &follower->last_ns[unit->thread];
	if (*last_ns && unit->begin_ns > *last_ns)
		value[SCOPE_KEY_PAUSE] = (double)(unit->begin_ns - *last_ns);
	*last_ns = unit->end_ns;
	for (unsigned i = 0; i < unit->calls; i++)
		value[SCOPE_KEY_CALLS] += call[i].count;
	shifted_ns = (double)scope_unit_wall(unit) - kind->shift_ns;
	scope_variance_spread_add(&follower->spread[unit->group], shifted_ns, SCOPE_BAND_NONE);
	for (unsigned key = 0; key < SCOPE_KEYS; key++)
		add(&follower->sums[unit->group][key], !follower->units[unit->group], value[key], shifted_ns);
	follower->units[unit->group]++;
	return 0;
}

/* Pearson's r; 0 if one of the two is constant. */
static double correlate(const struct sums *sums, const struct scope_spread *spread)
{
	const double n = (double)spread->units;
	const double key = sums->squares - sums->key * sums->key / n;
	const double latency = scope_variance_of(spread) * n;
	const double both = sums->with_latency - sums->key * spread->sum / n;

	return key > 1e-9 * sums->squares && latency > 0 ? both / sqrt(key * latency) : 0;
}

int scope_variance_keys(const struct scope_distributions *distributions, const struct scope_groups *groups,
			struct scope_variance_kind *const *of_group)
{
	const size_t threads = scope_timeline_threads_count(distributions->run->timeline->threads);
	struct follower follower = {
		.distributions = distributions,
		.of_group = of_group,
		.sums = calloc(groups->count + 1, sizeof(*follower.sums)),
		.units = calloc(groups->count + 1, sizeof(*follower.units)),
		.spread = calloc(groups->count + 1, sizeof(*follower.spread)),
		.last_ns = calloc(threads + 1, sizeof(*follower.last_ns)),
		.threads = threads,
	};
	const struct scope_unit_sink sink = { .unit = take_unit, .user = &follower };
	int err = -ENOMEM;

	if (follower.sums && follower.units && follower.spread && follower.last_ns)
		err = scope_unit_distributions_replay(distributions, groups, &sink);
	for (size_t g = 0; !err && g < groups->count; g++)
		for (unsigned key = 0; of_group[g] && key < SCOPE_KEYS; key++)
			of_group[g]->key[key] = correlate(&follower.sums[g][key], &follower.spread[g]);
	free(follower.sums);
	free(follower.units);
	free(follower.spread);
	free(follower.last_ns);
	return err;
}
