// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the ring, compiled with the kernel's own compiler flags and checks.
 *
 * tests/unit/test_ring.c tests the same code in user space with many more cases.
 */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "../reader.h"
#include "suites.h"

#define SUBBUF SCOPE_SUBBUF_BYTES_MIN
#define PAYLOAD (SUBBUF - (u32)sizeof(struct scope_subbuf))
#define CPU 3u

/* A ring with its mapped page and sub-buffers. */
struct fixture {
	struct scope_cpu cpu;
	struct scope_ring_page *page;
	u8 *subbufs;
};

static void no_reader(struct irq_work *work)
{
}

void scope_kunit_destroy_ring(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (!f)
		return;
	irq_work_sync(&f->cpu.wake);
	vfree(f->subbufs);
	kfree(f->page);
	kfree(f);
	test->priv = NULL;
}

struct scope_ring *scope_kunit_make_ring(struct kunit *test, u32 count, bool flight)
{
	struct fixture *f = kzalloc(sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f);
	test->priv = f;
	init_irq_work(&f->cpu.wake, no_reader); /* a full sub-buffer wakes the reader */
	f->page = kzalloc(sizeof(*f->page), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f->page);
	f->subbufs = vzalloc(count * SUBBUF);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f->subbufs);
	f->page->cpu = CPU;
	f->page->subbuf_bytes = SUBBUF;
	f->page->subbuf_count = count;
	scope_ring_init(&f->cpu.ring, f->page, f->subbufs, flight, scope_reader_notify);
	return &f->cpu.ring;
}

static bool put(struct scope_ring *ring, u32 bytes, u64 now_ns)
{
	u8 *record = scope_ring_reserve(ring, SCOPE_RECORD_SWITCH, bytes, now_ns);

	if (!record)
		return false;
	memset(record + 4, 0x5c, bytes - 4);
	scope_ring_commit(ring, bytes);
	return true;
}

static const struct scope_subbuf *subbuf_at(const struct scope_ring *ring, u64 number)
{
	u32 place = number & (ring->subbuf_count - 1);

	return (const void *)(ring->subbufs + place * SUBBUF);
}

static void received_and_lost_are_produced(struct kunit *test)
{
	struct scope_ring *ring = scope_kunit_make_ring(test, 2, false);
	u64 produced = 20000, refused = 0, i;

	for (i = 0; i < produced; i++) {
		refused += !put(ring, 8 + i % 5 * 8, i * 100);
		if (i % 500 == 0)
			scope_ring_consume(ring, ring->page->head);
	}
	scope_ring_stop(ring);
	KUNIT_EXPECT_GT(test, refused, 0ull);
	KUNIT_EXPECT_EQ(test, ring->page->lost[SCOPE_LOST_FULL], refused);
	KUNIT_EXPECT_EQ(test, ring->page->records + refused, produced);
}

static void fills_to_the_last_byte(struct kunit *test)
{
	struct scope_ring *ring = scope_kunit_make_ring(test, 4, false);
	u32 per = PAYLOAD / 8, i;

	for (i = 0; i < 4 * per; i++)
		KUNIT_ASSERT_TRUE(test, put(ring, 8, i));
	KUNIT_EXPECT_FALSE(test, put(ring, 8, i));
	KUNIT_EXPECT_EQ(test, ring->page->head, 4ull);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, subbuf_at(ring, i)->magic, SCOPE_SUBBUF_MAGIC);
		KUNIT_EXPECT_EQ(test, subbuf_at(ring, i)->used_bytes, SUBBUF);
		KUNIT_EXPECT_EQ(test, (u32)subbuf_at(ring, i)->cpu, CPU);
		KUNIT_EXPECT_EQ(test, subbuf_at(ring, i)->records, (u64)i * per);
	}
}

static void loss_stands_in_the_next_header(struct kunit *test)
{
	struct scope_ring *ring = scope_kunit_make_ring(test, 2, false);
	u32 i;

	KUNIT_ASSERT_TRUE(test, put(ring, PAYLOAD, 1));
	KUNIT_ASSERT_TRUE(test, put(ring, PAYLOAD, 2));
	for (i = 0; i < 7; i++)
		KUNIT_EXPECT_FALSE(test, put(ring, 16, 3));
	KUNIT_ASSERT_EQ(test, scope_ring_consume(ring, 1), 0);
	scope_ring_set_thread(ring, 77); /* the record of the switch was lost */
	KUNIT_ASSERT_TRUE(test, put(ring, 16, 4));
	scope_ring_close(ring);
	KUNIT_EXPECT_EQ(test, subbuf_at(ring, 2)->lost, 7ull);
	KUNIT_EXPECT_EQ(test, subbuf_at(ring, 2)->tid, 77u);
}

