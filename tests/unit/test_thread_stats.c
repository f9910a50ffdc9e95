// SPDX-License-Identifier: GPL-2.0-only
/* Where a thread waits for work that has a queue, and polls for answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "unit/thread_stats.h"

#define QUEUE 5
#define SET 0x9000

/*
 * A thread that slept ten times in a pipe, of which others of its process ended five, and polled 100 times, half of them for an answer. It
 * slept in all of these.
 */
static struct scope_thread_stats worker(void)
{
	struct scope_thread_stats stats = {
		.polls = 100, .slept_polls = 100, .asked_polls = 50, .waits = 110, .keys = 2
	};

	stats.key[0] = (struct scope_wait_key){ .nr = SYS_read, .object = QUEUE, .count = 10, .handed = 5 };
	stats.key[1] = (struct scope_wait_key){ .nr = SYS_ppoll, .object = SET, .count = 100 };
	return stats;
}

static struct scope_pickup decide(const struct scope_thread_stats *stats)
{
	struct scope_pickup pickup = { .nr = SCOPE_NR_NONE };

	scope_unit_thread_stats_decide(stats, false, &pickup);
	return pickup;
}

static void assert_queue(const struct scope_thread_stats *stats)
{
	const struct scope_pickup pickup = decide(stats);

	assert_int_equal(pickup.nr, SYS_read);
	assert_int_equal(pickup.object, QUEUE);
	assert_false(pickup.any_object);
}

static void assert_poll(const struct scope_thread_stats *stats)
{
	const struct scope_pickup pickup = decide(stats);

	assert_int_equal(pickup.nr, SYS_ppoll);
	assert_true(pickup.any_object);
}

static void test_polls_for_answers(void **state)
{
	struct scope_thread_stats stats = worker();

	(void)state;
	assert_queue(&stats);
	stats.asked_polls = 49;
	assert_poll(&stats);
}

/* Half of its polls time out, and it gets work as often as it polls. */
static void test_polls_to_pause(void **state)
{
	struct scope_thread_stats stats = worker();

	(void)state;
	stats.polls = stats.key[1].count = 10;
	stats.asked_polls = 0;
	stats.vain_polls = 5;
	stats.key[0] = (struct scope_wait_key){ .nr = SYS_futex, .object = QUEUE, .count = 20, .handed = 10 };
	assert_int_equal(decide(&stats).nr, SYS_futex);
	stats.vain_polls = 4;
	assert_poll(&stats);
	stats.vain_polls = 5;
	stats.key[0].handed = 9;
	stats.key[0].count = 18;
	assert_poll(&stats);
}

/* It hardly ever sleeps in its polls: it looks there if something has come. */
static void test_polls_to_look(void **state)
{
	struct scope_thread_stats stats = worker();

	(void)state;
	stats.asked_polls = 0;
	stats.slept_polls = 5;
	assert_queue(&stats);
	stats.slept_polls = 6;
	assert_poll(&stats);
}

static void test_handed(void **state)
{
	struct scope_thread_stats stats = worker();

	(void)state;
	stats.key[0].handed = 4;
	assert_poll(&stats);
	stats.key[0].count = 8;
	assert_poll(&stats);
	stats.key[0].handed = 5;
	assert_queue(&stats);
	stats.key[0].count = 11;
	assert_poll(&stats);
}

static void test_other_waits(void **state)
{
	struct scope_thread_stats stats = worker();

	(void)state;
	/* A futex from which it wakes others: a lock, if these end at least half of its sleeps there. */
	stats.key[0].nr = SYS_futex;
	stats.key[0].woke = 1;
	stats.key[0].shared = 3;
	assert_poll(&stats);
	stats.key[0].shared = 2;
	assert_int_equal(decide(&stats).nr, SYS_futex);
	/* What it reads from clients after its polls is work. */
	stats = worker();
	stats.reads = 100;
	stats.key[1].taken = 100;
	assert_poll(&stats);
	/* A loop around an epoll may ask peers before each. */
	stats = worker();
	stats.epolls = 1;
	assert_int_equal(decide(&stats).nr, SYS_epoll_pwait);
}

