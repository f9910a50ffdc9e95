// SPDX-License-Identifier: GPL-2.0-only
/* Waits are followed along their chain to the end, and the parts add up to the wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/class.h"
#include "waits/cascade.h"

enum { USER, PARSER, NETWORK, DISK, THREADS = 400 };

static struct scope_history history;
static unsigned allowed; /* steps of a walk */

/* What the parts of a wait sum up to, by thread and end. */
static struct {
	uint64_t ns[THREADS][SCOPE_ENDS];
	uint64_t all_ns, last_ns;
	unsigned parts, followed;
} found;

static int setup(void **state)
{
	(void)state;
	history = (struct scope_history){ 0 };
	allowed = 2048;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_waits_history_free(&history);
	return 0;
}

static void stays(uint32_t thread, const struct scope_stay *stay)
{
	assert_int_equal(scope_waits_history_add(&history, thread, stay), 0);
}

/* waker: -1 for an interrupt. */
static struct scope_stay sleeps(uint32_t thread, int32_t waker, uint64_t begin_ns, uint64_t end_ns)
{
	const struct scope_stay stay = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.waker = waker,
		.class = SCOPE_WAIT_FUTEX,
	};

	stays(thread, &stay);
	return stay;
}

static uint32_t follow(void *user, uint32_t node, const struct scope_stay *sleep)
{
	(void)user;
	assert_true(sleep->waker >= 0);
	found.followed++;
	return node + 1;
}

static int take(void *user, const struct scope_part *part)
{
	(void)user;
	assert_true(part->begin_ns < part->end_ns);
	/* Latest first, and none lies in another. */
	assert_true(part->end_ns <= found.last_ns);
	found.last_ns = part->begin_ns;
	found.ns[part->thread][part->end] += part->end_ns - part->begin_ns;
	found.all_ns += part->end_ns - part->begin_ns;
	found.parts++;
	return 0;
}

static void split(uint32_t thread, struct scope_stay sleep)
{
	const struct scope_cascade_listener listener = { .follow = follow, .part = take, .steps = allowed };
	unsigned steps;

	memset(&found, 0, sizeof(found));
	found.last_ns = UINT64_MAX;
	assert_int_equal(scope_waits_cascade_run(&history, thread, &sleep, 0, &listener, &steps), 0);
	/* Nothing is lost, nothing is counted twice. */
	assert_int_equal(found.all_ns, sleep.end_ns - sleep.begin_ns);
}

#define assert_part(thread, what, expected) assert_int_equal(found.ns[thread][what], expected)

/* User waits for Parser from 0 to 100, which itself waited for Network from 20 on. */
static void test_20_80(void **state)
{
	(void)state;
	sleeps(PARSER, NETWORK, 20, 100);
	split(USER, sleeps(USER, PARSER, 0, 100));
	assert_part(PARSER, SCOPE_END_RUNS, 20);
	assert_part(NETWORK, SCOPE_END_RUNS, 80);
}

/* That waited for Disk from 50 on. */
static void test_20_30_50(void **state)
{
	(void)state;
	sleeps(NETWORK, DISK, 50, 100);
	sleeps(PARSER, NETWORK, 20, 100);
	split(USER, sleeps(USER, PARSER, 0, 100));
	assert_part(PARSER, SCOPE_END_RUNS, 20);
	assert_part(NETWORK, SCOPE_END_RUNS, 30);
	assert_part(DISK, SCOPE_END_RUNS, 50);
}

/* A thread that was passed once is passed again, elsewhere in the same wait. */
static void test_visited_elsewhere(void **state)
{
	(void)state;
	sleeps(PARSER, NETWORK, 10, 20);
	sleeps(PARSER, DISK, 30, 50);
	sleeps(DISK, NETWORK, 35, 45);
	sleeps(PARSER, NETWORK, 60, 80);
	split(USER, sleeps(USER, PARSER, 0, 100));
	assert_part(PARSER, SCOPE_END_RUNS, 50);
	assert_part(DISK, SCOPE_END_RUNS, 10);
	assert_part(NETWORK, SCOPE_END_RUNS, 40);
}

