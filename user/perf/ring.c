// SPDX-License-Identifier: GPL-2.0-only
/* Records of a perf ring; a record that wraps at its end is joined. */
#include "perf/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES_MAX 65536 /* the size is a number of 16 bits */

void scope_perf_ring_look(struct scope_perf_ring *ring)
{
	/* Pairs with the kernel's barrier between writing a record and writing data_head. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

int scope_perf_ring_peek(struct scope_perf_ring *ring, const uint8_t **ret_data, size_t *ret_bytes)
{
	const uint64_t left = ring->head - ring->tail;
	const size_t at = ring->tail & (ring->bytes - 1);
	const struct perf_event_header *header = (const void *)(ring->data + at);
	size_t bytes;

	if (!left)
		return 0;
	/* Sizes are multiples of 8, so a header never wraps at the end. */
	if (left < sizeof(*header) || left > ring->bytes || ring->tail % 8)
		return -EBADMSG;
	bytes = header->size;
	if (bytes < sizeof(*header) || bytes > left || bytes % 8)
		return -EBADMSG;
	*ret_bytes = bytes;
	if (bytes <= ring->bytes - at) {
		*ret_data = ring->data + at;
		return 1;
	}
	if (!ring->joined)
		ring->joined = malloc(RECORD_BYTES_MAX);
	if (!ring->joined)
		return -ENOMEM;
	memcpy(ring->joined, ring->data + at, ring->bytes - at);
	memcpy(ring->joined + (ring->bytes - at), ring->data, bytes - (ring->bytes - at));
	*ret_data = ring->joined;
	return 1;
}

void scope_perf_ring_step(struct scope_perf_ring *ring, size_t bytes)
{
	ring->tail += bytes;
}

void scope_perf_ring_skip(struct scope_perf_ring *ring)
{
	ring->tail = ring->head;
}

void scope_perf_ring_release(struct scope_perf_ring *ring)
{
	/* All reads of the records must come before this store, because the kernel may overwrite them afterwards. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

void scope_perf_ring_destroy(struct scope_perf_ring *ring)
{
	free(ring->joined);
	ring->joined = NULL;
}
