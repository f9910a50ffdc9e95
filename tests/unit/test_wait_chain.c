// SPDX-License-Identifier: GPL-2.0-only
/* Blame follows the chain of waits and goes no further; no weight is lost or added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "evidence/attribute.h"
#include "rank_case.h"

enum { USER, PARSER, NETWORK, DISK };

static struct rank_case *made;

static int setup(void **state)
{
	(void)state;
	made = case_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

static void sleeps_as(const struct scope_wait *wait)
{
	assert_int_equal(scope_evidence_wait_chains_wait(&made->kept.wait_chains, wait), 0);
}

/* It is given a CPU as it is woken. waker: -1 for an interrupt. */
static void sleeps(uint32_t thread, int32_t waker, uint64_t begin_ns, uint64_t wake_ns)
{
	sleeps_as(&(struct scope_wait){
		.thread = thread,
		.waker = waker,
		.begin_ns = begin_ns,
		.wake_ns = wake_ns,
		.end_ns = wake_ns,
	});
}

/* An abnormal unit of that thread that has just ended; its number. */
static uint32_t unit(uint32_t thread, uint64_t begin_ns, uint64_t end_ns)
{
	const struct scope_unit ended = { .thread = thread, .begin_ns = begin_ns, .end_ns = end_ns };
	const uint32_t number = case_unit(made, ended, 0, SCOPE_UNIT_SLOW, 0, 0);

	assert_int_equal(scope_evidence_wait_chains_unit(&made->kept.wait_chains, &ended, number, 1), 0);
	return number;
}

static const struct scope_wait_segment *window(size_t at)
{
	assert_true(at < made->kept.wait_chains.windows);
	return &made->kept.wait_chains.window[at];
}

#define assert_window(at, of, from, until)                                                                             \
	do {                                                                                                           \
		assert_int_equal(window(at)->thread, of);                                                              \
		assert_int_equal(window(at)->begin_ns, from);                                                          \
		assert_int_equal(window(at)->end_ns, until);                                                           \
	} while (0)

/* A stretch in which a thread ran. */
struct story {
	uint32_t thread;
	uint64_t begin_ns, end_ns;
};

/* Lays stretches in that function on the units that waited. ret_ns: of each thread, what is laid for that unit. */
static void attribute_to(const struct scope_function *function, const struct story *story, size_t count,
			 uint32_t number, double ret_ns[CASE_THREADS])
{
	const struct scope_stack_node stack_node = { .node = function ? case_node(made, &function, 1) : 0 };
	struct scope_attributor attributor = {
		.kept = &made->kept,
		.detection = &made->detection,
		.evidence = &made->evidence,
	};

	for (int i = 0; i < CASE_THREADS; i++)
		ret_ns[i] = 0;
	scope_evidence_wait_chains_sort(&made->kept.wait_chains);
	assert_int_equal(scope_evidence_attributor_init(&attributor, 1), 0);
	for (size_t i = 0; i < count; i++) {
		const size_t from = made->evidence.items;
		const struct scope_stretch stretch = {
			.begin_ns = story[i].begin_ns,
			.end_ns = story[i].end_ns,
			.weight_ns = story[i].end_ns - story[i].begin_ns,
			.run = true,
			.unit = UINT32_MAX,
		};

		assert_int_equal(scope_evidence_attributor_add(&attributor, story[i].thread, &stretch, stack_node), 0);
		for (size_t j = from; j < made->evidence.items; j++) {
			assert_int_equal(made->evidence.item[j].kind, SCOPE_ITEM_BLAME);
			if (made->evidence.item[j].unit == number)
				ret_ns[story[i].thread] += made->evidence.item[j].weight_ns;
		}
	}
	scope_evidence_attributor_free(&attributor);
}

static void attribute(const struct story *story, size_t count, uint32_t number, double ret_ns[CASE_THREADS])
{
	static const struct scope_function work = { .name = "work", .known = true };

	attribute_to(&work, story, count, number, ret_ns);
}

/* A user waits for a parser from 0 to 100, which waits for the network from 20 on. */
static void a_wait_is_split_between_who_ran_and_whom_that_waited_for(void **state)
{
	const struct story ran[] = { { PARSER, 0, 20 }, { NETWORK, 0, 100 }, { PARSER, 100, 150 } };
	double laid[CASE_THREADS];
	uint32_t number;

	(void)state;
	sleeps(PARSER, NETWORK, 20, 100);
	sleeps(USER, PARSER, 0, 100);
	number = unit(USER, 0, 120);
	attribute(ran, 3, number, laid);
	assert_true(laid[PARSER] == 20 && laid[NETWORK] == 80 && laid[DISK] == 0);
}

