// SPDX-License-Identifier: GPL-2.0-only
/* Adds a unit to the distributions: its group, vector and call histogram, its row, and its entry in the log. */
#include "unit/distributor.h"

#include <stdio.h>
#include <string.h>

#include "unit/histogram.h"
#include "unit/unit_tally.h"

/* The first unit with its call histogram, or one for whose call histogram there was no room. */
static int meet_histogram(struct scope_distributions *distributions, struct scope_unit *unit,
			  const struct scope_unit_call *call, uint64_t hash)
{
	const struct scope_vector vector = scope_unit_vector(unit, call);
	int err = scope_cluster_vector_set_add(distributions->distributor->groups->group[unit->group].vectors, &vector,
					       1, &unit->vector);

	if (err)
		return err;
	if (unit->histogram == SCOPE_HISTOGRAM_NONE)
		return scope_unit_histograms_add(distributions->histograms, hash, unit, call, &unit->histogram);
	distributions->histograms->histogram[unit->histogram].vector[scope_unit_took(unit)] = unit->vector;
	return 0;
}

void scope_unit_distributions_name(const struct scope_trace *trace, struct scope_group *group)
{
	char key[sizeof(SCOPE_META_REQUEST) + 10];
	const char *text;

	snprintf(key, sizeof(key), SCOPE_META_REQUEST "%u", group->request);
	text = group->request == SCOPE_REQUEST_SEVERAL ? "(several requests)"
	       : trace				       ? scope_trace_meta(trace, key)
						       : NULL;
	if (text)
		scope_plain_put(group->name, sizeof(group->name), text, strlen(text), SCOPE_PLAIN_SENTENCE);
	else
		snprintf(group->name, sizeof(group->name), "(request %u)", group->request);
}

/*
 * A unit whose kind of request is known is compared with others of that kind. Its call histogram is one of that kind's
 * group, and is searched for from the calls. room: for these, because adding a call histogram may move them.
 */
static int regroup(struct scope_distributions *distributions, struct scope_unit *unit,
		   const struct scope_unit_call **call, struct scope_unit_call room[SCOPE_UNIT_CALLS])
{
	const struct scope_distributor *distributor = distributions->distributor;

	if (!distributor->groups->group[unit->group].request) {
		const long group = scope_unit_groups_add_request(distributor->groups, unit->group, unit->request);

		if (group < 0)
			return (int)group;
		scope_unit_distributions_name(distributor->trace, &distributor->groups->group[group]);
		unit->group = (uint32_t)group;
	}
	memcpy(room, *call, unit->calls * sizeof(*room));
	*call = room;
	unit->histogram = SCOPE_HISTOGRAM_NONE;
	return 0;
}

int scope_unit_distributions_take(struct scope_distributions *distributions, struct scope_unit *unit,
				  const struct scope_unit_call *call)
{
	const struct scope_histograms *histograms = distributions->histograms;
	struct scope_unit_call room[SCOPE_UNIT_CALLS];
	uint64_t hash = 0;
	int err = unit->request ? regroup(distributions, unit, &call, room) : 0;

	if (err)
		return err;
	if (unit->histogram == SCOPE_HISTOGRAM_NONE) {
		hash = scope_unit_histogram_hash(unit->group, call, unit->calls);
		unit->histogram = scope_unit_histograms_find(histograms, hash, unit->group, call, unit->calls);
	}
	unit->vector = unit->histogram == SCOPE_HISTOGRAM_NONE ? SCOPE_HISTOGRAM_NO_VECTOR
							       : scope_unit_histogram_vector(histograms, unit);
	if (unit->vector == SCOPE_HISTOGRAM_NO_VECTOR)
		err = meet_histogram(distributions, unit, call, hash);
	if (!err)
		err = scope_unit_tally(distributions, unit, call);
	return err ? err : scope_unit_log_unit(distributions->log, unit, call);
}