/* A loop that waits in a select, and looks into an epoll in each turn: 21 times as much work after the select. */
static void test_epolls_aside(void **state)
{
	struct scope_thread_stats stats = { .epolls = 100, .polls = 100, .waits = 100, .keys = 2 };

	(void)state;
	stats.key[0] = (struct scope_wait_key){ .nr = SYS_epoll_pwait, .object = 8, .count = 100 };
	stats.key[1] = (struct scope_wait_key){ .nr = SYS_pselect6, .object = 7, .count = 100, .taken = 1 };
	assert_poll(&stats);
	stats.key[1].taken = 0;
	assert_int_equal(decide(&stats).nr, SYS_epoll_pwait);
	stats.key[0].taken = 1;
	stats.key[1].taken = 21;
	assert_poll(&stats);
	stats.key[1].taken = 20;
	assert_int_equal(decide(&stats).nr, SYS_epoll_pwait);
}

/* A server of datagrams whose thread also has clients with connections, as a name server has. */
static void test_datagrams_beside_connections(void **state)
{
	struct scope_thread_stats stats = { .epolls = 100, .reads = 50, .datagrams = 200, .replies = 50 };

	(void)state;
	assert_true(decide(&stats).datagrams);
	assert_true(decide(&stats).reads);
	stats.replies = 49;
	assert_false(decide(&stats).datagrams);
	stats.reads = 49;
	assert_false(decide(&stats).datagrams);
	stats.datagrams = 199;
	assert_true(decide(&stats).datagrams);
	/* With fewer than five answers it serves nobody by them. */
	stats = (struct scope_thread_stats){ .epolls = 100, .datagrams = 4, .replies = 4 };
	assert_false(decide(&stats).datagrams);
}

/* A loop that polls for work and until there is room to write: as many answers as requests follow. More than twice as many: it is within requests. */
static void test_polls_for_both(void **state)
{
	struct scope_thread_stats stats = {
		.polls = 400, .slept_polls = 200, .reads = 200, .inner_polls = 110, .keys = 2
	};

	(void)state;
	stats.key[0] =
		(struct scope_wait_key){ .nr = SYS_ppoll, .object = SET, .count = 300, .inner = 90, .taken = 100 };
	stats.key[1] =
		(struct scope_wait_key){ .nr = SYS_ppoll, .object = SET + 64, .count = 100, .inner = 20, .taken = 10 };
	assert_int_equal(decide(&stats).foreigns, 0);
	stats.key[1].inner = 21;
	assert_int_equal(decide(&stats).foreigns, 1);
	assert_int_equal(decide(&stats).foreign[0].object, SET + 64);
}

/* It slept 100 times for jobs of its connection: that often about as long as the median, and else much shorter or longer. */
static struct scope_thread_stats gets_jobs(unsigned alike)
{
	struct scope_thread_stats stats = { .waits = 100, .owns = 1 };

	stats.own[0] = (struct scope_own_reads){ .fd = QUEUE, .nr = SYS_recvfrom, .sleeps = 100 };
	stats.own[0].length[19] = stats.own[0].length[21] = 10;
	stats.own[0].length[20] = alike - 20;
	stats.own[0].length[18] = (100 - alike) / 2;
	stats.own[0].length[22] = 100 - alike - (100 - alike) / 2;
	return stats;
}

static void assert_jobs(const struct scope_thread_stats *stats, bool jobs)
{
	const struct scope_pickup pickup = decide(stats);

	assert_int_equal(pickup.jobs, jobs);
	assert_int_equal(pickup.nr == SYS_recvfrom && pickup.object == QUEUE, jobs);
	assert_false(jobs && pickup.any_object);
}

/* Times between arrivals vary, answers of a peer hardly do. */
static void test_jobs_arrive(void **state)
{
	struct scope_thread_stats stats = gets_jobs(74);

	(void)state;
	assert_jobs(&stats, true);
	stats = gets_jobs(75);
	assert_jobs(&stats, false);
}

