// SPDX-License-Identifier: GPL-2.0-only
/* What the time of a thread counts for: its unit, the threads that wait for it at that time, or a thread that spins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/grow.h"
#include "evidence/contrast.h"
#include "evidence/attribute.h"
#include "rank_case.h"

enum { VICTIM, HOLDER };

static struct rank_case *made;
static struct scope_attributor attributor;
static struct scope_hang spin;
static uint32_t usual, slow, between;

static int setup(void **state)
{
	(void)state;
	made = case_create();
	usual = case_unit(made, (struct scope_unit){ .begin_ns = 0, .end_ns = 100 }, 0, SCOPE_UNIT_USUAL, 0, 0);
	slow = case_unit(made, (struct scope_unit){ .begin_ns = 200, .end_ns = 1000 }, 1, SCOPE_UNIT_SLOW, 0, 0);
	between = case_unit(made, (struct scope_unit){ .begin_ns = 1100, .end_ns = 1200 }, 0, SCOPE_UNIT_BETWEEN, 0, 0);
	spin = (struct scope_hang){
		.kind = SCOPE_HANG_SPIN, .thread = HOLDER, .since_ns = 5000, .until_ns = UINT64_MAX
	};
	attributor = (struct scope_attributor){
		.kept = &made->kept,
		.detection = &made->detection,
		.evidence = &made->evidence,
	};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_evidence_attributor_free(&attributor);
	case_destroy(made);
	return 0;
}

static void begin(uint64_t normal_every)
{
	assert_int_equal(scope_evidence_attributor_init(&attributor, normal_every), 0);
}

/* The slow unit waited for the holder then. */
static void window(uint64_t begin_ns, uint64_t end_ns)
{
	struct scope_wait_chains *wait_chains = &made->kept.wait_chains;

	assert_int_equal(scope_grow(&wait_chains->window, &wait_chains->capacity, wait_chains->windows + 1,
				    sizeof(*wait_chains->window)),
			 0);
	wait_chains->window[wait_chains->windows++] = (struct scope_wait_segment){
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.thread = HOLDER,
		.unit = slow,
		.nr = 202,
		.lock = true,
	};
}

/* Of the program, as all stacks here are. */
static uint32_t work(void)
{
	static const struct scope_function function = { .name = "work", .known = true };
	const struct scope_function *path = &function;

	return case_node(made, &path, 1);
}

static const struct scope_item *attribute(uint32_t thread, struct scope_stretch stretch)
{
	const size_t items = made->evidence.items;

	assert_int_equal(scope_evidence_attributor_add(&attributor, thread, &stretch,
						       (struct scope_stack_node){ .node = work(), .frames = 7 }),
			 0);
	assert_true(made->evidence.items <= items + 1);
	return made->evidence.items > items ? &made->evidence.item[items] : NULL;
}

static bool wanted(uint32_t thread, struct scope_stretch stretch)
{
	return scope_evidence_attributor_wants(&attributor, thread, &stretch);
}

static struct scope_stretch sample(uint64_t time_ns, uint32_t unit)
{
	return (struct scope_stretch){
		.begin_ns = time_ns,
		.end_ns = time_ns,
		.weight_ns = 10,
		.run = true,
		.unit = unit,
	};
}

static struct scope_stretch asleep(uint64_t begin_ns, uint64_t end_ns, uint32_t unit)
{
	return (struct scope_stretch){
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.weight_ns = end_ns - begin_ns,
		.unit = unit,
	};
}

static void a_stretch_counts_for_its_unit(void **state)
{
	struct scope_stretch of = sample(300, slow);
	const struct scope_item *item;

	(void)state;
	begin(1);
	of.sampling_ratio = 4;
	of.kernel = true;
	item = attribute(VICTIM, of);
	assert_int_equal(item->kind, SCOPE_ITEM_RUN);
	assert_true(item->abnormal && item->kernel && item->sampling_ratio == 4 && item->weight_ns == 10);
	assert_int_equal(item->unit, slow);
	assert_int_equal(item->population, 1);
	assert_int_equal(item->frames, 7);
	of = asleep(10, 60, usual);
	of.class = SCOPE_WAIT_DISK;
	of.nr = 3;
	item = attribute(VICTIM, of);
	assert_int_equal(item->kind, SCOPE_ITEM_WAIT);
	assert_false(item->abnormal);
	assert_true(item->weight_ns == 50 && item->class == SCOPE_WAIT_DISK && item->nr == 3);
	assert_int_equal(item->time_ns, 60);
}

