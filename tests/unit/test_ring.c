// SPDX-License-Identifier: GPL-2.0-only
/* The module's ring in stream mode: every lost record is counted. */
#include "ring_fixture.h"

static void test_received_and_lost_are_produced(void **state)
{
	struct fixture f;
	u64 i, produced = 100000, refused = 0;

	(void)state;
	setup(&f, 2);
	srand(1);
	for (i = 0; i < produced; i++) {
		refused += !put(&f, 1000 + i * 10, 16 + rand() % 20 * 8);
		/* Reads at random, on the whole too slowly. */
		if (rand() % 200 == 0 && f.number < f.ring.page->head)
			take(&f, 0);
	}
	assert_true(refused > 0);
	finish(&f, 0);
	assert_int_equal(f.lost_full, refused);
	assert_int_equal(f.received + refused, produced);
}

static void test_wraps_and_restates_cumulative_loss(void **state)
{
	struct fixture f;
	u32 i, per = PAYLOAD / 8;

	(void)state;
	setup(&f, 4);
	/* Fills four exactly, loses ten, then goes on in the first place again. */
	for (i = 0; i < 4 * per; i++)
		assert_true(put(&f, i, 8));
	for (i = 0; i < 10; i++)
		assert_false(put(&f, 4 * per + i, 8));
	assert_int_equal(f.ring.page->head, 4);
	take(&f, 8);
	assert_int_equal(f.received, per);
	f.ring.tid = 77; /* the switch that said so was lost */
	assert_true(put(&f, 5 * per, 8));
	finish(&f, 8);
	assert_int_equal(f.number, 5);
	assert_int_equal(f.lost, 10);
	assert_int_equal(f.tid, 77);
	assert_int_equal(f.received, 4 * per + 1);
}

static void test_exact_fit_closes_on_the_next_record(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2);
	notified = 0;
	assert_true(put(&f, 5, PAYLOAD - 16));
	assert_true(put(&f, 5, 16));
	assert_int_equal(f.ring.page->head, 0);
	assert_true(put(&f, 6, 16));
	assert_int_equal(f.ring.page->head, 1);
	assert_int_equal(notified, 1);
	scope_ring_close(&f.ring);
	scope_ring_close(&f.ring); /* nothing in it: nothing handed out */
	assert_int_equal(f.ring.page->head, 2);
	finish(&f, 0);
	assert_int_equal(f.received, 3);
}

static void test_bridges_long_gaps_by_time(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2);
	assert_true(put(&f, 100, 8));
	assert_true(put(&f, 100 + SCOPE_DELTA_MAX, 8)); /* just fits */
	assert_true(put(&f, 101 + 2ull * SCOPE_DELTA_MAX, 8));
	assert_true(put(&f, 1ull << 50, 8));
	assert_true(put(&f, (1ull << 50) - 5, 8)); /* the clock stepped back */
	finish(&f, 8);
	assert_int_equal(f.times, 2);
	assert_int_equal(f.now_ns, 1ull << 50);
	assert_int_equal(f.received, 5);
}

/* A TIME that does not fit beside its record opens a sub-buffer, which needs none. */
/* A flush, or a CPU that goes, closes a sub-buffer: what comes after it is never before it. */
static void test_clock_steps_back_after_a_close(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2);
	assert_true(put(&f, 100, 8));
	scope_ring_close(&f.ring);
	assert_true(put(&f, 90, 8));
	assert_int_equal(f.ring.open->begin_ns, 100);
	finish(&f, 8);
	assert_int_equal(f.received, 2);
}

static void test_time_at_the_end_moves_on(void **state)
{
	struct fixture f;
	u32 rest;

	(void)state;
	for (rest = 8; rest <= 32; rest += 8) {
		setup(&f, 2);
		assert_true(put(&f, 1, PAYLOAD - rest));
		assert_true(put(&f, 1ull << 40, 16));
		finish(&f, 0);
		assert_int_equal(f.times, rest >= 32);
		assert_int_equal(f.number, rest >= 32 ? 1 : 2);
		assert_int_equal(f.received, 2);
	}
}