static void test_few_jobs(void **state)
{
	struct scope_thread_stats stats = gets_jobs(60);

	(void)state;
	stats.own[0] = (struct scope_own_reads){
		.fd = QUEUE, .nr = SYS_recvfrom, .sleeps = 10, .length = { [10] = 5, [20] = 5 }
	};
	assert_jobs(&stats, true);
	stats.own[0].sleeps = 9;
	stats.own[0].length[10] = 4;
	assert_jobs(&stats, false);
}

/* The shortest and the longest times that are counted have one neighbour. */
static void test_jobs_at_the_ends(void **state)
{
	struct scope_thread_stats stats = gets_jobs(60);

	(void)state;
	for (unsigned median = 0; median < SCOPE_THREAD_STATS_GAPS; median += SCOPE_THREAD_STATS_GAPS - 1) {
		stats.own[0] = (struct scope_own_reads){ .fd = QUEUE, .nr = SYS_recvfrom, .sleeps = 100 };
		stats.own[0].length[median] = 74;
		stats.own[0].length[SCOPE_THREAD_STATS_GAPS / 2] = 26;
		assert_jobs(&stats, true);
	}
}

/* A library may poll before each read; the threads of Ruby also hand on a lock, in a futex of their own each. */
static void test_jobs_by_polls(void **state)
{
	struct scope_thread_stats stats = gets_jobs(74);

	(void)state;
	stats.polls = stats.slept_polls = stats.asked_polls = 100;
	stats.own[0].nr = SYS_ppoll;
	stats.keys = 1;
	stats.key[0] = (struct scope_wait_key){ .nr = SYS_futex, .object = SET, .count = 1000, .handed = 1000 };
	assert_poll(&stats);
	assert_true(decide(&stats).jobs);
	stats.own[0].length[18]--;
	stats.own[0].length[20]++;
	assert_false(decide(&stats).jobs);
	assert_int_equal(decide(&stats).nr, SYS_futex);
}

/* A server's own connections lead to peers that it asks. */
static void test_no_jobs_of_a_server(void **state)
{
	const struct scope_thread_stats stats = gets_jobs(60);
	struct scope_pickup pickup = { .nr = SCOPE_NR_NONE };

	(void)state;
	scope_unit_thread_stats_decide(&stats, true, &pickup);
	assert_int_equal(pickup.nr, SCOPE_NR_NONE);
	assert_false(pickup.jobs);
}

/* A worker also sleeps elsewhere, in the middle of jobs. */
static void test_most_frequent_jobs(void **state)
{
	struct scope_thread_stats stats = gets_jobs(60);

	(void)state;
	stats.keys = 1;
	stats.key[0] = (struct scope_wait_key){ .nr = SYS_clock_nanosleep, .count = 99 };
	assert_jobs(&stats, true);
	stats.key[0].count = 100;
	assert_jobs(&stats, false);
	assert_int_equal(decide(&stats).nr, SYS_clock_nanosleep);
	stats.own[1] = stats.own[0];
	stats.own[1].fd = QUEUE + 1;
	stats.own[1].sleeps = 101;
	stats.own[1].length[22]++;
	stats.owns = 2;
	assert_int_equal(decide(&stats).object, QUEUE + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_polls_for_answers),
		cmocka_unit_test(test_polls_to_pause),
		cmocka_unit_test(test_polls_to_look),
		cmocka_unit_test(test_handed),
		cmocka_unit_test(test_datagrams_beside_connections),
		cmocka_unit_test(test_polls_for_both),
		cmocka_unit_test(test_other_waits),
		cmocka_unit_test(test_epolls_aside),
		cmocka_unit_test(test_jobs_arrive),
		cmocka_unit_test(test_few_jobs),
		cmocka_unit_test(test_jobs_at_the_ends),
		cmocka_unit_test(test_jobs_by_polls),
		cmocka_unit_test(test_no_jobs_of_a_server),
		cmocka_unit_test(test_most_frequent_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
