// SPDX-License-Identifier: GPL-2.0-only
/* The uncompressed contents of a flight recorder, and its newest part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/flight.h"

#define S 1000000000ull
#define LIMIT (16u << 20)
#define RAW 65536u /* of each sub-buffer */

static struct scope_flight *flight;

static int begin(void **state)
{
	(void)state;
	return scope_trace_flight_create(60 * S, LIMIT, &flight);
}

static int end(void **state)
{
	(void)state;
	scope_trace_flight_destroy(flight);
	return 0;
}

/* One sub-buffer every step_ns from from_ns on, each `stored` bytes long in memory. */
static void add(uint64_t from_ns, uint64_t step_ns, unsigned int count, uint32_t stored)
{
	static uint64_t payload[RAW / 8];

	for (unsigned int i = 0; i < count; i++) {
		const struct scope_subbuf subbuf = {
			.begin_ns = from_ns + i * step_ns,
			.end_ns = from_ns + (i + 1) * step_ns,
		};
		const struct scope_frame_bytes frame = {
			.head = { .payload_bytes = stored, .raw_bytes = RAW },
			.payload = payload,
			.bytes = sizeof(frame.head) + stored,
		};

		assert_int_equal(scope_trace_flight_add(flight, &frame, &subbuf), 0);
	}
}

static void test_half_of_the_memory_is_always_room(void **state)
{
	(void)state;
	assert_true(scope_trace_flight_has_room(flight));
	add(S, 1000, 100, RAW);
	assert_true(scope_trace_flight_has_room(flight));
}

/* 160 sub-buffers are 10 MiB, so 14 MiB last 60 s if these came in 43 s or more. */
static void test_room_is_what_the_time_needs(void **state)
{
	(void)state;
	add(S, S * 50 / 160, 160, RAW);
	assert_true(scope_trace_flight_has_room(flight));
}

static void test_no_room_at_a_higher_rate(void **state)
{
	(void)state;
	add(S, S * 40 / 160, 160, RAW);
	assert_false(scope_trace_flight_has_room(flight));
}

/* As many bytes as before would be too much uncompressed, but they are compressed. */
static void test_what_is_compressed_counts_as_it_came(void **state)
{
	(void)state;
	add(S, S * 20 / 600, 600, RAW / 4);
	assert_false(scope_trace_flight_has_room(flight));
}

static void test_newest_by_bytes_and_time(void **state)
{
	uint64_t from_ns;

	(void)state;
	add(S, S / 8, 160, RAW); /* 20 s, half a MiB a second */
	assert_int_equal(scope_trace_flight_newest(flight, LIMIT, 0), 0);
	from_ns = scope_trace_flight_newest(flight, 4u << 20, 0);
	assert_in_range(from_ns, 12 * S, 15 * S); /* of whole pieces of 1 MiB */
	/* The time comes first. */
	from_ns = scope_trace_flight_newest(flight, 4u << 20, 15 * S);
	assert_in_range(from_ns, 4 * S, 6 * S);
	assert_int_equal(scope_trace_flight_newest(flight, 0, 60 * S), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_half_of_the_memory_is_always_room, begin, end),
		cmocka_unit_test_setup_teardown(test_room_is_what_the_time_needs, begin, end),
		cmocka_unit_test_setup_teardown(test_no_room_at_a_higher_rate, begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_compressed_counts_as_it_came, begin, end),
		cmocka_unit_test_setup_teardown(test_newest_by_bytes_and_time, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