static void a_unit_between_usual_and_slow_counts_for_neither(void **state)
{
	(void)state;
	begin(1);
	assert_null(attribute(VICTIM, sample(1150, between)));
	assert_null(attribute(VICTIM, sample(1150, UINT32_MAX)));
}

/* All of a sample that the window holds, its ends included; none of one beyond. */
static void a_sample_in_a_window_counts_for_who_waits(void **state)
{
	const struct scope_item *item;

	(void)state;
	window(400, 600);
	begin(1);
	assert_null(attribute(HOLDER, sample(399, UINT32_MAX)));
	assert_null(attribute(HOLDER, sample(601, UINT32_MAX)));
	assert_non_null(attribute(HOLDER, sample(400, UINT32_MAX)));
	item = attribute(HOLDER, sample(600, UINT32_MAX));
	assert_int_equal(item->kind, SCOPE_ITEM_BLAME);
	assert_int_equal(item->unit, slow);
	assert_int_equal(item->population, 1);
	assert_true(item->abnormal && item->lock && item->nr == 202 && item->weight_ns == 10);
	/* What another thread does in that time does not count. */
	assert_null(attribute(VICTIM, sample(500, UINT32_MAX)));
}

/* 400 ns of it count for 200; 100 of them are in the window. */
static void a_sleep_counts_for_its_part_in_the_window(void **state)
{
	struct scope_stretch sleep = asleep(300, 700, UINT32_MAX);
	const struct scope_item *item;

	(void)state;
	window(600, 900);
	begin(1);
	sleep.weight_ns = 200;
	item = attribute(HOLDER, sleep);
	assert_true(item->weight_ns == 50);
	assert_int_equal(item->time_ns, 700);
	assert_null(attribute(HOLDER, asleep(300, 600, UINT32_MAX)));
	assert_null(attribute(HOLDER, asleep(900, 950, UINT32_MAX)));
	item = attribute(HOLDER, asleep(0, 5000, UINT32_MAX));
	assert_true(item->weight_ns == 300);
}

static void a_sleep_that_was_passed_on_is_its_wakers(void **state)
{
	struct scope_stretch sleep = asleep(500, 600, UINT32_MAX);

	(void)state;
	window(400, 900);
	begin(1);
	sleep.propagated = true;
	assert_null(attribute(HOLDER, sleep));
}

/* In a unit of the holder's it is the last that is known, if the thread that it sleeps for has no function: a child that was not seen. */
static void a_sleep_in_its_work_that_was_passed_on_may_be_the_last_one_known(void **state)
{
	struct scope_stretch sleep = asleep(500, 600, between);
	const struct scope_item *item;

	(void)state;
	window(400, 900);
	begin(1);
	sleep.propagated = true;
	sleep.class = SCOPE_WAIT_CHILD;
	item = attribute(HOLDER, sleep);
	assert_int_equal(item->kind, SCOPE_ITEM_BLAME);
	assert_true(item->propagated && item->weight_ns == 100);
	sleep.class = SCOPE_WAIT_FUTEX;
	assert_null(attribute(HOLDER, sleep));
	sleep.class = SCOPE_WAIT_CHILD;
	sleep.unit = UINT32_MAX;
	assert_null(attribute(HOLDER, sleep));
}

/* The excess of each item, three slow units for the one that is kept. */
static void excess_of(const struct scope_item *item)
{
	made->of[1].side[1] = (struct scope_kept_side){ .units = 3, .kept = 1, .every = 1, .blocked_ns = 100 };
	assert_int_equal(scope_evidence_contrast_run(&made->evidence, &made->kept, NULL, &made->detection), 0);
	assert_non_null(item);
}

static void it_counts_only_where_no_further_one_is_known(void **state)
{
	struct scope_stretch sleep = asleep(500, 600, between);

	(void)state;
	window(400, 900);
	begin(1);
	sleep.propagated = true;
	sleep.class = SCOPE_WAIT_CHILD;
	attribute(HOLDER, sleep);
	excess_of(made->evidence.item);
	assert_true(made->evidence.item[0].excess_ns == 300);
	attribute(HOLDER, sample(500, UINT32_MAX));
	excess_of(made->evidence.item);
	assert_true(made->evidence.item[0].excess_ns == 0);
	assert_true(made->evidence.item[1].excess_ns == 30);
}

