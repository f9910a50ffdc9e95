/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds units to distributions, until their end. */
#ifndef SCOPE_UNIT_DISTRIBUTOR_H
#define SCOPE_UNIT_DISTRIBUTOR_H

#include "unit/distribution.h"

struct scope_distributor {
	struct scope_distributions *distributions;
	const struct scope_trace *trace;
	const struct scope_learner *learner; /* NULL: the pick-ups of all threads are decided */
	bool guess;			     /* it has no decision for a thread that appears */
	struct scope_pickups *pickups;
	struct scope_groups *groups;
};

/*
 * Adds a unit of a known thread; sets its vector. unit->histogram: its call histogram, or SCOPE_HISTOGRAM_NONE; in that
 * case it is found, and set. 0 or -errno.
 */
int scope_unit_distributions_take(struct scope_distributions *distributions, struct scope_unit *unit,
				  const struct scope_unit_call *call);

/*
 * Names the group of a kind of requests by the kind's text. A trace that is damaged, or that is still being read, may not have
 * this text.
 */
void scope_unit_distributions_name(const struct scope_trace *trace, struct scope_group *group);

#endif
