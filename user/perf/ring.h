/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the records of one mapped perf ring in place. */
#ifndef SCOPE_PERF_RING_H
#define SCOPE_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

/* Zeroed, then page, data and bytes set: what mmap() gave, bytes a power of two. */
struct scope_perf_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t bytes;
	uint64_t head;	 /* the kernel's head at the last look: records before it may be read */
	uint64_t tail;	 /* the next record */
	uint8_t *joined; /* copy in one piece of a record that wraps at the end of the ring; owned */
};

/* Reads how far the kernel has written. */
void scope_perf_ring_look(struct scope_perf_ring *ring);

/*
 * The record at the tail and its size, in one piece; valid until the next call. Returns 1; 0: there is none before the
 * head; -EBADMSG: its size is invalid, and records after it cannot be read (scope_perf_ring_skip() skips all); -ENOMEM.
 */
int scope_perf_ring_peek(struct scope_perf_ring *ring, const uint8_t **ret_data, size_t *ret_bytes);

/* Skips the peeked record, of `bytes` bytes. */
void scope_perf_ring_step(struct scope_perf_ring *ring, size_t bytes);

/* Skips all records before the head. */
void scope_perf_ring_skip(struct scope_perf_ring *ring);

/* Returns the part before the tail to the kernel. */
void scope_perf_ring_release(struct scope_perf_ring *ring);

/* Frees the joined record; the mapping stays the caller's. */
void scope_perf_ring_destroy(struct scope_perf_ring *ring);

#endif
