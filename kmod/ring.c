// SPDX-License-Identifier: GPL-2.0-only
/* The slow path of the ring: opening, closing and refusing sub-buffers. */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include "ring.h"

/*
 * The caller has filled in cpu and the sizes of page, zeroed the rest, and frees both. subbufs may be NULL: then all
 * events are lost until ring->subbufs is set while no writer runs.
 */
void scope_ring_init(struct scope_ring *ring, struct scope_ring_page *page, u8 *subbufs, bool flight,
		     scope_ring_notify *notify)
{
	memset(ring, 0, sizeof(*ring));
	ring->page = page;
	ring->subbufs = subbufs;
	ring->at = subbufs;
	ring->end = subbufs;
	ring->subbuf_bytes = page->subbuf_bytes;
	ring->subbuf_count = page->subbuf_count;
	ring->flight = flight;
	ring->notify = notify;
	ring->kept = U64_MAX;
	page->magic = SCOPE_RING_MAGIC;
	page->mode = flight ? SCOPE_RING_FLIGHT : SCOPE_RING_STREAM;
}

/* One event became no record. */
void scope_ring_lose(struct scope_ring *ring, enum scope_lost reason)
{
	if (!ring->stopped)
		WRITE_ONCE(ring->page->lost[reason], ring->page->lost[reason] + 1);
}

static u64 ring_lost(const struct scope_ring *ring)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < SCOPE_LOST_REASONS; i++)
		sum += ring->page->lost[i];
	return sum;
}

static struct scope_subbuf *ring_subbuf(const struct scope_ring *ring, u64 number)
{
	size_t place = number & (ring->subbuf_count - 1);

	return (struct scope_subbuf *)(ring->subbufs + place * ring->subbuf_bytes);
}

/* All places are taken. Returns true if the place of the oldest sub-buffer is free now. */
static bool ring_overwrite(struct scope_ring *ring)
{
	u64 oldest = ring->head - ring->subbuf_count;
	u64 records;

	if (!ring->flight || oldest < ring->held)
		return false;
	records = ring_subbuf(ring, oldest + 1)->records - ring_subbuf(ring, oldest)->records;
	/* Pairs with the exchange in scope_ring_consume(). If it fails, the reader has returned the place. */
	if (cmpxchg(&ring->page->tail, oldest, oldest + 1) == oldest)
		WRITE_ONCE(ring->page->overwritten, ring->page->overwritten + records);
	return true;
}

/* A snapshot is being written: half of all places are for its STATE records, and no place is used twice. */
static bool ring_is_kept(const struct scope_ring *ring, u32 type)
{
	u32 most = type == SCOPE_RECORD_STATE ? ring->subbuf_count : ring->subbuf_count / 2;

	return ring->head >= ring->kept && ring->head - ring->kept >= most;
}

static bool ring_open(struct scope_ring *ring, u32 type, u64 now_ns)
{
	struct scope_subbuf *subbuf;

	if (ring_is_kept(ring, type))
		return false;
	/* Pairs with the release in scope_ring_consume(). */
	if (ring->head - smp_load_acquire(&ring->page->tail) >= ring->subbuf_count && !ring_overwrite(ring))
		return false;
	if (!ring->subbufs)
		return false;
	subbuf = ring_subbuf(ring, ring->head);
	subbuf->magic = SCOPE_SUBBUF_MAGIC;
	subbuf->cpu = ring->page->cpu;
	subbuf->flags = 0;
	subbuf->tid = ring->tid;
	subbuf->number = ring->head;
	subbuf->begin_ns = now_ns;
	subbuf->lost = ring_lost(ring);
	subbuf->records = ring->records;
	subbuf->zero = 0;
	ring->open = subbuf;
	ring->at = (u8 *)(subbuf + 1);
	ring->end = (u8 *)subbuf + ring->subbuf_bytes;
	ring->last_ns = now_ns;
	ring->restate = 0;
	return true;
}

static void ring_publish(struct scope_ring *ring)
{
	struct scope_subbuf *subbuf = ring->open;

	subbuf->used_bytes = ring->at - (u8 *)subbuf;
	subbuf->end_ns = ring->last_ns;
	ring->open = NULL;
	ring->end = ring->at;
	ring->head++;
	WRITE_ONCE(ring->page->records, ring->records);
	/* Pairs with the reader's acquire: it sees the records before the number. */
	smp_store_release(&ring->page->head, ring->head);
	ring->notify(ring);
}

/*
 * Interrupts are off, so no other code has it now. A non-maskable interrupt that finds it taken counts its event as
 * nested.
 */
static void ring_lock(struct scope_ring *ring)
{
	ring->writing = 1;
	barrier();
}

static void ring_unlock(struct scope_ring *ring)
{
	barrier();
	ring->writing = 0;
}

