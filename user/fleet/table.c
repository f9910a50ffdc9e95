// SPDX-License-Identifier: GPL-2.0-only
/* Maps the units of an analysis to the kinds of a summary. */
#include "fleet/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/syscall_name.h"
#include "unit/histogram.h"

#define NO_KIND UINT32_MAX

/* A population or a group, and its share of the work. */
struct rated {
	uint32_t index;
	double busy;
};

static int compare_rated(const void *left, const void *right)
{
	const struct rated *a = left, *b = right;

	if (a->busy != b->busy)
		return a->busy > b->busy ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* The number of a kind, new or equal to an earlier one. 0 or -ENOMEM. */
static int add_kind(struct scope_fleet_summary *summary, const char *group, const char *calls, bool request,
		    uint32_t *ret_kind)
{
	struct scope_fleet_kind kind = { .request = request };
	int err = scope_fleet_names_add(&summary->names, group, &kind.group);

	if (!err)
		err = scope_fleet_names_add(&summary->names, calls, &kind.calls);
	for (size_t i = 0; !err && i < summary->kinds; i++)
		if (!memcmp(&summary->kind[i], &kind, sizeof(kind))) {
			*ret_kind = (uint32_t)i;
			return 0;
		}
	if (err || scope_grow(&summary->kind, &summary->kind_capacity, summary->kinds + 1, sizeof(*summary->kind)))
		return -ENOMEM;
	summary->kind[summary->kinds] = kind;
	*ret_kind = (uint32_t)summary->kinds++;
	return 0;
}

/* The calls of most units of a population. */
static void name_calls(const struct scope_analysis *analysis, uint32_t index, char *text, size_t room)
{
	const struct scope_population *population = &analysis->detection->population[index];
	const struct scope_distributions_group *group = &analysis->found.distributions->group[population->group];
	const struct scope_vector_set *set = analysis->found.groups->group[population->group].vectors;
	const uint32_t *of_vector = analysis->detection->of_vector[population->group];
	uint32_t most = UINT32_MAX;
	size_t used = 0;

	for (uint32_t i = 0; i < group->rows; i++)
		if (of_vector[i] == index && (most == UINT32_MAX || group->row[i].units > group->row[most].units))
			most = i;
	*text = '\0';
	for (uint32_t nr = 0; most != UINT32_MAX && nr < SCOPE_SYSCALL_MAX; nr++) {
		const char *name = scope_syscall_name(nr);

		if (!name || !scope_cluster_vector_has(scope_cluster_vector_set_get(set, most), nr))
			continue;
		if (used + strlen(name) + 2 > room)
			break;
		used += (size_t)sprintf(text + used, "%s%s", used ? " " : "", name);
	}
	/* "" is the kind of several together. */
	if (!*text)
		snprintf(text, room, "no calls");
}

/* The groups with most work have kinds of their own. */
static int add_groups(struct scope_fleet_table *table, struct scope_fleet_summary *summary)
{
	const struct scope_groups *groups = table->analysis->found.groups;
	const struct scope_distributions *distributions = table->analysis->found.distributions;
	struct rated *rated = calloc(groups->count + 1, sizeof(*rated));
	int err = rated ? 0 : -ENOMEM;

	for (uint32_t i = 0; rated && i < groups->count; i++)
		rated[i] = (struct rated){
			i,
			i < distributions->groups ? (double)distributions->group[i].busy_ns : 0,
		};
	if (rated)
		qsort(rated, groups->count, sizeof(*rated), compare_rated);
	for (size_t i = 0; !err && i < groups->count; i++) {
		const uint32_t group = rated[i].index;
		const char *name = i < SCOPE_FLEET_GROUPS ? groups->group[group].name : "[others]";

		err = add_kind(summary, name, "", true, &table->of_group[group]);
		if (!err)
			err = add_kind(summary, name, "", false, &table->rounds_of_group[group]);
	}
	free(rated);
	return err;
}

static int add_populations(struct scope_fleet_table *table, struct scope_fleet_summary *summary)
{
	const struct scope_detection *detection = table->analysis->detection;
	const struct scope_groups *groups = table->analysis->found.groups;
	struct rated *rated = calloc(detection->populations + 1, sizeof(*rated));
	char calls[SCOPE_FLEET_NAME_MAX / 2];
	size_t count = 0;
	int err = rated ? 0 : -ENOMEM;

	for (uint32_t i = 0; rated && i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];

		table->of_population[i] = NO_KIND;
		if (groups->group[population->group].granularity == SCOPE_UNIT_REQUEST)
			rated[count++] = (struct rated){ i, (double)population->units * population->median_ns };
	}
	if (count)
		qsort(rated, count, sizeof(*rated), compare_rated);
	for (size_t i = 0; !err && i < count && i < SCOPE_FLEET_KINDS; i++) {
		name_calls(table->analysis, rated[i].index, calls, sizeof(calls));
		err = add_kind(summary, groups->group[detection->population[rated[i].index].group].name, calls, true,
			       &table->of_population[rated[i].index]);
	}
	free(rated);
	return err;
}

int scope_fleet_table_create(const struct scope_analysis *analysis, struct scope_fleet_summary *summary,
			     struct scope_fleet_table *ret_table)
{
	const size_t groups = analysis->found.groups->count + 1, populations = analysis->detection->populations + 1;
	int err;

	*ret_table = (struct scope_fleet_table){
		.analysis = analysis,
		.of_population = calloc(populations, sizeof(uint32_t)),
		.of_group = calloc(groups, sizeof(uint32_t)),
		.rounds_of_group = calloc(groups, sizeof(uint32_t)),
	};
	if (!ret_table->of_population || !ret_table->of_group || !ret_table->rounds_of_group)
		return -ENOMEM;
	err = add_groups(ret_table, summary);
	return err ? err : add_populations(ret_table, summary);
}

void scope_fleet_table_free(struct scope_fleet_table *table)
{
	free(table->of_population);
	free(table->of_group);
	free(table->rounds_of_group);
}

uint32_t scope_fleet_table_population(const struct scope_fleet_table *table, const struct scope_unit *unit)
{
	const struct scope_detection *detection = table->analysis->detection;
	const struct scope_histograms *histograms = table->analysis->found.distributions->histograms;
	uint32_t vector = unit->vector;

	if (unit->histogram != SCOPE_HISTOGRAM_NONE)
		vector = scope_unit_histogram_vector(histograms, unit);
	if (vector == SCOPE_HISTOGRAM_NO_VECTOR || unit->group >= detection->groups ||
	    !detection->of_vector[unit->group])
		return SCOPE_POPULATION_NONE;
	return detection->of_vector[unit->group][vector];
}

uint32_t scope_fleet_table_kind(const struct scope_fleet_table *table, const struct scope_unit *unit)
{
	const uint32_t population = scope_fleet_table_population(table, unit);

	if (unit->granularity != SCOPE_UNIT_REQUEST)
		return table->rounds_of_group[unit->group];
	if (population == SCOPE_POPULATION_NONE || table->of_population[population] == NO_KIND)
		return table->of_group[unit->group];
	return table->of_population[population];
}
