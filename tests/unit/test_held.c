// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests whose thread serves other requests before it answers them: what the requests waited for, and what is not a
 * wait of theirs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/lookup.h"
#include "made_trace.h"

/* Thread 10 has a loop at epoll 5, the clients 7 and 8, an eventfd 6, and asks the peer 9. Thread 11 does not. */
static int setup(void **state)
{
	(void)state;
	made_begin("fd 10 5 epoll -\nfd 10 6 event -\nfd 10 7 accepted -\nfd 10 8 accepted -\nfd 10 9 connected -\n"
		   "thread 10 10 server\nthread 11 10 pool\n0 0 switch 0 10 sleeping\n0 1 switch 0 11 sleeping\n");
	return 0;
}

/* The loop sleeps that long, and returns that number of events. waker: 0 for an interrupt. */
static void polls(uint64_t ns, int ret, unsigned waker)
{
	sleeps(10, "epoll_wait", 5, ns, ret, waker);
}

/* A turn of the loop after that time, which reads there. */
static void brings(uint64_t ns, unsigned fd)
{
	polls(ns, 1, 0);
	call(10, "read", fd, 64);
}

/* A usual request of a client, so that it is known what the thread's loop is. */
static void usual(unsigned fd)
{
	polls(MS, 1, 0);
	call(10, "read", fd, 64);
	call(10, "write", fd, 64);
}

/* After usual ones, a request that is not answered yet. */
static void take(void)
{
	usual(7);
	usual(8);
	brings(MS, 7);
}

static struct run end(void)
{
	polls(MS, 1, 0);
	return made_run();
}

/* The one unit whose request was held. */
static const struct scope_unit *held_of(const struct run *run)
{
	const struct scope_unit *held = NULL;

	for (size_t i = 0; i < run->units->count; i++)
		if (run->units->unit[i].earlier) {
			assert_null(held);
			held = &run->units->unit[i];
		}
	return held;
}

/* The request is one, with both parts, and what it waited for has the name of what the turn read at first. */
static void an_answer_in_a_later_turn_ends_the_request(void **state)
{
	const struct scope_unit *unit;
	uint64_t began_ns, left_ns;
	struct run run;

	(void)state;
	usual(7);
	usual(8);
	polls(MS, 1, 0);
	began_ns = made.now_ns;
	call(10, "read", 7, 64);
	call(10, "sendto", 9, 64);
	left_ns = made.now_ns + 10 * US;
	brings(20 * MS, 9);
	call(10, "write", 7, 64);
	run = end();
	unit = held_of(&run);
	assert_non_null(unit);
	assert_int_equal(requests(&run), 3);
	assert_int_equal(unit->earlier->part.begin_ns, began_ns);
	assert_int_equal(unit->earlier->part.end_ns, left_ns);
	assert_int_equal(unit->earlier->part.thread, unit->thread);
	assert_int_equal(unit->earlier->task_ns, 20 * MS);
	assert_int_equal(unit->earlier->class, SCOPE_WAIT_NETWORK);
	assert_int_equal(unit->earlier->waker, SCOPE_WAIT_NO_THREAD);
	assert_int_equal(unit->run_ns, 2 * 30 * US); /* three times 10 us, twice */
	assert_int_equal(scope_unit_wall(unit), 20 * MS + 2 * 30 * US);
	assert_int_equal(scope_unit_measure(unit), 20 * MS + 2 * 30 * US);
	end_run(&run);
}

static struct run answered_after(uint64_t ns, int ret, unsigned waker, unsigned read_fd)
{
	take();
	if (waker)
		call(waker, "getpid", 0, 1);
	polls(ns, ret, waker);
	if (read_fd)
		call(10, "read", read_fd, 8);
	call(10, "write", 7, 64);
	return end();
}

static void a_turn_by_a_time_limit_ends_a_wait_for_a_timer(void **state)
{
	struct run run = answered_after(20 * MS, 0, 0, 0);

	(void)state;
	assert_int_equal(held_of(&run)->earlier->class, SCOPE_WAIT_TIMER);
	end_run(&run);
}

static void a_turn_by_an_eventfd_names_the_thread_that_wrote_it(void **state)
{
	struct run run = answered_after(20 * MS, 1, 11, 6);
	const struct scope_unit *unit = held_of(&run);

	(void)state;
	assert_int_equal(unit->earlier->class, SCOPE_WAIT_PIPE);
	assert_int_equal(unit->earlier->waker, thread_of(run.units, 11)->index);
	end_run(&run);
}

