// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures for how long a sample of a stack delays a thread.
 *
 * Perf records when a sample began and not when it ended. A request that takes as long as one sample would look slow
 * because it was sampled, and the usual times would be wrong. So before a capture the program takes samples of itself
 * while it only reads the clock. If a sample falls between two readings, their distance is the time of that sample,
 * interrupt included.
 */
#include "perf/cost.h"

#include <alloca.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/now.h"
#include "perf/parse.h"
#include "perf/ring.h"

#define PERIOD_NS 303000u
#define SAMPLES 41    /* as many as are taken … */
#define SAMPLES_MIN 9 /* … and the fewest that are enough */
#define ROUND_NS 5000000u
#define ROUNDS 30	      /* limit for a busy host, where the thread may get little CPU time */
#define GAP_MIN_NS 500u	      /* two consecutive readings without a sample are some tens of ns apart */
#define GAPS 1024	      /* the most gaps of one round */
#define RING_BYTES (1u << 20) /* room for a round's largest stacks */

/* Two consecutive readings of the clock that are far apart. */
struct gap {
	uint64_t begin_ns, end_ns;
};

/* Reads the clock with a stack that is as deep as the copy, so that the whole length is copied. */
static __attribute__((noinline)) size_t spin(size_t stack_bytes, struct gap gap[GAPS])
{
	volatile char *const deep = alloca(stack_bytes + 1);
	const uint64_t begin_ns = scope_now_ns();
	uint64_t last_ns = begin_ns, time_ns;
	size_t gaps = 0;

	for (size_t i = 0; i <= stack_bytes; i += 64)
		deep[i] = 1;
	while (last_ns - begin_ns < ROUND_NS && gaps < GAPS) {
		time_ns = scope_now_ns();
		if (time_ns - last_ns >= GAP_MIN_NS)
			gap[gaps++] = (struct gap){ last_ns, time_ns };
		last_ns = time_ns;
	}
	return gaps;
}

/*
 * Appends the lengths of the gaps that contain a sample's time to the `count` lengths so far. Gaps and samples are in
 * order of time.
 */
static size_t match(struct scope_perf_ring *ring, const struct gap *gap, size_t gaps, uint64_t length[SAMPLES],
		    size_t count)
{
	const uint8_t *data;
	size_t at = 0, bytes;

	scope_perf_ring_look(ring);
	while (scope_perf_ring_peek(ring, &data, &bytes) == 1) {
		const uint64_t time_ns = scope_perf_record_time(data, bytes);

		while (at < gaps && gap[at].end_ns < time_ns)
			at++;
		if (at < gaps && gap[at].begin_ns <= time_ns && count < SAMPLES)
			length[count++] = gap[at].end_ns - gap[at].begin_ns;
		scope_perf_ring_step(ring, bytes);
	}
	scope_perf_ring_release(ring);
	return count;
}

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static uint32_t median_gap(struct scope_perf_ring *ring, size_t stack_bytes)
{
	uint64_t length[SAMPLES];
	struct gap gap[GAPS];
	size_t count = 0;

	for (int round = 0; round < ROUNDS && count < SAMPLES; round++)
		count = match(ring, gap, spin(stack_bytes, gap), length, count);
	if (count < SAMPLES_MIN)
		return 0;
	qsort(length, count, sizeof(*length), compare);
	return length[count / 2] < UINT32_MAX ? (uint32_t)length[count / 2] : 0;
}

uint32_t scope_perf_cost_measure(const struct perf_event_attr *sample)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = *sample;
	struct scope_perf_ring ring = { .bytes = RING_BYTES };
	uint32_t cost_ns = 0;
	int fd;

	attr.sample_period = PERIOD_NS;
	attr.wakeup_watermark = RING_BYTES;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return 0;
	ring.page = mmap(NULL, page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring.page != MAP_FAILED) {
		ring.data = (uint8_t *)ring.page + page;
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		cost_ns = median_gap(&ring, attr.sample_stack_user);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		scope_perf_ring_destroy(&ring);
		munmap(ring.page, page + RING_BYTES);
	}
	close(fd);
	return cost_ns;
}
