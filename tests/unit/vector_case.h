/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of 0/1 vectors for tests: made, filled, counted. */
#ifndef SCOPE_TESTS_UNIT_VECTOR_CASE_H
#define SCOPE_TESTS_UNIT_VECTOR_CASE_H

#include "cluster/cluster.h"

/* A vector with bits @first to @first + @count - 1 set. */
static inline struct scope_vector run_of(uint32_t first, uint32_t count)
{
	struct scope_vector vector = { 0 };

	for (uint32_t bit = first; bit < first + count; bit++)
		assert_int_equal(scope_cluster_vector_mark(&vector, bit), 0);
	return vector;
}

static inline struct scope_vector_set *new_set(void)
{
	struct scope_vector_set *set;

	assert_int_equal(scope_cluster_vector_set_create(&set), 0);
	return set;
}

static inline uint32_t add(struct scope_vector_set *set, struct scope_vector vector, uint64_t count)
{
	uint32_t id;

	assert_int_equal(scope_cluster_vector_set_add(set, &vector, count, &id), 0);
	return id;
}

static inline uint64_t units_of(const struct scope_vector_set *set)
{
	uint64_t units = 0;

	for (uint32_t i = 0; i < scope_cluster_vector_set_count(set); i++)
		units += scope_cluster_vector_set_multiplicity(set, i);
	return units;
}

#endif
