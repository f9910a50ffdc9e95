// SPDX-License-Identifier: GPL-2.0-only
/* The module's ring, compiled for user space: nothing is lost without being counted. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/ring.c"

#define HEADER 4096u
#define SUBBUF 4096u
#define PAYLOAD (SUBBUF - (u32)sizeof(struct scope_subbuf))

static unsigned int notified;

void scope_ring_notify(struct scope_ring *ring)
{
	(void)ring;
	notified++;
}

struct fixture {
	struct scope_ring ring;
	u8 *region;
	/* what a reader knows */
	u64 received, lost, lost_full, now_ns, number;
	u32 tid, threads, times;
	u64 next_value; /* the payload of fill() counts up */
	bool written;	/* by race_writer(): it is done */
};

static void setup_mode(struct fixture *f, u32 count, bool flight)
{
	struct scope_ring_page *page;

	memset(f, 0, sizeof(*f));
	f->region = aligned_alloc(4096, HEADER + count * SUBBUF);
	memset(f->region, 0, HEADER + count * SUBBUF);
	page = (struct scope_ring_page *)f->region;
	page->cpu = 3;
	page->subbuf_bytes = SUBBUF;
	page->subbuf_count = count;
	page->header_bytes = HEADER;
	scope_ring_init(&f->ring, page, f->region + HEADER, flight);
}

static void setup(struct fixture *f, u32 count)
{
	setup_mode(f, count, false);
}

/* One record of any size; its second word's low half is the thread it belongs to. */
static bool put_type(struct fixture *f, u32 type, u64 now_ns, u32 bytes)
{
	u8 *record = scope_ring_reserve(&f->ring, type, bytes, now_ns);

	if (!record)
		return false;
	memset(record + 4, 0, bytes - 4);
	*(u32 *)(record + 4) = f->ring.tid;
	if (bytes >= 16)
		*(u32 *)(record + 8) = bytes;
	scope_ring_commit(&f->ring, bytes);
	return true;
}

static bool put(struct fixture *f, u64 now_ns, u32 bytes)
{
	return put_type(f, SCOPE_RECORD_SWITCH, now_ns, bytes);
}

static u32 take_record(struct fixture *f, const u8 *record, u32 fixed)
{
	u32 word = *(const u32 *)record, bytes = fixed;

	f->now_ns += scope_record_delta(word);
	switch (scope_record_type(word)) {
	case SCOPE_RECORD_TIME:
		assert_int_equal(scope_record_delta(word), 0);
		assert_true(((const struct scope_record_time *)record)->time_ns > f->now_ns + SCOPE_DELTA_MAX);
		f->now_ns = ((const struct scope_record_time *)record)->time_ns;
		f->times++;
		return 16;
	case SCOPE_RECORD_THREAD:
		f->tid = *(const u32 *)(record + 4);
		f->threads++;
		return 8;
	}
	assert_int_equal(*(const u32 *)(record + 4), f->tid);
	if (!fixed)
		bytes = *(const u32 *)(record + 8);
	f->received++;
	return bytes;
}

/* Read one closed sub-buffer as a user would; fixed is the size of its records, 0: in them. */
static void take(struct fixture *f, u32 fixed)
{
	const struct scope_ring_page *page = f->ring.page;
	const u8 *at = f->region + HEADER + f->number % page->subbuf_count * SUBBUF;
	const struct scope_subbuf *subbuf = (const void *)at;
	const u8 *end = at + subbuf->used_bytes;

	assert_true(f->number < READ_ONCE(f->ring.page->head));
	assert_int_equal(subbuf->magic, SCOPE_SUBBUF_MAGIC);
	assert_int_equal(subbuf->number, f->number);
	assert_int_equal(subbuf->cpu, 3);
	assert_int_equal(subbuf->records, f->received);
	assert_true(subbuf->used_bytes <= SUBBUF);
	f->lost = subbuf->lost;
	f->tid = subbuf->tid;
	f->now_ns = subbuf->begin_ns;
	for (at += sizeof(*subbuf); at < end;)
		at += take_record(f, at, fixed);
	assert_ptr_equal(at, end);
	assert_int_equal(f->now_ns, subbuf->end_ns);
	f->number++;
	assert_int_equal(scope_ring_consume(&f->ring, f->number), 0);
}

static void finish(struct fixture *f, u32 fixed)
{
	scope_ring_stop(&f->ring);
	while (f->number < f->ring.page->head)
		take(f, fixed);
	assert_false(scope_ring_readable(&f->ring));
	assert_int_equal(f->ring.page->records, f->received);
	f->lost_full = f->ring.page->lost[SCOPE_LOST_FULL];
	free(f->region);
}

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