/* A thread that a library works with has no function of the program: what waits for it has. */
static void a_thread_in_a_library_alone_is_not_blamed(void **state)
{
	const struct story ran[] = { { PARSER, 0, 100 } };
	double laid[CASE_THREADS];
	uint32_t number;

	(void)state;
	sleeps(USER, PARSER, 0, 100);
	number = unit(USER, 0, 120);
	attribute_to(NULL, ran, 1, number, laid);
	assert_true(laid[PARSER] == 0);
	attribute(ran, 1, number, laid);
	assert_true(laid[PARSER] == 100);
}

/* A request that was held waits for the thread that ended its wait, and its earlier part for whom that waited for. */
static void a_held_request_waits_for_who_goes_on_with_it(void **state)
{
	const struct story ran[] = { { PARSER, 0, 100 }, { DISK, 0, 100 } };
	static const struct scope_unit_earlier earlier = { .part = { 10, 30, USER }, .task_ns = 50, .waker = DISK };
	const struct scope_unit ended = {
		.thread = USER,
		.begin_ns = 80,
		.end_ns = 90,
		.earlier = &earlier,
	};
	const uint32_t number = case_unit(made, ended, 0, SCOPE_UNIT_SLOW, 0, 0);
	double laid[CASE_THREADS];

	(void)state;
	sleeps(USER, PARSER, 12, 22);
	sleeps(USER, PARSER, 40, 60); /* the loop, for another client */
	assert_int_equal(scope_evidence_wait_chains_unit(&made->kept.wait_chains, &ended, number, 1), 0);
	attribute(ran, 2, number, laid);
	assert_true(laid[PARSER] == 10 && laid[DISK] == 50);
}

/* The network waits for the disk from 50 on: the last one's own part is not lost. */
static void a_chain_of_three_keeps_every_part(void **state)
{
	const struct story ran[] = { { PARSER, 0, 20 }, { NETWORK, 0, 50 }, { DISK, 0, 100 } };
	double laid[CASE_THREADS];
	uint32_t number;

	(void)state;
	sleeps(NETWORK, DISK, 50, 100);
	sleeps(PARSER, NETWORK, 20, 100);
	sleeps(USER, PARSER, 0, 100);
	number = unit(USER, 0, 120);
	attribute(ran, 3, number, laid);
	assert_true(laid[PARSER] == 20 && laid[NETWORK] == 30 && laid[DISK] == 50);
}

/* Both for the disk, one after the other, and between them it does something itself. */
static void what_one_thread_is_waited_for_twice_adds_up(void **state)
{
	const struct story ran[] = { { PARSER, 0, 10 }, { DISK, 10, 40 }, { PARSER, 40, 70 }, { DISK, 70, 100 } };
	double laid[CASE_THREADS];
	uint32_t number;

	(void)state;
	sleeps(PARSER, DISK, 10, 40);
	sleeps(PARSER, DISK, 70, 100);
	sleeps(USER, PARSER, 0, 100);
	number = unit(USER, 0, 120);
	attribute(ran, 4, number, laid);
	assert_true(laid[PARSER] == 40 && laid[DISK] == 60);
}

/* Two branches below one thread meet in a third: what was seen on one way is not left out on the other. */
static void two_ways_to_one_thread_are_both_followed(void **state)
{
	const struct story ran[] = { { DISK, 0, 100 } };
	double laid[CASE_THREADS];
	uint32_t number;

	(void)state;
	sleeps(NETWORK, DISK, 0, 40);
	sleeps(PARSER, NETWORK, 0, 40);
	sleeps(PARSER, DISK, 50, 100);
	sleeps(USER, PARSER, 0, 100);
	number = unit(USER, 0, 120);
	attribute(ran, 1, number, laid);
	assert_true(laid[DISK] == 90);
}

/* Each lost all of that time: they are units of their own, and neither pays for the other. */
static void two_that_wait_for_one_thread_have_its_time_each(void **state)
{
	const struct story ran[] = { { DISK, 0, 100 } };
	double laid[CASE_THREADS];
	uint32_t first, second;

	(void)state;
	sleeps(USER, DISK, 0, 100);
	sleeps(PARSER, DISK, 60, 100);
	first = unit(USER, 0, 120);
	second = unit(PARSER, 0, 120);
	attribute(ran, 1, first, laid);
	assert_true(laid[DISK] == 100);
	attribute(ran, 1, second, laid);
	assert_true(laid[DISK] == 40);
}

