// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's clock, compiled for user space: its distance from the kernel's clock, for any behaviour of the counter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/clock.c"

#define READING_NS 40 /* what one reading of the kernel's clock takes */

static struct {
	u64 ns;		/* time, by the kernel's clock */
	double counter; /* at that time */
	double per_ns;	/* counts */
	unsigned int readings;
	unsigned int interrupted_ns; /* by this the next reading of the kernel's clock takes longer */
	bool interrupt, unsteady;
} machine;

static void pass(u64 ns)
{
	machine.ns += ns;
	machine.counter += (double)ns * machine.per_ns;
}

u64 get_cycles(void)
{
	return (u64)machine.counter;
}

u64 ktime_get_mono_fast_ns(void)
{
	u64 ns;

	pass(READING_NS / 2 + machine.interrupted_ns);
	machine.interrupted_ns = 0;
	ns = machine.ns;
	pass(READING_NS / 2);
	machine.readings++;
	return ns;
}

bool in_interrupt(void)
{
	return machine.interrupt;
}

bool scope_arch_counter_steady(void)
{
	return !machine.unsteady;
}

static void setup(double per_ns)
{
	memset(&machine, 0, sizeof(machine));
	machine.ns = 5000000000;
	machine.counter = 1e12;
	machine.per_ns = per_ns;
}

/* How far a reading is from the time at which it began or ended. */
static u64 error_of(struct scope_clock *clock)
{
	u64 before = machine.ns, ns = scope_clock_ns(clock);

	if (ns < before)
		return before - ns;
	return ns > machine.ns ? ns - machine.ns : 0;
}

/* Reads every step_ns for that time; returns the greatest error. */
static u64 run(struct scope_clock *clock, u64 step_ns, u64 total_ns)
{
	u64 end = machine.ns + total_ns, worst = 0;

	while (machine.ns < end) {
		u64 error = error_of(clock);

		if (error > worst)
			worst = error;
		pass(step_ns);
	}
	return worst;
}

static void test_follows_counters_of_any_rate(void **state)
{
	static const double per_ns[] = { 0.01, 0.024, 0.1, 1, 2.4, 3.7, 10 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(per_ns) / sizeof(per_ns[0]); i++) {
		struct scope_clock clock = { 0 };
		u64 count_ns = per_ns[i] < 1 ? (u64)(1 / per_ns[i]) : 1;

		setup(per_ns[i]);
		assert_true(run(&clock, 700, 300000000) <= READING_NS + 2 * count_ns);
		assert_true(clock.window > 0);
	}
}

/* One count is as long as an error may be. */
static void test_slow_counters_are_not_used(void **state)
{
	struct scope_clock clock = { 0 };

	(void)state;
	setup(0.001);
	assert_int_equal(run(&clock, 700, 300000000), 0);
}

/* Nearly all readings ask the counter alone. */
static void test_asks_the_kernel_seldom(void **state)
{
	struct scope_clock clock = { 0 };

	(void)state;
	setup(2.4);
	run(&clock, 500, 20000000);
	machine.readings = 0;
	run(&clock, 500, 1000000000);
	assert_in_range(machine.readings, 1, 110 * TRIES);
}

/* 500 ppm in steps, the most that NTP does. */
static void test_follows_a_slewed_clock(void **state)
{
	struct scope_clock clock = { 0 };
	int i;

	(void)state;
	setup(3);
	run(&clock, 900, 50000000);
	for (i = 0; i < 20; i++) {
		machine.per_ns = 3 * (i % 2 ? 1.00001 : 0.99999);
		assert_true(run(&clock, 900, 50000000) <= 400);
	}
	machine.per_ns = 3 * 1.0005;
	run(&clock, 900, 30000000);
	assert_true(run(&clock, 900, 50000000) <= READING_NS);
}

/* A suspend, a host that moves the machine: wrong for one window at most. */
static void test_recovers_from_a_counter_that_jumps(void **state)
{
	static const double jumps[] = { -5e11, -1e6, 1e7, 1e12 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		struct scope_clock clock = { 0 };

		setup(2.4);
		run(&clock, 900, 50000000);
		machine.counter += jumps[i];
		run(&clock, 900, SCOPE_CLOCK_WINDOW_NS);
		assert_true(run(&clock, 900, 100000000) <= READING_NS);
		assert_true(clock.window > 0);
	}
}