static void time_bridges_a_long_gap(struct kunit *test)
{
	struct scope_ring *ring = scope_kunit_make_ring(test, 2, false);
	const struct scope_record_time *time;
	u64 late = 1ull << 50;

	KUNIT_ASSERT_TRUE(test, put(ring, 8, 100));
	KUNIT_ASSERT_TRUE(test, put(ring, 8, 100 + SCOPE_DELTA_MAX)); /* the largest that fits */
	KUNIT_ASSERT_TRUE(test, put(ring, 8, late));
	KUNIT_ASSERT_TRUE(test, put(ring, 8, late - 5)); /* the clock went back */
	scope_ring_close(ring);
	time = (const void *)((const u8 *)(subbuf_at(ring, 0) + 1) + 16);
	KUNIT_EXPECT_EQ(test, scope_record_type(time->word), (u32)SCOPE_RECORD_TIME);
	KUNIT_EXPECT_EQ(test, time->time_ns, late);
	KUNIT_EXPECT_EQ(test, subbuf_at(ring, 0)->end_ns, late);
	KUNIT_EXPECT_EQ(test, subbuf_at(ring, 0)->used_bytes, (u32)sizeof(struct scope_subbuf) + 8 + 8 + 16 + 8 + 8);
}

static void refuses_too_big_nested_stopped(struct kunit *test)
{
	struct scope_ring *ring = scope_kunit_make_ring(test, 2, false);

	KUNIT_EXPECT_FALSE(test, put(ring, PAYLOAD + 8, 1));
	KUNIT_EXPECT_EQ(test, ring->page->lost[SCOPE_LOST_TOO_BIG], 1ull);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, scope_ring_reserve(ring, SCOPE_RECORD_SWITCH, 16, 2));
	KUNIT_EXPECT_FALSE(test, put(ring, 16, 2)); /* as from a non-maskable interrupt */
	scope_ring_commit(ring, 16);
	KUNIT_EXPECT_EQ(test, ring->page->lost[SCOPE_LOST_NESTED], 1ull);
	scope_ring_stop(ring);
	KUNIT_EXPECT_FALSE(test, put(ring, 16, 3));
	KUNIT_EXPECT_EQ(test, ring->page->lost[SCOPE_LOST_FULL], 0ull);
	KUNIT_EXPECT_EQ(test, ring->page->records, 1ull);
}

static void consume_refuses_what_is_not_there(struct kunit *test)
{
	struct scope_ring *ring = scope_kunit_make_ring(test, 2, false);

	KUNIT_EXPECT_EQ(test, scope_ring_consume(ring, 1), -EINVAL);
	KUNIT_ASSERT_TRUE(test, put(ring, 16, 1));
	scope_ring_close(ring);
	KUNIT_EXPECT_TRUE(test, scope_ring_readable(ring));
	KUNIT_EXPECT_EQ(test, scope_ring_consume(ring, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, scope_ring_consume(ring, ~0ull), -EINVAL);
	KUNIT_EXPECT_EQ(test, scope_ring_consume(ring, 1), 0);
	KUNIT_EXPECT_EQ(test, scope_ring_consume(ring, 0), -EINVAL);
	KUNIT_EXPECT_FALSE(test, scope_ring_readable(ring));
}

static void flight_keeps_the_newest(struct kunit *test)
{
	struct scope_ring *ring = scope_kunit_make_ring(test, 4, true);
	u32 per = PAYLOAD / 8, i;

	for (i = 0; i < 10 * per; i++)
		KUNIT_ASSERT_TRUE(test, put(ring, 8, i));
	scope_ring_stop(ring);
	KUNIT_EXPECT_EQ(test, ring->page->head, 10ull);
	KUNIT_EXPECT_EQ(test, ring->page->tail, 6ull);
	KUNIT_EXPECT_EQ(test, ring->page->records, 10ull * per);
	KUNIT_EXPECT_EQ(test, ring->page->lost[SCOPE_LOST_FULL], 0ull);
	for (i = 6; i < 10; i++)
		KUNIT_EXPECT_EQ(test, subbuf_at(ring, i)->number, (u64)i);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(received_and_lost_are_produced), KUNIT_CASE(fills_to_the_last_byte),
	KUNIT_CASE(loss_stands_in_the_next_header), KUNIT_CASE(time_bridges_a_long_gap),
	KUNIT_CASE(refuses_too_big_nested_stopped), KUNIT_CASE(consume_refuses_what_is_not_there),
	KUNIT_CASE(flight_keeps_the_newest),	    {}
};

struct kunit_suite scope_kunit_ring = {
	.name = "scope_ring",
	.exit = scope_kunit_destroy_ring,
	.test_cases = cases,
};
