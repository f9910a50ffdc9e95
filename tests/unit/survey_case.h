/* SPDX-License-Identifier: GPL-2.0-only */
/* The survey of a trace, made by hand: how long units of which calls took, by group. */
#ifndef SCOPE_TESTS_SURVEY_CASE_H
#define SCOPE_TESTS_SURVEY_CASE_H

#include <stdlib.h>
#include <string.h>

#include "anomaly/detect.h"

#define CASE_GROUPS 4
#define CASE_ROWS 8

struct survey_case {
	struct scope_group group[CASE_GROUPS];
	struct scope_groups groups;
	struct scope_survey_group survey_group[CASE_GROUPS];
	struct scope_survey_row row[CASE_GROUPS][CASE_ROWS];
	struct scope_survey_call call[CASE_GROUPS][CASE_ROWS];
	struct scope_survey survey;
};

static inline struct survey_case *survey_create(void)
{
	struct survey_case *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->groups.group = made->group;
	made->survey.group = made->survey_group;
	return made;
}

static inline void survey_destroy(struct survey_case *made)
{
	for (unsigned i = 0; i < made->groups.count; i++) {
		scope_cluster_vector_set_destroy(made->group[i].vectors);
		for (unsigned j = 0; j < CASE_ROWS; j++) {
			scope_sketch_free(&made->row[i][j].measure);
			scope_sketch_free(&made->call[i][j].count);
		}
	}
	free(made);
}

static inline uint32_t survey_group(struct survey_case *made, const char *name, bool serves)
{
	const size_t number = made->groups.count++;
	struct scope_group *group = &made->group[number];

	assert_true(number < CASE_GROUPS);
	made->survey.groups = made->groups.count;
	strcpy(group->name, name);
	group->serves = serves;
	assert_int_equal(scope_cluster_vector_set_create(&group->vectors), 0);
	made->survey_group[number].row = made->row[number];
	return number;
}

/* A vector of so many calls from that number on, 0 units yet. Five calls beyond others are another cluster. */
static inline uint32_t survey_vector(struct survey_case *made, uint32_t group, uint32_t nr, unsigned calls)
{
	struct scope_vector vector = { { 0 } };
	uint32_t id;

	for (uint32_t i = 0; i < calls; i++)
		assert_int_equal(scope_cluster_vector_mark(&vector, nr + i), 0);
	assert_int_equal(scope_cluster_vector_set_add(made->group[group].vectors, &vector, 1, &id), 0);
	assert_true(id < CASE_ROWS);
	made->survey_group[group].rows = id + 1;
	return id;
}

static inline void survey_units(struct survey_case *made, uint32_t group, uint32_t vector, uint64_t measure_ns,
				uint64_t units)
{
	struct scope_survey_row *row = &made->row[group][vector];

	assert_int_equal(scope_sketch_add(&row->measure, measure_ns, units), 0);
	row->units += units;
	made->survey_group[group].units += units;
	made->survey_group[group].busy_ns += measure_ns * units;
	made->survey.units += units;
	made->survey.busy_ns += (double)(measure_ns * units);
}

/* So many units of the vector make that call so often; one number of each vector. */
static inline void survey_calls(struct survey_case *made, uint32_t group, uint32_t vector, uint16_t nr, uint64_t count,
				uint64_t units)
{
	struct scope_survey_call *call = &made->call[group][vector];

	call->nr = nr;
	made->row[group][vector].call = call;
	made->row[group][vector].calls = 1;
	assert_int_equal(scope_sketch_add(&call->count, count, units), 0);
}

static inline struct scope_detection *survey_detect(struct survey_case *made,
						    const struct scope_detect_options *options)
{
	struct scope_detection *detection;

	assert_int_equal(scope_anomaly_detect_run(&made->groups, &made->survey, options, &detection), 0);
	return detection;
}

#endif
