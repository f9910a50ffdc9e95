// SPDX-License-Identifier: GPL-2.0-only
/* The measures of a function that sleeps: it waits for something slow, asks a peer, or pauses. */
#include "measure_case.h"

/* Usual units, of which some make the call that all others of its kind take long in. */
static struct scope_finding sleeper_beside(uint8_t class, unsigned usual_units, unsigned usual_calls)
{
	const uint32_t unit = slow(SCOPE_ITEM_WAIT, 1);
	struct scope_finding finding;

	made->evidence.item[made->evidence.items - 1].class = class;
	for (unsigned i = 0; i < usual_units; i++)
		usual(i < usual_calls);
	made->units.unit[unit].vector = 0;
	made->row[0][0].units = 1;
	assert_int_equal(scope_sketch_add(&made->row[0][0].measure, SLOW_NS, 1), 0);
	finding = measure();
	assert_int_equal(finding.kind, SCOPE_FINDING_WAIT);
	return finding;
}

static struct scope_finding sleeper(uint8_t class, unsigned usual_calls)
{
	return sleeper_beside(class, 10, usual_calls);
}

static void a_thread_that_sleeps_by_a_clock_as_usual_units_do_not_pauses(void **state)
{
	(void)state;
	assert_true(sleeper(SCOPE_WAIT_TIMER, 0).wait.pauses);
	again(state);
	assert_true(sleeper(SCOPE_WAIT_FUTEX, 0).wait.pauses);
	again(state);
	assert_false(sleeper(SCOPE_WAIT_TIMER, 1).wait.pauses);
	/* Two calls in 21 usual units are less than one in ten. */
	again(state);
	assert_true(sleeper_beside(SCOPE_WAIT_TIMER, 21, 2).wait.pauses);
	again(state);
	assert_false(sleeper(SCOPE_WAIT_NETWORK, 0).wait.pauses);
}

/* Ten units that sleep in a call, times in all, beside ten usual ones. */
static struct scope_finding wait_for(enum scope_wait_class class, unsigned here, unsigned usual_calls)
{
	struct scope_finding finding;
	void *state = NULL;

	for (unsigned i = 0; i < 10; i++) {
		slow(SCOPE_ITEM_WAIT, here / 10 + (i < here % 10));
		made->evidence.item[made->evidence.items - 1].class = class;
		usual(usual_calls / 10 + (i < usual_calls % 10));
	}
	made->row[0][0].units = 0;
	finding = measure();
	assert_int_equal(finding.kind, SCOPE_FINDING_WAIT);
	assert_int_equal(finding.wait.class, class);
	again(&state);
	return finding;
}

static void a_call_made_as_often_as_usual_waits_for_something_slow(void **state)
{
	(void)state;
	assert_true(wait_for(SCOPE_WAIT_DISK, 29, 20).wait.outside);
	assert_false(wait_for(SCOPE_WAIT_DISK, 30, 20).wait.outside);
	assert_true(wait_for(SCOPE_WAIT_PIPE, 29, 20).wait.outside);
	assert_true(wait_for(SCOPE_WAIT_NETWORK, 29, 20).wait.outside);
	assert_false(wait_for(SCOPE_WAIT_NETWORK, 29, 20).wait.asks);
	/* Usual units do not make it at all. */
	assert_false(wait_for(SCOPE_WAIT_DISK, 5, 0).wait.outside);
}

static void other_waits_are_never_outside(void **state)
{
	(void)state;
	for (int class = 0; class < SCOPE_WAIT_CLASSES; class += 1)
		if (class != SCOPE_WAIT_DISK && class != SCOPE_WAIT_NETWORK && class != SCOPE_WAIT_PIPE)
			assert_false(wait_for(class, 20, 20).wait.outside);
}

/* 1.4 times more in number, or 1.5; as usual none, and beside usual 2. */
static void a_peer_that_is_asked_once_more_decides_itself(void **state)
{
	struct scope_finding finding = wait_for(SCOPE_WAIT_NETWORK, 14, 0);

	(void)state;
	assert_true(finding.wait.asks && finding.wait.outside);
	finding = wait_for(SCOPE_WAIT_NETWORK, 15, 0);
	assert_true(!finding.wait.asks && !finding.wait.outside);
	finding = wait_for(SCOPE_WAIT_NETWORK, 34, 20);
	assert_true(finding.wait.asks && finding.wait.outside);
	finding = wait_for(SCOPE_WAIT_NETWORK, 35, 20);
	assert_true(!finding.wait.asks && !finding.wait.outside);
	finding = wait_for(SCOPE_WAIT_DISK, 14, 0);
	assert_true(!finding.wait.asks && !finding.wait.outside);
}

/* Of a hundred units with the same calls some take more than half as long as the median of its own. */
static bool quick_where(unsigned slow_ones, uint32_t usual_vector)
{
	struct scope_finding finding;
	void *state = NULL;

	slow(SCOPE_ITEM_WAIT, 50);
	usual(1);
	for (size_t i = 0; i < made->units.count; i++)
		if (made->kept.mark[i] == SCOPE_UNIT_USUAL)
			made->units.unit[i].vector = usual_vector;
	made->row[0][0].units = 100;
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(scope_sketch_add(&made->row[0][0].measure,
						  i < slow_ones ? SLOW_NS / 2 + 100 : SLOW_NS / 2 - 100, 1),
				 0);
	finding = measure();
	again(&state);
	return finding.wait.outside;
}

static void calls_that_are_quick_more_often_than_not_wait_for_something_slow(void **state)
{
	(void)state;
	assert_true(quick_where(49, 1));
	assert_false(quick_where(50, 1));
}

static void quick_units_that_make_far_fewer_calls_say_nothing(void **state)
{
	(void)state;
	assert_false(quick_where(49, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thread_that_sleeps_by_a_clock_as_usual_units_do_not_pauses),
		TEST(a_call_made_as_often_as_usual_waits_for_something_slow),
		TEST(other_waits_are_never_outside),
		TEST(a_peer_that_is_asked_once_more_decides_itself),
		TEST(calls_that_are_quick_more_often_than_not_wait_for_something_slow),
		TEST(quick_units_that_make_far_fewer_calls_say_nothing),
	};

	return cmocka_run_group_tests_name("measure_wait", tests, NULL, NULL);
}
