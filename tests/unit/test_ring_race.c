// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring under ThreadSanitizer: a writer, interrupts of the writer that also write, and a reader.
 *
 * The shims put C11 atomics in place of the kernel's, so the sanitizer knows what the ring orders, and
 * finds any record that the reader takes without such an order.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Where the kernel's ring has a compiler barrier, an interrupt comes. */
static void interrupt_here(void);
#define barrier() interrupt_here()
#include "../../kmod/ring.c"

#define HEADER 4096u
#define SUBBUF 4096u
#define COUNT 4u
#define RECORDS 200000u

static struct {
	struct scope_ring ring;
	u64 now_ns;
	u64 produced; /* by the interrupts, too */
	unsigned int barriers;
	volatile sig_atomic_t interrupted;
} writer;

static u8 *region;

static void notify(struct scope_ring *ring)
{
	(void)ring;
}

/* Size and contents follow from a seed that the record carries. */
static void put(u32 seed)
{
	u32 bytes = 16 + seed % 9 * 8, i;
	u32 *record;

	writer.produced += !writer.ring.stopped; /* from then on the ring ignores them */
	record = scope_ring_reserve(&writer.ring, SCOPE_RECORD_SWITCH, bytes, writer.now_ns);
	if (!record)
		return;
	record[1] = seed;
	for (i = 2; i < bytes / 4; i++)
		record[i] = seed ^ i;
	scope_ring_commit(&writer.ring, bytes);
}

static void interrupt(int number)
{
	(void)number;
	if (writer.interrupted)
		return;
	writer.interrupted = 1;
	put(7777);
	writer.interrupted = 0;
}

static void interrupt_here(void)
{
	if (!writer.interrupted && ++writer.barriers % 5 == 0)
		interrupt(0);
}

static bool done;

static void *write_all(void *unused)
{
	u32 i;

	(void)unused;
	for (i = 0; i < RECORDS; i++) {
		writer.now_ns += i % 300 ? 20 : 1ull << 28;
		put(i);
		if (i % 1000 == 999)
			scope_ring_force_thread(&writer.ring, i);
		if (i % 3001 == 0)
			scope_ring_close(&writer.ring);
	}
	scope_ring_stop(&writer.ring);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Every record of a sub-buffer is whole. Returns how many. */
static u64 check(const struct scope_subbuf *subbuf)
{
	const u8 *at = (const u8 *)(subbuf + 1), *end = (const u8 *)subbuf + subbuf->used_bytes;
	u64 records = 0;

	while (at < end) {
		const u32 *record = (const u32 *)at;
		u32 bytes = 8, i;

		if (scope_record_type(record[0]) == SCOPE_RECORD_TIME)
			bytes = SCOPE_RING_TIME_BYTES;
		if (scope_record_type(record[0]) == SCOPE_RECORD_SWITCH) {
			bytes = 16 + record[1] % 9 * 8;
			for (i = 2; i < bytes / 4; i++)
				assert_int_equal(record[i], record[1] ^ i);
			records++;
		}
		at += bytes;
	}
	assert_ptr_equal(at, end);
	return records;
}

static u64 read_new(struct scope_ring *ring, u64 *number)
{
	u64 head = smp_load_acquire(&ring->page->head), records = 0;

	for (; *number < head; ++*number) {
		const struct scope_subbuf *subbuf = (const void *)(region + HEADER + *number % COUNT * SUBBUF);

		assert_int_equal(subbuf->number, *number);
		records += check(subbuf);
		assert_int_equal(scope_ring_consume(ring, *number + 1), 0);
	}
	return records;
}

static void run(bool signals)
{
	struct scope_ring_page *page;
	u64 received = 0, number = 0, lost = 0;
	pthread_t thread;
	int i;

	memset(&writer, 0, sizeof(writer));
	done = false;
	region = aligned_alloc(4096, HEADER + COUNT * SUBBUF);
	memset(region, 0, HEADER + COUNT * SUBBUF);
	page = (struct scope_ring_page *)region;
	page->subbuf_bytes = SUBBUF;
	page->subbuf_count = COUNT;
	scope_ring_init(&writer.ring, page, region + HEADER, false, notify);
	writer.now_ns = 1;
	assert_int_equal(pthread_create(&thread, NULL, write_all, NULL), 0);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		received += read_new(&writer.ring, &number);
		if (signals)
			pthread_kill(thread, SIGUSR1);
	}
	pthread_join(thread, NULL);
	received += read_new(&writer.ring, &number);
	for (i = 0; i < SCOPE_LOST_REASONS; i++)
		lost += page->lost[i];
	assert_true(page->lost[SCOPE_LOST_NESTED] > RECORDS / 10);
	assert_int_equal(received, page->records);
	assert_int_equal(received + lost, writer.produced);
	free(region);
}

static void test_nested_events_are_lost_and_counted(void **state)
{
	(void)state;
	run(false);
}

/* Anywhere between two instructions, as a non-maskable interrupt comes. */
static void test_interrupts_anywhere(void **state)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	run(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_events_are_lost_and_counted),
		cmocka_unit_test(test_interrupts_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