/* What is found further down the chain counts: the parts of a sleep inside one that is followed. */
static void test_nested(void **state)
{
	(void)state;
	sleeps(DISK, -1, 30, 60);
	sleeps(NETWORK, DISK, 20, 70);
	sleeps(PARSER, NETWORK, 10, 90);
	split(USER, sleeps(USER, PARSER, 0, 100));
	assert_part(PARSER, SCOPE_END_RUNS, 20);
	assert_part(NETWORK, SCOPE_END_RUNS, 30);
	assert_part(DISK, SCOPE_END_RUNS, 20);
	assert_part(DISK, SCOPE_END_OUTSIDE, 30);
}

/* Stays that a trace with faults has overlap: each moment counts once. */
static void test_overlap(void **state)
{
	(void)state;
	stays(PARSER, &(struct scope_stay){ .begin_ns = 10, .end_ns = 60, .waker = NETWORK });
	stays(PARSER, &(struct scope_stay){ .begin_ns = 40, .end_ns = 90, .waker = DISK });
	split(USER, sleeps(USER, PARSER, 0, 100));
	assert_part(DISK, SCOPE_END_RUNS, 50);
	assert_part(NETWORK, SCOPE_END_RUNS, 30);
	assert_part(PARSER, SCOPE_END_RUNS, 20);
}

/* The end of a chain, a thread that only ran, has its part. */
static void test_leaf(void **state)
{
	(void)state;
	split(USER, sleeps(USER, DISK, 0, 100));
	assert_part(DISK, SCOPE_END_RUNS, 100);
	split(USER, sleeps(USER, -1, 200, 300));
	assert_part(USER, SCOPE_END_OUTSIDE, 100);
	assert_int_equal(found.followed, 0);
	split(USER, (struct scope_stay){ .begin_ns = 300, .end_ns = 400, .waker = -1, .tid = 77 });
	assert_part(USER, SCOPE_END_PROCESS, 100);
}

/* In the run queue: it did not run, and did not sleep. What came before the window is not of it. */
static void test_queue(void **state)
{
	(void)state;
	sleeps(PARSER, -1, 0, 40);
	stays(PARSER, &(struct scope_stay){ .begin_ns = 40, .end_ns = 70, .waker = -1, .queue = true });
	split(USER, sleeps(USER, PARSER, 30, 100));
	assert_part(PARSER, SCOPE_END_OUTSIDE, 10);
	assert_part(PARSER, SCOPE_END_QUEUE, 30);
	stays(PARSER, &(struct scope_stay){ .begin_ns = 200, .end_ns = 250, .waker = -1, .queue = true, .own = true });
	split(USER, sleeps(USER, PARSER, 230, 300));
	assert_part(PARSER, SCOPE_END_OWN, 20);
	split(USER, sleeps(USER, PARSER, 30, 100));
	assert_part(PARSER, SCOPE_END_RUNS, 30);
}

/* Threads that wait for one another: the walk ends, and the rest counts as a circle. */
static void test_circle(void **state)
{
	(void)state;
	sleeps(PARSER, NETWORK, 10, 100);
	sleeps(NETWORK, USER, 20, 90);
	split(USER, sleeps(USER, PARSER, 0, 100));
	assert_part(PARSER, SCOPE_END_RUNS, 10);
	assert_part(NETWORK, SCOPE_END_CIRCLE, 70);
	assert_part(NETWORK, SCOPE_END_RUNS, 20);
}

/* Two that woke each other at once, again and again, which no kernel reports. */
static void test_endless(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		sleeps(PARSER, NETWORK, i, 100);
		sleeps(NETWORK, DISK, i, 100);
		sleeps(DISK, PARSER, i, 100);
	}
	split(USER, sleeps(USER, PARSER, 0, 100));
}

/* Hundreds of threads have a lock for 10 ns each, one after the other: all of them kept the last one waiting. */
static void test_convoy(void **state)
{
	struct scope_stay last;

	(void)state;
	for (uint32_t i = 1; i < THREADS; i++)
		last = sleeps(i, (int32_t)i - 1, 0, 10 * i);
	split(THREADS - 1, last);
	for (uint32_t i = 0; i + 1 < THREADS; i++)
		assert_part(i, SCOPE_END_RUNS, 10);
	assert_int_equal(found.followed, THREADS - 1);
}

