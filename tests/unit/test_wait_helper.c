// SPDX-License-Identifier: GPL-2.0-only
/* Which functions only sleep for their callers: with just enough for the rule, and with slightly less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rank/wait_helper.h"
#include "timeline/class.h"

enum { MAIN = 1, CALLER, NAMELESS, HELPER, BELOW };

static struct scope_function function[] = {
	[MAIN] = { .name = "main", .module = "server", .known = true },
	[CALLER] = { .name = "take_lock_file", .module = "libserver.so.0", .known = true },
	[NAMELESS] = { .name = "libserver.so.0+0x10", .module = "libserver.so.0" },
	[HELPER] = { .name = "sleep_usecs", .module = "libserver.so.0", .known = true },
	[BELOW] = { .name = "below", .module = "libserver.so.0", .known = true },
};

static struct scope_tree_node node[] = {
	[MAIN] = { .function = &function[MAIN], .child = CALLER },
	[CALLER] = { .function = &function[CALLER], .parent = MAIN, .child = NAMELESS },
	[NAMELESS] = { .function = &function[NAMELESS], .parent = CALLER, .child = HELPER },
	[HELPER] = { .function = &function[HELPER], .parent = NAMELESS },
	[BELOW] = { .function = &function[BELOW], .parent = HELPER },
};

static struct scope_item item[] = {
	{ .node = HELPER, .kind = SCOPE_ITEM_WAIT, .class = SCOPE_WAIT_TIMER, .weight_ns = 95, .abnormal = true },
	{ .node = HELPER, .kind = SCOPE_ITEM_RUN, .weight_ns = 5, .abnormal = true },
	{ .node = CALLER, .kind = SCOPE_ITEM_RUN, .weight_ns = 1000, .abnormal = true },
};

static const struct scope_evidence evidence = {
	.tree = { .node = node, .count = sizeof(node) / sizeof(node[0]) },
	.item = item,
	.items = sizeof(item) / sizeof(item[0]),
};

static bool is_helper(void)
{
	return scope_rank_wait_helper_caller(&evidence, SCOPE_TREE_ROOT, HELPER, false) != HELPER;
}

static void its_time_is_that_of_sleeps(void **state)
{
	(void)state;
	assert_true(is_helper());
	item[1].weight_ns = 5.1;
	assert_false(is_helper());
	item[1].weight_ns = 5;
	item[0].class = SCOPE_WAIT_DISK;
	assert_false(is_helper());
	item[0].class = SCOPE_WAIT_TIMER;
}

/* A sample in the function that sleeps is on the way into a sleep, or out of it. */
static void samples_below_the_call_that_sleeps_are_of_sleeps(void **state)
{
	static const struct scope_function nanosleep = { .name = "__GI___nanosleep", .module = "libc.so.6" };
	static const struct scope_function read = { .name = "read", .module = "libc.so.6" };

	(void)state;
	item[1].weight_ns = 1000;
	item[1].below = &nanosleep;
	assert_true(is_helper());
	item[1].below = &read;
	assert_false(is_helper());
	item[1].below = NULL;
	item[1].weight_ns = 5;
}

static void a_library_has_a_version(void **state)
{
	(void)state;
	function[HELPER].module = "server";
	assert_false(is_helper());
	function[HELPER].module = "mod_sleep.so";
	assert_false(is_helper());
	function[HELPER].module = "libserver.so.old";
	assert_false(is_helper());
	function[HELPER].module = "libserver.so.0.1";
	assert_true(is_helper());
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, SCOPE_TREE_ROOT, SCOPE_TREE_ROOT, false),
			 SCOPE_TREE_ROOT);
}

static void it_calls_no_other_function(void **state)
{
	(void)state;
	node[HELPER].child = BELOW;
	assert_false(is_helper());
	node[HELPER].child = 0;
	assert_true(is_helper());
}

/* A hang may have no stacks with a time: only who calls the rule knows that the thread sleeps. */
static void one_without_time_has_to_be_asleep(void **state)
{
	(void)state;
	item[0].weight_ns = item[1].weight_ns = 0;
	assert_false(is_helper());
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, SCOPE_TREE_ROOT, HELPER, true), CALLER);
	item[1].weight_ns = 5;
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, SCOPE_TREE_ROOT, HELPER, true), HELPER);
	item[0].weight_ns = 95;
}

/* The nearest one with a name; not the function where the search began, nor anything above it. */
static void its_caller_is_named(void **state)
{
	(void)state;
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, SCOPE_TREE_ROOT, HELPER, false), CALLER);
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, CALLER, HELPER, false), CALLER);
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, NAMELESS, HELPER, false), HELPER);
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, HELPER, HELPER, false), HELPER);
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, SCOPE_TREE_ROOT, CALLER, false), CALLER);
	function[NAMELESS].known = true;
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, SCOPE_TREE_ROOT, HELPER, false), NAMELESS);
	function[NAMELESS].known = false;
	node[HELPER].parent = SCOPE_TREE_ROOT;
	assert_int_equal(scope_rank_wait_helper_caller(&evidence, SCOPE_TREE_ROOT, HELPER, false), HELPER);
	node[HELPER].parent = NAMELESS;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_time_is_that_of_sleeps),
		cmocka_unit_test(a_library_has_a_version),
		cmocka_unit_test(samples_below_the_call_that_sleeps_are_of_sleeps),
		cmocka_unit_test(it_calls_no_other_function),
		cmocka_unit_test(one_without_time_has_to_be_asleep),
		cmocka_unit_test(its_caller_is_named),
	};

	return cmocka_run_group_tests_name("wait_helper", tests, NULL, NULL);
}