/* An asyncio server hears of it by its own socket, and goes on with the request in the next turn, for which nothing else came. */
static void the_thread_that_ended_the_wait_is_that_of_the_next_turn(void **state)
{
	const int came[] = { 0, 1 };

	for (unsigned i = 0; i < 2; i++) {
		struct run run;

		assert_true(!i || !setup(state));
		take();
		call(11, "getpid", 0, 1);
		polls(20 * MS, 1, 11);
		call(10, "read", 9, 8);
		call(10, "epoll_wait", 5, came[i]);
		call(10, "write", 7, 64);
		run = end();
		assert_int_equal(held_of(&run)->earlier->waker,
				 came[i] ? SCOPE_WAIT_NO_THREAD : (int)thread_of(run.units, 11)->index);
		end_run(&run);
	}
}

/* A chat, a queue, a blocking pop: the client waits for another one, and not for the server. */
static void an_answer_that_another_client_brings_is_no_wait(void **state)
{
	struct run run = answered_after(20 * MS, 1, 0, 8);

	(void)state;
	assert_null(held_of(&run));
	assert_int_equal(requests(&run), 4);
	end_run(&run);
}

/* The next turn handles what this one has read, as squid does; the loop does not sleep in between. */
static void an_answer_without_a_sleep_goes_on_too(void **state)
{
	const struct scope_unit *unit;
	struct run run;

	(void)state;
	take();
	call(10, "epoll_wait", 5, 1);
	call(10, "write", 7, 64);
	run = end();
	unit = held_of(&run);
	assert_non_null(unit);
	assert_int_equal(requests(&run), 3);
	assert_int_equal(unit->earlier->task_ns, 0);
	end_run(&run);
}

/* As asyncio does it. What the request sleeps in that turn is no sleep of the loop, and the turn's own. */
static void a_sleep_in_the_turn_that_answers_is_its_own(void **state)
{
	uint64_t blocked_ns = 0;
	struct run run;

	(void)state;
	take();
	call(10, "epoll_wait", 5, 0);
	sleeps(10, "clock_nanosleep", 0, 20 * MS, 0, 0);
	call(10, "write", 7, 64);
	run = end();
	assert_null(held_of(&run));
	assert_int_equal(requests(&run), 3);
	for (size_t i = 0; i < run.units->count; i++)
		blocked_ns += run.units->unit[i].asked ? run.units->unit[i].blocked_ns : 0;
	assert_int_equal(blocked_ns, 20 * MS);
	end_run(&run);
}

/* But in a loop whose late answers peers bring mostly, another client only came at the same time. */
static void another_client_may_come_at_the_same_time(void **state)
{
	struct run run;
	uint64_t held = 0;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		polls(MS, 1, 0);
		call(10, "read", 7, 64);
		polls(20 * MS, 1, 0);
		call(10, "read", i < 2 ? 9 : 8, 64);
		call(10, "write", 7, 64);
		if (i >= 2)
			call(10, "write", 8, 64);
	}
	run = end();
	for (size_t i = 0; i < run.units->count; i++)
		held += run.units->unit[i].earlier != NULL;
	assert_int_equal(held, 4);
	assert_int_equal(requests(&run), 6);
	end_run(&run);
}

/* A request that comes in two parts waits for its client between them, and for the peer after that. */
static void time_in_which_the_client_sends_is_left_out(void **state)
{
	struct run run;

	(void)state;
	take();
	brings(300 * MS, 7);
	brings(20 * MS, 9);
	call(10, "write", 7, 64);
	run = end();
	assert_int_equal(held_of(&run)->earlier->task_ns, 20 * MS);
	assert_int_equal(requests(&run), 3);
	end_run(&run);
}

/* The answer right after the second part waited for the client alone. */
static void an_answer_to_the_last_part_waited_for_nothing(void **state)
{
	struct run run;

	(void)state;
	take();
	brings(300 * MS, 7);
	call(10, "write", 7, 64);
	run = end();
	assert_int_equal(held_of(&run)->earlier->task_ns, 0);
	assert_int_equal(requests(&run), 3);
	end_run(&run);
}