/* Hundreds of threads have a lock one after the other. Each asks another thread while it has it, which asks a third one. */
static void test_convoy_asks(void **state)
{
	const uint32_t last = THREADS - 3, stage = THREADS - 2, other = THREADS - 1;

	(void)state;
	for (uint32_t i = 0; i < last; i++) {
		if (i)
			sleeps(i, (int32_t)i - 1, 0, 10 * i);
		sleeps(i, (int32_t)stage, 10 * i + 1, 10 * i + 9);
		sleeps(stage, (int32_t)other, 10 * i + 3, 10 * i + 7);
	}
	split(last, sleeps(last, (int32_t)last - 1, 0, 10 * last));
	for (uint32_t i = 0; i < last; i++)
		assert_part(i, SCOPE_END_RUNS, 2);
	assert_part(stage, SCOPE_END_RUNS, 4 * last);
	assert_part(other, SCOPE_END_RUNS, 4 * last);
}

/* A sleep that went on after a wakeup for nothing comes late, and holds what is inside it. */
static void test_late(void **state)
{
	(void)state;
	stays(PARSER, &(struct scope_stay){ .begin_ns = 50, .end_ns = 55, .waker = -1, .queue = true });
	stays(PARSER, &(struct scope_stay){ .begin_ns = 90, .end_ns = 95, .waker = -1, .queue = true });
	sleeps(PARSER, NETWORK, 20, 90);
	split(USER, sleeps(USER, PARSER, 0, 100));
	assert_part(PARSER, SCOPE_END_QUEUE, 5);
	assert_part(PARSER, SCOPE_END_RUNS, 25);
	assert_part(NETWORK, SCOPE_END_RUNS, 70);
}

/* Of what lies before all that is remembered of a thread nothing is said. */
static void test_forgotten(void **state)
{
	struct scope_threads *threads;

	(void)state;
	for (uint64_t i = 0; i < SCOPE_HISTORY_MAX + 1; i++)
		sleeps(PARSER, -1, 10 * i + 5, 10 * i + 10);
	split(USER, sleeps(USER, PARSER, 0, 10 * (SCOPE_HISTORY_MAX + 1)));
	assert_part(PARSER, SCOPE_END_UNSEEN, 10 * SCOPE_HISTORY_MAX / 2);
	assert_part(PARSER, SCOPE_END_RUNS, found.ns[PARSER][SCOPE_END_OUTSIDE]);

	assert_int_equal(scope_timeline_threads_create(&threads), 0);
	for (uint32_t i = 0; i <= DISK; i++) {
		assert_int_equal(scope_timeline_threads_get(threads, 100 + i), i);
		scope_timeline_threads_at(threads, i)->first_ns = i == DISK ? 20000 : 0;
	}
	assert_int_equal(scope_waits_history_know_threads(&history, threads, DISK + 1), 0);
	scope_timeline_threads_destroy(threads);
	split(USER, sleeps(USER, DISK, 19990, 20010));
	assert_part(DISK, SCOPE_END_UNSEEN, 10);
	assert_part(DISK, SCOPE_END_RUNS, 10);
}

/* With three steps allowed, all that comes before the third stay from the end is left, and still nothing is lost. */
static void test_left(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		sleeps(PARSER, -1, 10 * i + 5, 10 * i + 10);
	allowed = 3;
	split(USER, sleeps(USER, PARSER, 0, 100));
	assert_part(PARSER, SCOPE_END_LEFT, 75);
	assert_part(PARSER, SCOPE_END_OUTSIDE, 15);
	assert_part(PARSER, SCOPE_END_RUNS, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_20_80, setup, teardown),
		cmocka_unit_test_setup_teardown(test_20_30_50, setup, teardown),
		cmocka_unit_test_setup_teardown(test_visited_elsewhere, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nested, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_leaf, setup, teardown),
		cmocka_unit_test_setup_teardown(test_queue, setup, teardown),
		cmocka_unit_test_setup_teardown(test_circle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_endless, setup, teardown),
		cmocka_unit_test_setup_teardown(test_convoy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_convoy_asks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forgotten, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
