// SPDX-License-Identifier: GPL-2.0-only
/* Counts units in the rows of their groups and vectors. */
#include "unit/unit_tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "unit/histogram.h"

static struct scope_distributions_group *add_groups(struct scope_distributions *distributions, uint32_t group)
{
	if (scope_grow(&distributions->group, &distributions->group_capacity, group + 1ul,
		       sizeof(*distributions->group)))
		return NULL;
	while (distributions->groups <= group)
		memset(&distributions->group[distributions->groups++], 0, sizeof(*distributions->group));
	return &distributions->group[group];
}

static inline struct scope_distributions_group *get_group(struct scope_distributions *distributions, uint32_t group)
{
	return group < distributions->groups ? &distributions->group[group] : add_groups(distributions, group);
}

static struct scope_distributions_row *add_rows(struct scope_distributions_group *group, uint32_t vector)
{
	if (scope_grow(&group->row, &group->capacity, vector + 1, sizeof(*group->row)))
		return NULL;
	while (group->rows <= vector)
		memset(&group->row[group->rows++], 0, sizeof(*group->row));
	return &group->row[vector];
}

static inline struct scope_distributions_row *get_row(struct scope_distributions_group *group, uint32_t vector)
{
	return vector < group->rows ? &group->row[vector] : add_rows(group, vector);
}

/* Adds units that made the call this many times. */
static int add_call(struct scope_distributions_row *row, const struct scope_unit_call *call, uint64_t units)
{
	size_t i;

	for (i = 0; i < row->calls && row->call[i].nr != call->nr; i++)
		;
	if (i == row->calls) {
		if (scope_grow(&row->call, &row->capacity, i + 1, sizeof(*row->call)))
			return -ENOMEM;
		row->call[row->calls++] = (struct scope_distributions_call){ .nr = call->nr };
	}
	return scope_sketch_add(&row->call[i].count, call->count, units);
}

int scope_unit_tally_calls(struct scope_distributions_row *row, const struct scope_unit_call *call, unsigned calls,
			   uint64_t units)
{
	int err = 0;

	row->units += units;
	for (unsigned i = 0; !err && i < calls; i++)
		err = add_call(row, &call[i], units);
	return err;
}

int scope_unit_tally_settle(struct scope_distributions *distributions)
{
	const struct scope_distributions_pending *pending =
		&distributions->pending[distributions->first_pending % SCOPE_DISTRIBUTIONS_PENDING];
	struct scope_distributions_row *row = &distributions->group[pending->group].row[pending->row];
	int err = scope_sketch_count(&row->measure, pending->measure_ns);

	distributions->first_pending++;
	distributions->pendings--;
	return err ? err : scope_sketch_count(&row->run, pending->run_ns);
}

static int add_measure(struct scope_distributions *distributions, const struct scope_distributions_row *row,
		       const struct scope_unit *unit, uint64_t measure_ns)
{
	int err = distributions->pendings == SCOPE_DISTRIBUTIONS_PENDING ? scope_unit_tally_settle(distributions) : 0;
	unsigned last = distributions->first_pending + distributions->pendings++;

	scope_sketch_expect(&row->measure, measure_ns);
	scope_sketch_expect(&row->run, unit->run_ns);
	distributions->pending[last % SCOPE_DISTRIBUTIONS_PENDING] =
		(struct scope_distributions_pending){ unit->group, unit->vector, measure_ns, unit->run_ns };
	return err;
}

void scope_unit_tally_free(struct scope_distributions_group *group)
{
	for (size_t i = 0; i < group->rows; i++) {
		struct scope_distributions_row *row = &group->row[i];

		for (size_t j = 0; j < row->calls; j++)
			scope_sketch_free(&row->call[j].count);
		free(row->call);
		scope_sketch_free(&row->measure);
		scope_sketch_free(&row->run);
	}
	free(group->row);
	scope_sketch_free(&group->request_wall);
}

int scope_unit_tally(struct scope_distributions *distributions, const struct scope_unit *unit,
		     const struct scope_unit_call *call)
{
	struct scope_distributions_group *group = get_group(distributions, unit->group);
	struct scope_distributions_row *row = group ? get_row(group, unit->vector) : NULL;
	const uint64_t measure = scope_unit_measure(unit);
	int err = 0;

	if (!row)
		return -ENOMEM;
	if (unit->histogram != SCOPE_HISTOGRAM_NONE)
		distributions->histograms->histogram[unit->histogram].units[scope_unit_took(unit)]++;
	else
		err = scope_unit_tally_calls(row, call, unit->calls, 1);
	if (unit->connection && unit->connection <= SCOPE_DISTRIBUTIONS_CONNECTIONS) {
		row->connection_units++;
		row->connection[(unit->connection - 1) / 64] |= 1ull << (unit->connection - 1) % 64;
	}
	row->asked += scope_unit_took(unit);
	row->first += unit->first;
	group->units++;
	group->asked += unit->asked;
	group->busy_ns += measure + unit->queue_ns;
	group->queue_ns += unit->queue_ns;
	if (unit->queue_ns >= SCOPE_DISTRIBUTIONS_LONG_QUEUE_NS) {
		group->long_queue_ns += unit->queue_ns;
		group->long_queue_units++;
	}
	if (err || unit->open)
		return err;
	if (unit->granularity == SCOPE_UNIT_REQUEST)
		err = scope_sketch_count(&group->request_wall, scope_unit_wall(unit));
	return err ? err : add_measure(distributions, row, unit, measure);
}

int scope_unit_tally_room(struct scope_distributions *distributions, uint32_t group, size_t vectors)
{
	struct scope_distributions_group *of = get_group(distributions, group);

	return !of || (vectors && !get_row(of, (uint32_t)vectors - 1)) ? -ENOMEM : 0;
}
