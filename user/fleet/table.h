/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps the units of an analysis to the kinds of a summary. */
#ifndef SCOPE_FLEET_TABLE_H
#define SCOPE_FLEET_TABLE_H

#include "analysis/analysis.h"
#include "fleet/host_summary.h"

#define SCOPE_FLEET_KINDS 24  /* kinds of requests that have rows of their own; others are one kind of their group */
#define SCOPE_FLEET_GROUPS 16 /* groups of threads that have kinds of their own; the others are one kind together */

struct scope_fleet_table {
	const struct scope_analysis *analysis;
	uint32_t *of_population; /* its kind */
	uint32_t *of_group;	 /* the kind of its other requests, and of its rounds */
	uint32_t *rounds_of_group;
};

/* Adds kinds to the summary. 0 or -ENOMEM. Freed in both cases. */
int scope_fleet_table_create(const struct scope_analysis *analysis, struct scope_fleet_summary *summary,
			     struct scope_fleet_table *ret_table);
void scope_fleet_table_free(struct scope_fleet_table *table);

/* SCOPE_POPULATION_NONE: of no population. */
uint32_t scope_fleet_table_population(const struct scope_fleet_table *table, const struct scope_unit *unit);
uint32_t scope_fleet_table_kind(const struct scope_fleet_table *table, const struct scope_unit *unit);

#endif
