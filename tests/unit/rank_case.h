/* SPDX-License-Identifier: GPL-2.0-only */
/* The input of a ranking, built for a test: units, what is known about them, and stacks of functions. */
#ifndef SCOPE_TESTS_RANK_CASE_H
#define SCOPE_TESTS_RANK_CASE_H

#include <stdlib.h>

#include "rank/rank.h"

#define CASE_UNITS 512
#define CASE_ITEMS 4096
#define CASE_POPULATIONS 4
#define CASE_NODES 256
#define CASE_GROUPS 2
#define CASE_CALLS 2 /* room of each unit */
#define CASE_THREADS 4
#define CASE_END_NS 1000000000ull

struct rank_case {
	struct scope_timeline *timeline;
	struct scope_fd_slot no_slot[2];
	struct scope_fds fds; /* no descriptor is known */
	struct scope_group group[CASE_GROUPS];
	struct scope_groups groups;
	uint32_t of_thread[CASE_THREADS]; /* all are in group 0 */
	struct scope_units units;
	struct scope_unit_thread thread[CASE_THREADS];
	struct scope_kept_population of[CASE_POPULATIONS];
	struct scope_kept kept;
	struct scope_population population[CASE_POPULATIONS];
	struct scope_detection detection;
	struct scope_distributions_row row[CASE_GROUPS][4];
	struct scope_distributions_group distributions_group[CASE_GROUPS];
	struct scope_distributions distributions;
	struct scope_evidence evidence;
	struct scope_owner owner[CASE_NODES];
	struct scope_attribution attribution;
	struct scope_rank_options options;
	struct scope_rank_input input;
};

/* Vectors 0 to 3 of a group have call 0, 1, 2 and 3 alone. */
static inline void case_groups(struct rank_case *made)
{
	made->groups = (struct scope_groups){
		.group = made->group,
		.count = CASE_GROUPS,
		.of_thread = made->of_thread,
		.threads = CASE_THREADS,
	};
	for (unsigned i = 0; i < CASE_GROUPS; i++) {
		assert_int_equal(scope_cluster_vector_set_create(&made->group[i].vectors), 0);
		for (uint32_t nr = 0; nr < 4; nr++) {
			struct scope_vector vector = { { 0 } };

			assert_int_equal(scope_cluster_vector_mark(&vector, nr), 0);
			assert_int_equal(scope_cluster_vector_set_add(made->group[i].vectors, &vector, 1, NULL), 0);
		}
		made->distributions_group[i] = (struct scope_distributions_group){ .row = made->row[i], .rows = 4 };
	}
}

/* Group 0 has populations 0 and 1, group 1 has 2 and 3. */
static inline struct rank_case *case_create(void)
{
	struct rank_case *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->timeline = calloc(1, sizeof(*made->timeline));
	assert_non_null(made->timeline);
	made->timeline->end_ns = CASE_END_NS;
	made->timeline->events = 1;
	made->fds = (struct scope_fds){ .slot = made->no_slot, .slots = 2 };
	made->timeline->fds = &made->fds;
	assert_int_equal(scope_timeline_threads_create(&made->timeline->threads), 0);
	for (uint32_t tid = 1; tid <= CASE_THREADS; tid++)
		assert_int_equal(scope_timeline_threads_get(made->timeline->threads, tid), tid - 1);
	case_groups(made);
	made->distributions = (struct scope_distributions){ .group = made->distributions_group, .groups = CASE_GROUPS };
	made->units = (struct scope_units){
		.groups = &made->groups,
		.unit = calloc(CASE_UNITS, sizeof(struct scope_unit)),
		.call = calloc(CASE_CALLS * CASE_UNITS, sizeof(struct scope_unit_call)),
		.timeline = made->timeline,
		.thread = made->thread,
		.threads = CASE_THREADS,
	};
	made->kept = (struct scope_kept){
		.units = &made->units,
		.population = calloc(CASE_UNITS, sizeof(uint32_t)),
		.mark = calloc(CASE_UNITS, 1),
		.of = made->of,
		.populations = CASE_POPULATIONS,
	};
	assert_true(made->units.unit && made->units.call && made->kept.population && made->kept.mark);
	for (uint32_t i = 0; i < CASE_POPULATIONS; i++) {
		made->population[i].group = i / 2;
		made->of[i].side[0].every = made->of[i].side[1].every = 1;
	}
	made->detection = (struct scope_detection){
		.population = made->population,
		.populations = CASE_POPULATIONS,
		.groups = CASE_GROUPS,
		.busy_ns = 100,
	};
	assert_int_equal(scope_evidence_tree_init(&made->evidence.tree), 0);
	made->evidence.item = calloc(CASE_ITEMS, sizeof(struct scope_item));
	assert_non_null(made->evidence.item);
	made->options = scope_rank_defaults;
	made->attribution = (struct scope_attribution){ made->owner, CASE_NODES };
	made->input = (struct scope_rank_input){
		.distributions = &made->distributions,
		.detection = &made->detection,
		.kept = &made->kept,
		.units = &made->units,
		.evidence = &made->evidence,
		.attribution = &made->attribution,
		.options = &made->options,
	};
	return made;
}

static inline void case_destroy(struct rank_case *made)
{
	for (unsigned i = 0; i < CASE_GROUPS; i++) {
		scope_cluster_vector_set_destroy(made->group[i].vectors);
		for (unsigned j = 0; j < 4; j++)
			scope_sketch_free(&made->row[i][j].measure);
	}
	scope_timeline_threads_destroy(made->timeline->threads);
	free(made->timeline);
	free(made->units.unit);
	free(made->units.call);
	free(made->kept.population);
	free(made->kept.mark);
	scope_evidence_wait_chains_free(&made->kept.wait_chains);
	scope_evidence_tree_free(&made->evidence.tree);
	free(made->evidence.item);
	free(made);
}

/* Adds a unit to the population's group; returns its number. count: times that it makes call nr; 0: not at all. */
static inline uint32_t case_unit(struct rank_case *made, struct scope_unit unit, uint32_t population, uint8_t mark,
				 uint16_t nr, uint16_t count)
{
	const size_t number = made->units.count++;

	assert_true(number < CASE_UNITS);
	unit.group = made->population[population].group;
	unit.call = CASE_CALLS * number;
	unit.calls = count > 0;
	made->units.call[unit.call] = (struct scope_unit_call){ nr, count };
	made->units.unit[number] = unit;
	made->kept.population[number] = population;
	made->kept.mark[number] = mark;
	return number;
}

static inline uint32_t case_node(struct rank_case *made, const struct scope_function *const *path, unsigned length)
{
	uint32_t node;

	assert_int_equal(scope_evidence_tree_insert(&made->evidence.tree, path, length, &node), 0);
	/* The function is named for the items there, unless a test says otherwise. */
	assert_true(node < CASE_NODES);
	if (node)
		made->owner[node].function = path[length - 1];
	return node;
}

static inline void case_item(struct rank_case *made, struct scope_item item)
{
	assert_true(made->evidence.items < CASE_ITEMS);
	made->evidence.item[made->evidence.items++] = item;
}

#endif
