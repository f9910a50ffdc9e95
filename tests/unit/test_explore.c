// SPDX-License-Identifier: GPL-2.0-only
/* The search among call paths, the choice of trees, and correlations with keys, for data with known answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/explore.h"

#define STAGES 5
#define OF_STAGE 8
#define FUNCTIONS (2 + STAGES + STAGES * OF_STAGE) /* main, serve, the stages, their functions */
#define NONE UINT32_MAX

static uint32_t stage_of(unsigned stage)
{
	return 2 + stage;
}

static uint32_t leaf_of(unsigned stage, unsigned number)
{
	return 2 + STAGES + stage * OF_STAGE + number;
}

static void add_functions(struct scope_call_paths *paths, unsigned count)
{
	paths->function = calloc(count, sizeof(*paths->function));
	assert_non_null(paths->function);
	paths->functions = paths->function_capacity = count;
	for (unsigned i = 0; i < count; i++) {
		paths->function[i].known = true;
		paths->function[i].site[0].address = 0x1000 + 16 * i;
		paths->function[i].sites = 1;
		snprintf(paths->function[i].name, sizeof(paths->function[i].name), "f%u", i);
	}
}

/* Stacks of a program of five stages of eight functions; most of the time is in one of them, if any. */
static void make_stages(struct scope_call_paths *paths, uint32_t heavy)
{
	*paths = (struct scope_call_paths){ 0 };
	add_functions(paths, FUNCTIONS);
	for (unsigned stage = 0; stage < STAGES; stage++)
		for (unsigned i = 0; i < OF_STAGE; i++) {
			const uint32_t path[] = { 0, 1, stage_of(stage), leaf_of(stage, i) };

			assert_int_equal(scope_explore_call_paths_put(paths, path, 4, path[3] == heavy ? 50 : 1), 0);
		}
	scope_explore_call_paths_end(paths);
}

/* Answers as if the share were in the calls of one function alone; main and serve enclose requests. */
static enum scope_search_answer answer(uint32_t asked, uint32_t sought)
{
	const unsigned stage = (sought - 2 - STAGES) / OF_STAGE;

	if (asked < 2)
		return SCOPE_SEARCH_ENCLOSES;
	if (asked == sought || (sought >= 2 + STAGES && asked == stage_of(stage)))
		return SCOPE_SEARCH_HOLDS;
	return asked > sought ? SCOPE_SEARCH_EARLIER : SCOPE_SEARCH_LATER;
}

static unsigned search_for(struct scope_call_paths *paths, enum scope_search_mode mode, uint32_t sought,
			   uint32_t *ret_found)
{
	struct scope_search search = { .paths = paths, .mode = mode };
	unsigned probed = 0;
	uint32_t next;

	while (!scope_explore_search_next(&search, &next)) {
		scope_explore_search_take(&search, next, answer(next, sought));
		assert_true(++probed <= FUNCTIONS);
	}
	*ret_found = search.insides ? search.inside[search.insides - 1] : NONE;
	scope_explore_search_free(&search);
	return probed;
}

/* Wherever it is, by either search, with at most 34 % of the functions probed. */
static void finds_each_of_forty_functions(void **state)
{
	(void)state;
	for (unsigned mode = SCOPE_SEARCH_FLAT; mode <= SCOPE_SEARCH_HIERARCHICAL; mode++)
		for (uint32_t sought = leaf_of(0, 0); sought < FUNCTIONS; sought++) {
			struct scope_call_paths paths;
			uint32_t found;
			unsigned probed;

			make_stages(&paths, sought);
			probed = search_for(&paths, mode, sought, &found);
			assert_int_equal(found, sought);
			assert_true(probed <= 0.34 * FUNCTIONS);
			scope_explore_call_paths_free(&paths);
		}
}

/* Stacks may point elsewhere: then it takes more probes, and the result is the same. */
static void finds_it_where_stacks_mislead(void **state)
{
	(void)state;
	for (unsigned mode = SCOPE_SEARCH_FLAT; mode <= SCOPE_SEARCH_HIERARCHICAL; mode++) {
		struct scope_call_paths paths;
		uint32_t found;

		make_stages(&paths, leaf_of(4, 7));
		search_for(&paths, mode, leaf_of(1, 3), &found);
		assert_int_equal(found, leaf_of(1, 3));
		scope_explore_call_paths_free(&paths);
	}
}

