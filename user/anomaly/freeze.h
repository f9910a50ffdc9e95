/* SPDX-License-Identifier: GPL-2.0-only */
/* Rare long stalls of threads that serve clients, each judged by the requests that it kept waiting. */
#ifndef SCOPE_ANOMALY_FREEZE_H
#define SCOPE_ANOMALY_FREEZE_H

#include "anomaly/detect.h"
#include "unit/distribution.h"

struct scope_freeze {
	uint32_t thread, group;
	uint64_t begin_ns, end_ns; /* of the unit that stalled */
	double kept;		   /* requests that waited for it, about */
};

struct scope_freezes {
	struct scope_freeze *freeze; /* in order of their ends */
	size_t count;
	double kept; /* by all */
};

/*
 * Finds units that took a second or more, and far more than others of their group, without time in the run queue. A
 * stall counts by the requests that it kept waiting, of a thread that serves more than one client: if no other thread
 * takes requests, as many as it usually takes in that time; if it has its own loop, and so its own clients, at most
 * those that it took after the stall without a pause; if others take from the same queue, none. With fewer than five it
 * is not a freeze. ret_freezes: the caller frees freeze. 0 or -ENOMEM.
 */
int scope_anomaly_freeze_find(const struct scope_distributions *distributions, const struct scope_groups *groups,
			      struct scope_freezes *ret_freezes);

/*
 * Makes stalls of a second slow units, and shorter ones of groups in which some of them are freezes: even where they are frequent
 * enough to look usual, or are too few of their kind to be judged.
 */
void scope_anomaly_freeze_mark(const struct scope_distributions *distributions, const struct scope_groups *groups,
			       const struct scope_freezes *freezes, struct scope_detection *detection);

/* The freeze of this unit, or NULL. */
const struct scope_freeze *scope_anomaly_freeze_of(const struct scope_freezes *freezes, const struct scope_unit *unit);

#endif
