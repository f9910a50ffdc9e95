// SPDX-License-Identifier: GPL-2.0-only
/* Waits for locks: which threads held them and for how long, from traces with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <linux/futex.h>

#include "units_of.h"
#include "waits/locks.h"
#include "waits/pair_table.h"

#define CPUS 512 /* each thread has its own */

static char *text;
static size_t text_bytes;
static FILE *out;
static struct run run;
static struct scope_locks *locks;

static int setup(void **state)
{
	(void)state;
	out = open_memstream(&text, &text_bytes);
	fputs("meta begin_ns 0\nmeta end_ns 10000000000\nfd 10 7 accepted -\n", out);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_waits_locks_destroy(locks);
	locks = NULL;
	end_run(&run);
	free(text);
	return 0;
}

static void find(void)
{
	fclose(out);
	run = run_of(text);
	assert_int_equal(scope_waits_locks_create(run.distributions, run.groups, &locks), 0);
}

/* A thread of 10 takes a request, and waits in it. Times must not go back. */
static void sleeps(unsigned tid, uint64_t at_ns, const char *args)
{
	fprintf(out, "%llu %u syscall %u recvfrom enter=%llu ret=64 args=7\n", (unsigned long long)at_ns, tid % CPUS,
		tid, (unsigned long long)at_ns - 300);
	fprintf(out, "%llu %u enter %u futex enter=%llu args=%s\n", (unsigned long long)at_ns + 100, tid % CPUS, tid,
		(unsigned long long)at_ns + 50, args);
	fprintf(out, "%llu %u switch %u 0 sleeping\n", (unsigned long long)at_ns + 100, tid % CPUS, tid);
}

static void wakes(unsigned tid, unsigned waker, uint64_t at_ns, uint64_t address)
{
	fprintf(out, "%llu %u waking %u from %u task\n", (unsigned long long)at_ns, waker % CPUS, tid, waker);
	fprintf(out, "%llu %u syscall %u futex enter=%llu ret=1 args=0x%llx,0x81,1\n", (unsigned long long)at_ns,
		waker % CPUS, waker, (unsigned long long)at_ns - 10, (unsigned long long)address);
}

/* At most a moment later: events of one time may come in any order. */
static void returns(unsigned tid, uint64_t at_ns)
{
	at_ns += 1000;
	fprintf(out, "%llu %u switch 0 %u sleeping\n", (unsigned long long)at_ns, tid % CPUS, tid);
	fprintf(out, "%llu %u exit %u futex ret=0\n", (unsigned long long)at_ns, tid % CPUS, tid);
}

/* It gives back a lock, so that is one for it. */
static void begins(unsigned tid, uint64_t address)
{
	fprintf(out, "0 %u state %u tgid=10 state=runnable since=0 run=0 comm=worker on_cpu\n", tid % CPUS, tid);
	fprintf(out, "0 %u switch 0 %u sleeping\n", tid % CPUS, tid);
	fprintf(out, "0 %u syscall %u futex enter=0 ret=0 args=0x%llx,0x81,1\n", tid % CPUS, tid,
		(unsigned long long)address);
}

static const struct scope_thread *thread(uint32_t index)
{
	return scope_timeline_threads_at(run.distributions->run->timeline->threads, index);
}

/*
 * 10 waits for 1 ms, and 90 for 3 ms. 11 waits already as 10 has it at last, and until that gives it back 2 ms later. What
 * 12 and 11 have is not known to begin anywhere.
 */
static void waits_and_holds(void **state)
{
	uint64_t now_ns = 1000000;

	(void)state;
	for (unsigned tid = 10; tid < 13; tid++)
		begins(tid, 0x7000);
	for (unsigned i = 0; i < 100; i++, now_ns += 10000000) {
		const uint64_t wait_ns = i < 10 ? 1000000 : 3000000;

		sleeps(10, now_ns, "0x7000,0x80,2");
		sleeps(11, now_ns + 500000, "0x7000,0x80,2");
		wakes(10, 12, now_ns + wait_ns, 0x7000);
		returns(10, now_ns + wait_ns);
		wakes(11, 10, now_ns + wait_ns + 2000000, 0x7000);
		returns(11, now_ns + wait_ns + 2000000);
		/* Had it since, without a wait, and gave it back before: 11 began to wait too late to say. */
		sleeps(12, now_ns + 7000000, "0x7000,0x80,2");
		wakes(12, 11, now_ns + 8000000, 0x7000);
		returns(12, now_ns + 8000000);
	}
	find();
	assert_int_equal(locks->count, 1);
	assert_int_equal(locks->lock[0].kind, SCOPE_LOCK_MUTEX);
	assert_int_equal(locks->lock[0].address, 0x7000);
	assert_int_equal(locks->lock[0].waits, 300);
	assert_true(locks->lock[0].wait_ns == 10 * (999900 + 2499900.0) + 90 * (2999900 + 4499900.0) + 100 * 999900.0);
	assert_int_equal(locks->lock[0].waiters, 3);
	assert_int_equal(locks->lock[0].holders, 3);
	assert_int_equal(thread(locks->lock[0].most_waits)->tid, 11);
	assert_int_equal(thread(locks->lock[0].most_has)->tid, 10);
	assert_int_equal(locks->lock[0].hold.total, 100);
	assert_in_range(scope_sketch_quantile(&locks->lock[0].hold, 0), 1990000, 2010000);
	assert_in_range(locks->lock[0].hold.most, 1990000, 2000000);
}

