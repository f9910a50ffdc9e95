// SPDX-License-Identifier: GPL-2.0-only
/* Which threads serve clients: also those that give work to such a thread, if it is known where they wait for work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/thread_stats.h"
#include "units_of.h"

#define ROUNDS 40u
#define ROUND_NS 1000000u

/*
 * Thread 10 waits in epoll, is woken by thread 11 in each round, then reads from a client and answers. Thread 11 waits for its work in a futex:
 * the same one each time, or another one. Before that it wakes others by a number of futexes.
 */
static bool helper_serves(bool same, unsigned wakes)
{
	struct run run;
	size_t size;
	char *text;
	bool serves;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to,
		"meta begin_ns 0\nmeta end_ns %u\nfd 10 4 epoll -\nfd 10 7 accepted -\n"
		"0 0 state 10 tgid=10 state=runnable since=0 run=0 comm=loop on_cpu\n0 0 switch 0 10 sleeping\n"
		"0 1 state 11 tgid=10 state=runnable since=0 run=0 comm=helper on_cpu\n0 1 switch 0 11 sleeping\n",
		(ROUNDS + 1) * ROUND_NS);
	for (unsigned i = 0; i < wakes; i++)
		fprintf(to, "%u 1 syscall 11 futex enter=%u ret=1 args=%#x,0x81,1\n", 2 * i + 2, 2 * i + 1,
			0x8000 + 64 * i);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const unsigned t = i * ROUND_NS, word = same ? 0x2000 : 0x2000 + 64 * i;

		fprintf(to, "%u 0 enter 10 epoll_wait enter=%u args=4\n%u 0 switch 10 0 sleeping\n", t + 1000, t + 1000,
			t + 2000);
		fprintf(to, "%u 1 enter 11 futex enter=%u args=%#x,0x189,0\n%u 1 switch 11 0 sleeping\n", t + 3000,
			t + 3000, word, t + 4000);
		fprintf(to, "%u 0 waking 11 from - hardirq\n%u 1 switch 0 11 sleeping\n%u 1 exit 11 futex ret=0\n",
			t + 500000, t + 501000, t + 502000);
		fprintf(to, "%u 1 waking 10 from 11 task\n%u 0 switch 0 10 sleeping\n%u 0 exit 10 epoll_wait ret=1\n",
			t + 600000, t + 601000, t + 602000);
		fprintf(to,
			"%u 0 syscall 10 read enter=%u ret=64 args=7\n%u 0 syscall 10 write enter=%u ret=64 args=7\n",
			t + 605000, t + 604000, t + 700000, t + 699000);
	}
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	assert_true(scope_unit_pickups_serves(run.pickups, 0));
	serves = scope_unit_pickups_serves(run.pickups, 1);
	end_run(&run);
	return serves;
}

static void who_passes_work_on_serves(void **state)
{
	(void)state;
	assert_true(helper_serves(true, 0));
}

/* How long it sleeps may be what it does between jobs: collectors of garbage sleep here and there. */
static void who_picks_up_work_nowhere_serves_nobody(void **state)
{
	(void)state;
	assert_false(helper_serves(false, 0));
}

/* The futexes by which a thread only wakes others leave room for the one in which it waits. */
static void who_wakes_many_picks_up_work_as_well(void **state)
{
	(void)state;
	assert_true(helper_serves(true, 2 * SCOPE_THREAD_STATS_KEYS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_passes_work_on_serves),
		cmocka_unit_test(who_picks_up_work_nowhere_serves_nobody),
		cmocka_unit_test(who_wakes_many_picks_up_work_as_well),
	};

	return cmocka_run_group_tests_name("pickup_serves", tests, NULL, NULL);
}
