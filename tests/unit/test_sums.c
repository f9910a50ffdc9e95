// SPDX-License-Identifier: GPL-2.0-only
/* Sums of the evidence for one function: which items count, and for what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rank/sums.h"
#include "rank_case.h"

static const struct scope_function mine = { .name = "mine", .module = "p" };
static const struct scope_function other = { .name = "other", .module = "p" };

static struct rank_case *made;
static struct scope_sums *sums;
static uint32_t at_mine, at_other;

static int setup(void **state)
{
	const struct scope_function *path[] = { &mine, &other };

	(void)state;
	made = case_create();
	at_mine = case_node(made, path, 1);
	at_other = case_node(made, path + 1, 1);
	sums = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_rank_sums_destroy(sums);
	case_destroy(made);
	return 0;
}

static void item(uint32_t node, uint8_t kind, double excess_ns, uint32_t unit)
{
	case_item(made, (struct scope_item){
				.node = node,
				.kind = kind,
				.excess_ns = excess_ns,
				.unit = unit,
				.abnormal = excess_ns > 0,
				.nr = SCOPE_NR_NONE,
			});
}

static struct scope_item *last(void)
{
	return &made->evidence.item[made->evidence.items - 1];
}

static void add_up(void)
{
	assert_int_equal(scope_rank_sums_create(&made->evidence, &made->attribution, &mine, &sums), 0);
}

static void time_goes_to_what_the_function_did_by_it(void **state)
{
	(void)state;
	item(at_mine, SCOPE_ITEM_RUN, 10, 0);
	item(at_mine, SCOPE_ITEM_RUN, 20, 0);
	last()->kernel = true;
	item(at_mine, SCOPE_ITEM_WAIT, 30, 0);
	last()->class = SCOPE_WAIT_DISK;
	last()->nr = 3;
	item(at_mine, SCOPE_ITEM_BLAME, 40, 0);
	last()->lock = true;
	last()->nr = 4;
	item(at_mine, SCOPE_ITEM_BLAME, 50, 0);
	last()->nr = 4;
	add_up();
	assert_true(sums->run_ns == 30 && sums->kernel_ns == 20);
	assert_true(sums->wait_ns == 30 && sums->class_ns[SCOPE_WAIT_DISK] == 30);
	assert_true(sums->lock_ns == 40 && sums->late_ns == 50);
	assert_true(sums->nr_ns[3] == 30 && sums->nr_ns[4] == 90);
	assert_true(sums->abnormal_ns == 150);
	assert_int_equal(sums->samples, 2);
	assert_int_equal(sums->sleeps, 3);
}

/* Of anybody, on both sides; of usual ones their squares, by which they count for fewer. */
static void all_time_is_counted_beside_its_own(void **state)
{
	(void)state;
	item(at_mine, SCOPE_ITEM_RUN, 10, 0);
	item(at_other, SCOPE_ITEM_RUN, 5, 0);
	item(at_other, SCOPE_ITEM_WAIT, 7, 0);
	item(at_mine, SCOPE_ITEM_RUN, -2, 0);
	item(at_mine, SCOPE_ITEM_WAIT, -3, 0);
	item(at_other, SCOPE_ITEM_WAIT, -4, 0);
	add_up();
	assert_true(sums->all_ns[1] == 22 && sums->all_run_ns[1] == 15);
	assert_true(sums->all_ns[0] == 9 && sums->all_run_ns[0] == 2);
	assert_true(sums->usual_ns2 == 4 + 9 + 16 && sums->usual_run_ns2 == 4);
	assert_true(sums->normal_ns == 5 && sums->normal_wait_ns == 3);
	assert_int_equal(sums->all[1], 3);
	assert_int_equal(sums->all[0], 3);
	assert_int_equal(sums->all_samples[1], 2);
	assert_int_equal(sums->all_samples[0], 1);
	assert_true(sums->abnormal_ns == 10);
}

static void what_spins_weighs_nothing_or_was_found_is_left_out(void **state)
{
	(void)state;
	item(at_mine, SCOPE_ITEM_SPIN, 10, 0);
	item(at_mine, SCOPE_ITEM_RUN, 0, 0);
	item(at_other, SCOPE_ITEM_RUN, 10, 0);
	made->owner[at_other].found = true;
	add_up();
	assert_int_equal(sums->all[0] + sums->all[1], 0);
	assert_true(sums->all_ns[1] == 0);
	assert_int_equal(sums->units, 0);
}

static void a_unit_is_counted_once(void **state)
{
	(void)state;
	item(at_mine, SCOPE_ITEM_RUN, 1, 9);
	item(at_mine, SCOPE_ITEM_WAIT, 1, 4);
	item(at_mine, SCOPE_ITEM_RUN, 1, 9);
	item(at_mine, SCOPE_ITEM_RUN, -1, 5);
	item(at_other, SCOPE_ITEM_RUN, 1, 6);
	add_up();
	assert_int_equal(sums->units, 2);
	assert_int_equal(sums->unit[0], 4);
	assert_int_equal(sums->unit[1], 9);
	assert_ptr_equal(scope_rank_sums_find(sums, 9), &sums->unit[1]);
	assert_null(scope_rank_sums_find(sums, 5));
	assert_null(scope_rank_sums_find(sums, 6));
}

/* One sample in four would have come at first: a quarter each, and no more than one. */
static void a_unit_hit_by_dense_samples_counts_in_part(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		item(at_mine, SCOPE_ITEM_RUN, 1, 1);
		last()->sampling_ratio = 4;
	}
	add_up();
	assert_int_equal(sums->units, 1);
	assert_true(sums->units_at_first == 0.75);
	scope_rank_sums_destroy(sums);
	for (int i = 0; i < 2; i++) {
		item(at_mine, SCOPE_ITEM_RUN, 1, 1);
		last()->sampling_ratio = 4;
	}
	add_up();
	assert_true(sums->units_at_first == 1);
}

static void a_unit_hit_otherwise_counts_whole(void **state)
{
	(void)state;
	item(at_mine, SCOPE_ITEM_RUN, 1, 1);
	last()->sampling_ratio = 1;
	item(at_mine, SCOPE_ITEM_WAIT, 1, 2);
	item(at_mine, SCOPE_ITEM_RUN, 1, 3);
	last()->sampling_ratio = 0.5;
	item(at_mine, SCOPE_ITEM_RUN, 1, 4);
	last()->sampling_ratio = 2;
	item(at_mine, SCOPE_ITEM_RUN, -1, 5);
	add_up();
	assert_true(sums->units_at_first == 3.5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_goes_to_what_the_function_did_by_it),		  TEST(all_time_is_counted_beside_its_own),
		TEST(what_spins_weighs_nothing_or_was_found_is_left_out), TEST(a_unit_is_counted_once),
		TEST(a_unit_hit_by_dense_samples_counts_in_part),	  TEST(a_unit_hit_otherwise_counts_whole),
	};

	return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