/* Its holder gave it back, waited for it again and has it again before its waiter came to a CPU. */
static void late_waiter(void **state)
{
	(void)state;
	for (unsigned tid = 10; tid < 13; tid++)
		begins(tid, 0x7000);
	sleeps(11, 1000000, "0x7000,0x80,2");
	sleeps(10, 1500000, "0x7000,0x80,2");
	wakes(11, 12, 2000000, 0x7000);
	returns(11, 2000000);
	wakes(10, 11, 5000000, 0x7000);
	sleeps(11, 5100000, "0x7000,0x80,2");
	wakes(11, 12, 5200000, 0x7000);
	returns(11, 5200000);
	returns(10, 6000000);
	find();
	assert_int_equal(locks->count, 1);
	assert_int_equal(locks->lock[0].hold.total, 1);
	assert_in_range(scope_sketch_quantile(&locks->lock[0].hold, 0.5), 2990000, 3010000);
}

/* Three hundred threads on one lock: each wait is counted, and each thread. */
static void convoy(void **state)
{
	const unsigned threads = 300;

	(void)state;
	for (unsigned i = 0; i <= threads; i++)
		begins(1000 + i, 0x7000);
	for (unsigned i = 0; i < threads; i++)
		sleeps(1001 + i, 1000000 + i * 1000ull, "0x7000,0x80,2");
	for (unsigned i = 0; i < threads; i++) {
		wakes(1001 + i, 1000 + i, 2000000 + i * 1000000ull, 0x7000);
		returns(1001 + i, 2000000 + i * 1000000ull);
	}
	find();
	assert_int_equal(locks->count, 1);
	assert_int_equal(locks->lock[0].waits, threads);
	assert_int_equal(locks->lock[0].waiters, threads);
	assert_int_equal(locks->lock[0].waiters_alike, threads);
	assert_int_equal(locks->lock[0].hold.total, threads - 1);
	assert_in_range(scope_sketch_quantile(&locks->lock[0].hold, 0.5), 995000, 1005000);
	assert_int_equal(thread(locks->lock[0].most_waits)->tid, 1000 + threads);
}

/* The most are kept, all are added up, and two words of one object are one. */
static void many_locks(void **state)
{
	const unsigned count = 4 * SCOPE_LOCKS_KEPT;
	uint64_t now_ns = 1000000, sum_ns = 0;

	(void)state;
	begins(10, 0x7000);
	begins(11, 0x7000);
	for (unsigned i = 0; i < count; i++) {
		char args[64];

		snprintf(args, sizeof(args), "0x%x,0x80,2", 0x10000 + 8 * i);
		sleeps(10, now_ns, args);
		wakes(10, 11, now_ns + 100000 + i * 1000ull, 0x10000 + 8 * i);
		returns(10, now_ns + 100000 + i * 1000ull);
		sum_ns += 99900 + i * 1000ull;
		now_ns += 1000000 + i * 1000ull;
	}
	find();
	assert_int_equal(locks->futexes, count);
	assert_int_equal(locks->waits, count);
	assert_true(locks->wait_ns == (double)sum_ns);
	assert_int_equal(locks->count, SCOPE_LOCKS_KEPT);
	for (unsigned i = 0; i < SCOPE_LOCKS_KEPT; i++)
		assert_int_equal(locks->lock[i].address, 0x10000 + 8 * (count - 1 - i));
}

/* What the calls show; the two words of a reader-writer lock are one. */
static void kinds(void **state)
{
	static const struct {
		const char *args;
		enum scope_lock_kind kind;
	} of[] = {
		{ "0x7000,0x80,2", SCOPE_LOCK_MUTEX },
		{ "0x7100,0x86,0", SCOPE_LOCK_PI_MUTEX },
		{ "0x7208,0x189,3", SCOPE_LOCK_RWLOCK },
		{ "0x720c,0x189,3", SCOPE_LOCK_RWLOCK },
	};
	uint64_t now_ns = 1000000;

	(void)state;
	begins(10, 0x7208);
	begins(11, 0x7000);
	for (unsigned i = 0; i < 4; i++, now_ns += 10000000) {
		sleeps(10, now_ns, of[i].args);
		wakes(10, 11, now_ns + 1000000 * (5 - i), strtoull(of[i].args, NULL, 16));
		returns(10, now_ns + 1000000 * (5 - i));
	}
	find();
	assert_int_equal(locks->count, 3);
	assert_int_equal(locks->lock[0].kind, SCOPE_LOCK_MUTEX);
	assert_int_equal(locks->lock[1].kind, SCOPE_LOCK_RWLOCK);
	assert_int_equal(locks->lock[1].waits, 2);
	assert_int_equal(locks->lock[2].kind, SCOPE_LOCK_PI_MUTEX);
}

