/* SPDX-License-Identifier: GPL-2.0-only */
/* A ring of the module in user space, the reader's state, and a writer that never stops. */
#ifndef SCOPE_TESTS_RING_FIXTURE_H
#define SCOPE_TESTS_RING_FIXTURE_H

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

static void notify(struct scope_ring *ring)
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

static inline void setup_mode(struct fixture *f, u32 count, bool flight)
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
	scope_ring_init(&f->ring, page, f->region + HEADER, flight, notify);
}

static inline void setup(struct fixture *f, u32 count)
{
	setup_mode(f, count, false);
}

/* One record of any size; its second word's low half is the thread it belongs to. */
static inline bool put_type(struct fixture *f, u32 type, u64 now_ns, u32 bytes)
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

static inline bool put(struct fixture *f, u64 now_ns, u32 bytes)
{
	return put_type(f, SCOPE_RECORD_SWITCH, now_ns, bytes);
}

static inline u32 take_record(struct fixture *f, const u8 *record, u32 fixed)
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

/* Reads one closed sub-buffer as a user would; fixed is the size of its records, 0: in them. */
static inline void take(struct fixture *f, u32 fixed)
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

static inline void finish(struct fixture *f, u32 fixed)
{
	scope_ring_stop(&f->ring);
	while (f->number < f->ring.page->head)
		take(f, fixed);
	assert_false(scope_ring_readable(&f->ring));
	assert_int_equal(f->ring.page->records, f->received);
	f->lost_full = f->ring.page->lost[SCOPE_LOST_FULL];
	free(f->region);
}

#define RACE_RECORDS 300000u

static inline void *race_writer(void *data)
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

#endif
