// SPDX-License-Identifier: GPL-2.0-only
/* A thread that waits for a thread that waits for a CPU also waits for a CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timeline/timeline.h"
#include "trace_of.h"

#define US 1000ul

static void what_two_have_in_common_is_propagated(void **state)
{
	struct scope_waker_queue waker = { 0 }, sleeper = { 0 };
	uint64_t propagated_ns = 0;

	(void)state;
	assert_int_equal(scope_timeline_waker_queue_add(&waker, 0, 100 * US), 0);
	assert_int_equal(scope_timeline_waker_queue_add(&waker, 200 * US, 300 * US), 0);
	assert_int_equal(scope_timeline_waker_queue_add(&waker, 310 * US, 311 * US), 0); /* too short */
	assert_int_equal(scope_timeline_waker_queue_add(&waker, 400 * US, 600 * US), 0);
	assert_int_equal(scope_timeline_waker_queue_propagate(&sleeper, &waker, 50 * US, 450 * US, &propagated_ns), 0);
	assert_int_equal(propagated_ns, 200 * US);
	assert_int_equal(sleeper.count, 3);
	assert_int_equal(scope_timeline_waker_queue_propagate(&sleeper, &waker, 600 * US, 700 * US, &propagated_ns), 0);
	assert_int_equal(propagated_ns, 0);
	scope_timeline_waker_queue_free(&waker);
	scope_timeline_waker_queue_free(&sleeper);
}

/* The oldest are forgotten: less may be attributed to the waker's run-queue delay, never more. */
static void no_more_is_remembered_than_said(void **state)
{
	struct scope_waker_queue waker = { 0 }, sleeper = { 0 };
	const uint64_t all = 10 * SCOPE_WAKER_QUEUE_RECENT;
	uint64_t propagated_ns;

	(void)state;
	for (uint64_t i = 0; i < all; i++)
		assert_int_equal(scope_timeline_waker_queue_add(&waker, i * 100 * US, (i * 100 + 50) * US), 0);
	assert_int_equal(waker.count, SCOPE_WAKER_QUEUE_RECENT);
	assert_int_equal(scope_timeline_waker_queue_propagate(&sleeper, &waker, 0, all * 100 * US, &propagated_ns), 0);
	assert_int_equal(propagated_ns, SCOPE_WAKER_QUEUE_RECENT * 50 * US);
	assert_int_equal(sleeper.count, SCOPE_WAKER_QUEUE_RECENT);
	scope_timeline_waker_queue_free(&waker);
	scope_timeline_waker_queue_free(&sleeper);
}

/* In slices of its wait, between which it was in the run queue itself: that is no wait for another's CPU. */
static void what_the_sleeper_has_itself_is_not_passed(void **state)
{
	struct scope_waker_queue waker = { 0 }, sleeper = { 0 };
	uint64_t propagated_ns = 0;

	(void)state;
	assert_int_equal(scope_timeline_waker_queue_add(&waker, 0, 100 * US), 0);
	assert_int_equal(scope_timeline_waker_queue_add(&waker, 150 * US, 400 * US), 0);
	assert_int_equal(scope_timeline_waker_queue_add(&sleeper, 50 * US, 90 * US), 0);
	assert_int_equal(scope_timeline_waker_queue_add(&sleeper, 200 * US, 230 * US), 0);
	assert_int_equal(scope_timeline_waker_queue_propagate(&sleeper, &waker, 0, 300 * US, &propagated_ns), 0);
	assert_int_equal(propagated_ns, (100 - 40) * US + (150 - 30) * US);
	/* Its own stretches stay in order: of the new ones only what comes after them is kept. */
	assert_int_equal(sleeper.count, 3);
	assert_int_equal(sleeper.stretch[2].begin_ns, 230 * US);
	assert_int_equal(sleeper.stretch[2].end_ns, 300 * US);
	scope_timeline_waker_queue_free(&waker);
	scope_timeline_waker_queue_free(&sleeper);
}

