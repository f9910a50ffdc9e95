// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of the resources that the host did not give to the target: their text, and the growth of the counts in a period.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/host_row.h"
#include "trace_of.h"

static void text_and_back_is_the_row(void **state)
{
	struct scope_host_row row = { .time_ns = 123 }, read;
	char text[SCOPE_HOST_ROW_BYTES], first[SCOPE_HOST_ROW_BYTES];

	(void)state;
	for (unsigned known = 0; known < 1u << SCOPE_HOST_COUNTS; known += 37) {
		row.known = known;
		for (unsigned i = 0; i < SCOPE_HOST_COUNTS; i++)
			row.value[i] = known >> i & 1 ? UINT64_MAX - i : 0;
		scope_trace_host_row_format(&row, text);
		assert_true(scope_trace_host_row_parse(text, &read));
		assert_memory_equal(&read, &row, sizeof(row));
		scope_trace_host_row_format(&read, first);
		assert_string_equal(first, text);
	}
}

static void what_is_no_row_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		" 5 busy=1",
		"x",
		"-5 busy=1",
		"5 busy",
		"5 busy=",
		"5 busy=x",
		"5 busy=1x",
		"5 busy=-1",
		"5  busy=1",
		"5 busy=99999999999999999999",
		"99999999999999999999",
		"5 busy=1 ",
		"9223372036854775808",
	};
	struct scope_host_row row;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(scope_trace_host_row_parse(bad[i], &row));
	/* A newer program may count more. */
	assert_true(scope_trace_host_row_parse("5 busy=1 melted=7 steal=2", &row));
	assert_int_equal(row.known, 1u << SCOPE_HOST_BUSY | 1u << SCOPE_HOST_STEAL);
	assert_int_equal(row.value[SCOPE_HOST_STEAL], 2);
}

/* Rows of a trace that a flight recorder cut: out of order, one of them twice, one damaged. */
static void rows_are_sorted(void **state)
{
	struct scope_trace *trace =
		trace_of("meta host.1 3000 busy=30\nmeta host.0 1000 busy=10\nmeta host.7 2000 busy=20\n"
			 "meta host.8 2000 busy=20\nmeta host.9 oops\nmeta host vm\n");
	struct scope_host_row *row;
	size_t count;

	(void)state;
	assert_int_equal(scope_trace_host_rows(trace, &row, &count), 0);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(row[i].value[SCOPE_HOST_BUSY], row[i].time_ns / 100);
	free(row);
	scope_trace_close(trace);
}

static const struct scope_host_row four[] = {
	{ .time_ns = 1000, .known = 3, .value = { 5, 100 } },
	{ .time_ns = 2000, .known = 3, .value = { 12, 100 } },
	{ .time_ns = 3000, .known = 2, .value = { 0, 107 } },
	/* A counter that went back did not grow. */
	{ .time_ns = 7000, .known = 3, .value = { 40, 90 } },
};

static void growth_is_that_of_the_stretch(void **state)
{
	struct scope_host_row growth;

	(void)state;
	assert_int_equal(scope_trace_host_growth(four, 4, 0, 10000, &growth), 6000);
	assert_int_equal(growth.known, 3);
	/* From 12 on it is not known: the row after has it not, and the one after that has none before it. */
	assert_int_equal(growth.value[0], 7);
	assert_int_equal(growth.value[1], 7);
	assert_int_equal(scope_trace_host_growth(four, 4, 1500, 2500, &growth), 1000);
	assert_int_equal(growth.value[0], 4); /* 7 less the 3 of 3.5 that are before */
	assert_int_equal(growth.value[1], 3);
	assert_int_equal(scope_trace_host_growth(four, 4, 2100, 2900, &growth), 800);
	assert_int_equal(growth.known, 2);
	assert_int_equal(scope_trace_host_growth(four, 4, 7000, 9000, &growth), 0);
	assert_int_equal(scope_trace_host_growth(four, 4, 0, 1000, &growth), 0);
	assert_int_equal(scope_trace_host_growth(four, 1, 0, 9000, &growth), 0);
	assert_int_equal(scope_trace_host_growth(NULL, 0, 0, 9000, &growth), 0);
	assert_int_equal(growth.known, 0);
}

/* Whatever the steps, together they are the whole. */
static void parts_sum_up_to_the_whole(void **state)
{
	struct scope_host_row row[50], growth, whole;
	uint64_t seed = 88172645463325252ull;

	(void)state;
	for (size_t i = 0; i < 50; i++) {
		row[i] = (struct scope_host_row){ .time_ns = i ? row[i - 1].time_ns : 0, .known = 1 };
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		row[i].time_ns += 1 + seed % 2000000000;
		row[i].value[0] = (i ? row[i - 1].value[0] : 0) + seed % 4000000000u;
	}
	(void)scope_trace_host_growth(row, 50, 0, UINT64_MAX, &whole);
	assert_int_equal(whole.value[0], row[49].value[0] - row[0].value[0]);
	for (uint64_t step_ns = 7000003; step_ns < 100000000000; step_ns *= 3) {
		uint64_t sum = 0, covered_ns = 0;

		for (uint64_t at = 0; at < row[49].time_ns; at += step_ns) {
			covered_ns += scope_trace_host_growth(row, 50, at, at + step_ns, &growth);
			sum += growth.value[0];
		}
		assert_int_equal(sum, whole.value[0]);
		assert_int_equal(covered_ns, row[49].time_ns - row[0].time_ns);
	}
}

/* A row that was read 70 ms late: nothing waits for more than all of the time. Times of all CPUs together may be more. */
static void pressure_is_no_more_than_the_time(void **state)
{
	static const struct scope_host_row late[] = {
		{ .time_ns = 0, .known = 1u << SCOPE_HOST_IO | 1u << SCOPE_HOST_STEAL },
		{ .time_ns = 1000,
		  .known = 1u << SCOPE_HOST_IO | 1u << SCOPE_HOST_STEAL,
		  .value = { [SCOPE_HOST_IO] = 1070, [SCOPE_HOST_STEAL] = 1900 } },
	};
	struct scope_host_row growth;

	(void)state;
	assert_int_equal(scope_trace_host_growth(late, 2, 0, 1000, &growth), 1000);
	assert_int_equal(growth.value[SCOPE_HOST_IO], 1000);
	assert_int_equal(growth.value[SCOPE_HOST_STEAL], 1900);
	assert_int_equal(scope_trace_host_growth(late, 2, 500, 700, &growth), 200);
	assert_int_equal(growth.value[SCOPE_HOST_IO], 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_back_is_the_row),  cmocka_unit_test(what_is_no_row_is_refused),
		cmocka_unit_test(rows_are_sorted),	     cmocka_unit_test(growth_is_that_of_the_stretch),
		cmocka_unit_test(parts_sum_up_to_the_whole), cmocka_unit_test(pressure_is_no_more_than_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
