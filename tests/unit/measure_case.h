/* SPDX-License-Identifier: GPL-2.0-only */
/* Evidence of two functions, and the measures of the first one: for the tests of rank/measure.h and rank/classify.h. */
#ifndef SCOPE_TESTS_MEASURE_CASE_H
#define SCOPE_TESTS_MEASURE_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rank/measure.h"
#include "rank_case.h"

#define NR 1
#define USUAL_NS 1000
#define SLOW_NS 10000

static const struct scope_function mine = { .name = "mine", .module = "p" };
static const struct scope_function other = { .name = "other", .module = "p" };

static struct rank_case *made;
static uint32_t at_mine, at_other;

static inline int setup(void **state)
{
	const struct scope_function *path[] = { &mine, &other };

	(void)state;
	made = case_create();
	at_mine = case_node(made, path, 1);
	at_other = case_node(made, path + 1, 1);
	made->population[0].median_ns = USUAL_NS;
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

static inline void again(void **state)
{
	teardown(state);
	setup(state);
}

static inline struct scope_unit unit_of(uint64_t begin_ns, uint64_t measure_ns)
{
	return (struct scope_unit){
		.begin_ns = begin_ns,
		.end_ns = begin_ns + measure_ns,
		.run_ns = measure_ns,
	};
}

static inline void item(uint32_t node, uint8_t kind, double excess_ns, uint32_t unit)
{
	case_item(made, (struct scope_item){
				.node = node,
				.kind = kind,
				.excess_ns = excess_ns,
				.unit = unit,
				.abnormal = excess_ns > 0,
				.nr = kind == SCOPE_ITEM_RUN ? SCOPE_NR_NONE : NR,
				.class = SCOPE_WAIT_DISK,
			});
}

/* A slow unit with one stack of mine, and how often it makes the call. */
static inline uint32_t slow(uint8_t kind, uint16_t count)
{
	const uint32_t unit = case_unit(made, unit_of(0, SLOW_NS), 0, SCOPE_UNIT_SLOW, NR, count);

	item(at_mine, kind, SLOW_NS, unit);
	return unit;
}

static inline uint32_t usual(uint16_t count)
{
	return case_unit(made, unit_of(0, USUAL_NS), 0, SCOPE_UNIT_USUAL, NR, count);
}

static inline struct scope_finding measure(void)
{
	struct scope_finding finding = { .function = &mine, .node = at_mine, .excess_ns = 100 };

	assert_int_equal(scope_rank_measure(&made->input, &finding), 0);
	return finding;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
