// SPDX-License-Identifier: GPL-2.0-only
/* Which of several threads keeps clients waiting, found by stacks, if all have slept since before the window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "evidence/unread.h"
#include "rank_case.h"

enum { LOOP, KEEPER, THIRD, ALONE };

static const struct scope_function handle = { .name = "handle", .known = true };
static const struct scope_function join = { .name = "__pthread_clockjoin_ex", .library = true };

static struct rank_case *made;
static struct scope_stopped_stack stopped_stack[CASE_THREADS];
static struct scope_hang hangs[3];

static void sleeps(uint32_t index, uint16_t nr, uint32_t tgid)
{
	struct scope_thread *thread = scope_timeline_threads_at(made->timeline->threads, index);

	thread->tgid = tgid;
	thread->run = SCOPE_RUN_BLOCKED;
	thread->open.nr = nr;
	stopped_stack[index] = (struct scope_stopped_stack){ .node = 1, .start = &handle };
	if (index < 3)
		hangs[index] = (struct scope_hang){ .thread = index, .nr = nr, .unread = 2, .one_of = true };
}

/* Threads 0 to 2 are of process 1, of which thread 0 is the first; thread 3 is of another process. */
static int setup(void **state)
{
	const struct scope_function *path = &handle;

	(void)state;
	made = case_create();
	case_node(made, &path, 1);
	made->evidence.stopped_stack = stopped_stack;
	sleeps(LOOP, SYS_futex, 1);
	sleeps(KEEPER, SYS_clock_nanosleep, 1);
	sleeps(THIRD, SYS_futex, 1);
	sleeps(ALONE, SYS_epoll_pwait, 4);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

static enum scope_unread choose(size_t number)
{
	return scope_evidence_unread_choose(&made->evidence, &made->units, hangs, 3, number);
}

static void of_those_that_sleep_aside_it_is_the_first_thread(void **state)
{
	(void)state;
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_THIS);
	assert_int_equal(choose(KEEPER), SCOPE_UNREAD_OTHER);
	assert_int_equal(choose(THIRD), SCOPE_UNREAD_OTHER);
}

/* Where its last stack, of the window's begin, was in the interpreter or a library, as well. */
static void a_thread_that_spins_keeps_them_waiting_and_none_that_sleeps(void **state)
{
	(void)state;
	hangs[LOOP] = (struct scope_hang){ .thread = LOOP, .kind = SCOPE_HANG_SPIN };
	stopped_stack[LOOP].bare = true;
	assert_int_equal(choose(KEEPER), SCOPE_UNREAD_OTHER);
	assert_int_equal(choose(THIRD), SCOPE_UNREAD_OTHER);
	hangs[LOOP].kind = SCOPE_HANG_BLOCKED;
	hangs[THIRD].one_of = false;
	hangs[THIRD].needs_peers = true;
	assert_int_equal(choose(KEEPER), SCOPE_UNREAD_THIS);
}

static void one_that_waits_for_threads_to_end_is_not(void **state)
{
	(void)state;
	stopped_stack[LOOP].below = &join;
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_OTHER);
	/* Of two others none is. */
	assert_int_equal(choose(KEEPER), SCOPE_UNREAD_OTHER);
	stopped_stack[KEEPER].node = SCOPE_TREE_ROOT;
	assert_int_equal(choose(THIRD), SCOPE_UNREAD_THIS);
}

static void one_that_sleeps_elsewhere_is(void **state)
{
	(void)state;
	sleeps(THIRD, SYS_write, 1);
	assert_int_equal(choose(THIRD), SCOPE_UNREAD_THIS);
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_OTHER);
	/* Two may wait for clients there. */
	sleeps(KEEPER, SYS_ppoll, 1);
	assert_int_equal(choose(THIRD), SCOPE_UNREAD_OTHER);
	assert_int_equal(choose(KEEPER), SCOPE_UNREAD_OTHER);
}

/* If none is chosen, one whose call is judged by peers as well is left to these. */
static void without_a_choice_peers_decide(void **state)
{
	(void)state;
	sleeps(THIRD, SYS_ppoll, 1);
	sleeps(KEEPER, SYS_ppoll, 1);
	hangs[LOOP].needs_peers = true;
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_UNKNOWN);
	sleeps(KEEPER, SYS_clock_nanosleep, 1);
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_OTHER);
}

/* One without a function of the program, as GLib's, waits for no client. */
static void a_thread_of_a_library_is_none(void **state)
{
	(void)state;
	sleeps(THIRD, SYS_ppoll, 1);
	stopped_stack[THIRD] = (struct scope_stopped_stack){ .bare = true };
	hangs[THIRD].one_of = false;
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_THIS);
	assert_int_equal(choose(THIRD), SCOPE_UNREAD_OTHER);
	/* Nothing is known of its stack, and its call is that of a loop. */
	stopped_stack[THIRD].bare = false;
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_OTHER);
	assert_int_equal(choose(THIRD), SCOPE_UNREAD_UNKNOWN);
}

static void a_hang_that_is_sure_explains_it(void **state)
{
	(void)state;
	hangs[THIRD] = (struct scope_hang){ .thread = THIRD, .nr = SYS_futex, .lock = true };
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_OTHER);
	/* That of another process does not. */
	scope_timeline_threads_at(made->timeline->threads, THIRD)->tgid = 4;
	assert_int_equal(choose(LOOP), SCOPE_UNREAD_THIS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_those_that_sleep_aside_it_is_the_first_thread),
		TEST(one_that_waits_for_threads_to_end_is_not),
		TEST(one_that_sleeps_elsewhere_is),
		TEST(without_a_choice_peers_decide),
		TEST(a_thread_of_a_library_is_none),
		TEST(a_hang_that_is_sure_explains_it),
		TEST(a_thread_that_spins_keeps_them_waiting_and_none_that_sleeps),
	};

	return cmocka_run_group_tests_name("unread", tests, NULL, NULL);
}