/* While the loop worked for another client, what the request waited for may have been there. */
static void time_in_which_its_loop_is_busy_is_no_wait(void **state)
{
	const struct scope_unit *unit;
	struct run run;

	(void)state;
	take();
	brings(MS, 8);
	made.now_ns += 50 * MS;
	call(10, "write", 8, 64);
	brings(20 * MS, 9);
	call(10, "write", 7, 64);
	run = end();
	unit = held_of(&run);
	assert_int_equal(unit->earlier->task_ns, 21 * MS);
	assert_int_equal(unit->earlier->loop_ns, 50 * MS + 30 * US);
	assert_int_equal(unit->queue_ns, 0);
	end_run(&run);
}

/* The same while the loop slept elsewhere than at its top, for another client. */
static void time_in_which_its_loop_sleeps_for_another_is_no_wait(void **state)
{
	const struct scope_unit *unit;
	struct run run;

	(void)state;
	take();
	brings(MS, 8);
	sleeps(10, "clock_nanosleep", 0, 50 * MS, 0, 0);
	call(10, "write", 8, 64);
	brings(20 * MS, 9);
	call(10, "write", 7, 64);
	run = end();
	unit = held_of(&run);
	assert_int_equal(unit->earlier->task_ns, 21 * MS);
	assert_int_equal(unit->earlier->loop_ns, 50 * MS + 40 * US);
	end_run(&run);
}

/* Each counts by its own unit: in one turn, by another thread, or not at all. */
static void other_answers_hold_nothing(void **state)
{
	struct run run;

	(void)state;
	usual(7);
	polls(MS, 2, 0);
	call(10, "read", 7, 64);
	call(10, "read", 8, 64);
	call(10, "write", 7, 64);
	call(10, "write", 8, 64);
	brings(MS, 7);
	polls(MS, 1, 0);
	call(11, "write", 7, 64);
	call(10, "read", 8, 64); /* never answered */
	run = end();
	assert_null(held_of(&run));
	assert_int_equal(requests(&run), 5);
	end_run(&run);
}

/* The first answer finds no room, and the second one is in a third turn. */
static void an_answer_that_fails_is_none(void **state)
{
	const struct scope_unit *unit;
	uint64_t began_ns;
	struct run run;

	(void)state;
	usual(7);
	usual(8);
	polls(MS, 1, 0);
	began_ns = made.now_ns;
	call(10, "read", 7, 64);
	brings(20 * MS, 9);
	fprintf(made.to, "%llu 0 enter 10 write enter=%llu args=7\n%llu 0 exit 10 write ret=-11\n",
		(unsigned long long)made.now_ns + 2000, (unsigned long long)made.now_ns + 2000,
		(unsigned long long)made.now_ns + 3000);
	made.now_ns += 3000;
	call(10, "write", 7, -11);
	polls(30 * MS, 1, 0);
	call(10, "write", 7, 64);
	run = end();
	unit = held_of(&run);
	assert_int_equal(requests(&run), 3);
	assert_int_equal(unit->earlier->part.begin_ns, began_ns);
	assert_true(unit->earlier->task_ns >= 20 * MS && unit->earlier->task_ns <= 50 * MS + 100 * US);
	assert_int_equal(scope_unit_measure(unit) - unit->run_ns, unit->earlier->task_ns);
	end_run(&run);
}

/* The answer, and another request, may be among the lost events. */
static void a_loss_ends_what_is_held(void **state)
{
	struct run run;

	(void)state;
	take();
	polls(300 * MS, 1, 0);
	fprintf(made.to, "%llu 0 lost 5\n", (unsigned long long)made.now_ns + 1000);
	made.now_ns += 2000;
	polls(MS, 1, 0);
	call(10, "write", 7, 64);
	run = end();
	assert_null(held_of(&run));
	assert_int_equal(requests(&run), 3);
	end_run(&run);
}

static struct run forgotten(uint64_t before_end_ns, bool more)
{
	struct run run;

	usual(7);
	usual(8);
	made.now_ns = END_NS - before_end_ns - MS - 20 * US;
	brings(MS, 7);
	if (more) {
		polls(MS, 1, 0);
		call(10, "read", 7, 64);
	}
	run = end();
	assert_int_equal(requests(&run), 3);
	return run;
}

