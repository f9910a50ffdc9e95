// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread of a group that differs from the others is found, in pools of 8 to 5,000: it is slower, gets more work or
 * waits more.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/balance.h"

#define SEEDS 20
#define HEALTHY 100
#define WINDOW_NS 10e9

static uint64_t chance;

static double uniform(void)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return ((double)(chance >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* units of a thread: their times scatter by 60 %, and six of ten wait, for times that scatter twice as much. */
static struct scope_thread_load make(double units, double run_ns, double wait_ns)
{
	struct scope_thread_load load = { .life_ns = WINDOW_NS };
	const double count = floor(units + sqrt(units) * normal() + 0.5);

	for (load.units = count > 0 ? (uint64_t)count : 0; load.units < count; load.units++)
		;
	for (uint64_t i = 0; i < load.units; i++) {
		const double run = run_ns * exp(0.6 * normal()), wait = uniform() < 0.6 ? wait_ns * exp(normal()) : 0;

		load.run_ns += run;
		load.run_square += run * run;
		load.wait_ns += wait;
		load.wait_square += wait * wait;
	}
	return load;
}

/* A pool of threads that are alike but for 2 % in speed and in what they get. */
static struct scope_thread_load *make_pool(size_t threads)
{
	struct scope_thread_load *load = calloc(threads, sizeof(*load));

	for (size_t i = 0; i < threads; i++) {
		const double like = exp(0.02 * normal());

		load[i] = make(400 * exp(0.02 * normal()), 1e6 * like, 2e6 * like);
	}
	return load;
}

static struct scope_balance *judge(const struct scope_thread_load *load, size_t threads)
{
	uint32_t *group = calloc(threads, sizeof(*group));
	struct scope_balance *balance;

	assert_int_equal(scope_server_balance_judge(load, group, threads, 1, &balance), 0);
	free(group);
	return balance;
}

static const size_t pools[] = { 8, 200, 2000, 5000 };

/* One thread of a pool is made slower, or given more, and has to be named, with the word. */
static void name_one(struct scope_thread_load *pool, size_t threads, unsigned seed, enum scope_uneven in)
{
	const double times = 1.5 + 1.5 * (seed - 1) / (SEEDS - 1);
	const size_t odd = seed * 7919 % threads;
	const struct scope_thread_load usual = pool[odd];
	struct scope_balance *balance;

	pool[odd] = make(in == SCOPE_UNEVEN_WORK ? 1200 : 400, in == SCOPE_UNEVEN_SLOWER ? times * 1e6 : 1e6,
			 in == SCOPE_UNEVEN_WAITS ? 6e6 : 2e6);
	balance = judge(pool, threads);
	if (balance->count != 1 || balance->thread->thread != odd || balance->thread->in != in)
		fail_msg("pool %zu, seed %u, %d: %zu found, first %u in %d", threads, seed, in, balance->count,
			 balance->count ? balance->thread->thread : 0, balance->count ? balance->thread->in : -1);
	/* A thread that is only just above all others is none of those compared with. */
	assert_in_range(balance->thread->others, threads - 3, threads - 1);
	assert_true(balance->thread->own > 1.3 * balance->thread->usual);
	scope_server_balance_destroy(balance);
	pool[odd] = usual;
}

static void one_thread_is_named(void **state)
{
	(void)state;
	for (size_t p = 0; p < sizeof(pools) / sizeof(pools[0]); p++)
		for (unsigned seed = 1; seed <= SEEDS; seed++) {
			struct scope_thread_load *pool;

			chance = 88172645463325252ull + 1000003 * seed + p;
			pool = make_pool(pools[p]);
			for (int in = 0; in < SCOPE_UNEVENS; in++)
				name_one(pool, pools[p], seed, (enum scope_uneven)in);
			free(pool);
		}
}

static void threads_that_are_alike_are_not(void **state)
{
	static const size_t small[] = { 4, 5, 8, 16, 64, 200, 2000 };

	(void)state;
	for (size_t p = 0; p < sizeof(small) / sizeof(small[0]); p++) {
		unsigned alarms = 0;

		for (unsigned seed = 1; seed <= HEALTHY; seed++) {
			struct scope_thread_load *pool;
			struct scope_balance *balance;

			chance = 6364136223846793005ull + 7368787 * seed + p;
			pool = make_pool(small[p]);
			balance = judge(pool, small[p]);
			alarms += balance->count > 0;
			scope_server_balance_destroy(balance);
			free(pool);
		}
		if (alarms > 2)
			fail_msg("%u of %u pools of %zu threads that are alike", alarms, HEALTHY, small[p]);
	}
}

/* Several do not hide each other: three of eight, or a tenth of many. */
static void several_threads_are_named(void **state)
{
	static const size_t threads[] = { 12, 40, 400 }, slow[] = { 3, 4, 40 };

	(void)state;
	for (size_t p = 0; p < 3; p++) {
		struct scope_thread_load *load = calloc(threads[p], sizeof(*load));
		uint32_t *group = calloc(threads[p], sizeof(*group));
		struct scope_balance *balance;

		chance = 42 + p;
		for (size_t i = 0; i < threads[p]; i++)
			load[i] = make(300, i < slow[p] ? 3e6 : 1e6, 1e5);
		assert_int_equal(scope_server_balance_judge(load, group, threads[p], 1, &balance), 0);
		assert_int_equal(balance->count, slow[p]);
		for (size_t i = 0; i < slow[p]; i++) {
			assert_true(balance->thread[i].thread < slow[p]);
			assert_int_equal(balance->thread[i].in, SCOPE_UNEVEN_SLOWER);
			assert_int_equal(balance->thread[i].others, threads[p] - slow[p]);
		}
		scope_server_balance_destroy(balance);
		free(group);
		free(load);
	}
}

/* Those that do next to nothing are not compared; nor are three threads, of which nobody knows who is usual. */
static void spare_threads_say_nothing(void **state)
{
	struct scope_thread_load load[20] = { 0 };
	const uint32_t group[20] = { 0 };
	struct scope_balance *balance;

	(void)state;
	chance = 7;
	for (size_t i = 0; i < 20; i++)
		load[i] = i < 3 ? make(3000, 1e6, 1e5)
				: (struct scope_thread_load){ .units = i % 4, .life_ns = WINDOW_NS };
	assert_int_equal(scope_server_balance_judge(load, group, 20, 1, &balance), 0);
	assert_int_equal(balance->count, 0);
	scope_server_balance_destroy(balance);
}

/* A thread three times slower is no matter where it works for less than a hundredth of its time. */
static void idle_threads_are_no_matter(void **state)
{
	struct scope_thread_load load[20] = { 0 };
	const uint32_t group[20] = { 0 };
	struct scope_balance *balance;

	(void)state;
	for (int busy = 0; busy < 2; busy++) {
		chance = 9;
		for (size_t i = 0; i < 20; i++)
			load[i] = make(300, (busy ? 1e6 : 1e5) * (i == 11 ? 3 : 1), 1e5);
		assert_int_equal(scope_server_balance_judge(load, group, 20, 1, &balance), 0);
		assert_int_equal(balance->count, busy);
		scope_server_balance_destroy(balance);
	}
}

/* Each group has its own baseline. */
static void groups_are_not_mixed(void **state)
{
	struct scope_thread_load load[60];
	uint32_t group[60];
	struct scope_balance *balance;

	(void)state;
	chance = 11;
	for (size_t i = 0; i < 60; i++) {
		group[i] = i % 3;
		load[i] = make(300, 1e6 * (double)(1 + 2 * group[i]) * (i == 40 ? 2 : 1), 1e5);
	}
	assert_int_equal(scope_server_balance_judge(load, group, 60, 3, &balance), 0);
	assert_int_equal(balance->count, 1);
	assert_int_equal(balance->thread->thread, 40);
	assert_int_equal(balance->thread->group, 1);
	assert_int_equal(balance->thread->others, 19);
	scope_server_balance_destroy(balance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_is_named),	      cmocka_unit_test(threads_that_are_alike_are_not),
		cmocka_unit_test(several_threads_are_named),  cmocka_unit_test(spare_threads_say_nothing),
		cmocka_unit_test(idle_threads_are_no_matter), cmocka_unit_test(groups_are_not_mixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
