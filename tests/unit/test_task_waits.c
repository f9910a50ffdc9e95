// SPDX-License-Identifier: GPL-2.0-only
/* The order of findings if tasks wait for each other: a task that runs comes before the tasks that wait for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rank/rank.h"
#include "rank/task_waits.h"

static struct scope_tree_node root = { .total_run_ns = 100 };
static const struct scope_evidence evidence = { .tree.node = &root };

static struct scope_finding wait_for_lock(void)
{
	return (struct scope_finding){
		.kind = SCOPE_FINDING_WAIT,
		.evidence = &evidence,
		.by_stacks = true,
		.excess_ns = 500,
		.wait = { .class = SCOPE_WAIT_FUTEX, .task = true },
	};
}

static struct scope_finding runs(enum scope_finding_kind kind, double excess_ns)
{
	return (struct scope_finding){ .kind = kind, .evidence = &evidence, .by_stacks = true, .excess_ns = excess_ns };
}

/* The kind of the first of the two, in their order. */
static enum scope_finding_kind first_of(struct scope_finding first, struct scope_finding second)
{
	struct scope_finding finding[] = { first, second };

	scope_rank_task_waits_order(finding, 2);
	return finding[0].kind;
}

static void what_has_most_of_the_running_time_comes_first(void **state)
{
	(void)state;
	assert_int_equal(first_of(wait_for_lock(), runs(SCOPE_FINDING_TIME, 50)), SCOPE_FINDING_TIME);
	assert_int_equal(first_of(wait_for_lock(), runs(SCOPE_FINDING_CALLS, 50)), SCOPE_FINDING_CALLS);
	assert_int_equal(first_of(wait_for_lock(), runs(SCOPE_FINDING_TIME, 49.9)), SCOPE_FINDING_WAIT);
	assert_int_equal(first_of(wait_for_lock(), runs(SCOPE_FINDING_LATE, 100)), SCOPE_FINDING_WAIT);
}

static void other_waits_stay_first(void **state)
{
	struct scope_finding wait = wait_for_lock();

	(void)state;
	wait.wait.class = SCOPE_WAIT_TIMER;
	assert_int_equal(first_of(wait, runs(SCOPE_FINDING_TIME, 100)), SCOPE_FINDING_WAIT);
	wait = wait_for_lock();
	wait.wait.task = false;
	assert_int_equal(first_of(wait, runs(SCOPE_FINDING_TIME, 100)), SCOPE_FINDING_WAIT);
	wait = wait_for_lock();
	wait.wait.held = true;
	assert_int_equal(first_of(wait, runs(SCOPE_FINDING_TIME, 100)), SCOPE_FINDING_WAIT);
}

static void the_order_of_the_rest_stays(void **state)
{
	struct scope_finding finding[] = { { .kind = SCOPE_FINDING_HANG },
					   wait_for_lock(),
					   runs(SCOPE_FINDING_LATE, 400),
					   runs(SCOPE_FINDING_TIME, 60),
					   runs(SCOPE_FINDING_CALLS, 55) };
	const enum scope_finding_kind expected[] = { SCOPE_FINDING_HANG, SCOPE_FINDING_TIME, SCOPE_FINDING_WAIT,
						     SCOPE_FINDING_LATE, SCOPE_FINDING_CALLS };

	(void)state;
	scope_rank_task_waits_order(finding, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(finding[i].kind, expected[i]);
	scope_rank_task_waits_order(finding, 1);
	scope_rank_task_waits_order(finding, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_has_most_of_the_running_time_comes_first),
		cmocka_unit_test(other_waits_stay_first),
		cmocka_unit_test(the_order_of_the_rest_stays),
	};

	return cmocka_run_group_tests_name("task_waits", tests, NULL, NULL);
}