static void test_forced_thread_leads_the_next_record(void **state)
{
	struct fixture f;
	u32 i;

	(void)state;
	setup(&f, 2);
	assert_true(put(&f, 1, 8));
	scope_ring_force_thread(&f.ring, 12);
	assert_true(put(&f, 2, 8));
	scope_ring_force_thread(&f.ring, 12);
	assert_true(put(&f, 3, 8));
	scope_ring_force_thread(&f.ring, 13);
	assert_true(put(&f, 1ull << 40, 8));
	for (i = 0; i < 600; i++) {
		scope_ring_force_thread(&f.ring, 100 + i % 3);
		assert_true(put(&f, (1ull << 40) + i, 8));
		if (f.number < f.ring.page->head)
			take(&f, 8);
	}
	finish(&f, 8);
	assert_int_equal(f.received, 604);
	assert_true(f.threads > 500);
}

static void test_too_big_nested_and_stopped(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2);
	assert_true(put(&f, 1, PAYLOAD));
	assert_false(put(&f, 1, PAYLOAD + 8));
	assert_int_equal(f.ring.page->lost[SCOPE_LOST_TOO_BIG], 1);
	assert_non_null(scope_ring_reserve(&f.ring, SCOPE_RECORD_SWITCH, 16, 2));
	assert_false(put(&f, 2, 16)); /* as from a non-maskable interrupt */
	*(u32 *)(f.ring.at + 4) = 0;
	*(u32 *)(f.ring.at + 8) = 8;
	scope_ring_commit(&f.ring, 8); /* half of it given back */
	assert_int_equal(f.ring.page->lost[SCOPE_LOST_NESTED], 1);
	scope_ring_stop(&f.ring);
	assert_false(put(&f, 3, 16));
	assert_int_equal(f.ring.page->lost[SCOPE_LOST_FULL], 0);
	f.number = f.received = 0;
	assert_int_equal(f.ring.page->records, 2);
	assert_int_equal(f.ring.page->head, 2);
	free(f.region);
}

static void test_consume_refuses_what_is_not_there(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2);
	assert_true(put(&f, 1, 16));
	assert_int_equal(scope_ring_consume(&f.ring, 1), -EINVAL);
	scope_ring_close(&f.ring);
	assert_true(scope_ring_readable(&f.ring));
	assert_int_equal(scope_ring_consume(&f.ring, 2), -EINVAL);
	assert_int_equal(scope_ring_consume(&f.ring, ~0ull), -EINVAL);
	assert_int_equal(scope_ring_consume(&f.ring, 1), 0);
	assert_int_equal(scope_ring_consume(&f.ring, 0), -EINVAL);
	assert_int_equal(scope_ring_consume(&f.ring, 1), 0);
	free(f.region);
}

/* Reader and writer at once, each in a thread. */
static void test_reader_races_writer(void **state)
{
	struct fixture f;
	pthread_t writer;

	(void)state;
	setup(&f, 4);
	assert_int_equal(pthread_create(&writer, NULL, race_writer, &f), 0);
	/* What the open sub-buffer holds comes to the reader at the stop. */
	while (f.received + READ_ONCE(f.ring.page->lost[SCOPE_LOST_FULL]) < RACE_RECORDS) {
		if (f.number < smp_load_acquire(&f.ring.page->head))
			take(&f, 0);
	}
	pthread_join(writer, NULL);
	finish(&f, 0);
	assert_int_equal(f.received + f.lost_full, RACE_RECORDS);
}

/* A CPU whose memory could not be had counts, and one that gets it later records. */
static void test_without_memory_all_is_lost(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2);
	f.ring.subbufs = f.ring.at = f.ring.end = NULL;
	assert_false(put(&f, 1, 16));
	assert_int_equal(f.ring.page->lost[SCOPE_LOST_FULL], 1);
	f.ring.subbufs = f.region + HEADER;
	assert_true(put(&f, 2, 16));
	finish(&f, 0);
	assert_int_equal(f.received, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_received_and_lost_are_produced),
		cmocka_unit_test(test_wraps_and_restates_cumulative_loss),
		cmocka_unit_test(test_exact_fit_closes_on_the_next_record),
		cmocka_unit_test(test_bridges_long_gaps_by_time),
		cmocka_unit_test(test_clock_steps_back_after_a_close),
		cmocka_unit_test(test_time_at_the_end_moves_on),
		cmocka_unit_test(test_forced_thread_leads_the_next_record),
		cmocka_unit_test(test_too_big_nested_and_stopped),
		cmocka_unit_test(test_consume_refuses_what_is_not_there),
		cmocka_unit_test(test_reader_races_writer),
		cmocka_unit_test(test_without_memory_all_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
