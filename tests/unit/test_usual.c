// SPDX-License-Identifier: GPL-2.0-only
/* Where usual requests spend their time: which functions, how much, and the minimum number of stacks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rank/usual.h"
#include "rank_case.h"

#define READ 0
#define FSYNC 74

static const struct scope_function parse = { .name = "parse", .module = "p" };
static const struct scope_function store = { .name = "store", .module = "p" };
static const struct scope_function send_all = { .name = "send_all", .module = "p" };
static const struct scope_function *const path[] = { &parse, &store };

static struct rank_case *made;
static uint32_t at_parse, at_store, at_send, below_parse;

static int setup(void **state)
{
	const struct scope_function *sends = &send_all;

	(void)state;
	made = case_create();
	at_parse = case_node(made, path, 1);
	below_parse = case_node(made, path, 2);
	at_store = case_node(made, path + 1, 1);
	at_send = case_node(made, &sends, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

/* The usual side of a population: of its units a tenth was kept, with these times in all. */
static void side(uint32_t population, double run_ns, double blocked_ns)
{
	made->of[population].side[0] = (struct scope_kept_side){
		.units = 1000,
		.kept = 100,
		.run_ns = run_ns,
		.blocked_ns = blocked_ns,
	};
}

static void stacks(unsigned count, uint32_t node, uint8_t kind, uint16_t nr, uint32_t population)
{
	for (unsigned i = 0; i < count; i++)
		case_item(made, (struct scope_item){
					.node = node,
					.kind = kind,
					.weight_ns = 1000,
					.population = population,
					.nr = nr,
				});
}

static struct scope_usual usual(void)
{
	struct scope_usual found;

	assert_int_equal(scope_rank_usual(&made->input, &found), 0);
	return found;
}

static void assert_part(const struct scope_usual_function *one, const struct scope_function *function, double share,
			double asleep)
{
	assert_ptr_equal(one->function, function);
	assert_true(fabs(one->share - share) < 1e-9);
	assert_true(fabs(one->asleep_share - asleep) < 1e-9);
}

/* Of the time of the 100 units kept 30 % is run, 70 % asleep; by stacks parse ran half of the former, the rest store, wherever it was called. */
static void each_has_its_part_wherever_it_is_called(void **state)
{
	struct scope_usual found;

	(void)state;
	side(0, 6e4, 14e4);
	stacks(10, at_parse, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	stacks(4, at_store, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	stacks(6, below_parse, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	stacks(3, at_store, SCOPE_ITEM_WAIT, READ, 0);
	stacks(4, below_parse, SCOPE_ITEM_WAIT, FSYNC, 0);
	found = usual();
	assert_int_equal(found.count, 2);
	assert_int_equal(found.units, 1000);
	assert_true(fabs(found.mean_ns - 20e4 / 100) < 1e-6);
	assert_part(&found.function[0], &store, 0.15 + 0.7, 0.7 / 0.85);
	assert_int_equal(found.function[0].nr, FSYNC);
	assert_part(&found.function[1], &parse, 0.15, 0);
	assert_int_equal(found.function[1].nr, 0);
}

/* Of 200 stacks parse has 20, a tenth, or one less. */
static void a_tenth_is_named(void **state)
{
	for (unsigned parses = 19; parses <= 20; parses++) {
		side(0, 2e5, 0);
		stacks(parses, at_parse, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
		stacks(200 - parses, at_send, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
		assert_int_equal(usual().count, parses < 20 ? 1 : 2);
		teardown(state);
		setup(state);
	}
}

/* Of four functions, each with a tenth or more, the three with most time are named. */
static void three_are_named(void **state)
{
	static const struct scope_function wait = { .name = "wait", .module = "p" };
	const struct scope_function *waits = &wait;
	struct scope_usual found;

	(void)state;
	side(0, 4e5, 0);
	stacks(13, at_send, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	stacks(11, at_store, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	stacks(9, at_parse, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	stacks(7, case_node(made, &waits, 1), SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	found = usual();
	assert_int_equal(found.count, 3);
	assert_ptr_equal(found.function[2].function, &parse);
}

static void nineteen_stacks_say_nothing(void **state)
{
	(void)state;
	side(0, 1e5, 0);
	stacks(19, at_parse, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	assert_int_equal(usual().count, 0);
	stacks(1, at_parse, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	assert_int_equal(usual().count, 1);
}

/* Turns of a loop that took no request, background work, slow requests and a baseline's are no usual requests of this run. */
static void only_usual_requests_of_this_run_count(void **state)
{
	struct scope_usual found;

	(void)state;
	for (uint32_t i = 0; i < CASE_POPULATIONS; i++)
		side(i, 1e5, 0);
	made->population[0].asks = made->population[1].asks = made->population[2].asks = true;
	made->population[1].background = true;
	made->population[2].reference = 50;
	stacks(30, at_parse, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	for (uint32_t i = 1; i < CASE_POPULATIONS; i++)
		stacks(90, at_store, SCOPE_ITEM_RUN, SCOPE_NR_NONE, i);
	stacks(90, at_send, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	for (size_t i = made->evidence.items - 90; i < made->evidence.items; i++)
		made->evidence.item[i].abnormal = true;
	found = usual();
	assert_true(found.requests);
	assert_int_equal(found.units, 1000);
	assert_int_equal(found.count, 1);
	assert_part(&found.function[0], &parse, 1, 0);
}

/* One stack in 40 that its time would need: it stands for a twentieth at most, not for all of it. */
static void few_stacks_do_not_stand_for_all_of_a_sleep(void **state)
{
	struct scope_usual found;

	(void)state;
	side(0, 6e4, 4e4);
	stacks(60, at_parse, SCOPE_ITEM_RUN, SCOPE_NR_NONE, 0);
	stacks(1, at_store, SCOPE_ITEM_WAIT, READ, 0);
	found = usual();
	assert_int_equal(found.count, 2);
	assert_part(&found.function[0], &parse, 0.6, 0);
	assert_part(&found.function[1], &store, 0.2, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_has_its_part_wherever_it_is_called),
		TEST(a_tenth_is_named),
		TEST(three_are_named),
		TEST(nineteen_stacks_say_nothing),
		TEST(only_usual_requests_of_this_run_count),
		TEST(few_stacks_do_not_stand_for_all_of_a_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
