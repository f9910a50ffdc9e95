// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function that is named for the time in which requests wait between turns of an event loop, if there is no stack
 * of that time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "evidence/held_waits.h"
#include "rank_case.h"

#define WAITED_NS 1000

static const struct scope_function handle = { .name = "handle", .known = true };
static const struct scope_function retry = { .name = "retry", .known = true };
static const struct scope_function *const path[] = { &handle, &retry };

static const struct scope_unit_earlier earlier = {
	.part = { 3000, 4000, 0 },
	.task_ns = WAITED_NS,
	.class = SCOPE_WAIT_TIMER,
	.waker = SCOPE_WAIT_NO_THREAD,
};

static struct rank_case *made;
static uint32_t held, usual; /* units: one that waited, and one that did not */

static int setup(void **state)
{
	struct scope_unit unit = { .begin_ns = 5000, .end_ns = 6000, .asked = 1 };

	(void)state;
	made = case_create();
	made->evidence.item_capacity = CASE_ITEMS;
	usual = case_unit(made, unit, 1, SCOPE_UNIT_USUAL, 0, 0);
	unit.earlier = &earlier;
	held = case_unit(made, unit, 0, SCOPE_UNIT_SLOW, 0, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

/* Stacks of the unit, in handle alone, or in the function that it calls. */
static void stacks(uint32_t unit, unsigned in_handle, unsigned in_retry)
{
	for (unsigned i = 0; i < in_handle + in_retry; i++)
		case_item(made, (struct scope_item){
					.kind = SCOPE_ITEM_RUN,
					.unit = unit,
					.population = unit == held ? 0 : 1,
					.abnormal = unit == held,
					.node = case_node(made, path, i < in_handle ? 1 : 2),
				});
}

/* The function that gets the wait, which is one item; NULL: there is none. */
static const struct scope_function *named(const struct scope_task_rows *looks)
{
	const size_t before = made->evidence.items;
	struct scope_attributor attributor = {
		.kept = &made->kept,
		.detection = &made->detection,
		.evidence = &made->evidence,
	};
	const struct scope_item *item = &made->evidence.item[before];

	assert_int_equal(scope_evidence_attributor_init(&attributor, 1), 0);
	assert_int_equal(scope_evidence_held_waits_collect(&attributor, looks), 0);
	scope_evidence_attributor_free(&attributor);
	if (made->evidence.items == before)
		return NULL;
	assert_int_equal(made->evidence.items, before + 1);
	assert_int_equal(item->unit, held);
	assert_int_equal(item->kind, SCOPE_ITEM_WAIT);
	assert_int_equal(item->class, SCOPE_WAIT_TIMER);
	assert_true(item->held && item->task && item->abnormal && !item->propagated);
	assert_true(item->weight_ns == WAITED_NS);
	return made->evidence.tree.node[item->node].function;
}

static const struct scope_task_rows no_looks;

static void a_function_in_half_of_the_stacks_is_named(void **state)
{
	(void)state;
	stacks(usual, 8, 0);
	stacks(held, 2, 2);
	assert_ptr_equal(named(&no_looks), &retry);
}

/* Units of a reference have numbers of their own. */
static void stacks_of_a_reference_do_not_count(void **state)
{
	(void)state;
	stacks(usual, 8, 0);
	stacks(held, 2, 2);
	for (unsigned i = 0; i < 100; i++)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_RUN,
						     .unit = i % 2 ? held : 1u << 24,
						     .reference = true,
						     .node = case_node(made, path, 1) });
	assert_ptr_equal(named(&no_looks), &retry);
}

/* Not even if others have stacks: its thread may be a library's, in which no function of the program runs. */
static void without_stacks_of_such_requests_none_is(void **state)
{
	const struct scope_unit other = { .begin_ns = 5000, .end_ns = 6000, .asked = 1, .thread = 1 };

	(void)state;
	made->population[1].group = 1;
	stacks(case_unit(made, other, 1, SCOPE_UNIT_USUAL, 0, 0), 8, 8);
	assert_null(named(&no_looks));
}