/* Threads that wait for each other never ran in that time: the search ends, and finds nothing. */
static void cycles_end(void **state)
{
	const struct story ran[] = { { PARSER, 0, 20 }, { NETWORK, 0, 20 } };
	double laid[CASE_THREADS];
	uint32_t number;

	(void)state;
	sleeps(PARSER, NETWORK, 20, 100);
	sleeps(NETWORK, PARSER, 20, 100);
	sleeps(USER, PARSER, 0, 100);
	number = unit(USER, 0, 120);
	assert_int_equal(made->kept.wait_chains.windows, 1 + SCOPE_WAIT_CHAIN_DEPTH);
	attribute(ran, 2, number, laid);
	assert_true(laid[PARSER] == 20 && laid[NETWORK] == 0);
}

static void nobody_is_blamed_for_waiting_for_the_one_that_waits(void **state)
{
	(void)state;
	sleeps(PARSER, USER, 20, 60);
	sleeps(USER, PARSER, 0, 100);
	unit(USER, 0, 120);
	assert_int_equal(made->kept.wait_chains.windows, 1);
	assert_window(0, PARSER, 0, 100);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

/*
 * Three threads run and sleep by chance, and are woken by one another or by interrupts: never more than the length of
 * a wait is attributed, however they are entangled.
 */
static void nothing_is_amplified(void **state)
{
	enum { ALL_NS = 1000, ROUNDS = 300 };
	double most_ns = 0;

	for (uint32_t round = 0, seed = 7; round < ROUNDS; round++) {
		struct story ran[3 * ALL_NS];
		double laid[CASE_THREADS], sum_ns;
		size_t stretches = 0;
		uint32_t number;

		teardown(state);
		setup(state);
		for (uint32_t thread = PARSER; thread <= DISK; thread++)
			for (uint64_t now = 0, next; now < ALL_NS; now = next) {
				const uint64_t woken = now + 1 + draw(&seed, 200);
				const int32_t waker = (int32_t)draw(&seed, 4) - 1;

				next = woken + 1 + draw(&seed, 60);
				if (waker != (int32_t)thread)
					sleeps(thread, waker, now, woken);
				ran[stretches++] = (struct story){ thread, woken, next };
			}
		sleeps(USER, 1 + (int32_t)draw(&seed, 3), 0, ALL_NS);
		number = unit(USER, 0, ALL_NS);
		attribute(ran, stretches, number, laid);
		sum_ns = laid[PARSER] + laid[NETWORK] + laid[DISK];
		assert_true(sum_ns <= ALL_NS);
		most_ns = sum_ns > most_ns ? sum_ns : most_ns;
	}
	assert_true(most_ns > ALL_NS / 3); /* else there was little to lay */
}

static void five_threads_are_passed_and_no_sixth(void **state)
{
	enum { CHAIN = 8 };

	(void)state;
	for (int32_t thread = CHAIN; thread-- > 0;)
		sleeps(thread, thread + 1, 10 * (uint64_t)thread, 1000);
	unit(USER, 0, 1000);
	assert_int_equal(made->kept.wait_chains.windows, 6);
	for (uint32_t i = 0; i < 6; i++) {
		assert_window(i, 1 + i, 10 * i, 1000);
		assert_int_equal(window(i)->depth, i);
	}
}

/* A thousand sleeps of a thread and 24 are remembered; the one before them is not. */
static void the_last_1024_sleeps_can_be_passed_on(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1025; i++)
		sleeps(USER, PARSER, 100 * i, 100 * i + 50);
	unit(USER, 0, 100 * 1025);
	assert_int_equal(made->kept.wait_chains.windows, 1024);
	assert_window(0, PARSER, 100, 150);
	assert_window(1023, PARSER, 102400, 102450);
}

static void the_first_50000_windows_are_kept(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 500; i++)
		sleeps(USER, PARSER, 100 * i, 100 * i + 50);
	for (int i = 0; i < 100; i++)
		unit(USER, 0, 50000);
	assert_int_equal(made->kept.wait_chains.windows, 50000);
	unit(USER, 0, 50000);
	assert_int_equal(made->kept.wait_chains.windows, 50000);
	assert_int_equal(window(49999)->unit, 99);
}

/* Just before it begins, as it begins, just before it ends, and as it ends. */
static void only_sleeps_of_the_unit_itself_count(void **state)
{
	(void)state;
	sleeps(USER, PARSER, 99, 110);
	sleeps(USER, PARSER, 120, 130);
	sleeps(USER, NETWORK, 199, 210);
	sleeps(USER, DISK, 200, 220);
	unit(USER, 100, 200);
	assert_int_equal(made->kept.wait_chains.windows, 2);
	assert_window(0, PARSER, 120, 130);
	assert_window(1, NETWORK, 199, 210);
	unit(USER, 120, 125);
	assert_int_equal(made->kept.wait_chains.windows, 3);
}

