// SPDX-License-Identifier: GPL-2.0-only
/* Each moment of a wait counts once; a function for which much more time is waited than for others is a bottleneck. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "waits/waits.h"

#define WINDOW_NS 1e9

static struct scope_covers covers;

static int setup_covers(void **state)
{
	(void)state;
	covers = (struct scope_covers){ .every = 1 };
	return 0;
}

static int teardown_covers(void **state)
{
	(void)state;
	scope_waits_covers_free(&covers);
	return 0;
}

static void cover(uint32_t thread, uint64_t begin_ns, uint64_t end_ns)
{
	assert_int_equal(scope_waits_covers_add(&covers, thread, begin_ns, end_ns), 0);
}

static double sum(uint32_t of)
{
	static const uint32_t group[] = { 0, 1, 1 };
	double ns = -1;

	assert_int_equal(scope_waits_covers_sum(&covers, group, 3, of, &ns), 0);
	return ns;
}

/* Ten threads that wait at once are one wait, by time. */
static void test_once_a_moment(void **state)
{
	(void)state;
	cover(0, 100, 200);
	cover(0, 150, 180);
	cover(0, 120, 260);
	cover(0, 40, 60);
	cover(0, 50, 110);
	assert_int_equal(covers.thread[0].count, 1);
	assert_true(sum(0) == 220);
	assert_true(scope_waits_covers_has(&covers, 0, 40) && scope_waits_covers_has(&covers, 0, 260));
	assert_false(scope_waits_covers_has(&covers, 0, 39) || scope_waits_covers_has(&covers, 0, 261));
	assert_false(scope_waits_covers_has(&covers, 7, 100));
}

/* Of two threads of a group, too. */
static void test_group(void **state)
{
	(void)state;
	cover(1, 100, 200);
	cover(2, 150, 250);
	cover(0, 0, 1000);
	assert_true(sum(1) == 150);
}

/* Memory is bounded, and what is kept represents the rest. */
static void test_bounded(void **state)
{
	const uint64_t step_ns = 100000;
	double ns;

	(void)state;
	covers.most = 1000;
	for (uint64_t i = 0; i < 40000; i++)
		cover(0, i * step_ns, i * step_ns + step_ns / 2);
	assert_true(covers.stretches <= 1000);
	assert_true(covers.every > 1);
	ns = sum(0);
	assert_true(ns > 1.8e9 && ns < 2.2e9);
}

static const struct scope_function function[] = { { .name = "a" }, { .name = "b" }, { .name = "c" } };

/* Groups that are waited for those parts of the window, each in one function. */
static struct scope_waits *waits_of(const double *share, size_t groups)
{
	struct scope_waits *waits = calloc(1, sizeof(*waits));

	waits->window_ns = WINDOW_NS;
	waits->groups = groups;
	waits->group = calloc(groups, sizeof(*waits->group));
	waits->function = calloc(groups, sizeof(*waits->function));
	waits->functions = groups;
	assert_int_equal(scope_waits_tree_init(&waits->tree), 0);
	for (size_t i = 0; i < groups; i++) {
		waits->group[i].kept[SCOPE_BOTTLENECK_RUNS] =
			(struct scope_waits_kept){ share[i] * WINDOW_NS, share[i] * WINDOW_NS };
		waits->function[i] = (struct scope_waits_function){
			.function = &function[i],
			.group = (uint32_t)i,
			.stacks = 10,
			.share = 1,
		};
	}
	return waits;
}

static size_t bottlenecks(const double *share, size_t groups)
{
	struct scope_waits *waits = waits_of(share, groups);
	size_t count;

	assert_int_equal(scope_waits_judge(waits), 0);
	count = waits->bottlenecks;
	scope_waits_destroy(waits);
	return count;
}

#define assert_bottlenecks(expected, ...)                                                                              \
	assert_int_equal(bottlenecks((const double[]){ __VA_ARGS__ },                                                  \
				     sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double)),                        \
			 expected)

