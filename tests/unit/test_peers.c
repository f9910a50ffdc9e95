// SPDX-License-Identifier: GPL-2.0-only
/* Whether a thread hangs that sleeps where other threads idle: decided by the stacks of its peers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "evidence/peers.h"
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
	case_unit(made, (struct scope_unit){ .thread = PEER, .asked = 1 }, 0, SCOPE_UNIT_USUAL, 0, 0);
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

/* That a function is work is seen by few stacks, that it is none is not. */
static void two_of_few_stacks_say_that_it_hangs(void **state)
{
	(void)state;
	stacks(at_deep, 1);
	stacks(at_idle, 3);
	assert_true(is_hang());
	assert_true(hang.unsure);
	made->evidence.items = 0;
	stacks(at_deep, 2);
	stacks(at_idle, 2);
	assert_true(is_hang());
	assert_false(hang.unsure);
}

static void a_thread_where_a_peer_waits_is_idle(void **state)
{
	(void)state;
	stacks(at_deep, 100);
	stopped_stack[HUNG].node = at_idle;
	assert_false(is_hang());
}

/* A thread that accepts for the others begins as they do, and has another loop. */
static void of_several_loops_its_own_decides(void **state)
{
	const struct scope_function *to_tasks[] = { &start, &loop, &elsewhere }, *to_accept[] = { &start, &elsewhere };

	(void)state;
	stopped_stack[OTHER] = (struct scope_stopped_stack){ .node = case_node(made, to_accept, 2), .start = &start };
	waits_for_work(OTHER);
	case_unit(made, (struct scope_unit){ .thread = OTHER, .asked = 1 }, 0, SCOPE_UNIT_USUAL, 0, 0);
	stacks(at_deep, 100);
	assert_true(is_hang());
	stopped_stack[HUNG].node = case_node(made, to_tasks, 3);
	assert_false(is_hang());
}

static void a_thread_that_has_no_peer_at_work_is_idle(void **state)
{
	const struct scope_function *to_other[] = { &elsewhere, &idle };

	(void)state;
	stacks(at_deep, 100);
	stopped_stack[PEER] = (struct scope_stopped_stack){ .node = case_node(made, to_other, 2), .start = &elsewhere };
	assert_false(is_hang());
	stopped_stack[PEER] = (struct scope_stopped_stack){ .node = at_idle, .start = &start };
	scope_timeline_threads_at(made->timeline->threads, PEER)->run = SCOPE_RUN_RUNNING;
	assert_false(is_hang());
}

/* The peer started elsewhere, and runs the same loop. */
static void a_peer_that_runs_the_same_loop_is_one(void **state)
{
	const struct scope_function *to_idle[] = { &elsewhere, &loop, &idle };
	const struct scope_function *to_deep[] = { &elsewhere, &loop, &work, &deep };
	const uint32_t at_other = case_node(made, to_idle, 3), at_other_deep = case_node(made, to_deep, 4);

	(void)state;
	stopped_stack[PEER] = (struct scope_stopped_stack){ .node = at_other, .start = &elsewhere };
	stacks(at_other_deep, 4);
	assert_false(is_hang());
	stacks(at_deep, 1);
	stacks(at_other, 95);
	assert_true(is_hang());
	assert_false(hang.unsure);
	stacks(at_other, 1);
	assert_false(is_hang());
	stopped_stack[HUNG].node = at_idle;
	stacks(at_idle, 1000);
	assert_false(is_hang());
}

/* Units of a reference have numbers of their own. */
static void stacks_of_a_reference_do_not_count(void **state)
{
	(void)state;
	stacks(at_idle, 95);
	for (unsigned i = 0; i < 100; i++)
		case_item(made, (struct scope_item){
					.kind = SCOPE_ITEM_RUN, .unit = 1u << 24, .reference = true, .node = at_deep });
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

/* The process of a request ends with it: its stacks alone show where it started. */
static void stacks_of_threads_that_ended_count(void **state)
{
	const uint32_t unit = case_unit(made, (struct scope_unit){ .thread = OTHER }, 0, SCOPE_UNIT_USUAL, 0, 0);

	(void)state;
	stacks(at_idle, 5);
	for (unsigned i = 0; i < 5; i++)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_RUN, .node = at_deep, .unit = unit });
	assert_false(is_hang());
	scope_timeline_threads_at(made->timeline->threads, OTHER)->run = SCOPE_RUN_ENDED;
	assert_true(is_hang());
	assert_false(hang.unsure);
	stopped_stack[OTHER].start = &elsewhere;
	assert_false(is_hang());
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