static const struct scope_thread *thread_of(const struct scope_timeline *timeline, uint32_t tid)
{
	long index = scope_timeline_threads_find(timeline->threads, tid);

	assert_true(index >= 0);
	return scope_timeline_threads_at(timeline->threads, index);
}

static int note_wait(void *user, const struct scope_wait *wait)
{
	uint64_t *waker_queue_ns = user;

	waker_queue_ns[wait->thread] += wait->waker_queue_ns;
	return 0;
}

/*
 * Thread 10 is preempted from 200 to 500 us; 11 waits for it from 100 on and 12 for 11 from 300 on, which
 * itself waits for a CPU from 600 to 650 us before it wakes 12.
 */
static void a_chain_of_waits_ends_in_the_run_queue(void **state)
{
	struct scope_trace *trace = trace_of("meta begin_ns 0\nmeta end_ns 1000000\n"
					     "0 0 switch 0 10 sleeping\n"
					     "0 1 switch 0 11 sleeping\n"
					     "0 2 switch 0 12 sleeping\n"
					     "100000 1 enter 11 futex enter=99000 args=0x10,0x80,2\n"
					     "100000 1 switch 11 0 sleeping\n"
					     "200000 0 switch 10 0 runnable preempted\n"
					     "300000 2 enter 12 futex enter=299000 args=0x20,0x80,2\n"
					     "300000 2 switch 12 0 sleeping\n"
					     "500000 0 switch 0 10 sleeping\n"
					     "600000 0 waking 11 from 10 task\n"
					     "650000 1 switch 0 11 sleeping\n"
					     "651000 1 exit 11 futex ret=0\n"
					     "700000 1 waking 12 from 11 task\n"
					     "701000 2 switch 0 12 sleeping\n"
					     "702000 2 exit 12 futex ret=0\n");
	const struct scope_timeline_ops ops = { .wait = note_wait };
	struct scope_timeline *timeline;
	uint64_t waker_queue_ns[3] = { 0 };

	(void)state;
	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &ops, waker_queue_ns), 0);
	assert_int_equal(waker_queue_ns[1], 300 * US);
	assert_int_equal(waker_queue_ns[2], 200 * US + 50 * US);
	assert_int_equal(thread_of(timeline, 10)->account.waker_queue_ns, 0);
	assert_int_equal(thread_of(timeline, 11)->account.waker_queue_ns, 300 * US);
	assert_int_equal(thread_of(timeline, 12)->account.waker_queue_ns, 250 * US);
	/* The account itself stays what it is: a sleep is a sleep. */
	assert_int_equal(thread_of(timeline, 12)->account.blocked_ns[SCOPE_WAIT_FUTEX], 400 * US);
	assert_int_equal(scope_timeline_account_wall(&thread_of(timeline, 12)->account), 1000 * US);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
}

/* 11 waits for 10 in two slices of 5 ms; from 1 to 7 ms 10 is in the run queue. 11 itself is so from 5 to 5.2 ms. */
static void a_wait_in_slices_is_starved_in_each(void **state)
{
	struct scope_trace *trace = trace_of("meta begin_ns 0\nmeta end_ns 20000000\n"
					     "0 0 switch 0 10 sleeping\n"
					     "0 1 switch 0 11 sleeping\n"
					     "100000 1 enter 11 futex enter=99000 args=0x10,137\n"
					     "100000 1 switch 11 0 sleeping\n"
					     "1000000 0 switch 10 0 runnable preempted\n"
					     "5000000 1 waking 11 from - hardirq\n"
					     "5200000 1 switch 0 11 sleeping\n"
					     "5201000 1 exit 11 futex ret=-110\n"
					     "5210000 1 enter 11 futex enter=5209000 args=0x10,137\n"
					     "5210000 1 switch 11 0 sleeping\n"
					     "7000000 0 switch 0 10 sleeping\n"
					     "8000000 0 waking 11 from 10 task\n"
					     "8001000 1 switch 0 11 sleeping\n"
					     "8002000 1 exit 11 futex ret=0\n");
	const struct scope_timeline_ops ops = { .wait = note_wait };
	struct scope_timeline *timeline;
	uint64_t waker_queue_ns[2] = { 0 };

	(void)state;
	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &ops, waker_queue_ns), 0);
	assert_int_equal(thread_of(timeline, 11)->account.waker_queue_ns, 5800 * US);
	/* No more than the length of the last slice is reported of it. */
	assert_int_equal(waker_queue_ns[1], 2790 * US);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
}