/* Of a request that a loop gave to another thread. */
static void a_wait_for_a_thread_of_which_nothing_is_known_is_no_evidence(void **state)
{
	struct scope_stretch wait = asleep(500, 600, slow);

	(void)state;
	begin(1);
	wait.propagated = wait.held = wait.task = true;
	wait.class = SCOPE_WAIT_PIPE;
	attribute(UINT32_MAX, wait);
	excess_of(made->evidence.item);
	assert_true(made->evidence.item[0].excess_ns == 300);
	made->evidence.item[0].silent = true;
	excess_of(made->evidence.item);
	assert_true(made->evidence.item[0].excess_ns == 0);
}

/* It paused from 500 to 600, asleep for its own client; what it runs there counts all the same. */
static void nobody_waits_for_a_pause(void **state)
{
	struct scope_stretch run = asleep(550, 560, UINT32_MAX);

	(void)state;
	window(400, 900);
	made->kept.wait_chains.window[0].idle_begin_ns = 500;
	made->kept.wait_chains.window[0].idle_end_ns = 600;
	begin(1);
	assert_null(attribute(HOLDER, asleep(510, 590, UINT32_MAX)));
	assert_null(attribute(HOLDER, asleep(450, 501, UINT32_MAX)));
	assert_null(attribute(HOLDER, asleep(599, 650, UINT32_MAX)));
	assert_non_null(attribute(HOLDER, asleep(450, 500, UINT32_MAX)));
	assert_non_null(attribute(HOLDER, asleep(600, 650, UINT32_MAX)));
	run.run = true;
	assert_non_null(attribute(HOLDER, run));
}

/* What the holder ran in that unit, for the one that waited for it. */
static const struct scope_item *blamed(uint32_t unit)
{
	const struct scope_stretch run = sample(500, unit);

	assert_int_equal(scope_evidence_attributor_add(&attributor, HOLDER, &run,
						       (struct scope_stack_node){ .node = work() }),
			 0);
	assert_int_equal(made->evidence.item[made->evidence.items - 1].kind, SCOPE_ITEM_BLAME);
	return &made->evidence.item[made->evidence.items - 1];
}

/* The holder serves clients: what it does in a request that is usual, but for its own waits, is no fault of its. */
static void a_thread_that_is_at_usual_work_is_met_by_chance(void **state)
{
	(void)state;
	window(100, 1200);
	begin(1);
	made->group[0].serves = true;
	assert_false(blamed(slow)->chance);
	made->kept.mark[slow] |= SCOPE_UNIT_HELD_UP;
	assert_true(blamed(slow)->chance);
	assert_true(blamed(usual)->chance);
	/* Of units that are not kept none is slow. */
	assert_true(attribute(HOLDER, sample(500, UINT32_MAX))->chance);
	/* A thread that serves nobody is at fault for however short it is. */
	made->group[0].serves = false;
	assert_false(attribute(HOLDER, sample(500, UINT32_MAX))->chance);
}

static void what_is_met_by_chance_is_no_excess(void **state)
{
	const struct scope_item *item;

	(void)state;
	window(100, 1200);
	begin(1);
	made->of[1].side[1] = (struct scope_kept_side){ .units = 3, .kept = 1, .every = 1 };
	attribute(HOLDER, sample(500, UINT32_MAX));
	made->group[0].serves = true;
	attribute(HOLDER, sample(500, UINT32_MAX));
	item = made->evidence.item;
	assert_int_equal(scope_evidence_contrast_run(&made->evidence, &made->kept, NULL, &made->detection), 0);
	assert_true(item[0].excess_ns == 30);
	assert_true(item[1].excess_ns == 0);
	assert_true(made->evidence.chance_ns == 30);
}

/* The first one is long: what comes long after its begin may still be in it. */
static void a_short_window_hides_no_long_one(void **state)
{
	(void)state;
	window(400, 2000);
	window(500, 510);
	window(600, 610);
	begin(1);
	assert_non_null(attribute(HOLDER, sample(1900, UINT32_MAX)));
	assert_true(wanted(HOLDER, sample(1900, UINT32_MAX)));
	assert_false(wanted(HOLDER, sample(2001, UINT32_MAX)));
}