/* A thread's number may be 0; here it is the one that is waited for, by two ways. */
static void the_first_thread_is_one_as_others_are(void **state)
{
	(void)state;
	sleeps_as(&(struct scope_wait){
		.thread = NETWORK, .waker = USER, .idle = true, .begin_ns = 10, .wake_ns = 30, .end_ns = 30 });
	sleeps(NETWORK, USER, 40, 90);
	sleeps(PARSER, USER, 0, 50);
	sleeps(PARSER, NETWORK, 60, 100);
	unit(PARSER, 0, 120);
	assert_int_equal(made->kept.wait_chains.windows, 3);
	assert_window(0, USER, 0, 50);
	assert_window(1, NETWORK, 60, 100);
	assert_window(2, USER, 60, 90);
	unit(PARSER, 55, 120);
	assert_int_equal(made->kept.wait_chains.recent[NETWORK].idle_ns, 0);
}

static void what_an_interrupt_ends_is_nobodys(void **state)
{
	(void)state;
	sleeps(USER, SCOPE_WAIT_NO_THREAD, 0, 100);
	unit(USER, 0, 120);
	assert_int_equal(made->kept.wait_chains.windows, 0);
}

/* From the waking on it waits for a CPU; a sleep that was over as it began leaves nothing. */
static void a_window_ends_at_the_waking(void **state)
{
	(void)state;
	sleeps_as(&(struct scope_wait){ .thread = PARSER, .waker = DISK, .begin_ns = 10, .wake_ns = 60, .end_ns = 90 });
	sleeps_as(&(struct scope_wait){ .thread = USER, .waker = PARSER, .begin_ns = 0, .wake_ns = 80, .end_ns = 95 });
	sleeps_as(&(struct scope_wait){ .thread = USER, .waker = PARSER, .begin_ns = 97, .wake_ns = 97, .end_ns = 98 });
	unit(USER, 0, 100);
	assert_int_equal(made->kept.wait_chains.windows, 2);
	assert_window(0, PARSER, 0, 80);
	assert_window(1, DISK, 10, 60);
	assert_true(window(0)->weight_ns == 80);
	assert_true(window(1)->weight_ns == 0);
}

/* The object of the sleep that the wait chain leads to, not that of the first one. */
static void each_window_says_what_was_waited_for(void **state)
{
	(void)state;
	sleeps_as(&(struct scope_wait){
		.thread = PARSER, .waker = DISK, .begin_ns = 10, .wake_ns = 60, .end_ns = 60, .nr = 0, .object = 7 });
	sleeps_as(&(struct scope_wait){ .thread = USER,
					.waker = PARSER,
					.begin_ns = 0,
					.wake_ns = 80,
					.end_ns = 80,
					.nr = 202,
					.object = 9,
					.lock = true });
	unit(USER, 0, 100);
	assert_true(window(0)->lock && window(0)->object == 9);
	assert_true(!window(1)->lock && window(1)->object == 7);
	/* The call that the unit slept in is the same for all. */
	assert_true(window(0)->nr == 202 && window(1)->nr == 202);
}

/* It slept for clients from 20 to 50 and from 60 to 100, and 10 units are like this one. */
static void a_thread_without_work_is_idle_and_not_at_fault(void **state)
{
	struct scope_wait pause = {
		.thread = PARSER,
		.waker = SCOPE_WAIT_NO_THREAD,
		.idle = true,
		.begin_ns = 20,
		.wake_ns = 50,
		.end_ns = 50,
	};
	const struct scope_unit ended = { .thread = USER, .begin_ns = 0, .end_ns = 120 };

	(void)state;
	sleeps_as(&pause);
	pause.begin_ns = 60;
	pause.wake_ns = pause.end_ns = 110;
	sleeps_as(&pause);
	sleeps(USER, PARSER, 0, 100);
	assert_int_equal(scope_evidence_wait_chains_unit(&made->kept.wait_chains, &ended, 0, 10), 0);
	assert_int_equal(made->kept.wait_chains.windows, 1);
	assert_true(window(0)->idle_ns == 30 + 40);
	assert_int_equal(window(0)->idle_begin_ns, 60);
	assert_int_equal(window(0)->idle_end_ns, 110);
	assert_true(made->kept.wait_chains.recent[PARSER].idle_ns == 10 * (30 + 40));
	assert_true(made->kept.wait_chains.idle_units == 10);
	sleeps(USER, PARSER, 130, 150);
	unit(USER, 125, 160);
	assert_true(made->kept.wait_chains.idle_units == 10);
}