/* A stage whose own code is slow, and none of its functions, is named itself. */
static void names_a_function_by_itself(void **state)
{
	struct scope_call_paths paths;
	uint32_t found;

	(void)state;
	make_stages(&paths, NONE);
	search_for(&paths, SCOPE_SEARCH_HIERARCHICAL, stage_of(2), &found);
	assert_int_equal(found, stage_of(2));
	scope_explore_call_paths_free(&paths);
}

/* Of a deep path the number of probes grows with the logarithm of its depth. */
static void halves_a_deep_path(void **state)
{
	enum { DEPTH = 100 };

	(void)state;
	for (uint32_t sought = 0; sought < DEPTH; sought++) {
		struct scope_call_paths paths = { 0 };
		struct scope_search search = { .paths = &paths, .mode = SCOPE_SEARCH_FLAT };
		uint32_t path[DEPTH], next;
		unsigned probed = 0;

		add_functions(&paths, DEPTH);
		for (uint32_t i = 0; i < DEPTH; i++)
			path[i] = i;
		assert_int_equal(scope_explore_call_paths_put(&paths, path, DEPTH, 1), 0);
		while (!scope_explore_search_next(&search, &next)) {
			scope_explore_search_take(&search, next,
						  next <= sought ? SCOPE_SEARCH_HOLDS : SCOPE_SEARCH_NOT);
			probed++;
		}
		assert_int_equal(search.inside[search.insides - 1], sought);
		assert_true(probed <= 7);
		scope_explore_search_free(&search);
		scope_explore_call_paths_free(&paths);
	}
}

/* A path matches if it has what holds the share in this order, with others between. */
static void matches_in_order(void **state)
{
	const uint32_t in_order[] = { 0, 3, 1, 4, 2, 5 }, out_of_order[] = { 2, 1, 0, 6 };
	struct scope_call_paths paths = { 0 };
	struct scope_search search = { .paths = &paths, .mode = SCOPE_SEARCH_FLAT };
	uint32_t next;

	(void)state;
	add_functions(&paths, 7);
	assert_int_equal(scope_explore_call_paths_put(&paths, in_order, 6, 1), 0);
	assert_int_equal(scope_explore_call_paths_put(&paths, out_of_order, 4, 100), 0);
	scope_explore_call_paths_end(&paths);
	for (uint32_t i = 0; i < 3; i++)
		scope_explore_search_take(&search, i, SCOPE_SEARCH_HOLDS);
	assert_int_equal(scope_explore_search_next(&search, &next), 0);
	assert_int_equal(next, 5);
	scope_explore_search_free(&search);
	scope_explore_call_paths_free(&paths);
}

/* Functions without a name, and those of system libraries, are not probed. */
static void leaves_out_what_has_no_name(void **state)
{
	const uint32_t path[] = { 0, 1, 2 };
	struct scope_call_paths paths = { 0 };
	struct scope_search search = { .paths = &paths, .mode = SCOPE_SEARCH_FLAT };
	struct scope_explore_tree tree = { .edge_share = 1 };
	uint32_t next;

	(void)state;
	add_functions(&paths, 3);
	paths.function[0].library = true;
	paths.function[1].known = paths.function[2].known = false;
	assert_int_equal(scope_explore_call_paths_put(&paths, path, 3, 1), 0);
	assert_true(scope_explore_search_next(&search, &next) < 0);
	tree.paths = paths;
	tree.search = search;
	tree.search.paths = &tree.paths;
	scope_explore_conclude(&tree);
	assert_int_equal(tree.end, SCOPE_EXPLORE_NO_FUNCTION);
	assert_true(tree.nameless);
	assert_string_equal(tree.inside, "f1");
	scope_explore_search_free(&tree.search);
	scope_explore_call_paths_free(&tree.paths);
}

static double normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)rand() / RAND_MAX;
	return sum - 6;
}

