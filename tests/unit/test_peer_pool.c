// SPDX-License-Identifier: GPL-2.0-only
/* Which threads hang in work for a request that is known to hang. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "evidence/peer_pool.h"
#include "rank_case.h"

enum { REQUEST, WORKER, OTHER, ROWS };

#define SINCE_NS 5000000000ull /* when the request began to wait */
#define GIVEN_NS 1000000000ull

static const struct scope_function serve = { .name = "serve", .module = "p" };
static const struct scope_function part = { .name = "part", .module = "p" };
static const struct scope_function take = { .name = "take", .module = "p" };

static struct rank_case *made;
static struct scope_stopped_stack stopped_stack[CASE_THREADS];
static struct scope_hang row[ROWS];
static enum scope_peer_answer answer[ROWS];

static struct scope_hang asleep(uint32_t thread, uint64_t since_ns)
{
	return (struct scope_hang){ .thread = thread, .nr = SYS_futex, .since_ns = since_ns, .needs_peers = true };
}

static int setup(void **state)
{
	const struct scope_function *to_serve[] = { &serve }, *to_part[] = { &part }, *to_take[] = { &take };

	(void)state;
	made = case_create();
	memset(stopped_stack, 0, sizeof(stopped_stack));
	stopped_stack[REQUEST].node = case_node(made, to_serve, 1);
	stopped_stack[WORKER].node = case_node(made, to_part, 1);
	stopped_stack[OTHER].node = case_node(made, to_take, 1);
	made->evidence.stopped_stack = stopped_stack;
	for (uint32_t i = 0; i < ROWS; i++) {
		scope_timeline_threads_at(made->timeline->threads, i)->tgid = 1;
		answer[i] = i == REQUEST ? SCOPE_PEERS_YES : SCOPE_PEERS_NO;
	}
	row[REQUEST] = asleep(REQUEST, SINCE_NS);
	row[WORKER] = asleep(WORKER, SINCE_NS + 1);
	row[OTHER] = asleep(OTHER, SINCE_NS);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

/* Is the worker a hang, and the request only waiting for it? The other thread slept as it began to wait, and is none. */
static bool hangs(void)
{
	const struct scope_peers peers = { .evidence = &made->evidence, .units = &made->units };

	scope_evidence_peer_pool(&peers, answer, row, ROWS);
	assert_int_equal(answer[REQUEST], SCOPE_PEERS_YES);
	assert_int_equal(answer[OTHER], SCOPE_PEERS_NO);
	assert_int_equal(answer[WORKER], row[REQUEST].for_other ? SCOPE_PEERS_YES : SCOPE_PEERS_NO);
	assert_false(row[WORKER].for_other);
	return row[REQUEST].for_other;
}

static void a_thread_that_sleeps_right_after_the_request_has_its_work(void **state)
{
	(void)state;
	assert_true(hangs());
}

static void so_has_one_that_sleeps_within_a_second(void **state)
{
	(void)state;
	row[WORKER].since_ns = SINCE_NS + GIVEN_NS - 1;
	assert_true(hangs());
}

static void one_that_sleeps_later_may_have_had_other_work(void **state)
{
	(void)state;
	row[WORKER].since_ns = SINCE_NS + GIVEN_NS;
	assert_false(hangs());
}

static void one_that_slept_before_has_none(void **state)
{
	(void)state;
	row[WORKER].since_ns = SINCE_NS;
	assert_false(hangs());
}

/* It sleeps where another thread has slept for longer: that is where threads wait for work. */
static void one_that_sleeps_as_idle_ones_do_is_idle(void **state)
{
	(void)state;
	stopped_stack[OTHER].node = stopped_stack[WORKER].node;
	assert_false(hangs());
	row[OTHER].since_ns = SINCE_NS + 1;
	row[OTHER].quiet = true;
	assert_true(hangs());
}

static void one_without_a_function_of_the_program_is_idle(void **state)
{
	(void)state;
	stopped_stack[WORKER].node = SCOPE_TREE_ROOT;
	assert_false(hangs());
}

static void one_of_another_process_has_work_of_its_own(void **state)
{
	(void)state;
	scope_timeline_threads_at(made->timeline->threads, WORKER)->tgid = 2;
	assert_false(hangs());
}

/* Who waits for a lock waits for its holder, and who reads waits for a peer. */
static void only_a_wait_in_a_condition_is_for_a_thread(void **state)
{
	(void)state;
	row[REQUEST].lock = true;
	assert_false(hangs());
	row[REQUEST].lock = false;
	row[REQUEST].nr = SYS_read;
	assert_false(hangs());
}

static void a_request_that_does_not_hang_proves_nothing(void **state)
{
	const struct scope_peers peers = { .evidence = &made->evidence, .units = &made->units };

	(void)state;
	answer[REQUEST] = SCOPE_PEERS_UNSURE;
	scope_evidence_peer_pool(&peers, answer, row, ROWS);
	assert_int_equal(answer[WORKER], SCOPE_PEERS_NO);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thread_that_sleeps_right_after_the_request_has_its_work),
		TEST(so_has_one_that_sleeps_within_a_second),
		TEST(one_that_sleeps_later_may_have_had_other_work),
		TEST(one_that_slept_before_has_none),
		TEST(one_that_sleeps_as_idle_ones_do_is_idle),
		TEST(one_without_a_function_of_the_program_is_idle),
		TEST(one_of_another_process_has_work_of_its_own),
		TEST(only_a_wait_in_a_condition_is_for_a_thread),
		TEST(a_request_that_does_not_hang_proves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