/* What is worth a fifth: just inside, just outside. */
static void test_worth(void **state)
{
	(void)state;
	assert_bottlenecks(1, 0.345);
	assert_bottlenecks(0, 0.335);
	assert_bottlenecks(0, 0);
}

/* Two that take turns are even. One that is waited for half as long again is a bottleneck. */
static void test_even(void **state)
{
	(void)state;
	assert_bottlenecks(0, 0.5, 0.5);
	assert_bottlenecks(0, 0.34, 0.33, 0.33);
	assert_bottlenecks(1, 0.55, 0.36);
	assert_bottlenecks(0, 0.55, 0.37);
}

/* Two at once, each of which is waited for nearly always. */
static void test_two(void **state)
{
	(void)state;
	assert_bottlenecks(2, 0.9, 0.8);
	assert_bottlenecks(0, 0.66, 0.65);
	assert_bottlenecks(2, 0.68, 0.68);
}

static void test_gain(void **state)
{
	struct scope_waits *waits = waits_of((const double[]){ 0.1, 0.9 }, 2);
	uint32_t node;

	(void)state;
	node = scope_waits_tree_follow(&waits->tree, scope_waits_tree_group(&waits->tree, 0), 0, 0, 1);
	scope_waits_tree_end(&waits->tree, node, SCOPE_END_RUNS, 0, 0, 1e9, 1);
	assert_int_equal(scope_waits_judge(waits), 0);
	assert_int_equal(waits->bottlenecks, 1);
	assert_ptr_equal(waits->bottleneck[0].function, &function[1]);
	assert_int_equal(waits->bottleneck[0].waits_most, 0);
	assert_true(waits->bottleneck[0].gain > 0.81 && waits->bottleneck[0].gain < 0.82);
	scope_waits_destroy(waits);
}

/* Without a function, and what its threads sleep for while they have the lock. */
static void test_holds(void **state)
{
	struct scope_waits *waits = waits_of((const double[]){ 0.1 }, 1);
	struct scope_waits_group *group = waits->group;

	(void)state;
	group->kept[SCOPE_BOTTLENECK_HOLDS] = (struct scope_waits_kept){ 3 * WINDOW_NS, 0.8 * WINDOW_NS };
	group->held_ns[SCOPE_WAIT_TIMER] = WINDOW_NS;
	group->held_ns[SCOPE_WAIT_NETWORK] = 2 * WINDOW_NS;
	assert_int_equal(scope_waits_judge(waits), 0);
	assert_int_equal(waits->bottlenecks, 1);
	assert_int_equal(waits->bottleneck[0].kind, SCOPE_BOTTLENECK_HOLDS);
	assert_int_equal(waits->bottleneck[0].class, SCOPE_WAIT_NETWORK);
	assert_true(waits->bottleneck[0].share == 0.8 && waits->bottleneck[0].kept_ns == 3 * WINDOW_NS);
	scope_waits_destroy(waits);
}

/* Too few stacks name nothing; no stack at all, and the group is named alone. */
static void test_stacks(void **state)
{
	struct scope_waits *waits = waits_of((const double[]){ 0.9 }, 1);

	(void)state;
	waits->function[0].stacks = 9;
	assert_int_equal(scope_waits_judge(waits), 0);
	assert_int_equal(waits->bottlenecks, 0);
	scope_waits_destroy(waits);
	waits = waits_of((const double[]){ 0.9 }, 1);
	waits->functions = 0;
	assert_int_equal(scope_waits_judge(waits), 0);
	assert_int_equal(waits->bottlenecks, 1);
	assert_null(waits->bottleneck[0].function);
	scope_waits_destroy(waits);
}

/* A function that has little of its group's time is not looked at. */
static void test_small(void **state)
{
	struct scope_waits *waits = waits_of((const double[]){ 1, 0 }, 2);

	(void)state;
	waits->function[1].group = 0;
	waits->function[0].share = 0.91;
	waits->function[1].share = 0.09;
	assert_int_equal(scope_waits_judge(waits), 0);
	assert_int_equal(waits->bottlenecks, 1);
	assert_ptr_equal(waits->bottleneck[0].function, &function[0]);
	scope_waits_destroy(waits);
}

