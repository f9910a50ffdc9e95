// SPDX-License-Identifier: GPL-2.0-only
/* What all units of a trace are like, without keeping one: distributions by group and vector. */
#include "unit/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct surveyor {
	struct scope_survey *survey;
	const struct scope_groups *groups;
};

static struct scope_survey_row *get_row(struct scope_survey_group *group, uint32_t vector)
{
	if (scope_grow(&group->row, &group->capacity, vector + 1, sizeof(*group->row)))
		return NULL;
	while (group->rows <= vector)
		memset(&group->row[group->rows++], 0, sizeof(*group->row));
	return &group->row[vector];
}

static int add_call(struct scope_survey_row *row, const struct scope_unit_call *call)
{
	size_t i;

	for (i = 0; i < row->calls && row->call[i].nr != call->nr; i++)
		;
	if (i == row->calls) {
		if (scope_grow(&row->call, &row->capacity, i + 1, sizeof(*row->call)))
			return -ENOMEM;
		row->call[row->calls++] = (struct scope_survey_call){.nr = call->nr};
	}
	return scope_sketch_add(&row->call[i].count, call->count, 1);
}

static int add_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call,
		    const struct scope_vector *vector)
{
	const struct surveyor *surveyor = user;
	struct scope_survey *survey = surveyor->survey;
	struct scope_survey_group *group = &survey->group[unit->group];
	uint64_t measure = scope_unit_measure(unit);
	struct scope_survey_row *row;
	int err = scope_vector_set_add(surveyor->groups->group[unit->group].vectors, vector, 1,
				       &unit->vector);

	if (err)
		return err;
	row = get_row(group, unit->vector);
	if (!row)
		return -ENOMEM;
	row->units++;
	group->units++;
	group->busy_ns += measure + unit->queue_ns;
	survey->units++;
	survey->requests += unit->granularity == SCOPE_UNIT_REQUEST;
	survey->queue_ns += unit->queue_ns;
	survey->busy_ns += measure + unit->queue_ns;
	if (!unit->open)
		err = scope_sketch_add(&row->measure, measure, 1);
	if (!err && !unit->open && unit->granularity == SCOPE_UNIT_REQUEST)
		err = scope_sketch_add(&group->request_wall, scope_unit_wall(unit), 1);
	for (unsigned i = 0; !err && i < unit->calls; i++)
		err = add_call(row, &call[i]);
	return err;
}

int scope_survey_run(struct scope_trace *trace, const struct scope_pickups *pickups,
		     struct scope_groups *groups, struct scope_survey **ret_survey)
{
	struct surveyor surveyor = {.groups = groups};
	const struct scope_unit_sink sink = {.unit = add_unit, .user = &surveyor};
	struct scope_survey *survey = calloc(1, sizeof(*survey));
	struct scope_units *units = NULL;
	int err = -ENOMEM;

	if (!survey)
		return -ENOMEM;
	surveyor.survey = survey;
	survey->groups = groups->count;
	survey->group = calloc(groups->count + 1, sizeof(*survey->group));
	if (survey->group)
		err = scope_units_create(groups, &units);
	if (!err)
		err = scope_units_run(units, trace, pickups, &sink);
	scope_units_destroy(units);
	if (err) {
		scope_survey_destroy(survey);
		return err;
	}
	*ret_survey = survey;
	return 0;
}

static void free_group(struct scope_survey_group *group)
{
	for (size_t i = 0; i < group->rows; i++) {
		struct scope_survey_row *row = &group->row[i];

		for (size_t j = 0; j < row->calls; j++)
			scope_sketch_free(&row->call[j].count);
		free(row->call);
		scope_sketch_free(&row->measure);
	}
	free(group->row);
	scope_sketch_free(&group->request_wall);
}

void scope_survey_destroy(struct scope_survey *survey)
{
	if (!survey)
		return;
	for (size_t i = 0; survey->group && i < survey->groups; i++)
		free_group(&survey->group[i]);
	free(survey->group);
	free(survey);
}