static void a_function_in_less_than_half_is_not(void **state)
{
	(void)state;
	stacks(usual, 8, 0);
	stacks(held, 3, 2);
	assert_ptr_equal(named(&no_looks), &handle);
}

static void it_is_twice_as_frequent_as_in_usual_requests(void **state)
{
	(void)state;
	stacks(usual, 6, 2);
	stacks(held, 2, 2);
	assert_ptr_equal(named(&no_looks), &retry);
}

static void else_what_handles_all_requests_is_named(void **state)
{
	(void)state;
	stacks(usual, 5, 2);
	stacks(held, 2, 2);
	assert_ptr_equal(named(&no_looks), &handle);
}

static void two_stacks_decide_nothing(void **state)
{
	(void)state;
	stacks(usual, 8, 0);
	stacks(held, 0, 2);
	assert_ptr_equal(named(&no_looks), &handle);
}

static void three_stacks_decide(void **state)
{
	(void)state;
	stacks(usual, 8, 0);
	stacks(held, 0, 3);
	assert_ptr_equal(named(&no_looks), &retry);
}

static void without_any_stack_none_is_named(void **state)
{
	(void)state;
	assert_null(named(&no_looks));
}

/* Looks at the tasks of a process say more. */
static void processes_with_looks_are_left_to_these(void **state)
{
	struct scope_task_row row = { .tgid = scope_timeline_threads_at(made->timeline->threads, 0)->tgid };
	const struct scope_task_rows looks = { .row = &row, .rows = 1 };

	(void)state;
	stacks(held, 0, 3);
	assert_null(named(&looks));
}

static const struct scope_unit_earlier given = {
	.part = { 3000, 4000, 0 },
	.task_ns = WAITED_NS,
	.class = SCOPE_WAIT_PIPE,
	.waker = 1,
};

/* True if the thread that ended the wait had no stack in it: it had one in the library that keeps it, or none. */
static bool is_silent(bool had_one)
{
	const struct scope_stretch run = {
		.begin_ns = 4500, .end_ns = 4500, .weight_ns = 10, .run = true, .unit = UINT32_MAX
	};
	struct scope_wait_segment window = { .begin_ns = 4000, .end_ns = 5000, .thread = 1, .unit = held };
	struct scope_attributor attributor = {
		.kept = &made->kept,
		.detection = &made->detection,
		.evidence = &made->evidence,
	};
	const struct scope_item *item = &made->evidence.item[made->evidence.items];

	made->kept.wait_chains.window = &window;
	made->kept.wait_chains.windows = 1;
	assert_int_equal(scope_evidence_attributor_init(&attributor, 1), 0);
	if (had_one)
		assert_int_equal(scope_evidence_attributor_add(&attributor, 1, &run, (struct scope_stack_node){ 0 }),
				 0);
	assert_int_equal(scope_evidence_held_waits_collect(&attributor, &no_looks), 0);
	scope_evidence_attributor_free(&attributor);
	made->kept.wait_chains.window = NULL;
	made->kept.wait_chains.windows = 0;
	assert_true(item->held && item->propagated);
	return item->silent;
}

static void a_thread_without_any_stack_is_silent(void **state)
{
	(void)state;
	made->units.unit[held].earlier = &given;
	stacks(held, 0, 3);
	assert_true(is_silent(false));
	assert_false(is_silent(true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_function_in_half_of_the_stacks_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(stacks_of_a_reference_do_not_count, setup, teardown),
		cmocka_unit_test_setup_teardown(without_stacks_of_such_requests_none_is, setup, teardown),
		cmocka_unit_test_setup_teardown(a_function_in_less_than_half_is_not, setup, teardown),
		cmocka_unit_test_setup_teardown(it_is_twice_as_frequent_as_in_usual_requests, setup, teardown),
		cmocka_unit_test_setup_teardown(else_what_handles_all_requests_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(two_stacks_decide_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(three_stacks_decide, setup, teardown),
		cmocka_unit_test_setup_teardown(without_any_stack_none_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(a_thread_without_any_stack_is_silent, setup, teardown),
		cmocka_unit_test_setup_teardown(processes_with_looks_are_left_to_these, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