/* Chains of any length are in few nodes, and sums go up. */
static void test_tree(void **state)
{
	struct scope_waits_tree tree;
	uint32_t top, node;

	(void)state;
	assert_int_equal(scope_waits_tree_init(&tree), 0);
	top = node = scope_waits_tree_group(&tree, 5);
	for (int i = 0; i < 100; i++)
		node = scope_waits_tree_follow(&tree, node, SCOPE_WAIT_FUTEX, 202, i % 2 ? 5 : 6);
	assert_int_equal(tree.count, 4);
	scope_waits_tree_end(&tree, node, SCOPE_END_RUNS, 0, 0, 40, 1);
	scope_waits_tree_end(&tree, top, SCOPE_END_OUTSIDE, SCOPE_WAIT_DISK, 0, 2, 1);
	assert_true(tree.node[0].ns == 42 && tree.node[top].ns == 42 && tree.node[node].ns == 40);
	assert_int_equal(scope_waits_tree_group(&tree, 5), top);
	for (uint32_t i = 0; i < 2 * SCOPE_WAITS_NODES; i++)
		scope_waits_tree_follow(&tree, scope_waits_tree_group(&tree, i / 200), SCOPE_WAIT_PIPE, 0, i);
	assert_int_equal(tree.count, SCOPE_WAITS_NODES);
	scope_waits_tree_free(&tree);
}

/* Half of the time or more must be for one file, or it is not named. */
static void test_other(void **state)
{
	const uint64_t file = (uint64_t)100 << 32 | 8;
	struct scope_waits_tree tree;
	uint32_t top, end;

	(void)state;
	assert_int_equal(scope_waits_tree_init(&tree), 0);
	top = scope_waits_tree_group(&tree, 5);
	scope_waits_tree_end(&tree, top, SCOPE_END_OUTSIDE, SCOPE_WAIT_DISK, file, 30, 1);
	scope_waits_tree_end(&tree, top, SCOPE_END_OUTSIDE, SCOPE_WAIT_DISK, file + 1, 20, 1);
	end = tree.node[top].child;
	assert_true(tree.node[end].ns == 50);
	assert_true(scope_waits_tree_other(&tree.node[end]) == file);
	scope_waits_tree_end(&tree, top, SCOPE_END_OUTSIDE, SCOPE_WAIT_DISK, file + 2, 11, 1);
	assert_true(scope_waits_tree_other(&tree.node[end]) == 0);
	scope_waits_tree_free(&tree);
}

/* Peers have nodes of their own, and those that are not known another one; beyond a number they are one. */
static void test_peers(void **state)
{
	struct scope_waits_tree tree;
	uint32_t top;
	unsigned peers = 0;

	(void)state;
	assert_int_equal(scope_waits_tree_init(&tree), 0);
	top = scope_waits_tree_group(&tree, 5);
	for (int round = 0; round < 2; round++)
		for (uint64_t peer = 0; peer < SCOPE_WAITS_PEERS + 3; peer++)
			scope_waits_tree_end(&tree, top, SCOPE_END_OUTSIDE, SCOPE_WAIT_NETWORK, peer, 10, 1);
	for (uint32_t at = tree.node[top].child; at; at = tree.node[at].sibling) {
		const struct scope_waits_node *node = &tree.node[at];

		peers += node->peer != 0;
		/* Not known, and two more than are kept. */
		assert_true(node->ns == (node->peer ? 20 : 60));
		assert_true(scope_waits_tree_other(node) == node->peer);
	}
	assert_int_equal(peers, SCOPE_WAITS_PEERS);
	scope_waits_tree_free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_once_a_moment, setup_covers, teardown_covers),
		cmocka_unit_test_setup_teardown(test_group, setup_covers, teardown_covers),
		cmocka_unit_test_setup_teardown(test_bounded, setup_covers, teardown_covers),
		cmocka_unit_test(test_worth),
		cmocka_unit_test(test_even),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_gain),
		cmocka_unit_test(test_holds),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_peers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
