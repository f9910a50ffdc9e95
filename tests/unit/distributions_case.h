/* SPDX-License-Identifier: GPL-2.0-only */
/* The distributions of a trace, built for a test: how long units took, by their calls and their group. */
#ifndef SCOPE_TESTS_DISTRIBUTIONS_CASE_H
#define SCOPE_TESTS_DISTRIBUTIONS_CASE_H

#include <stdlib.h>
#include <string.h>

#include "anomaly/detect.h"

#define CASE_GROUPS 4
#define CASE_ROWS 8

struct distributions_case {
	struct scope_group group[CASE_GROUPS];
	struct scope_groups groups;
	struct scope_distributions_group distributions_group[CASE_GROUPS];
	struct scope_distributions_row row[CASE_GROUPS][CASE_ROWS];
	struct scope_distributions_call call[CASE_GROUPS][CASE_ROWS];
	struct scope_distributions distributions;
};

static inline struct distributions_case *distributions_create(void)
{
	struct distributions_case *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->groups.group = made->group;
	made->distributions.group = made->distributions_group;
	return made;
}

static inline void distributions_destroy(struct distributions_case *made)
{
	for (unsigned i = 0; i < made->groups.count; i++) {
		scope_cluster_vector_set_destroy(made->group[i].vectors);
		for (unsigned j = 0; j < CASE_ROWS; j++) {
			scope_sketch_free(&made->row[i][j].measure);
			scope_sketch_free(&made->row[i][j].run);
			scope_sketch_free(&made->call[i][j].count);
		}
	}
	free(made);
}

static inline uint32_t distributions_group(struct distributions_case *made, const char *name, bool serves)
{
	const size_t number = made->groups.count++;
	struct scope_group *group = &made->group[number];

	assert_true(number < CASE_GROUPS);
	made->distributions.groups = made->groups.count;
	strcpy(group->name, name);
	group->serves = serves;
	assert_int_equal(scope_cluster_vector_set_create(&group->vectors), 0);
	made->distributions_group[number].row = made->row[number];
	return number;
}

/*
 * A vector with n calls from a number on, and no units yet. Five calls more than another one make it another cluster.
 */
static inline uint32_t distributions_vector(struct distributions_case *made, uint32_t group, uint32_t nr,
					    unsigned calls)
{
	struct scope_vector vector = { { 0 } };
	uint32_t id;

	for (uint32_t i = 0; i < calls; i++)
		assert_int_equal(scope_cluster_vector_mark(&vector, nr + i), 0);
	assert_int_equal(scope_cluster_vector_set_add(made->group[group].vectors, &vector, 1, &id), 0);
	assert_true(id < CASE_ROWS);
	made->distributions_group[group].rows = id + 1;
	return id;
}

/* Units that only wait; distributions_run() says for how long some of them run. */
static inline void distributions_units(struct distributions_case *made, uint32_t group, uint32_t vector,
				       uint64_t measure_ns, uint64_t units)
{
	struct scope_distributions_row *row = &made->row[group][vector];

	assert_int_equal(scope_sketch_add(&row->measure, measure_ns, units), 0);
	row->units += units;
	made->distributions_group[group].units += units;
	made->distributions_group[group].busy_ns += measure_ns * units;
	made->distributions.units += units;
	made->distributions.busy_ns += (double)(measure_ns * units);
}

static inline void distributions_run(struct distributions_case *made, uint32_t group, uint32_t vector, uint64_t run_ns,
				     uint64_t units)
{
	assert_int_equal(scope_sketch_add(&made->row[group][vector].run, run_ns, units), 0);
}

/* The units of the vector that make the call, and how often each does: one number for each vector. */
static inline void distributions_calls(struct distributions_case *made, uint32_t group, uint32_t vector, uint16_t nr,
				       uint64_t count, uint64_t units)
{
	struct scope_distributions_call *call = &made->call[group][vector];

	call->nr = nr;
	made->row[group][vector].call = call;
	made->row[group][vector].calls = 1;
	assert_int_equal(scope_sketch_add(&call->count, count, units), 0);
}

static inline struct scope_detection *distributions_detect(struct distributions_case *made,
							   const struct scope_detect_options *options)
{
	struct scope_detection *detection;

	assert_int_equal(scope_anomaly_detect_run(&made->groups, &made->distributions, options, &detection), 0);
	return detection;
}

#endif
