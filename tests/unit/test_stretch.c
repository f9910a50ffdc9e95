// SPDX-License-Identifier: GPL-2.0-only
/*
 * The number of busy threads of a stage, and the time for which work waits for one: a pool of 4 at 95 % load, compared
 * with its own ledger.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/stretch.h"

#include "chance.h"

#define ITEMS 20000
#define POOL 4

static uint64_t chance = 42;

static double uniform(void)
{
	return chance_uniform(&chance);
}

static void add(struct scope_stretches *stretches, uint64_t begin_ns, uint64_t end_ns)
{
	assert_int_equal(scope_server_stretch_add(stretches, begin_ns, end_ns), 0);
}

/* 10-40, 20-50 and 50-60 of two threads, added up to 55. */
static void sums_by_hand(void **state)
{
	struct scope_stretches stretches = { 0 };
	struct scope_busy busy;

	(void)state;
	add(&stretches, 20, 50);
	add(&stretches, 50, 60);
	add(&stretches, 10, 40);
	busy = scope_server_stretch_sum(&stretches, 2, 55);
	assert_int_equal(busy.most, 2);
	assert_true(busy.mean_ns == 30 + 30 + 5);
	assert_true(busy.all_ns == 20);
	scope_server_stretch_free(&stretches);
}

/* A queue that any thread of a pool takes from: with first in, first out, or the last one first. */
static double serve(struct scope_stretches *before, struct scope_stretches *after, double *ret_all_ns)
{
	static uint64_t arrived[ITEMS];
	uint64_t free_ns[POOL] = { 0 }, now = 1000000;
	double waited = 0;

	*ret_all_ns = 0;
	for (size_t i = 0; i < ITEMS; i++) {
		now += (uint64_t)(-log(uniform()) * 1e6 / (POOL * 0.95)) + 1;
		arrived[i] = now;
		add(before, now - 100, now);
	}
	for (size_t i = 0; i < ITEMS; i++) {
		const uint64_t service = (uint64_t)(-log(uniform()) * 1e6) + 1;
		size_t first = 0;
		uint64_t begin;

		for (size_t t = 1; t < POOL; t++)
			first = free_ns[t] < free_ns[first] ? t : first;
		begin = free_ns[first] > arrived[i] ? free_ns[first] : arrived[i];
		waited += (double)(begin - arrived[i]);
		/* All are busy from here until the next one is free. */
		free_ns[first] = begin + service;
		add(after, begin, begin + service);
		*ret_all_ns += (double)service;
	}
	return waited / ITEMS;
}

static void a_pool_at_95_percent(void **state)
{
	struct scope_stretches before = { 0 }, after = { 0 };
	double all_ns, found;
	const double waited = serve(&before, &after, &all_ns);
	struct scope_busy busy;

	(void)state;
	scope_server_stretch_sum(&before, 1, UINT64_MAX);
	busy = scope_server_stretch_sum(&after, POOL, UINT64_MAX);
	assert_int_equal(busy.most, POOL);
	assert_true(fabs(busy.mean_ns / all_ns - 1) < 1e-6);
	/* M/M/4 at 95 %: all are busy for about nine tenths of the time. */
	assert_true(busy.all_ns / (double)after.end_ns[ITEMS - 1] > 0.8 &&
		    busy.all_ns / (double)after.end_ns[ITEMS - 1] < 0.97);
	assert_true(scope_server_stretch_between(&before, &after, &found));
	assert_true(waited > 1e6 && fabs(found / waited - 1) < 0.05);
	scope_server_stretch_free(&before);
	scope_server_stretch_free(&after);
}

static void no_pairs_no_wait(void **state)
{
	struct scope_stretches before = { 0 }, after = { 0 };
	double found;

	(void)state;
	assert_false(scope_server_stretch_between(&before, &after, &found));
	for (uint64_t i = 1; i <= 200; i++) {
		add(&before, i * 100, i * 100 + 10);
		add(&after, i * 100 + 30, i * 100 + 50);
	}
	/* Two that were queued before the window: one of 100. */
	add(&after, 10, 20);
	add(&after, 20, 30);
	scope_server_stretch_sum(&before, 1, UINT64_MAX);
	scope_server_stretch_sum(&after, 1, UINT64_MAX);
	assert_true(scope_server_stretch_between(&before, &after, &found));
	assert_true(found == 20);
	add(&after, 90000, 90001);
	add(&after, 90001, 90002);
	scope_server_stretch_sum(&after, 1, UINT64_MAX);
	assert_false(scope_server_stretch_between(&before, &after, &found));
	/* The ones of before still are at it as theirs is done. */
	assert_false(scope_server_stretch_between(&after, &before, &found));
	scope_server_stretch_free(&before);
	scope_server_stretch_free(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_by_hand),
		cmocka_unit_test(a_pool_at_95_percent),
		cmocka_unit_test(no_pairs_no_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
