// SPDX-License-Identifier: GPL-2.0-only
/*
 * Polls at the top of a loop that find nothing and do not sleep: what the thread does next belongs to the previous
 * unit, or does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_trace.h"

#define LOOKS_MAX 16

/*
 * Thread 10 has a loop at epoll 5, and the client 7. Thread 11 gets work by the eventfd 6 from thread 12, polls for it, and writes results to 8.
 */
static int setup(void **state)
{
	(void)state;
	made_begin("fd 10 5 epoll -\nfd 10 6 event -\nfd 10 7 accepted -\nfd 10 8 event -\n"
		   "thread 10 10 server\nthread 11 10 worker\nthread 12 10 giver\n"
		   "0 0 switch 0 10 sleeping\n0 1 switch 0 11 sleeping\n0 2 switch 0 12 sleeping\n");
	return 0;
}

static void usual(void)
{
	sleeps(10, "epoll_wait", 5, MS, 1, 0);
	call(10, "read", 7, 64);
	call(10, "write", 7, 64);
}

static struct run end(void)
{
	sleeps(10, "epoll_wait", 5, MS, 1, 0);
	return made_run();
}

/* The unit of the thread that runs for longest, of those that end in the window. */
static const struct scope_unit *longest(const struct run *run, unsigned tid)
{
	const struct scope_unit *longest = NULL;

	for (size_t i = 0; i < run->units->count; i++) {
		const struct scope_unit *unit = &run->units->unit[i];

		if (!unit->open && unit->thread == thread_of(run->units, tid)->index &&
		    (!longest || unit->run_ns > longest->run_ns))
			longest = unit;
	}
	return longest;
}

/* A request whose work is done after a number of looks, and answered after one more. */
static struct run works_after(unsigned looks)
{
	usual();
	usual();
	sleeps(10, "epoll_wait", 5, MS, 1, 0);
	call(10, "read", 7, 64);
	for (unsigned i = 0; i < looks; i++)
		call(10, "epoll_wait", 5, 0);
	made.now_ns += 30 * MS;
	call(10, "epoll_wait", 5, 0);
	call(10, "write", 7, 64);
	return end();
}

/* As asyncio runs a task that a task has begun: the turn that has the work is neither that which reads nor that which writes. */
static void what_a_request_does_in_turns_between_is_its_own(void **state)
{
	struct run run = works_after(1);
	const struct scope_unit *unit = longest(&run, 10);

	(void)state;
	assert_int_equal(requests(&run), 3);
	assert_int_equal(unit->asked, 1);
	assert_null(unit->earlier);
	assert_int_equal(unit->run_ns, 30 * MS + 50 * US);
	end_run(&run);
}

static void a_thread_that_only_looks_waits_for_work(void **state)
{
	struct run run = works_after(LOOKS_MAX - 1);

	(void)state;
	assert_int_equal(longest(&run, 10)->asked, 1);
	end_run(&run);
	assert_int_equal(setup(state), 0);
	run = works_after(LOOKS_MAX + 1);
	assert_int_equal(longest(&run, 10)->asked, 0);
	assert_int_equal(requests(&run), 3);
	end_run(&run);
}

/* What follows the answer is not the client's. */
static void an_answered_request_ends(void **state)
{
	struct run run;

	(void)state;
	usual();
	usual();
	usual();
	call(10, "epoll_wait", 5, 0);
	made.now_ns += 30 * MS;
	run = end();
	assert_int_equal(longest(&run, 10)->asked, 0);
	assert_int_equal(requests(&run), 3);
	end_run(&run);
}

/* A look that finds something begins another turn: there is something new. */
static void what_is_found_begins_a_turn(void **state)
{
	struct run run;

	(void)state;
	usual();
	usual();
	sleeps(10, "epoll_wait", 5, MS, 1, 0);
	call(10, "read", 7, 64);
	call(10, "epoll_wait", 5, 1);
	made.now_ns += 30 * MS;
	call(10, "epoll_wait", 5, 1);
	call(10, "write", 7, 64);
	run = end();
	assert_int_equal(longest(&run, 10)->asked, 0);
	end_run(&run);
}

/* As ZeroMQ's threads do: they look for more as soon as they have got something, before they work. */
static void a_worker_without_clients_looks_before_it_works(void **state)
{
	const struct scope_unit *unit;
	struct run run;

	(void)state;
	usual();
	for (unsigned i = 0; i < 40; i++) {
		call(12, "write", 6, 8);
		sleeps(11, "poll", 100, MS, 1, 12);
		call(11, "poll", 100, 1);
		call(11, "read", 6, 8);
		call(11, "poll", 100, 0);
		made.now_ns += i == 30 ? 30 * MS : MS;
		call(11, "poll", 100, 0);
		call(11, "write", 8, 8);
	}
	run = end();
	unit = longest(&run, 11);
	assert_true(unit->run_ns >= 30 * MS);
	assert_int_equal(unit->bytes, 16);
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_a_request_does_in_turns_between_is_its_own, setup),
		cmocka_unit_test_setup(a_thread_that_only_looks_waits_for_work, setup),
		cmocka_unit_test_setup(an_answered_request_ends, setup),
		cmocka_unit_test_setup(what_is_found_begins_a_turn, setup),
		cmocka_unit_test_setup(a_worker_without_clients_looks_before_it_works, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