#define RACE_RECORDS 300000u

static void *race_writer(void *data)
{
	struct fixture *f = data;
	u64 i;

	for (i = 0; i < RACE_RECORDS; i++) {
		scope_ring_set_thread(&f->ring, 1);
		put(f, i * 50, 16 + i % 7 * 8);
	}
	scope_ring_stop(&f->ring);
	__atomic_store_n(&f->written, true, __ATOMIC_RELEASE);
	return NULL;
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

/* May meet the writer, and what it copied is then thrown away: no race that counts. */
__attribute__((no_sanitize("thread"))) static void copy_subbuf(u64 *to, const volatile u64 *from)
{
	size_t i;

	for (i = 0; i < SUBBUF / sizeof(*to); i++)
		to[i] = from[i];
}

/*
 * One sub-buffer of a ring in flight mode, copied and handed back. False: there is none, or it was
 * overwritten meanwhile. Its records are checked only once the copy is known to be whole.
 */
static bool take_flight(struct fixture *f)
{
	u64 tail = smp_load_acquire(&f->ring.page->tail);
	_Alignas(8) u8 copy[SUBBUF];
	const struct scope_subbuf *subbuf = (const void *)copy;
	const u8 *at = copy + sizeof(*subbuf);
	int err;

	if (tail >= smp_load_acquire(&f->ring.page->head))
		return false;
	copy_subbuf((u64 *)copy, (const u64 *)(f->region + HEADER +
					       tail % f->ring.subbuf_count * SUBBUF));
	err = scope_ring_consume(&f->ring, tail + 1);
	if (err) {
		assert_int_equal(err, -ESTALE);
		return false;
	}
	assert_int_equal(subbuf->magic, SCOPE_SUBBUF_MAGIC);
	assert_int_equal(subbuf->number, tail);
	assert_true(tail >= f->number);
	assert_true(subbuf->records >= f->received);
	f->number = tail + 1;
	f->tid = subbuf->tid;
	f->now_ns = subbuf->begin_ns;
	while (at < copy + subbuf->used_bytes)
		at += take_record(f, at, 0);
	assert_ptr_equal(at, copy + subbuf->used_bytes);
	assert_int_equal(f->now_ns, subbuf->end_ns);
	return true;
}

static void test_flight_keeps_the_newest(void **state)
{
	struct fixture f;
	u32 i;

	(void)state;
	setup_mode(&f, 4, true);
	for (i = 0; i < 100000; i++)
		assert_true(put(&f, 1000 + i, 16 + i % 9 * 8));
	assert_false(scope_ring_readable(&f.ring));
	/* The place being written to is not among those that can be read. */
	assert_int_equal(f.ring.head - f.ring.page->tail, 3);
	assert_int_equal(scope_ring_consume(&f.ring, f.ring.page->tail + 2), -EINVAL);
	assert_int_equal(scope_ring_consume(&f.ring, f.ring.page->tail), -ESTALE);
	assert_int_equal(scope_ring_consume(&f.ring, f.ring.page->head + 1), -EINVAL);
	assert_int_equal(scope_ring_consume(&f.ring, 0), -EINVAL);
	scope_ring_stop(&f.ring);
	assert_true(scope_ring_readable(&f.ring));
	while (take_flight(&f))
		;
	assert_false(scope_ring_readable(&f.ring));
	assert_int_equal(f.now_ns, 1000 + i - 1);
	assert_int_equal(f.received + f.ring.page->overwritten, i);
	assert_int_equal(f.ring.page->lost[SCOPE_LOST_FULL], 0);
	free(f.region);
}

static void test_snapshot_holds_what_was_there(void **state)
{
	struct fixture f;
	u64 from, to;
	u32 i, refused = 0, per = PAYLOAD / 16;

	(void)state;
	setup_mode(&f, 4, true);
	for (i = 0; i < 10 * per; i++)
		assert_true(put(&f, i, 16));
	scope_ring_snapshot(&f.ring, true);
	from = f.ring.page->tail;
	to = f.ring.page->snapshot;
	assert_int_equal(to, f.ring.page->head);
	for (; i < 20 * per; i++)
		refused += !put(&f, i, 16);
	assert_int_equal(f.ring.page->tail, from);
	assert_int_equal(f.ring.page->lost[SCOPE_LOST_FULL], refused);
	assert_true(refused > 0);
	while (f.number < to)
		assert_true(take_flight(&f));
	assert_false(scope_ring_readable(&f.ring));
	/* All of it was read: overwriting goes on. */
	for (; i < 40 * per; i++)
		assert_true(put(&f, i, 16));
	assert_true(f.ring.page->tail > to);
	scope_ring_stop(&f.ring);
	while (take_flight(&f))
		;
	assert_int_equal(f.received + f.ring.page->overwritten + refused, i);
	free(f.region);
}

/*
 * What is written for a snapshot takes the place of what is older, and is not overwritten itself. Half of
 * the places are for its STATE records.
 */
static void test_what_belongs_to_a_snapshot_is_kept(void **state)
{
	u32 i, refused = 0, per = PAYLOAD / 16;
	struct fixture f;
	u64 from;

	(void)state;
	setup_mode(&f, 4, true);
	for (i = 0; i < 10 * per + 1; i++)
		assert_true(put(&f, i, 16));
	from = f.ring.head;
	scope_ring_keep(&f.ring);
	for (; i < 12 * per; i++)
		assert_true(put(&f, i, 16));
	for (; i < 13 * per; i++)
		refused += !put(&f, i, 16);
	assert_int_equal(refused, per);
	assert_int_equal(f.ring.page->tail, from - 2);
	for (; i < 15 * per; i++)
		assert_true(put_type(&f, SCOPE_RECORD_STATE, i, 16));
	assert_int_equal(f.ring.page->tail, from);
	refused += !put_type(&f, SCOPE_RECORD_STATE, i++, 16);
	assert_int_equal(refused, per + 1);
	scope_ring_snapshot(&f.ring, false);
	assert_int_equal(f.ring.page->lost[SCOPE_LOST_FULL], refused);
	assert_int_equal(f.ring.page->snapshot, from + 4);
	/* From here on it is as old as the rest. */
	assert_true(put(&f, i++, 16));
	assert_int_equal(f.ring.page->tail, from + 1);
	scope_ring_stop(&f.ring);
	while (take_flight(&f))
		;
	assert_int_equal(f.received + f.ring.page->overwritten + refused, i);
	free(f.region);
}

/* In a ring that has not gone round yet, too. */
static void test_a_snapshot_has_room_in_an_empty_ring(void **state)
{
	u32 i, refused = 0, per = PAYLOAD / 16;
	struct fixture f;

	(void)state;
	setup_mode(&f, 4, true);
	scope_ring_keep(&f.ring);
	for (i = 0; i < 4 * per; i++)
		refused += !put(&f, i, 16);
	assert_int_equal(refused, 2 * per);
	for (; i < 6 * per; i++)
		assert_true(put_type(&f, SCOPE_RECORD_STATE, i, 16));
	scope_ring_stop(&f.ring);
	while (take_flight(&f))
		;
	assert_int_equal(f.received, 4 * per);
	assert_int_equal(f.ring.page->overwritten, 0);
	free(f.region);
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

/* The writer goes round and round while the reader copies: what it hands back is never torn. */
static void test_flight_reader_races_writer(void **state)
{
	struct fixture f;
	pthread_t writer;
	u64 whole = 0;

	(void)state;
	setup_mode(&f, 4, true);
	assert_int_equal(pthread_create(&writer, NULL, race_writer, &f), 0);
	while (!__atomic_load_n(&f.written, __ATOMIC_ACQUIRE))
		whole += take_flight(&f);
	pthread_join(writer, NULL);
	while (take_flight(&f))
		whole++;
	assert_true(whole > 0);
	assert_int_equal(f.received + f.ring.page->overwritten, RACE_RECORDS);
	free(f.region);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_received_and_lost_are_produced),
		cmocka_unit_test(test_wraps_and_restates_cumulative_loss),
		cmocka_unit_test(test_exact_fit_closes_on_the_next_record),
		cmocka_unit_test(test_bridges_long_gaps_by_time),
		cmocka_unit_test(test_time_at_the_end_moves_on),
		cmocka_unit_test(test_forced_thread_leads_the_next_record),
		cmocka_unit_test(test_too_big_nested_and_stopped),
		cmocka_unit_test(test_consume_refuses_what_is_not_there),
		cmocka_unit_test(test_reader_races_writer),
		cmocka_unit_test(test_flight_keeps_the_newest),
		cmocka_unit_test(test_snapshot_holds_what_was_there),
		cmocka_unit_test(test_what_belongs_to_a_snapshot_is_kept),
		cmocka_unit_test(test_a_snapshot_has_room_in_an_empty_ring),
		cmocka_unit_test(test_without_memory_all_is_lost),
		cmocka_unit_test(test_flight_reader_races_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