/* It came a second before the end, or a little later. */
static void a_request_without_an_answer_is_counted(void **state)
{
	struct run run;

	(void)state;
	run = forgotten(1000 * MS + 40 * US, false);
	assert_int_equal(run.distributions->run->unanswered.requests, 1);
	assert_in_range(run.distributions->run->unanswered.first_ns, END_NS - 1001 * MS, END_NS - 1000 * MS);
	end_run(&run);
	setup(state);
	run = forgotten(999 * MS, false);
	assert_int_equal(run.distributions->run->unanswered.requests, 0);
	end_run(&run);
}

/* Who sends more does not wait for an answer. */
static void a_client_that_sends_more_is_not(void **state)
{
	struct run run = forgotten(1100 * MS, true);

	(void)state;
	assert_int_equal(run.distributions->run->unanswered.requests, 0);
	end_run(&run);
}

/* Clients that leave without an answer: none is lost, and their places are used again. */
static void requests_of_closed_connections_count(void **state)
{
	struct run run;

	(void)state;
	usual(7);
	for (unsigned i = 0; i < 3000; i++) {
		polls(50 * US, 1, 0);
		call(10, "accept4", 4, 20);
		call(10, "read", 20, 64);
		polls(50 * US, 1, 0);
		call(10, "close", 20, 0);
	}
	run = end();
	assert_null(held_of(&run));
	assert_int_equal(requests(&run), 3001);
	end_run(&run);
}

/* Stacks of both parts are the unit's; those of what the loop did in between are not. */
static void both_parts_belong_to_the_unit(void **state)
{
	struct run run = answered_after(20 * MS, 1, 0, 9);
	const struct scope_unit *unit = held_of(&run);
	const uint32_t number = (uint32_t)(unit - run.units->unit);
	struct scope_lookup lookup;

	(void)state;
	assert_int_equal(scope_evidence_lookup_units(run.units, &lookup), 0);
	assert_int_equal(scope_evidence_lookup_unit_at(&lookup, run.units, unit->thread, unit->earlier->part.begin_ns),
			 number);
	assert_int_equal(scope_evidence_lookup_unit_at(&lookup, run.units, unit->thread, unit->earlier->part.end_ns),
			 number);
	assert_int_equal(scope_evidence_lookup_unit_at(&lookup, run.units, unit->thread,
						       unit->earlier->part.end_ns + MS),
			 UINT32_MAX);
	assert_int_equal(scope_evidence_lookup_unit_at(&lookup, run.units, unit->thread, unit->end_ns), number);
	scope_evidence_lookup_free(&lookup);
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_answer_in_a_later_turn_ends_the_request, setup),
		cmocka_unit_test_setup(a_turn_by_a_time_limit_ends_a_wait_for_a_timer, setup),
		cmocka_unit_test_setup(a_turn_by_an_eventfd_names_the_thread_that_wrote_it, setup),
		cmocka_unit_test_setup(the_thread_that_ended_the_wait_is_that_of_the_next_turn, setup),
		cmocka_unit_test_setup(an_answer_that_another_client_brings_is_no_wait, setup),
		cmocka_unit_test_setup(an_answer_without_a_sleep_goes_on_too, setup),
		cmocka_unit_test_setup(a_sleep_in_the_turn_that_answers_is_its_own, setup),
		cmocka_unit_test_setup(another_client_may_come_at_the_same_time, setup),
		cmocka_unit_test_setup(time_in_which_the_client_sends_is_left_out, setup),
		cmocka_unit_test_setup(an_answer_to_the_last_part_waited_for_nothing, setup),
		cmocka_unit_test_setup(time_in_which_its_loop_is_busy_is_no_wait, setup),
		cmocka_unit_test_setup(time_in_which_its_loop_sleeps_for_another_is_no_wait, setup),
		cmocka_unit_test_setup(other_answers_hold_nothing, setup),
		cmocka_unit_test_setup(a_request_without_an_answer_is_counted, setup),
		cmocka_unit_test_setup(a_client_that_sends_more_is_not, setup),
		cmocka_unit_test_setup(an_answer_that_fails_is_none, setup),
		cmocka_unit_test_setup(a_loss_ends_what_is_held, setup),
		cmocka_unit_test_setup(requests_of_closed_connections_count, setup),
		cmocka_unit_test_setup(both_parts_belong_to_the_unit, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
