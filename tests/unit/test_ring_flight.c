// SPDX-License-Identifier: GPL-2.0-only
/* The module's ring in flight mode: the newest records are kept, and a snapshot returns whole sub-buffers. */
#include "ring_fixture.h"

/* May meet the writer, and what it copied is then thrown away: no race that counts. */
__attribute__((no_sanitize("thread"))) static void copy_subbuf(u64 *to, const volatile u64 *from)
{
	size_t i;

	for (i = 0; i < SUBBUF / sizeof(*to); i++)
		to[i] = from[i];
}

/*
 * One sub-buffer of a ring in flight mode, copied and handed back. False: there is none, or it was
 * overwritten in that time. Its records are checked only once the copy is known to be whole.
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
	copy_subbuf((u64 *)copy, (const u64 *)(f->region + HEADER + tail % f->ring.subbuf_count * SUBBUF));
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
		cmocka_unit_test(test_flight_keeps_the_newest),
		cmocka_unit_test(test_snapshot_holds_what_was_there),
		cmocka_unit_test(test_what_belongs_to_a_snapshot_is_kept),
		cmocka_unit_test(test_a_snapshot_has_room_in_an_empty_ring),
		cmocka_unit_test(test_flight_reader_races_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