/* The switch that gave 10 a CPU is among what was lost: how long it waited for one is not known. */
static void a_loss_says_nothing_of_the_queue(void **state)
{
	struct scope_trace *trace = trace_of("meta begin_ns 0\nmeta end_ns 1000000\n"
					     "0 0 switch 0 10 sleeping\n"
					     "0 1 switch 0 11 sleeping\n"
					     "100000 1 enter 11 futex enter=99000 args=0x10,0x80,2\n"
					     "100000 1 switch 11 0 sleeping\n"
					     "200000 0 switch 10 0 runnable preempted\n"
					     "300000 0 lost 3\n"
					     "500000 0 switch 0 10 sleeping\n"
					     "600000 0 waking 11 from 10 task\n"
					     "601000 1 switch 0 11 sleeping\n");
	const struct scope_timeline_ops ops = { 0 };
	struct scope_timeline *timeline;

	(void)state;
	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &ops, NULL), 0);
	assert_int_equal(thread_of(timeline, 11)->account.waker_queue_ns, 200 * US);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
}

/*
 * Woken by 11 as it goes to sleep, at 100 us, 10 is recorded to have left its CPU at 101 us: it waits for a CPU
 * up to 500 us. At 600 us it sleeps in another call, which 12 ends at 800 us.
 */
static void a_waking_may_come_before_the_switch(void **state)
{
	struct scope_trace *trace = trace_of("meta begin_ns 0\nmeta end_ns 1000000\n"
					     "0 0 switch 0 10 sleeping\n"
					     "0 1 switch 0 11 sleeping\n"
					     "0 2 switch 0 12 sleeping\n"
					     "100000 1 waking 10 from 11 task\n"
					     "101000 0 enter 10 futex enter=99000 args=0x10,0x80,2\n"
					     "101000 0 switch 10 0 sleeping\n"
					     "500000 0 switch 0 10 sleeping\n"
					     "501000 0 exit 10 futex ret=0\n"
					     "600000 0 enter 10 futex enter=590000 args=0x10,0x80,2\n"
					     "600000 0 switch 10 0 sleeping\n"
					     "800000 2 waking 10 from 12 task\n"
					     "801000 0 switch 0 10 sleeping\n"
					     "802000 0 exit 10 futex ret=0\n");
	const struct scope_timeline_ops ops = { 0 };
	struct scope_timeline *timeline;
	const struct scope_account *account;

	(void)state;
	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &ops, NULL), 0);
	account = &thread_of(timeline, 10)->account;
	assert_int_equal(account->queue_ns, 400 * US);
	assert_int_equal(account->blocked_ns[SCOPE_WAIT_FUTEX], 200 * US);
	assert_int_equal(account->run_ns, 1000 * US - 600 * US);
	assert_int_equal(account->waker_queue_ns, 0);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_sleeper_has_itself_is_not_passed),
		cmocka_unit_test(a_wait_in_slices_is_starved_in_each),
		cmocka_unit_test(what_two_have_in_common_is_propagated),
		cmocka_unit_test(no_more_is_remembered_than_said),
		cmocka_unit_test(a_chain_of_waits_ends_in_the_run_queue),
		cmocka_unit_test(a_loss_says_nothing_of_the_queue),
		cmocka_unit_test(a_waking_may_come_before_the_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
