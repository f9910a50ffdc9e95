// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write records into the module's ring, compiled for user space, and hand sub-buffers back as they fill.
 *
 * Prints ns per record, the best of some rounds: reserve, fill, commit and all of opening and closing,
 * without what calls it (tracepoint, clock, filter) and without another processor that reads.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../kmod/record.h"
#include "../../kmod/ring.c"

#define HEADER 4096u
#define SUBBUF (256u << 10)
#define COUNT 8u
#define RECORDS 2000000u
#define ROUNDS 15

void scope_ring_notify(struct scope_ring *ring)
{
	ring->page->tail = ring->page->head;
}

static void write_calls(struct scope_ring *ring, u64 begin_ns)
{
	const struct scope_call call = scope_call_of(39, SCOPE_ABI_NATIVE, 0);

	for (u32 i = 0; i < RECORDS; i++)
		scope_record_put_syscall(ring, begin_ns + i * 100ull, call, 60, 4711, NULL);
}

static void write_switches(struct scope_ring *ring, u64 begin_ns)
{
	for (u32 i = 0; i < RECORDS; i++)
		scope_record_put_switch(ring, begin_ns + i * 100ull, i, i);
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(const char *name, struct scope_ring *ring,
		    void (*write)(struct scope_ring *ring, u64 begin_ns))
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double begin = now_ns(), took;

		write(ring, ring->last_ns);
		took = (now_ns() - begin) / RECORDS;
		if (!round || took < best)
			best = took;
	}
	printf("%s %.2f ns\n", name, best);
}

int main(void)
{
	u8 *region = aligned_alloc(4096, HEADER + COUNT * SUBBUF);
	struct scope_ring_page *page = (struct scope_ring_page *)region;
	struct scope_ring ring;
	bool lost;

	if (!region)
		return 1;
	memset(region, 0, HEADER + COUNT * SUBBUF);
	page->subbuf_bytes = SUBBUF;
	page->subbuf_count = COUNT;
	scope_ring_init(&ring, page, region + HEADER, false);
	measure("ring_write_syscall_ns", &ring, write_calls);
	measure("ring_write_switch_ns", &ring, write_switches);
	lost = page->lost[SCOPE_LOST_FULL] != 0;
	free(region);
	return lost;
}
