/* SPDX-License-Identifier: GPL-2.0-only */
/* Learns how threads pick up work and counts their units, if possible in one run through a trace. */
#ifndef SCOPE_ANALYSIS_SINGLE_PASS_H
#define SCOPE_ANALYSIS_SINGLE_PASS_H

#include "unit/distribution.h"

/*
 * Units are first cut by what this many events at the start of a trace show. With more events a
 * second run is needed less often; docs/costs.md has measurements.
 */
#define SCOPE_SINGLE_PASS_EVENTS 32768u /* no rule */

/* The results of a run; the distributions use the other two. */
struct scope_found_units {
	struct scope_pickups *pickups;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
};

void scope_analysis_found_units_destroy(struct scope_found_units *found); /* and empties it */

/* Counts of how it went. */
struct scope_single_pass_course {
	unsigned restarts; /* runs that were cancelled, because their decisions proved wrong */
	bool twice;	   /* the last run's decisions proved wrong at the end: units were cut in one more run */
};

/*
 * Gives the results of one pass that learns how threads pick up work, and of another one that cuts units by them:
 * scope_unit_groups_create() and scope_unit_distributions_run(). start_events: how much is read in advance,
 * SCOPE_SINGLE_PASS_EVENTS usually. listeners: NULL, or the listeners to the run, which begin again
 * when the run does. The caller destroys the result; ret_course may be NULL.
 */
int scope_analysis_single_pass_run(struct scope_trace *trace, uint64_t start_events,
				   const struct scope_listeners *listeners, struct scope_found_units *ret_found,
				   struct scope_single_pass_course *ret_course);

#endif
