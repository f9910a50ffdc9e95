// SPDX-License-Identifier: GPL-2.0-only
/* Which populations are steps that each connection takes once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/detect.h"

#define POPULATIONS 3
#define FIRST 5 /* the number of a group's first population */

static struct scope_distributions_row row[POPULATIONS];
static const uint32_t of_vector[POPULATIONS] = { FIRST, FIRST + 1, FIRST + 2 };
static uint32_t step[POPULATIONS];

static int setup(void **state)
{
	(void)state;
	for (int i = 0; i < POPULATIONS; i++)
		row[i] = (struct scope_distributions_row){ 0 };
	return 0;
}

/* Threads from a number on have that many units each of a population. */
static void have(uint32_t population, uint32_t from, uint32_t connections, uint32_t units)
{
	for (uint32_t i = from; i < from + connections; i++)
		row[population].connection[i / 64] |= 1ull << i % 64;
	row[population].connection_units += (uint64_t)connections * units;
}

static void find(void)
{
	const struct scope_distributions_group group = { .row = row, .rows = POPULATIONS };
	uint32_t *found;

	assert_int_equal(scope_anomaly_steps_find(&group, of_vector, FIRST, POPULATIONS,
						  &scope_anomaly_detect_defaults.step, &found),
			 0);
	for (int i = 0; i < POPULATIONS; i++)
		step[i] = found[i];
	free(found);
}

static void each_connection_has_one_handshake_and_many_requests(void **state)
{
	(void)state;
	have(0, 0, 1000, 8);
	have(1, 0, 1000, 1);
	find();
	assert_int_equal(step[0], SCOPE_STEP_NONE);
	assert_int_not_equal(step[1], SCOPE_STEP_NONE);
}

/* 100 of 1,000 connections have none yet, say, or 101. */
static void nearly_all_connections_have_one(void **state)
{
	(void)state;
	have(0, 0, 1000, 8);
	have(1, 0, 900, 1);
	find();
	assert_int_not_equal(step[1], SCOPE_STEP_NONE);
	setup(state);
	have(0, 0, 1000, 8);
	have(1, 0, 899, 1);
	find();
	assert_int_equal(step[1], SCOPE_STEP_NONE);
}

/* Three units for each connection, at random, leave 49.8 of 1,000 without one, with a deviation of 6.3: up to 28. */
static void workers_that_all_had_one_by_chance_take_no_step(void **state)
{
	(void)state;
	have(0, 0, 1000, 8);
	have(1, 0, 971, 3);
	row[1].connection_units = 3000;
	find();
	assert_int_equal(step[1], SCOPE_STEP_NONE);
	have(1, 971, 3, 0);
	find();
	assert_int_not_equal(step[1], SCOPE_STEP_NONE);
}

static void nineteen_connections_do_not_show_it(void **state)
{
	(void)state;
	have(0, 0, 19, 8);
	have(1, 0, 19, 1);
	find();
	assert_int_equal(step[1], SCOPE_STEP_NONE);
	setup(state);
	have(0, 0, 20, 8);
	have(1, 0, 20, 1);
	find();
	assert_int_not_equal(step[1], SCOPE_STEP_NONE);
}

/* No connection has both: half the handshakes need more memory, or one in 25 looks for its key in a file. */
static void alternatives_are_one_step(void **state)
{
	(void)state;
	have(0, 0, 1000, 8);
	have(1, 0, 550, 1);
	have(2, 550, 450, 1);
	find();
	assert_int_equal(step[0], SCOPE_STEP_NONE);
	assert_int_not_equal(step[1], SCOPE_STEP_NONE);
	assert_int_equal(step[1], step[2]);
	setup(state);
	have(0, 0, 1000, 8);
	have(1, 0, 960, 1);
	have(2, 960, 40, 1);
	find();
	assert_int_equal(step[1], step[2]);
}

/* One request of 25 that is slow meets connections regardless of their handshakes. */
static void what_comes_beside_a_step_is_no_alternative(void **state)
{
	(void)state;
	have(0, 0, 1000, 8);
	have(1, 0, 1000, 1);
	have(2, 300, 40, 1);
	find();
	assert_int_not_equal(step[1], SCOPE_STEP_NONE);
	assert_int_equal(step[2], SCOPE_STEP_NONE);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_connection_has_one_handshake_and_many_requests),
		TEST(nearly_all_connections_have_one),
		TEST(workers_that_all_had_one_by_chance_take_no_step),
		TEST(nineteen_connections_do_not_show_it),
		TEST(alternatives_are_one_step),
		TEST(what_comes_beside_a_step_is_no_alternative),
	};

	return cmocka_run_group_tests_name("step", tests, NULL, NULL);
}
