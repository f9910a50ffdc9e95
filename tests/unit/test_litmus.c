// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring's two hand-overs, publish and consume, on machines that order memory weakly.
 *
 * An emulator of x86, and x86 itself, cannot show a missing barrier. So the two hand-overs are here
 * as lists of loads and stores, and every execution that C11 allows is searched for one in which the
 * wrong thing was read (axioms: Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential
 * consistency in C/C++11", PLDI 2017, without the axiom against cycles of program order
 * and reads-from, so that loads may also come after later stores). smp_load_acquire() and
 * smp_store_release() of the kernel are at least as strong as acquire and release are here, a
 * successful cmpxchg() is stronger than an acquire-release exchange. Data are plain, which is relaxed.
 *
 * Each forbidden outcome is searched for again with one barrier left out, and then must be found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define EVENTS_MAX 12

enum place { DATA, HEAD, TAIL, PLACES };
enum order { RELAXED, ACQUIRE = 1, RELEASE = 2, BOTH = 3 };
enum access { LOAD = 1, STORE = 2, EXCHANGE = 3 };

/* Every store of a place has a value of its own; 0 was there at first. */
struct event {
	int thread;
	enum access access;
	enum place place;
	int loaded, stored;
	enum order order;
};

struct execution {
	struct event event[EVENTS_MAX];
	size_t count;
	bool before[EVENTS_MAX][EVENTS_MAX]; /* happens before */
	int rank[EVENTS_MAX];		     /* of a store among those of its place, from 1 */
};

/* The store that an event read from, or -1 for the first value. */
static int source_of(const struct execution *x, size_t reader)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->event[i].access & STORE && x->event[i].place == x->event[reader].place &&
		    x->event[i].stored == x->event[reader].loaded)
			return (int)i;
	return -1;
}

/* False: something happens before itself. */
static bool find_happens_before(struct execution *x)
{
	memset(x->before, 0, sizeof(x->before));
	for (size_t i = 0; i < x->count; i++) {
		for (size_t k = i + 1; k < x->count; k++)
			x->before[i][k] = x->event[i].thread == x->event[k].thread;
		if (x->event[i].access & LOAD && x->event[i].order & ACQUIRE) {
			int from = source_of(x, i);

			if (from >= 0 && x->event[from].order & RELEASE)
				x->before[from][i] = true;
		}
	}
	for (size_t k = 0; k < x->count; k++)
		for (size_t i = 0; i < x->count; i++)
			for (size_t j = 0; j < x->count; j++)
				x->before[i][j] |= x->before[i][k] && x->before[k][j];
	for (size_t i = 0; i < x->count; i++)
		if (x->before[i][i])
			return false;
	return true;
}

static int rank_read(const struct execution *x, size_t reader)
{
	int from = source_of(x, reader);

	return from < 0 ? 0 : x->rank[from];
}

/* With this order of the stores of each place: do all loads and stores see what they must? */
static bool coherent(const struct execution *x)
{
	for (size_t i = 0; i < x->count; i++) {
		const struct event *a = &x->event[i];

		if (a->access == EXCHANGE && rank_read(x, i) + 1 != x->rank[i])
			return false;
		if (a->access & LOAD && source_of(x, i) >= 0 && x->before[i][source_of(x, i)])
			return false;
		for (size_t k = 0; k < x->count; k++) {
			const struct event *b = &x->event[k];

			if (!x->before[i][k] || a->place != b->place)
				continue;
			if (a->access & STORE && b->access & STORE && x->rank[i] > x->rank[k])
				return false;
			if (a->access & STORE && b->access & LOAD && rank_read(x, k) < x->rank[i])
				return false;
			if (a->access & LOAD && b->access & STORE && rank_read(x, i) >= x->rank[k])
				return false;
			if (a->access & LOAD && b->access & LOAD && rank_read(x, k) < rank_read(x, i))
				return false;
		}
	}
	return true;
}

/* Tries all orders of the stores, place by place. */
static bool order_from(struct execution *x, size_t at)
{
	int stores = 0;

	while (at < x->count && !(x->event[at].access & STORE))
		at++;
	if (at == x->count)
		return coherent(x);
	for (size_t i = 0; i < x->count; i++)
		stores += x->event[i].access & STORE && x->event[i].place == x->event[at].place;
	for (int rank = 1; rank <= stores; rank++) {
		bool taken = false;

		for (size_t i = 0; i < at; i++)
			taken |= x->event[i].access & STORE && x->event[i].place == x->event[at].place &&
				 x->rank[i] == rank;
		x->rank[at] = rank;
		if (!taken && order_from(x, at + 1))
			return true;
	}
	return false;
}

/* Can these loads give these values? */
static bool possible(const struct event *event, size_t count)
{
	struct execution x = { .count = count };

	memcpy(x.event, event, count * sizeof(*event));
	return find_happens_before(&x) && order_from(&x, 0);
}

#define POSSIBLE(events) possible(events, sizeof(events) / sizeof((events)[0]))