static void samples_of_a_thread_that_spins_count_from_its_last_call_on(void **state)
{
	const struct scope_item *item;

	(void)state;
	attributor.hangs = &spin;
	attributor.hang_count = 1;
	begin(1);
	assert_null(attribute(HOLDER, sample(4999, UINT32_MAX)));
	item = attribute(HOLDER, sample(5000, UINT32_MAX));
	assert_int_equal(item->kind, SCOPE_ITEM_SPIN);
	assert_int_equal(item->unit, 0);
	assert_null(attribute(VICTIM, sample(6000, UINT32_MAX)));
	assert_null(attribute(HOLDER, asleep(5500, 6000, UINT32_MAX)));
	assert_true(wanted(HOLDER, sample(6000, UINT32_MAX)));
	spin.kind = SCOPE_HANG_BLOCKED;
	assert_null(attribute(HOLDER, sample(6000, UINT32_MAX)));
	assert_false(wanted(HOLDER, sample(6000, UINT32_MAX)));
}

static void usual_stacks_are_thinned_out_and_others_are_not(void **state)
{
	(void)state;
	window(400, 900);
	begin(3);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(wanted(VICTIM, sample(50, usual)), i % 3 == 0);
		assert_true(wanted(VICTIM, sample(300, slow)));
		assert_true(wanted(HOLDER, sample(500, usual)));
		assert_false(wanted(VICTIM, sample(1150, between)));
		assert_false(wanted(VICTIM, sample(1150, UINT32_MAX)));
	}
}

static void usual_stacks_of_what_a_baseline_knows_are_none(void **state)
{
	(void)state;
	begin(1);
	assert_true(wanted(VICTIM, sample(50, usual)));
	made->population[0].reference = 20;
	assert_false(wanted(VICTIM, sample(50, usual)));
	assert_true(wanted(VICTIM, sample(300, slow)));
	/* A baseline has its own units. */
	attributor.detection = NULL;
	assert_true(wanted(VICTIM, sample(50, usual)));
}

/* Where asked for, what says the same is one item, as far back as 16 items. */
static void what_says_the_same_is_one_item(void **state)
{
	struct scope_stretch of = sample(300, slow);

	(void)state;
	attributor.merge = true;
	begin(1);
	assert_non_null(attribute(VICTIM, of));
	assert_null(attribute(VICTIM, of));
	assert_true(made->evidence.item[0].weight_ns == 20);
	for (uint16_t nr = 1; nr <= 15; nr++) {
		of.nr = nr;
		assert_non_null(attribute(VICTIM, of));
	}
	of.nr = 0;
	assert_null(attribute(VICTIM, of));
	assert_true(made->evidence.item[0].weight_ns == 30);
	of.nr = 16;
	assert_non_null(attribute(VICTIM, of));
	of.nr = 0;
	assert_non_null(attribute(VICTIM, of));
}

/* Entered in the trace, or before it, where the entry is recorded with the return. */
static void a_sleep_ends_where_the_thread_is_woken(void **state)
{
	struct scope_stretch of = { .run = true };

	(void)state;
	scope_evidence_stretch_sleep(&of, 100, 700, 400);
	assert_true(of.begin_ns == 100 && of.end_ns == 700 && of.weight_ns == 400 && !of.run);
	scope_evidence_stretch_sleep(&of, 700, 700, 400);
	assert_true(of.begin_ns == 300 && of.end_ns == 700);
	scope_evidence_stretch_sleep(&of, 699, 700, 400);
	assert_true(of.begin_ns == 699);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stretch_counts_for_its_unit),
		TEST(a_unit_between_usual_and_slow_counts_for_neither),
		TEST(a_sample_in_a_window_counts_for_who_waits),
		TEST(a_sleep_counts_for_its_part_in_the_window),
		TEST(a_sleep_that_was_passed_on_is_its_wakers),
		TEST(a_sleep_in_its_work_that_was_passed_on_may_be_the_last_one_known),
		TEST(it_counts_only_where_no_further_one_is_known),
		TEST(a_wait_for_a_thread_of_which_nothing_is_known_is_no_evidence),
		TEST(nobody_waits_for_a_pause),
		TEST(a_thread_that_is_at_usual_work_is_met_by_chance),
		TEST(what_is_met_by_chance_is_no_excess),
		TEST(a_short_window_hides_no_long_one),
		TEST(samples_of_a_thread_that_spins_count_from_its_last_call_on),
		TEST(usual_stacks_are_thinned_out_and_others_are_not),
		TEST(usual_stacks_of_what_a_baseline_knows_are_none),
		TEST(what_says_the_same_is_one_item),
		TEST(a_sleep_ends_where_the_thread_is_woken),
	};

	return cmocka_run_group_tests_name("lay", tests, NULL, NULL);
}
