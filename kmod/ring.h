/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One CPU's ring of sub-buffers: reserve, fill, commit.
 *
 * One writer: the CPU that owns the ring, with interrupts off. One reader, which sees nothing of a
 * sub-buffer before it is closed. Two variables pass between them, both in the mapped page:
 *
 *   head   written here with release after a sub-buffer is complete; the reader loads it with
 *          acquire, so it sees the records.
 *   tail   written for the reader (scope_ring_consume) with release after its last load of the
 *          sub-buffer; loaded here with acquire before the place is written again.
 *
 *   closed ──reserve──► open (magic, tid, begin_ns) ──no room / flush──► closed, head + 1
 *      ├─ no place free, stream: count SCOPE_LOST_FULL, stay closed
 *      └─ no place free, flight: move tail on, count its records as overwritten, open there
 *
 * In flight mode both sides move tail, each by compare-and-exchange from the number it saw. The side
 * that comes first decides whether that sub-buffer was read or overwritten. The exchange is a full
 * barrier, so the reader's loads come before the writer's stores to the place it won.
 *
 * This file compiles in user space as well, where tests/unit/test_ring.c drives it.
 */
#ifndef SCOPE_KMOD_RING_H
#define SCOPE_KMOD_RING_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <scope/event.h>
#include <scope/ring.h>

#define SCOPE_RING_TIME_BYTES 16u
#define SCOPE_RING_THREAD_BYTES 8u

struct scope_ring {
	/* hot: what a record touches */
	u8 *at;	 /* where the next record goes; equal to end while no sub-buffer is open */
	u8 *end; /* set to at if the next record must take the slow path */
	u64 last_ns;
	u64 records;
	u32 tid;    /* on this CPU; 0: not traced */
	u8 writing; /* only a non-maskable interrupt finds it set */
	u8 restate; /* the next record needs a THREAD before it */
	u8 stopped; /* events are ignored, neither written nor lost */
	/* cold */
	struct scope_subbuf *open;
	struct scope_ring_page *page;
	u8 *subbufs;
	u64 head;
	u32 subbuf_bytes;
	u32 subbuf_count;
	u64 held; /* flight: numbers below are not overwritten */
	u64 kept; /* flight: nor are numbers from this one on; U64_MAX: none */
	bool flight;
	void (*notify)(struct scope_ring *ring); /* scope_ring_notify */
};

/* Called when a sub-buffer is published; interrupts are off. */
typedef void scope_ring_notify(struct scope_ring *ring);

void scope_ring_init(struct scope_ring *ring, struct scope_ring_page *page, u8 *subbufs, bool flight,
		     scope_ring_notify *notify);
void scope_ring_lose(struct scope_ring *ring, enum scope_lost reason);
void *scope_ring_reserve_slow(struct scope_ring *ring, u32 type, u32 bytes, u64 now_ns);
void scope_ring_close(struct scope_ring *ring);
void scope_ring_keep(struct scope_ring *ring);
void scope_ring_snapshot(struct scope_ring *ring, bool hold);
void scope_ring_stop(struct scope_ring *ring);
void scope_ring_force_thread(struct scope_ring *ring, u32 tid);
bool scope_ring_readable(const struct scope_ring *ring);
int scope_ring_consume(struct scope_ring *ring, u64 position);

static inline void *scope_ring_place(struct scope_ring *ring, u32 type, u32 delta_ns, u64 now_ns)
{
	u8 *at = ring->at;

	*(u32 *)at = scope_record_word(type, delta_ns);
	ring->last_ns = now_ns;
	return at;
}

/*
 * As scope_ring_reserve() if that is cheap, for callers that cannot have interrupted another reserve before its
 * commit: not in a breakpoint, and not in a non-maskable interrupt. If it is not cheap, returns false and does
 * nothing: then scope_ring_reserve_slow() must follow. spare: 8 bytes after the record may be written to.
 */
static __always_inline bool scope_ring_reserve_quick(struct scope_ring *ring, u32 type, size_t bytes, bool spare,
						     u64 now_ns, void **ret_record)
{
	uintptr_t next;
	u64 delta;

	/* An interrupt that came before this store has ended, so what is read below is current. */
	ring->writing = 1;
	barrier();
	delta = now_ns - ring->last_ns;
	next = (uintptr_t)ring->at + bytes;
	/* All are multiples of 8. */
	if (unlikely(delta > SCOPE_DELTA_MAX || (spare ? next >= (uintptr_t)ring->end : next > (uintptr_t)ring->end))) {
		ring->writing = 0;
		return false;
	}
	*ret_record = scope_ring_place(ring, type, delta, now_ns);
	return true;
}

/*
 * Room for one record of bytes (a multiple of 8), its first word written. now_ns must be read with interrupts off
 * already; a clock that steps back counts as one that does not move. NULL: the event is counted as lost, or the ring
 * is stopped. Otherwise scope_ring_commit() must follow.
 */
static __always_inline void *scope_ring_reserve(struct scope_ring *ring, u32 type, u32 bytes, u64 now_ns)
{
	void *record;

	if (likely(!ring->writing && scope_ring_reserve_quick(ring, type, bytes, false, now_ns, &record)))
		return record;
	return scope_ring_reserve_slow(ring, type, bytes, now_ns);
}

/* The record that was reserved last ends before next, which may be less than was reserved, but not more. */
static __always_inline void scope_ring_commit_to(struct scope_ring *ring, void *next)
{
	ring->at = next;
	ring->records++;
	barrier();
	ring->writing = 0;
}

static __always_inline void scope_ring_commit(struct scope_ring *ring, u32 bytes)
{
	scope_ring_commit_to(ring, ring->at + bytes);
}

/* The thread on this CPU changes, as the record says that is about to be committed. */
static inline void scope_ring_set_thread(struct scope_ring *ring, u32 tid)
{
	ring->tid = tid;
}

#endif