/* Of 120 ns it slept 50 for the parser, 10 of them for a CPU, and 30 for the disk: 80 are its own. */
static void a_unit_is_held_up_where_the_rest_of_it_is_usual(void **state)
{
	const struct scope_unit ended = { .thread = USER, .begin_ns = 0, .end_ns = 120, .run_ns = 50, .blocked_ns = 70 };

	(void)state;
	sleeps_as(&(struct scope_wait){
		.thread = USER, .waker = PARSER, .begin_ns = 0, .wake_ns = 50, .end_ns = 50, .waker_queue_ns = 10 });
	sleeps(USER, SCOPE_WAIT_NO_THREAD, 60, 90);
	assert_int_equal(scope_evidence_wait_chains_unit(&made->kept.wait_chains, &ended, 0, 1), 0);
	assert_true(scope_evidence_wait_chains_held_up(&made->kept.wait_chains, 80, &ended));
	assert_false(scope_evidence_wait_chains_held_up(&made->kept.wait_chains, 79, &ended));
}

/* Another thread ended its pause: that one's clients are not at fault, and neither is it. */
static void a_pause_is_not_passed_on(void **state)
{
	(void)state;
	sleeps_as(&(struct scope_wait){
		.thread = PARSER, .waker = NETWORK, .idle = true, .begin_ns = 20, .wake_ns = 50, .end_ns = 50 });
	sleeps(USER, PARSER, 0, 100);
	unit(USER, 0, 120);
	assert_int_equal(made->kept.wait_chains.windows, 1);
	assert_true(window(0)->idle_ns == 0);
	/* Nor is a pause of the unit's own thread. */
	sleeps_as(&(struct scope_wait){
		.thread = USER, .waker = DISK, .idle = true, .begin_ns = 130, .wake_ns = 150, .end_ns = 150 });
	unit(USER, 125, 160);
	assert_int_equal(made->kept.wait_chains.windows, 1);
}

static void windows_are_in_order_of_thread_and_time(void **state)
{
	(void)state;
	sleeps(NETWORK, DISK, 10, 20);
	sleeps(USER, NETWORK, 30, 40);
	sleeps(USER, PARSER, 50, 60);
	sleeps(USER, NETWORK, 70, 80);
	unit(USER, 0, 100);
	unit(NETWORK, 0, 100);
	unit(USER, 0, 100);
	scope_evidence_wait_chains_sort(&made->kept.wait_chains);
	assert_int_equal(made->kept.wait_chains.windows, 7);
	for (size_t i = 1; i < 7; i++) {
		const struct scope_wait_segment *a = window(i - 1), *b = window(i);

		assert_true(a->thread < b->thread ||
			    (a->thread == b->thread &&
			     (a->begin_ns < b->begin_ns || (a->begin_ns == b->begin_ns && a->unit < b->unit))));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_wait_is_split_between_who_ran_and_whom_that_waited_for),
		TEST(a_thread_in_a_library_alone_is_not_blamed),
		TEST(a_held_request_waits_for_who_goes_on_with_it),
		TEST(a_chain_of_three_keeps_every_part),
		TEST(what_one_thread_is_waited_for_twice_adds_up),
		TEST(two_ways_to_one_thread_are_both_followed),
		TEST(two_that_wait_for_one_thread_have_its_time_each),
		TEST(cycles_end),
		TEST(nobody_is_blamed_for_waiting_for_the_one_that_waits),
		TEST(nothing_is_amplified),
		TEST(five_threads_are_passed_and_no_sixth),
		TEST(the_last_1024_sleeps_can_be_passed_on),
		TEST(the_first_50000_windows_are_kept),
		TEST(only_sleeps_of_the_unit_itself_count),
		TEST(the_first_thread_is_one_as_others_are),
		TEST(what_an_interrupt_ends_is_nobodys),
		TEST(a_window_ends_at_the_waking),
		TEST(each_window_says_what_was_waited_for),
		TEST(a_thread_without_work_is_idle_and_not_at_fault),
		TEST(a_pause_is_not_passed_on),
		TEST(a_unit_is_held_up_where_the_rest_of_it_is_usual),
		TEST(windows_are_in_order_of_thread_and_time),
	};

	return cmocka_run_group_tests_name("blame", tests, NULL, NULL);
}
