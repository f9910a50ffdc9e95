// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads with different start functions that run the same loop: the function from which one of them entered the loop,
 * and the stacks that belong to the loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "evidence/common_loop.h"
#include "rank_case.h"

static const struct scope_function of_main = { .name = "main" };
static const struct scope_function worker = { .name = "worker" };
static const struct scope_function loop = { .name = "loop" };
static const struct scope_function step = { .name = "step" };
static const struct scope_function idle = { .name = "idle" };
static const struct scope_function handle = { .name = "handle" };
static const struct scope_function ask = { .name = "ask" };

static struct rank_case *made;
static struct scope_common_loop common;

static int setup(void **state)
{
	(void)state;
	made = case_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

#define NODE(...)                                                                                                      \
	case_node(made, (const struct scope_function *[]){ __VA_ARGS__ },                                              \
		  sizeof((const struct scope_function *[]){ __VA_ARGS__ }) / sizeof(struct scope_function *))

static void begin(uint32_t node)
{
	scope_evidence_common_loop_begin(&common, &made->evidence.tree, node);
}

static void add(uint32_t node, bool waits)
{
	scope_evidence_common_loop_add(&common, &made->evidence.tree, node, waits);
}

/* 0: not in the loop; 1: in it; 2: in what the thread entered from it. */
static int passes(uint32_t node)
{
	bool below;

	return scope_evidence_common_loop_passes(&common, &made->evidence.tree, node, &below) ? 1 + below : 0;
}

static void what_it_entered_is_after_the_functions_that_both_have(void **state)
{
	(void)state;
	begin(NODE(&worker, &loop, &step, &handle, &ask));
	add(NODE(&of_main, &loop, &step, &idle), true);
	assert_true(common.found && !common.idle);
	assert_ptr_equal(common.path[common.loop], &loop);
	assert_ptr_equal(common.path[common.entered], &handle);
	assert_int_equal(passes(NODE(&of_main, &loop, &step, &handle)), 2);
	assert_int_equal(passes(NODE(&worker, &loop, &step, &handle, &ask)), 2);
	assert_int_equal(passes(NODE(&of_main, &loop, &step, &idle)), 1);
	assert_int_equal(passes(NODE(&of_main, &loop, &handle)), 1);
	assert_int_equal(passes(NODE(&of_main, &handle)), 0);
}

static void the_first_place_where_they_part_counts(void **state)
{
	(void)state;
	begin(NODE(&worker, &loop, &step, &handle, &ask));
	add(NODE(&of_main, &loop, &step, &handle), true);
	assert_ptr_equal(common.path[common.entered], &ask);
	add(NODE(&of_main, &loop, &idle), true);
	assert_ptr_equal(common.path[common.entered], &step);
	add(NODE(&of_main, &loop, &step, &handle), true);
	assert_ptr_equal(common.path[common.entered], &step);
}

static void where_another_waits_it_is_idle(void **state)
{
	(void)state;
	begin(NODE(&worker, &loop, &step));
	add(NODE(&of_main, &loop, &step), false);
	assert_false(common.idle || common.found);
	add(NODE(&of_main, &loop, &step, &idle), true);
	assert_true(common.idle);
}

static void without_a_function_in_common_nothing_is_found(void **state)
{
	(void)state;
	begin(NODE(&worker, &handle));
	add(NODE(&of_main, &loop, &step), true);
	assert_false(common.found || common.idle);
	add(SCOPE_TREE_ROOT, true);
	assert_false(common.found || common.idle);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_it_entered_is_after_the_functions_that_both_have),
		TEST(the_first_place_where_they_part_counts),
		TEST(where_another_waits_it_is_idle),
		TEST(without_a_function_in_common_nothing_is_found),
	};

	return cmocka_run_group_tests_name("common_loop", tests, NULL, NULL);
}