/* The counter stood while the clock went on, or the reverse: no window from a false rate. */
static void test_trusts_no_rate_over_a_suspend(void **state)
{
	struct scope_clock clock = { 0 };

	(void)state;
	setup(2.4);
	run(&clock, 900, 50000000);
	machine.counter += 3600e9;
	assert_true(run(&clock, 900, 100000000) <= READING_NS);
	machine.ns += 3600000000000;
	pass(SCOPE_CLOCK_WINDOW_NS);
	assert_true(run(&clock, 900, 100000000) <= READING_NS);
}

/* From nothing to weeks, where a product with the rate does not fit 64 bits. */
static void test_reports_the_length_of_counts(void **state)
{
	static const double per_ns[] = { 0.024, 1, 2.4, 10 };
	size_t i;
	u64 ns;

	(void)state;
	for (i = 0; i < sizeof(per_ns) / sizeof(per_ns[0]); i++) {
		struct scope_clock clock = { 0 };

		setup(per_ns[i]);
		assert_int_equal(scope_clock_passed_ns(&clock, 1000), 0);
		assert_int_equal(scope_clock_counts(&clock, 1000), 0);
		run(&clock, 900, 300000000);
		for (ns = 1000; ns < 2000000000000000; ns *= 10) {
			u64 counts = (u64)((double)ns * per_ns[i]), passed;

			passed = scope_clock_passed_ns(&clock, counts);
			assert_in_range(passed, ns - ns / 50000 - 50, ns + ns / 50000 + 50);
			if (ns < 4000000000)
				assert_in_range(scope_clock_counts(&clock, ns), counts - counts / 50000 - 2,
						counts + counts / 50000 + 2);
		}
		assert_int_equal(scope_clock_passed_ns(&clock, (u64)-1000), 0);
	}
}

static void test_long_pauses_keep_the_rate(void **state)
{
	struct scope_clock clock = { 0 };
	int i;

	(void)state;
	setup(2.4);
	run(&clock, 900, 50000000);
	for (i = 0; i < 20; i++) {
		pass(20000000000);
		assert_true(run(&clock, 900, 3000000) <= READING_NS);
		assert_true(clock.window > 0);
	}
}

/* Held up in the middle of a pair, the tightest of a few is taken. */
static void test_interrupted_pairs_are_passed_over(void **state)
{
	struct scope_clock clock = { 0 };
	int i;

	(void)state;
	setup(2.4);
	for (i = 0; i < 200; i++) {
		machine.interrupted_ns = 400000;
		assert_true(run(&clock, 900, 3000000) <= READING_NS);
	}
	assert_true(clock.window > 0);
}

static void test_interrupts_take_no_anchor(void **state)
{
	struct scope_clock clock = { 0 }, before;

	(void)state;
	setup(2.4);
	machine.interrupt = true;
	assert_int_equal(error_of(&clock), 0);
	assert_int_equal(clock.anchor_ns, 0);
	machine.interrupt = false;
	run(&clock, 900, 50000000);
	pass(SCOPE_CLOCK_WINDOW_NS);
	before = clock;
	machine.interrupt = true;
	assert_int_equal(error_of(&clock), 0);
	assert_memory_equal(&clock, &before, sizeof(clock));
}

static void test_unsteady_counters_are_not_used(void **state)
{
	struct scope_clock clock = { 0 };

	(void)state;
	setup(2.4);
	machine.unsteady = true;
	assert_int_equal(run(&clock, 900, 50000000), 0);
	machine.unsteady = false;
	run(&clock, 900, 50000000);
	/* The kernel finds out: the window is the last one. */
	machine.unsteady = true;
	pass(SCOPE_CLOCK_WINDOW_NS);
	machine.per_ns = 0;
	machine.counter += 1e9;
	assert_int_equal(run(&clock, 900, 50000000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follows_counters_of_any_rate),
		cmocka_unit_test(test_slow_counters_are_not_used),
		cmocka_unit_test(test_asks_the_kernel_seldom),
		cmocka_unit_test(test_follows_a_slewed_clock),
		cmocka_unit_test(test_recovers_from_a_counter_that_jumps),
		cmocka_unit_test(test_trusts_no_rate_over_a_suspend),
		cmocka_unit_test(test_reports_the_length_of_counts),
		cmocka_unit_test(test_long_pauses_keep_the_rate),
		cmocka_unit_test(test_interrupted_pairs_are_passed_over),
		cmocka_unit_test(test_interrupts_take_no_anchor),
		cmocka_unit_test(test_unsteady_counters_are_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