static const struct scope_function library = { .name = "serve", .module = "p", .library = true, .language = true };
static const struct scope_function runtime = {
	.name = "runtime.main", .module = "p", .library = true, .language = true
};

/* Of the thread that spins, in a function that a function of its language's library called. */
static void spins_in(uint32_t node, const struct scope_function *above)
{
	hang = (struct scope_hang){ .thread = HUNG, .kind = SCOPE_HANG_SPIN, .signals = 100 };
	case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_SPIN, .node = node, .above = above });
	case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_SPIN, .node = node, .above = above });
}

static void an_interrupted_spin_is_where_requests_begin(void **state)
{
	const struct scope_function *to_other[] = { &elsewhere, &work };
	const uint32_t at_other = case_node(made, to_other, 2);

	(void)state;
	spins_in(at_work, NULL);
	/* One sample of something else that the thread ran. */
	case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_SPIN, .node = at_other });
	assert_true(is_hang());
	stacks(at_deep, 5);
	stacks(at_other, 95);
	assert_true(is_hang());
	stacks(at_other, 1);
	assert_false(is_hang());
	/* That it is interrupted makes the difference. */
	hang.signals = 0;
	assert_true(is_hang());
}

static void or_below_the_same_function_of_a_library(void **state)
{
	const struct scope_function *to_other[] = { &elsewhere, &work };
	const uint32_t at_other = case_node(made, to_other, 2);

	(void)state;
	spins_in(at_work, &library);
	stacks(at_other, 95);
	assert_false(is_hang());
	for (unsigned i = 0; i < 5; i++)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_RUN, .node = at_other, .above = &library });
	assert_true(is_hang());
}

/* There the program starts what it likes. */
static void the_runtime_calls_whatever_the_program_starts(void **state)
{
	const struct scope_function *to_other[] = { &elsewhere, &work };
	const uint32_t at_other = case_node(made, to_other, 2);

	(void)state;
	spins_in(at_work, &runtime);
	for (unsigned i = 0; i < 100; i++)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_RUN, .node = at_other, .above = &runtime });
	assert_false(is_hang());
}

static void nothing_of_the_program_is_no_spin_of_it(void **state)
{
	(void)state;
	spins_in(SCOPE_TREE_ROOT, NULL);
	assert_false(is_hang());
}

/*
 * Each sleeps in a futex, the first one in the middle of a request as it seems, the others for longer and as idle threads of a pool. A frame
 * is a process and two calls; the function that sleeps may do so at two places.
 */
static bool hangs_among(uint64_t caller, uint64_t since_ns, uint32_t idle_threads)
{
	uint64_t frames[] = { 0, 7, 2, 0x101, caller, 7, 2, 0x102, 0x20, 7, 2, 0x102, 0x20 };
	const uint32_t first[] = { 1, 5, 9 };
	struct scope_hang row[3];
	size_t count = 1 + idle_threads;
	int err;

	for (uint32_t i = 0; i < 3; i++) {
		stopped_stack[i] = (struct scope_stopped_stack){ .node = at_idle, .frames = first[i] };
		row[i] = (struct scope_hang){
			.thread = i, .nr = SYS_futex, .since_ns = i ? 10 : since_ns, .needs_peers = i
		};
	}
	made->evidence.frames = frames;
	err = scope_evidence_peers_drop(&made->evidence, NULL, &made->units, pickups, false, row, &count);
	made->evidence.frames = NULL;
	assert_int_equal(err, 0);
	assert_true(count <= 1);
	return count;
}

static void a_thread_that_sleeps_where_two_others_idle_does_so_as_well(void **state)
{
	(void)state;
	assert_false(hangs_among(0x20, 11, 2));
	assert_true(hangs_among(0x20, 11, 1));
	assert_true(hangs_among(0x20, 10, 2));
	assert_true(hangs_among(0x30, 11, 2));
}

