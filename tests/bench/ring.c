// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write records into the module's ring, compiled for user space, and hand sub-buffers back as they fill.
 *
 * Prints ns of CPU time per record, the median of some rounds: reserve, fill, commit and all of opening
 * and closing, without what calls it (tracepoint, clock, filter) and without another processor that
 * reads. On 1, 2, 4... processors at once, each of which writes to a ring of its own.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../../kmod/record.h"
#include "../../kmod/ring.c"

#define HEADER 4096u
#define SUBBUF (256u << 10)
#define COUNT 8u
#define RECORDS 200000u
#define ROUNDS 101
#define THREADS 64

static void notify(struct scope_ring *ring)
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

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* What one thread has: nothing of it is another's. */
struct writer {
	struct scope_ring ring;
	void (*write)(struct scope_ring *ring, u64 begin_ns);
	pthread_barrier_t *same_cause;
	double ns[ROUNDS];
	bool lost;
} __attribute__((aligned(128)));

static void *run(void *arg)
{
	u8 *region = aligned_alloc(4096, HEADER + COUNT * SUBBUF);
	struct scope_ring_page *page = (struct scope_ring_page *)region;
	struct writer *writer = arg;

	if (!region)
		exit(1);
	memset(region, 0, HEADER + COUNT * SUBBUF);
	page->subbuf_bytes = SUBBUF;
	page->subbuf_count = COUNT;
	scope_ring_init(&writer->ring, page, region + HEADER, false, notify);
	pthread_barrier_wait(writer->same_cause);
	for (int round = 0; round < ROUNDS; round++) {
		double begin = now_ns();

		writer->write(&writer->ring, writer->ring.last_ns);
		writer->ns[round] = (now_ns() - begin) / RECORDS;
	}
	writer->lost = page->lost[SCOPE_LOST_FULL] != 0;
	free(region);
	return NULL;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The rounds of all threads, the median of them. */
static bool measure(const char *name, void (*write)(struct scope_ring *ring, u64 begin_ns), int threads)
{
	static struct writer writers[THREADS];
	static double ns[THREADS * ROUNDS];
	pthread_t ids[THREADS];
	pthread_barrier_t same_cause;
	bool lost = false;

	pthread_barrier_init(&same_cause, NULL, (unsigned int)threads);
	for (int i = 0; i < threads; i++) {
		writers[i].write = write;
		writers[i].same_cause = &same_cause;
		if (pthread_create(&ids[i], NULL, run, &writers[i]))
			exit(1);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		memcpy(ns + i * ROUNDS, writers[i].ns, sizeof(writers[i].ns));
		lost |= writers[i].lost;
	}
	pthread_barrier_destroy(&same_cause);
	qsort(ns, (size_t)(threads * ROUNDS), sizeof(*ns), ascending);
	if (threads == 1)
		printf("%s %.2f ns\n", name, ns[ROUNDS / 2]);
	else
		printf("%s_of_%d_threads %.2f ns\n", name, threads, ns[threads * ROUNDS / 2]);
	return lost;
}

int main(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	bool lost = false;

	for (int threads = 1; threads <= THREADS && threads <= processors; threads *= 2) {
		lost |= measure("ring_write_syscall_ns", write_calls, threads);
		lost |= measure("ring_write_switch_ns", write_switches, threads);
	}
	return lost;
}
