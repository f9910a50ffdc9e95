// SPDX-License-Identifier: GPL-2.0-only
/* Whether a thread that sleeps where others idle as well hangs: its peers are asked, by their stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "rank_case.h"

enum { HUNG, PEER, OTHER };

static const struct scope_function start = { .name = "start", .module = "p" };
static const struct scope_function elsewhere = { .name = "start_other", .module = "p" };
static const struct scope_function loop = { .name = "loop", .module = "p" };
static const struct scope_function idle = { .name = "idle", .module = "p" };
static const struct scope_function work = { .name = "work", .module = "p" };
static const struct scope_function deep = { .name = "deep", .module = "p" };

static struct rank_case *made;
static struct scope_stopped_stack stopped_stack[CASE_THREADS];
static struct scope_pickups *pickups;
static struct scope_hang hang;
static uint32_t at_idle, at_work, at_deep;

static void waits_for_work(uint32_t index)
{
	struct scope_thread *thread = scope_timeline_threads_at(made->timeline->threads, index);

	thread->run = SCOPE_RUN_BLOCKED;
	thread->open.nr = SYS_epoll_pwait;
}

static int setup(void **state)
{
	const struct scope_function *to_idle[] = { &start, &loop, &idle };
	const struct scope_function *to_deep[] = { &start, &loop, &work, &deep };

	(void)state;
	made = case_create();
	at_idle = case_node(made, to_idle, 3);
	at_work = case_node(made, to_deep, 3);
	at_deep = case_node(made, to_deep, 4);
	for (unsigned i = 0; i < CASE_THREADS; i++)
		stopped_stack[i] = (struct scope_stopped_stack){ 0 };
	stopped_stack[HUNG] = (struct scope_stopped_stack){ .node = at_deep, .start = &start };
	stopped_stack[PEER] = (struct scope_stopped_stack){ .node = at_idle, .start = &start };
	made->evidence.stopped_stack = stopped_stack;
	hang = (struct scope_hang){ .thread = HUNG, .needs_peers = true };
	waits_for_work(PEER);
	case_unit(made, (struct scope_unit){ .thread = PEER }, 0, SCOPE_UNIT_USUAL, 0, 0);
	return scope_unit_pickups_create(&pickups);
}

static int teardown(void **state)
{
	(void)state;
	scope_unit_pickups_destroy(pickups);
	case_destroy(made);
	return 0;
}

/* Of the peer while it was at work. */
static void stacks(uint32_t node, unsigned count)
{
	while (count--)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_RUN, .node = node });
}

static bool is_hang(void)
{
	const struct scope_evidence_source source = { .kept = &made->kept };
	struct scope_evidence *evidence;
	struct scope_hang row = hang;
	size_t count = 1;

	assert_int_equal(scope_evidence_collect(&source, NULL, &made->detection, pickups, &made->evidence, &row, &count,
						&evidence),
			 0);
	scope_evidence_destroy(evidence);
	hang.unsure = count && row.unsure;
	return count;
}

static void five_of_a_hundred_stacks_at_work_say_that_it_hangs(void **state)
{
	(void)state;
	stacks(at_deep, 5);
	stacks(at_idle, 95);
	assert_true(is_hang());
	assert_false(hang.unsure);
	stacks(at_idle, 1);
	assert_false(is_hang());
}

/* What it entered from the loop is work, wherever below that others were. */
static void work_is_all_below_where_they_part(void **state)
{
	(void)state;
	stacks(at_work, 5);
	stacks(at_idle, 95);
	assert_true(is_hang());
}

static void fewer_than_five_stacks_say_nothing(void **state)
{
	(void)state;
	stacks(at_idle, 4);
	assert_true(is_hang());
	assert_true(hang.unsure);
	stacks(at_idle, 1);
	assert_false(is_hang());
}

static void a_thread_where_a_peer_waits_is_idle(void **state)
{
	(void)state;
	stacks(at_deep, 100);
	stopped_stack[HUNG].node = at_idle;
	assert_false(is_hang());
}

static void a_thread_that_has_no_peer_at_work_is_idle(void **state)
{
	(void)state;
	stacks(at_deep, 100);
	stopped_stack[PEER].start = &elsewhere;
	assert_false(is_hang());
	stopped_stack[PEER].start = &start;
	scope_timeline_threads_at(made->timeline->threads, PEER)->run = SCOPE_RUN_RUNNING;
	assert_false(is_hang());
}

/* Of threads that started elsewhere, and of stacks that were cut short, nothing is known. */
static void stacks_of_others_do_not_count(void **state)
{
	const struct scope_function *cut[] = { &work };
	const uint32_t at_cut = case_node(made, cut, 1);
	const uint32_t unit = case_unit(made, (struct scope_unit){ .thread = OTHER }, 0, SCOPE_UNIT_USUAL, 0, 0);

	(void)state;
	stacks(at_idle, 5);
	stacks(at_cut, 100);
	assert_false(is_hang());
	for (unsigned i = 0; i < 100; i++)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_RUN, .node = at_deep, .unit = unit });
	stopped_stack[OTHER].start = &elsewhere;
	assert_false(is_hang());
	stopped_stack[OTHER].start = &start;
	assert_true(is_hang());
}

/* What others did while somebody waited for them is no work of theirs; a sleep in the middle of it is. */
static void stacks_at_work_are_samples_and_sleeps(void **state)
{
	(void)state;
	stacks(at_idle, 5);
	for (unsigned i = 0; i < 100; i++)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_BLAME, .node = at_deep });
	assert_false(is_hang());
	case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_WAIT, .node = at_deep });
	assert_true(is_hang());
}

static void where_nobody_works_it_is_unsure(void **state)
{
	(void)state;
	stacks(at_idle, 100);
	made->detection.busy_ns = 0;
	assert_true(is_hang());
	assert_true(hang.unsure);
}

static void some_need_no_peers(void **state)
{
	(void)state;
	stacks(at_idle, 100);
	hang.needs_peers = false;
	assert_true(is_hang());
	assert_false(hang.unsure);
}

static void a_thread_that_waits_in_its_runtime_for_work_is_idle(void **state)
{
	(void)state;
	stacks(at_deep, 100);
	hang.needs_peers = false;
	stopped_stack[HUNG].idle = true;
	assert_false(is_hang());
	stopped_stack[HUNG].idle = false;
	assert_true(is_hang());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(five_of_a_hundred_stacks_at_work_say_that_it_hangs),
		TEST(work_is_all_below_where_they_part),
		TEST(fewer_than_five_stacks_say_nothing),
		TEST(a_thread_where_a_peer_waits_is_idle),
		TEST(a_thread_that_has_no_peer_at_work_is_idle),
		TEST(stacks_of_others_do_not_count),
		TEST(stacks_at_work_are_samples_and_sleeps),
		TEST(where_nobody_works_it_is_unsure),
		TEST(some_need_no_peers),
		TEST(a_thread_that_waits_in_its_runtime_for_work_is_idle),
	};

	return cmocka_run_group_tests_name("peers", tests, NULL, NULL);
}
