// SPDX-License-Identifier: GPL-2.0-only
/* What ran on a CPU while a thread waited for that CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "timeline/cpus.h"

#define OWN 10
#define OTHER 20

static void expect(const struct scope_cpus *cpus, uint32_t cpu, uint64_t begin_ns, uint64_t now_ns, uint64_t own_ns,
		   uint64_t taken_ns)
{
	uint64_t part_ns[SCOPE_CPU_RUNS];

	scope_timeline_cpus_split(cpus, cpu, begin_ns, now_ns, part_ns);
	assert_int_equal(part_ns[SCOPE_CPU_OWN], own_ns);
	assert_int_equal(part_ns[SCOPE_CPU_TAKEN], taken_ns);
	assert_int_equal(part_ns[SCOPE_CPU_IDLE], now_ns - begin_ns - own_ns - taken_ns);
}

static void stretches_are_split(void **state)
{
	struct scope_cpus cpus = { 0 };

	(void)state;
	assert_int_equal(scope_timeline_cpus_switch(&cpus, 2, OWN, 0, 1000), 0);
	assert_int_equal(scope_timeline_cpus_switch(&cpus, 2, 0, OTHER, 1300), 0);
	assert_int_equal(scope_timeline_cpus_switch(&cpus, 2, 0, 0, 1400), 0);
	expect(&cpus, 2, 1000, 1600, 300, 100);
	expect(&cpus, 2, 1100, 1350, 200, 50);
	expect(&cpus, 2, 1450, 1600, 0, 0);
	expect(&cpus, 2, 1300, 1300, 0, 0);
	assert_int_equal(scope_timeline_cpus_taker(&cpus, 2, 1000, 0), OTHER);
	/* Of other CPUs nothing is known. */
	expect(&cpus, 1, 1000, 1600, 0, 0);
	expect(&cpus, 9, 1000, 1600, 0, 0);
	assert_int_equal(scope_timeline_cpus_taker(&cpus, 9, 1000, 0), 0);
	scope_timeline_cpus_free(&cpus);
}

/* A client that was seen before the thread that it woke began to wait is not what that waited for; one that was seen since is. */
static void who_woke_it_has_left(void **state)
{
	struct scope_cpus cpus = { 0 };

	(void)state;
	assert_int_equal(scope_timeline_cpus_switch(&cpus, 0, 0, OTHER, 1000), 0);
	assert_int_equal(scope_timeline_cpus_taker(&cpus, 0, 2000, OTHER), 0);
	assert_int_equal(scope_timeline_cpus_taker(&cpus, 0, 2000, OTHER + 1), OTHER);
	assert_int_equal(scope_timeline_cpus_taker(&cpus, 0, 1000, OTHER), OTHER);
	scope_timeline_cpus_free(&cpus);
}

/* Which thread ran is known only as it leaves: since when is not, but the CPU was not idle. */
static void who_ran_until_now(void **state)
{
	struct scope_cpus cpus = { 0 };

	(void)state;
	assert_int_equal(scope_timeline_cpus_switch(&cpus, 0, OWN, 0, 1000), 0);
	assert_int_equal(scope_timeline_cpus_switch(&cpus, 0, 0, 0, 2000), 0);
	assert_int_equal(scope_timeline_cpus_ran(&cpus, 0, OTHER, 3000), 0);
	expect(&cpus, 0, 1500, 3000, 500, 1000);
	assert_int_equal(scope_timeline_cpus_taker(&cpus, 0, 2500, OTHER), OTHER);
	scope_timeline_cpus_free(&cpus);
}

/* A thread that began to wait long after the CPU ran for its program, as a new one does: that time is not its. */
static void earlier_time_does_not_count(void **state)
{
	struct scope_cpus cpus = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(scope_timeline_cpus_switch(&cpus, 0, i % 2 ? 0 : OWN, 0, 100 * i), 0);
	assert_int_equal(scope_timeline_cpus_switch(&cpus, 0, 0, OTHER, 10000), 0);
	expect(&cpus, 0, 10000, 12000, 0, 2000);
	scope_timeline_cpus_free(&cpus);
}

/* Two threads of the program one after the other are one mark; what is older than the marks is as what they show. */
static void marks_are_bounded(void **state)
{
	struct scope_cpus cpus = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(scope_timeline_cpus_switch(&cpus, 0, OWN, 0, 100 + i), 0);
	expect(&cpus, 0, 100, 2000, 1900, 0);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(
			scope_timeline_cpus_switch(&cpus, 0, i % 2 ? OWN : 0, i % 2 ? 0 : OTHER, 10000 + 10 * i), 0);
	expect(&cpus, 0, 10000, 20000, 5000, 5000);
	scope_timeline_cpus_free(&cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stretches_are_split), cmocka_unit_test(who_woke_it_has_left),
		cmocka_unit_test(who_ran_until_now),   cmocka_unit_test(earlier_time_does_not_count),
		cmocka_unit_test(marks_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