/* No thread did any work. Two of those that started in one function sleep at one place, and the third one elsewhere. */
static bool may_hang_apart(uint32_t second_at, const struct scope_function *second_start, uint32_t second_tgid,
			   bool all_idle)
{
	struct scope_hang row = { .thread = HUNG, .nr = SYS_poll, .needs_peers = true, .quiet = true };
	size_t count = 1;

	waits_for_work(OTHER);
	for (uint32_t i = 0; i < CASE_THREADS; i++)
		scope_timeline_threads_at(made->timeline->threads, i)->tgid = i == OTHER ? second_tgid : 1;
	stopped_stack[OTHER] = (struct scope_stopped_stack){ .node = second_at, .start = second_start };
	assert_int_equal(
		scope_evidence_peers_drop(&made->evidence, NULL, &made->units, pickups, all_idle, &row, &count), 0);
	assert_true(!count || row.unsure);
	return count;
}

static void of_threads_that_all_sleep_one_that_sleeps_apart_may_hang(void **state)
{
	(void)state;
	assert_true(may_hang_apart(at_idle, &start, 1, true));
	/* Another place says nothing where threads do work, where the others sleep at several, or where there is one of them. */
	assert_false(may_hang_apart(at_idle, &start, 1, false));
	assert_false(may_hang_apart(at_work, &start, 1, true));
	assert_false(may_hang_apart(at_deep, &start, 1, true));
	assert_false(may_hang_apart(at_idle, &elsewhere, 1, true));
	assert_false(may_hang_apart(at_idle, &start, 2, true));
}

static const struct scope_function task = { .name = "task", .module = "p" };

/*
 * The thread sleeps below a function that a library's pool called. The peer of that pool waits for work without a function of the program;
 * the loop beside it has most stacks.
 */
static bool hangs_in_pool(unsigned of_pool, unsigned elsewhere_in_pool, unsigned of_loop)
{
	const struct scope_function *const to_task[] = { &task }, *const to_elsewhere[] = { &elsewhere };
	const uint32_t at_task = case_node(made, to_task, 1), at_elsewhere = case_node(made, to_elsewhere, 1);
	const uint32_t unit =
		case_unit(made, (struct scope_unit){ .thread = OTHER, .asked = 1 }, 0, SCOPE_UNIT_USUAL, 0, 0);

	for (uint32_t i = 0; i < CASE_THREADS; i++)
		scope_timeline_threads_at(made->timeline->threads, i)->tgid = 1;
	stopped_stack[HUNG] = (struct scope_stopped_stack){ .node = at_task, .start = &task };
	stopped_stack[PEER] = (struct scope_stopped_stack){ .bare = true };
	stacks(at_task, of_pool);
	stacks(at_elsewhere, elsewhere_in_pool);
	for (unsigned i = 0; i < of_loop; i++)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_RUN, .node = at_deep, .unit = unit });
	return is_hang();
}

static void a_pool_of_a_library_is_compared_with_itself(void **state)
{
	(void)state;
	assert_true(hangs_in_pool(5, 95, 1000));
	assert_false(hang.unsure);
}

static void a_twentieth_of_its_stacks_is_needed(void **state)
{
	(void)state;
	assert_false(hangs_in_pool(5, 96, 1000));
}

static void one_of_its_stacks_says_nothing(void **state)
{
	(void)state;
	assert_false(hangs_in_pool(1, 0, 100));
}

static void two_of_its_stacks_say_that_it_hangs(void **state)
{
	(void)state;
	assert_true(hangs_in_pool(2, 2, 100));
}

/* Its own stacks, from before it went to sleep for good, say nothing about others. */
static void stacks_of_the_thread_itself_do_not_count(void **state)
{
	const uint32_t unit = case_unit(made, (struct scope_unit){ .thread = HUNG }, 0, SCOPE_UNIT_USUAL, 0, 0);

	(void)state;
	hang.kind = SCOPE_HANG_BLOCKED;
	stacks(at_idle, 95);
	for (unsigned i = 0; i < 5; i++)
		case_item(made, (struct scope_item){ .kind = SCOPE_ITEM_RUN, .node = at_deep, .unit = unit });
	assert_false(is_hang());
	stacks(at_deep, 5);
	assert_true(is_hang());
}

static const struct scope_function view = { .name = "view", .symbol = "py::view:/srv/app.py", .module = "app.py" };
static const struct scope_function job = { .name = "job", .symbol = "py::job:/srv/app.py", .module = "app.py" };

/*
 * The thread sleeps in a function that an interpreter runs, which a server in C is for. The peer, the first thread of another process
 * as well, waits in functions of that server, which have most stacks.
 */
