/* SPDX-License-Identifier: GPL-2.0-only */
/* Learns how threads pick up work and surveys the units in one run through a trace, where one will do. */
#ifndef SCOPE_ANALYSIS_SINGLE_PASS_H
#define SCOPE_ANALYSIS_SINGLE_PASS_H

#include "unit/distribution.h"

/*
 * What the start of a trace teaches is what units are cut by, until more is known. The more events, the less
 * often that has to be done once more; docs/costs.md says what it came to.
 */
#define SCOPE_SINGLE_PASS_EVENTS 32768u /* no rule */

/* What a run finds of a trace's units; the survey uses the other two. */
struct scope_found_units {
	struct scope_pickups *pickups;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
};

void scope_analysis_found_units_destroy(struct scope_found_units *found); /* and empties it */

/* How it went. */
struct scope_single_pass_course {
	unsigned restarts; /* runs that were broken off, since the decisions they went by did not hold */
	bool twice;	   /* those of the last one did not hold in the end: units were cut in a run more */
};

/*
 * Gives what scope_unit_pickups_learn(), scope_unit_groups_create() and scope_unit_distributions_run() give one after the
 * other. start_events: how much is read in advance, SCOPE_SINGLE_PASS_EVENTS usually. listeners: NULL,
 * or who hears of the run that found it, and is asked to begin again where the run is. The caller destroys
 * what was found; ret_course may be NULL.
 */
int scope_analysis_single_pass_run(struct scope_trace *trace, uint64_t start_events,
				   const struct scope_listeners *listeners, struct scope_found_units *ret_found,
				   struct scope_single_pass_course *ret_course);

#endif