/* As sleeps(), of a thread that serves nobody. */
static void sleeps_alone(unsigned tid, uint64_t at_ns, const char *args)
{
	fprintf(out, "%llu %u enter %u futex enter=%llu args=%s\n", (unsigned long long)at_ns, tid % CPUS, tid,
		(unsigned long long)at_ns - 50, args);
	fprintf(out, "%llu %u switch %u 0 sleeping\n", (unsigned long long)at_ns, tid % CPUS, tid);
}

/*
 * Threads without requests. 10 and 11 take turns at a lock as Rust's library waits for one: each wait but the first counts,
 * because the thread that ends it has waited for it. 12 is given its work by 13 through such a word, and is idle.
 */
static void lock_by_bitset(void **state)
{
	uint64_t now_ns = 1000000;

	(void)state;
	for (unsigned tid = 10; tid < 14; tid++)
		begins(tid, 0x9000);
	for (unsigned i = 0; i < 100; i++, now_ns += 10000000) {
		sleeps_alone(10, now_ns, "0x7000,0x89,2");
		sleeps_alone(12, now_ns + 100000, "0x8000,0x89,2");
		wakes(10, 11, now_ns + 1000000, 0x7000);
		returns(10, now_ns + 1000000);
		sleeps_alone(11, now_ns + 2000000, "0x7000,0x89,2");
		wakes(11, 10, now_ns + 4000000, 0x7000);
		returns(11, now_ns + 4000000);
		wakes(12, 13, now_ns + 6000000, 0x8000);
		returns(12, now_ns + 6000000);
	}
	find();
	assert_int_equal(locks->futexes, 1);
	assert_int_equal(locks->count, 1);
	assert_int_equal(locks->lock[0].address, 0x7000);
	assert_int_equal(locks->lock[0].kind, SCOPE_LOCK_MUTEX);
	assert_int_equal(locks->lock[0].waits, 199);
}

static void operations(void **state)
{
	static const struct {
		uint64_t operation, value;
		enum scope_futex futex;
	} of[] = {
		{ FUTEX_WAIT_PRIVATE, 2, SCOPE_FUTEX_MUTEX },
		{ FUTEX_WAIT, 0x80000010, SCOPE_FUTEX_MUTEX },
		{ FUTEX_WAIT_PRIVATE, 0, SCOPE_FUTEX_EVENT },
		{ FUTEX_WAIT_PRIVATE, UINT32_MAX, SCOPE_FUTEX_EVENT },
		{ FUTEX_WAIT_BITSET_PRIVATE, UINT32_MAX, SCOPE_FUTEX_EVENT },
		{ FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, SCOPE_FUTEX_EVENT },
		{ FUTEX_WAIT_BITSET_PRIVATE, 3, SCOPE_FUTEX_RW },
		{ FUTEX_WAIT_BITSET_PRIVATE, 2, SCOPE_FUTEX_CONTENDED },
		{ FUTEX_WAIT_BITSET_PRIVATE, 4711, SCOPE_FUTEX_WORD },
		{ FUTEX_LOCK_PI_PRIVATE, 0, SCOPE_FUTEX_PI },
		{ FUTEX_WAIT_REQUEUE_PI_PRIVATE, 0, SCOPE_FUTEX_PI_CONDITION },
		{ FUTEX_WAKE_PRIVATE, 1, SCOPE_FUTEX_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const uint64_t arg[] = { 0x7000, of[i].operation, of[i].value };

		assert_int_equal(scope_timeline_futex_of(3, arg), of[i].futex);
		assert_int_equal(scope_timeline_futex_is_lock(3, arg),
				 of[i].futex == SCOPE_FUTEX_MUTEX || of[i].futex == SCOPE_FUTEX_PI);
	}
	assert_int_equal(scope_timeline_futex_of(1, (const uint64_t[]){ 0x7000 }), SCOPE_FUTEX_NONE);
}

/* No more than there is room for; those that are in it are found, the others not. */
static void pairs_are_bounded(void **state)
{
	struct scope_pair_table table = { .most = 1000 };
	uint32_t number;

	(void)state;
	assert_int_equal(scope_waits_pairs_find(&table, 1, 2), SCOPE_PAIR_NONE);
	for (uint64_t i = 0; i < 2000; i++) {
		assert_int_equal(scope_waits_pairs_add(&table, i % 7, i * 8, &number), 0);
		assert_int_equal(number, i < 1000 ? i : SCOPE_PAIR_NONE);
	}
	for (uint64_t i = 0; i < 2000; i++)
		assert_int_equal(scope_waits_pairs_find(&table, i % 7, i * 8), i < 1000 ? i : SCOPE_PAIR_NONE);
	assert_int_equal(table.count, 1000);
	scope_waits_pairs_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(waits_and_holds, setup, teardown),
		cmocka_unit_test_setup_teardown(late_waiter, setup, teardown),
		cmocka_unit_test_setup_teardown(convoy, setup, teardown),
		cmocka_unit_test_setup_teardown(many_locks, setup, teardown),
		cmocka_unit_test_setup_teardown(kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(lock_by_bitset, setup, teardown),
		cmocka_unit_test(operations),
		cmocka_unit_test(pairs_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