static bool hangs_in_server(unsigned of_view, unsigned of_job, const char *peer)
{
	const struct scope_function *const to_view[] = { &view }, *const to_job[] = { &job };
	const uint32_t at_view = case_node(made, to_view, 1), at_job = case_node(made, to_job, 1);

	for (uint32_t i = 0; i < CASE_THREADS; i++) {
		struct scope_thread *thread = scope_timeline_threads_at(made->timeline->threads, i);

		thread->tgid = thread->tid;
		strcpy(thread->comm, i == PEER ? peer : "server");
	}
	stopped_stack[HUNG] = (struct scope_stopped_stack){ .node = at_view, .start = &view };
	stacks(at_view, of_view);
	stacks(at_job, of_job);
	stacks(at_deep, 1000);
	return is_hang();
}

static void a_server_that_runs_an_interpreter_is_compared_by_that(void **state)
{
	(void)state;
	assert_true(hangs_in_server(5, 95, "server"));
	assert_false(hang.unsure);
}

static void what_the_interpreter_runs_beside_requests_does_not_hang(void **state)
{
	(void)state;
	assert_false(hangs_in_server(5, 96, "server"));
}

static void a_process_of_another_name_is_no_peer(void **state)
{
	(void)state;
	assert_false(hangs_in_server(5, 95, "other"));
}

/* Node's main thread waits for work outside of JavaScript; one of its workers may wait for work in it. */
static void a_main_thread_that_sleeps_in_javascript_hangs(void **state)
{
	static const struct scope_function script = { .name = "sell",
						      .symbol = "js::sell:/srv/app.js",
						      .module = "app.js" };
	const struct scope_function *to_script[] = { &start, &script };
	struct scope_thread *thread = scope_timeline_threads_at(made->timeline->threads, HUNG);

	(void)state;
	stopped_stack[HUNG].node = case_node(made, to_script, 2);
	thread->tgid = thread->tid;
	hang.quiet = true;
	assert_true(is_hang());
	assert_false(hang.unsure);
	thread->tgid = thread->tid + 1;
	assert_false(is_hang());
	thread->tgid = thread->tid;
	stopped_stack[HUNG].node = at_deep;
	assert_false(is_hang());
	hang.quiet = false;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(five_of_a_hundred_stacks_at_work_say_that_it_hangs),
		TEST(a_main_thread_that_sleeps_in_javascript_hangs),
		TEST(work_is_all_below_where_they_part),
		TEST(fewer_than_five_stacks_say_nothing),
		TEST(two_of_few_stacks_say_that_it_hangs),
		TEST(a_thread_where_a_peer_waits_is_idle),
		TEST(of_several_loops_its_own_decides),
		TEST(a_thread_that_has_no_peer_at_work_is_idle),
		TEST(a_peer_that_runs_the_same_loop_is_one),
		TEST(stacks_of_others_do_not_count),
		TEST(stacks_of_a_reference_do_not_count),
		TEST(stacks_of_threads_that_ended_count),
		TEST(stacks_at_work_are_samples_and_sleeps),
		TEST(where_nobody_works_it_is_unsure),
		TEST(some_need_no_peers),
		TEST(a_thread_that_waits_in_its_runtime_for_work_is_idle),
		TEST(an_interrupted_spin_is_where_requests_begin),
		TEST(or_below_the_same_function_of_a_library),
		TEST(the_runtime_calls_whatever_the_program_starts),
		TEST(nothing_of_the_program_is_no_spin_of_it),
		TEST(a_thread_that_sleeps_where_two_others_idle_does_so_as_well),
		TEST(of_threads_that_all_sleep_one_that_sleeps_apart_may_hang),
		TEST(a_pool_of_a_library_is_compared_with_itself),
		TEST(a_twentieth_of_its_stacks_is_needed),
		TEST(one_of_its_stacks_says_nothing),
		TEST(two_of_its_stacks_say_that_it_hangs),
		TEST(stacks_of_the_thread_itself_do_not_count),
		TEST(a_server_that_runs_an_interpreter_is_compared_by_that),
		TEST(what_the_interpreter_runs_beside_requests_does_not_hang),
		TEST(a_process_of_another_name_is_no_peer),
	};

	return cmocka_run_group_tests_name("peers", tests, NULL, NULL);
}