/* Returns as scope_ring_reserve(), with ring->writing set unless that is NULL. */
void *scope_ring_reserve_slow(struct scope_ring *ring, u32 type, u32 bytes, u64 now_ns)
{
	enum scope_lost reason = SCOPE_LOST_TOO_BIG;
	u32 extra = 0;
	u64 delta;

	if (ring->writing) {
		scope_ring_lose(ring, SCOPE_LOST_NESTED);
		return NULL;
	}
	ring_lock(ring);
	if (ring->stopped)
		goto refuse;
	if (bytes > ring->subbuf_bytes - sizeof(struct scope_subbuf))
		goto lose;
	/* The clock may step back a little, and a flush may have closed the last sub-buffer. */
	if (now_ns < ring->last_ns)
		now_ns = ring->last_ns;
	if (ring->open) {
		ring->end = (u8 *)ring->open + ring->subbuf_bytes;
		if (now_ns - ring->last_ns > SCOPE_DELTA_MAX)
			extra += SCOPE_RING_TIME_BYTES;
		if (ring->restate)
			extra += SCOPE_RING_THREAD_BYTES;
		if ((size_t)(ring->end - ring->at) < bytes + extra)
			ring_publish(ring);
	}
	/* A new sub-buffer states clock and thread in its header. */
	reason = SCOPE_LOST_FULL;
	if (!ring->open && !ring_open(ring, type, now_ns))
		goto lose;
	delta = now_ns - ring->last_ns;
	if (delta > SCOPE_DELTA_MAX) {
		struct scope_record_time *time = scope_ring_place(ring, SCOPE_RECORD_TIME, 0, now_ns);

		time->zero = 0;
		time->time_ns = now_ns;
		ring->at += sizeof(*time);
		delta = 0;
	}
	if (ring->restate) {
		struct scope_record_thread *thread = scope_ring_place(ring, SCOPE_RECORD_THREAD, delta, now_ns);

		thread->tid = ring->tid;
		ring->at += sizeof(*thread);
		ring->restate = 0;
		delta = 0;
	}
	return scope_ring_place(ring, type, delta, now_ns);
lose:
	scope_ring_lose(ring, reason);
refuse:
	ring_unlock(ring);
	return NULL;
}

static void ring_close(struct scope_ring *ring)
{
	if (ring->open && ring->at > (u8 *)(ring->open + 1))
		ring_publish(ring);
}

static void ring_snapshot(struct scope_ring *ring, bool hold)
{
	ring_close(ring);
	ring->held = hold ? ring->head : 0;
	ring->kept = U64_MAX;
	WRITE_ONCE(ring->page->snapshot, ring->head);
}

/* Publishes the open sub-buffer if it has a record. */
void scope_ring_close(struct scope_ring *ring)
{
	ring_lock(ring);
	ring_close(ring);
	ring_unlock(ring);
}

/*
 * Flight mode: a snapshot or a stop follows, and until then no sub-buffer that is opened from here on is overwritten.
 * STATE records may use all other places, and other events half of them.
 */
void scope_ring_keep(struct scope_ring *ring)
{
	ring->kept = ring->head;
}

/*
 * Closes the sub-buffer, and sets the limit up to which the reader reads. hold: flight mode overwrites nothing below
 * it before it was read; otherwise it continues.
 */
void scope_ring_snapshot(struct scope_ring *ring, bool hold)
{
	ring_lock(ring);
	ring_snapshot(ring, hold);
	ring_unlock(ring);
}

/* Closes the sub-buffer, and ignores all events from here on. */
void scope_ring_stop(struct scope_ring *ring)
{
	ring_lock(ring);
	ring_snapshot(ring, true);
	ring->end = ring->at;
	ring->stopped = 1;
	WRITE_ONCE(ring->page->records, ring->records);
	ring_unlock(ring);
}

/* The thread on this CPU is tid, and no record has said so: a THREAD record comes before the next one. */
void scope_ring_force_thread(struct scope_ring *ring, u32 tid)
{
	if (ring->tid == tid)
		return;
	ring_lock(ring);
	ring->tid = tid;
	ring->restate = 1;
	ring->end = ring->at;
	ring_unlock(ring);
}

/* May be called from any CPU. */
bool scope_ring_readable(const struct scope_ring *ring)
{
	const struct scope_ring_page *page = ring->page;

	if (ring->flight)
		return READ_ONCE(page->tail) < READ_ONCE(page->snapshot);
	return READ_ONCE(page->head) != READ_ONCE(page->tail);
}

/* Flight mode: position - 1 was copied. */
static int consume_one(struct scope_ring_page *page, u64 position)
{
	u64 tail = READ_ONCE(page->tail);

	if (position > tail + 1 || !position)
		return -EINVAL;
	/* Pairs with the exchange in ring_overwrite(): the reader's loads are complete. */
	if (position <= tail || cmpxchg(&page->tail, tail, position) != tail)
		return -ESTALE;
	return 0;
}

/*
 * The reader has read all below position. -EINVAL: outside of what scope/ring.h allows. -ESTALE: it was overwritten
 * first. One caller at a time.
 */
int scope_ring_consume(struct scope_ring *ring, u64 position)
{
	struct scope_ring_page *page = ring->page;

	if (position > READ_ONCE(page->head))
		return -EINVAL;
	if (ring->flight)
		return consume_one(page, position);
	if (position < page->tail)
		return -EINVAL;
	/* Pairs with the acquire in ring_open(): the reader's loads are complete. */
	smp_store_release(&page->tail, position);
	return 0;
}