/* The reader saw head, and not the record before it. */
static bool stale_record(enum order publish, enum order look)
{
	const struct event events[] = {
		{ 0, STORE, DATA, 0, 1, RELAXED },
		{ 0, STORE, HEAD, 0, 1, publish },
		{ 1, LOAD, HEAD, 1, 0, look },
		{ 1, LOAD, DATA, 0, 0, RELAXED },
	};

	return POSSIBLE(events);
}

/* The writer saw that the place is free, and the reader read what it wrote there then. */
static bool torn_record(enum order done, enum order look)
{
	const struct event events[] = {
		{ 0, STORE, DATA, 0, 1, RELAXED }, { 0, STORE, HEAD, 0, 1, RELEASE }, { 0, LOAD, TAIL, 1, 0, look },
		{ 0, STORE, DATA, 0, 2, RELAXED }, { 1, LOAD, HEAD, 1, 0, ACQUIRE },  { 1, LOAD, DATA, 2, 0, RELAXED },
		{ 1, STORE, TAIL, 0, 1, done },
	};

	return POSSIBLE(events);
}

/* Flight mode: the reader won the place by its exchange and read what the writer put there later. */
static bool overwritten_and_won(enum order reader, enum order writer)
{
	const struct event events[] = {
		{ 0, STORE, DATA, 0, 1, RELAXED },   { 0, STORE, HEAD, 0, 1, RELEASE },
		{ 0, LOAD, TAIL, 1, 0, writer },     { 0, STORE, DATA, 0, 2, RELAXED },
		{ 1, LOAD, HEAD, 1, 0, ACQUIRE },    { 1, LOAD, DATA, 2, 0, RELAXED },
		{ 1, EXCHANGE, TAIL, 0, 1, reader },
	};

	return POSSIBLE(events);
}

/* Flight mode: both moved tail on from the same number. */
static bool won_by_both(enum order order)
{
	const struct event events[] = {
		{ 0, EXCHANGE, TAIL, 0, 1, order },
		{ 1, EXCHANGE, TAIL, 0, 2, order },
	};

	return POSSIBLE(events);
}

static void test_records_come_before_their_number(void **state)
{
	(void)state;
	assert_false(stale_record(RELEASE, ACQUIRE));
	assert_true(stale_record(RELAXED, ACQUIRE));
	assert_true(stale_record(RELEASE, RELAXED));
}

static void test_places_are_free_after_their_last_load(void **state)
{
	(void)state;
	assert_false(torn_record(RELEASE, ACQUIRE));
	assert_true(torn_record(RELAXED, ACQUIRE));
	assert_true(torn_record(RELEASE, RELAXED));
}

static void test_one_side_wins_a_place_in_flight_mode(void **state)
{
	(void)state;
	assert_false(overwritten_and_won(BOTH, ACQUIRE));
	assert_true(overwritten_and_won(RELAXED, ACQUIRE));
	assert_true(overwritten_and_won(BOTH, RELAXED));
	assert_false(won_by_both(BOTH));
	assert_false(won_by_both(RELAXED));
}

/* The checker itself, by outcomes known from the literature. */
static void test_known_litmus_tests(void **state)
{
	const struct event store_buffering[] = {
		{ 0, STORE, HEAD, 0, 1, RELEASE },
		{ 0, LOAD, TAIL, 0, 0, ACQUIRE },
		{ 1, STORE, TAIL, 0, 1, RELEASE },
		{ 1, LOAD, HEAD, 0, 0, ACQUIRE },
	};
	const struct event load_buffering[] = {
		{ 0, LOAD, HEAD, 1, 0, RELAXED },
		{ 0, STORE, TAIL, 0, 1, RELAXED },
		{ 1, LOAD, TAIL, 1, 0, RELAXED },
		{ 1, STORE, HEAD, 0, 1, RELAXED },
	};
	const struct event read_read[] = {
		{ 0, STORE, HEAD, 0, 1, RELAXED },
		{ 1, LOAD, HEAD, 1, 0, RELAXED },
		{ 1, LOAD, HEAD, 0, 0, RELAXED },
	};
	const struct event write_to_read_causality[] = {
		{ 0, STORE, DATA, 0, 1, RELAXED }, { 0, STORE, HEAD, 0, 1, RELEASE }, { 1, LOAD, HEAD, 1, 0, ACQUIRE },
		{ 1, STORE, TAIL, 0, 1, RELEASE }, { 2, LOAD, TAIL, 1, 0, ACQUIRE },  { 2, LOAD, DATA, 0, 0, RELAXED },
	};

	(void)state;
	assert_true(POSSIBLE(store_buffering));
	assert_true(POSSIBLE(load_buffering));
	assert_false(POSSIBLE(read_read));
	assert_false(POSSIBLE(write_to_read_causality));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_come_before_their_number),
		cmocka_unit_test(test_places_are_free_after_their_last_load),
		cmocka_unit_test(test_one_side_wins_a_place_in_flight_mode),
		cmocka_unit_test(test_known_litmus_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
