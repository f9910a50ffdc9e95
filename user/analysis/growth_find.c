// SPDX-License-Identifier: GPL-2.0-only
/* Finds the units of a trace that take longer and longer. */
#include "analysis/growth.h"

#include <errno.h>
#include <stdlib.h>

#define PARTS SCOPE_GROWTH_PARTS

struct tally {
	const struct scope_detection *detection;
	struct scope_sketch (*measure)[PARTS]; /* by population */
	uint64_t begin_ns, length_ns;
};

static int count_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct tally *tally = user;
	const uint32_t *of_vector = tally->detection->of_vector[unit->group];
	uint64_t part;

	(void)call;
	if (unit->open || !of_vector || unit->begin_ns < tally->begin_ns)
		return 0;
	part = (unit->begin_ns - tally->begin_ns) * PARTS / tally->length_ns;
	if (part >= PARTS)
		return 0;
	return scope_sketch_add(&tally->measure[of_vector[unit->vector]][part], scope_unit_measure(unit), 1);
}

static void judge(const struct tally *tally, struct scope_growth *growth)
{
	for (size_t i = 0; i < tally->detection->populations; i++) {
		struct scope_growth_part part[PARTS];
		struct scope_growth own;

		if (tally->detection->population[i].background)
			continue;
		for (int k = 0; k < PARTS; k++) {
			part[k].units = tally->measure[i][k].total;
			part[k].median_ns = scope_sketch_quantile(&tally->measure[i][k], 0.5);
		}
		own = scope_analysis_growth_judge(part);
		if (own.excess_ns > growth->excess_ns)
			*growth = own;
	}
}

int scope_analysis_growth_find(const struct scope_distributions *distributions, const struct scope_groups *groups,
			       const struct scope_detection *detection, struct scope_growth *ret_growth)
{
	const struct scope_timeline *timeline = distributions->run->timeline;
	struct tally tally = {
		.detection = detection,
		.measure = calloc(detection->populations + 1ul, sizeof(*tally.measure)),
		.begin_ns = timeline->begin_ns,
		.length_ns = timeline->end_ns - timeline->begin_ns,
	};
	const struct scope_unit_sink sink = { .unit = count_unit, .user = &tally };
	int err;

	*ret_growth = (struct scope_growth){ 0 };
	if (!tally.measure)
		return -ENOMEM;
	err = tally.length_ns ? scope_unit_distributions_replay(distributions, groups, &sink) : 0;
	if (!err)
		judge(&tally, ret_growth);
	ret_growth->before_ns = tally.begin_ns + tally.length_ns / 3;
	ret_growth->since_ns = timeline->end_ns - tally.length_ns / 3;
	for (size_t i = 0; i < detection->populations; i++)
		for (int k = 0; k < PARTS; k++)
			scope_sketch_free(&tally.measure[i][k]);
	free(tally.measure);
	return err;
}