/* A key that makes 0.85 of the latency is reported with that, and four others are silent. */
static void reports_a_planted_correlation(void **state)
{
	struct scope_explore_key key[5] = { 0 };
	struct scope_key_relations *relations = calloc(1, sizeof(*relations));
	struct scope_round_kind kind = { 0 };
	enum { REQUESTS = 3000 };
	unsigned loud = 0;

	(void)state;
	srand(26);
	kind.requests = REQUESTS;
	kind.request = calloc(REQUESTS, sizeof(*kind.request));
	assert_non_null(relations);
	assert_non_null(kind.request);
	for (unsigned i = 0; i < REQUESTS; i++) {
		struct scope_round_request *one = &kind.request[i];
		const double size = normal();

		one->own_ns = 1e6 + 1e5 * (0.85 * size + sqrt(1 - 0.85 * 0.85) * normal());
		one->key[SCOPE_ROUND_KEYS] = 1000 + 100 * size;
		for (unsigned decoy = 1; decoy < 5; decoy++)
			one->key[SCOPE_ROUND_KEYS + decoy] = rand() % 1000;
		one->key[SCOPE_ROUND_PAUSE] = NAN;
	}
	for (unsigned i = 0; i < 5; i++)
		snprintf(key[i].name, sizeof(key[i].name), "load:arg%u", i);
	key[0].bins = 8;
	assert_int_equal(scope_explore_keys(&kind, key, 5, relations), 0);
	for (unsigned i = 0; i < relations->keys; i++) {
		const struct scope_key_relation *one = &relations->key[i];

		if (!scope_explore_key_holds(one))
			continue;
		loud++;
		assert_string_equal(one->name, "load:arg0");
		assert_true(fabs(one->latency.r - 0.85) <= 0.03);
		assert_true(one->latency.p <= 0.05);
		assert_int_equal(one->bins, 8);
		assert_true(one->explained > 0.6 && one->explained < 0.8);
	}
	assert_int_equal(loud, 1);
	free(relations);
	free(kind.request);
}

/* Requests of a kind whose latency follows a key: what was asked for divides them, what was not does not. */
static void divides_by_what_was_asked(void **state)
{
	static const struct scope_explore_key key = { .name = "load:arg0", .bins = 4 };
	struct scope_explore explore;
	struct scope_round_kind kind = { .name = "stage" };
	const struct scope_round round = { .kind = &kind, .kinds = 1 };
	enum { REQUESTS = 400 };

	(void)state;
	kind.request = calloc(REQUESTS, sizeof(*kind.request));
	assert_non_null(kind.request);
	for (size_t asked = 0; asked <= 1; asked++) {
		kind.requests = kind.all.spread.units = REQUESTS;
		for (unsigned i = 0; i < REQUESTS; i++) {
			kind.request[i].own_ns = 1e6 + 1000 * (i % 100);
			kind.request[i].key[SCOPE_ROUND_BYTES] = i % 100;
			kind.request[i].key[SCOPE_ROUND_KEYS] = i % 100;
		}
		scope_explore_init(&explore, &(struct scope_explore_options){ .key = &key, .keys = asked });
		assert_int_equal(scope_explore_relate(&explore, &round), 0);
		assert_int_equal(explore.splits, asked);
		assert_true(scope_explore_splits_by(&explore, 0) == asked);
		if (asked) {
			const struct scope_round_split *split = explore.split;

			assert_int_equal(split->bins, 4);
			assert_int_equal(scope_explore_round_bin(split, NAN), 0);
			assert_int_equal(scope_explore_round_bin(split, -7), 1);
			assert_int_equal(scope_explore_round_bin(split, 24), 1);
			assert_int_equal(scope_explore_round_bin(split, 25), 2);
			assert_int_equal(scope_explore_round_bin(split, 1e9), 4);
		}
		scope_explore_free(&explore);
	}
	free(kind.request);
}

/* A request of --why belongs to the tree of its path and bin, else to that of all paths of its kind. */
static void knows_the_tree_of_a_request(void **state)
{
	static struct scope_explore explore;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct scope_explore_tree *tree = &explore.tree[explore.trees++];

		strcpy(tree->group, i == 3 ? "other" : "stage");
		tree->number = i < 2;
		tree->hash = i == 2 ? 0 : 100 + i;
		if (i < 2)
			strcpy(tree->key, "load:arg0");
	}
	assert_ptr_equal(scope_explore_tree_of(&explore, "stage", 101), &explore.tree[1]);
	assert_ptr_equal(scope_explore_tree_of(&explore, "stage", 100), &explore.tree[0]);
	assert_ptr_equal(scope_explore_tree_of(&explore, "stage", 103), &explore.tree[2]);
	assert_ptr_equal(scope_explore_tree_of(&explore, "other", 103), &explore.tree[3]);
	assert_null(scope_explore_tree_of(&explore, "other", 101));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_each_of_forty_functions),
		cmocka_unit_test(finds_it_where_stacks_mislead),
		cmocka_unit_test(names_a_function_by_itself),
		cmocka_unit_test(halves_a_deep_path),
		cmocka_unit_test(matches_in_order),
		cmocka_unit_test(leaves_out_what_has_no_name),
		cmocka_unit_test(reports_a_planted_correlation),
		cmocka_unit_test(divides_by_what_was_asked),
		cmocka_unit_test(knows_the_tree_of_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
