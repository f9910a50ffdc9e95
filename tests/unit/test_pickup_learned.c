// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a thread waits for work, learned from its calls: in the queue of a pool to which other threads add work, but
 * not in a lock, and not for answers of peers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "units_of.h"

#define ROUNDS 20u
#define ROUND_NS 1000000u
#define WORD 0x2000

/* Of what was written into a memory stream. */
static struct run run_of_file(FILE *to, char **text)
{
	struct run run;

	assert_int_equal(fclose(to), 0);
	run = run_of(*text);
	free(*text);
	return run;
}

/* Thread tid sleeps in the futex from then on for half a round; thread by ends that. */
static void sleep_there(FILE *to, unsigned tid, unsigned t, unsigned by)
{
	const unsigned cpu = tid - 10;

	fprintf(to, "%u %u enter %u futex enter=%u args=%#x,0x189,0\n%u %u switch %u 0 sleeping\n", t, cpu, tid, t,
		WORD, t + 1000, cpu, tid);
	fprintf(to, "%u 2 waking %u from %u task\n%u %u switch 0 %u sleeping\n%u %u exit %u futex ret=0\n",
		t + ROUND_NS / 2, tid, by, t + ROUND_NS / 2 + 1000, cpu, tid, t + ROUND_NS / 2 + 2000, cpu, tid);
}

/*
 * Thread 10 sleeps in the futex in each round. In some rounds thread 11 does, too, and ends the sleep of the other one in these;
 * thread 12 does in the rest. In one round thread 10 wakes others from it. Its way to pick up work: nr.
 */
static uint16_t picks_up_by(unsigned by_others)
{
	struct run run;
	uint16_t nr;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nmeta end_ns %u\n", (2 * ROUNDS + 1) * ROUND_NS);
	for (unsigned tid = 10; tid <= 12; tid++)
		fprintf(to,
			"0 %u state %u tgid=10 state=runnable since=0 run=0 comm=worker on_cpu\n"
			"0 %u switch 0 %u sleeping\n",
			tid - 10, tid, tid - 10, tid);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const unsigned t = 2 * i * ROUND_NS + 1000;

		if (i < by_others)
			sleep_there(to, 11, t, 10);
		sleep_there(to, 10, t + ROUND_NS, i < by_others ? 11 : 12);
		if (!i)
			fprintf(to, "%u 0 syscall 10 futex enter=%u ret=1 args=%#x,0x81,1\n", t + ROUND_NS + 600000,
				t + ROUND_NS + 590000, WORD);
	}
	run = run_of_file(to, &text);
	nr = scope_unit_pickups_of(run.pickups, 0)->nr;
	end_run(&run);
	return nr;
}

static void a_pool_whose_threads_add_work_waits_in_its_queue(void **state)
{
	(void)state;
	assert_int_equal(picks_up_by(0), SYS_futex);
	assert_int_equal(picks_up_by(ROUNDS / 2 - 1), SYS_futex);
}

/* Half of its sleeps there, or more, are ended by threads that sleep there as well. */
static void threads_that_end_one_another_s_sleeps_share_a_lock(void **state)
{
	(void)state;
	assert_int_equal(picks_up_by(ROUNDS / 2), SCOPE_NR_NONE);
	assert_int_equal(picks_up_by(ROUNDS), SCOPE_NR_NONE);
}

/* A worker gets work from another thread by a pipe, asks a program by a pipe, and polls three times for each answer. Its way to pick up work: nr. */
static uint16_t asks_and_polls(unsigned asks)
{
	struct run run;
	uint16_t nr;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to,
		"meta begin_ns 0\nmeta end_ns %u\nfd 10 4 pipe -\nfd 10 5 pipe -\nfd 10 6 pipe -\nfd 10 7 datagram -\n"
		"0 0 state 10 tgid=10 state=runnable since=0 run=0 comm=worker on_cpu\n0 0 switch 0 10 sleeping\n"
		"0 1 state 11 tgid=10 state=runnable since=0 run=0 comm=receiver on_cpu\n0 1 switch 0 11 sleeping\n",
		(ROUNDS + 1) * ROUND_NS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned t = i * ROUND_NS + 1000;

		fprintf(to,
			"%u 0 enter 10 read enter=%u args=4\n%u 0 switch 10 0 sleeping\n%u 1 waking 10 from 11 task\n"
			"%u 0 switch 0 10 sleeping\n%u 0 exit 10 read ret=8\n",
			t, t, t + 1000, t + 300000, t + 301000, t + 302000);
		t += 310000;
		if (i < asks)
			fprintf(to, "%u 0 syscall 10 write enter=%u ret=30 args=5\n", t, t - 1000);
		for (unsigned poll = 0; poll < 3; poll++, t += 50000)
			fprintf(to,
				"%u 0 enter 10 poll enter=%u args=0x9000,1\n%u 0 switch 10 0 sleeping\n"
				"%u 0 waking 10 from - hardirq\n%u 0 switch 0 10 sleeping\n%u 0 exit 10 poll ret=1\n"
				"%u 0 syscall 10 read enter=%u ret=4 args=6\n",
				t + 1000, t + 1000, t + 2000, t + 30000, t + 31000, t + 32000, t + 34000, t + 33000);
		fprintf(to, "%u 0 syscall 10 sendto enter=%u ret=60 args=7\n", t + 1000, t);
	}
	run = run_of_file(to, &text);
	nr = scope_unit_pickups_of(run.pickups, 0)->nr;
	end_run(&run);
	return nr;
}

static void polls_for_a_peer_s_answer_take_no_work(void **state)
{
	(void)state;
	assert_int_equal(asks_and_polls(ROUNDS), SYS_read);
	assert_int_equal(asks_and_polls(ROUNDS / 2), SYS_read);
	/* Of fewer than half of them it is not known what they are for. */
	assert_int_equal(asks_and_polls(ROUNDS / 2 - 1), SYS_ppoll);
}

/* A thread answers one client with a connection, and then others by datagrams, in turns of one loop. */
static void answers_to_datagrams_count_after_one_to_a_connection(void **state)
{
	struct run run;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_non_null(to);
	fprintf(to,
		"meta begin_ns 0\nmeta end_ns %u\nfd 10 4 epoll -\nfd 10 5 datagram -\nfd 10 6 accepted -\n"
		"0 0 state 10 tgid=10 state=runnable since=0 run=0 comm=named on_cpu\n0 0 switch 0 10 sleeping\n",
		(ROUNDS + 1) * ROUND_NS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const unsigned t = i * ROUND_NS + 1000, fd = i ? 5 : 6;

		fprintf(to,
			"%u 0 enter 10 epoll_wait enter=%u args=4\n%u 0 switch 10 0 sleeping\n%u 0 waking 10 from - hardirq\n"
			"%u 0 switch 0 10 sleeping\n%u 0 exit 10 epoll_wait ret=1\n"
			"%u 0 syscall 10 recvfrom enter=%u ret=40 args=%u\n%u 0 syscall 10 sendto enter=%u ret=90 args=%u\n",
			t, t, t + 1000, t + 300000, t + 301000, t + 302000, t + 304000, t + 303000, fd, t + 320000,
			t + 310000, fd);
	}
	run = run_of_file(to, &text);
	assert_true(scope_unit_pickups_of(run.pickups, 0)->reads);
	assert_true(scope_unit_pickups_of(run.pickups, 0)->datagrams);
	end_run(&run);
}

/*
 * A thread sleeps for what comes by a connection that its process made, half of the time 100 us and else 100 times as long: in the reads, or in
 * polls before them, of which every fifth times out. In a process with clients another thread answers one. Its way to pick up work: nr.
 */
static uint16_t gets_from_its_own(bool clients, bool polls)
{
	struct run run;
	uint16_t nr;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to,
		"meta begin_ns 0\nmeta end_ns %u\nfd 10 5 connected -\nfd 10 6 accepted -\n"
		"0 0 state 10 tgid=10 state=runnable since=0 run=0 comm=worker on_cpu\n0 0 switch 0 10 sleeping\n"
		"0 1 state 11 tgid=10 state=runnable since=0 run=0 comm=other on_cpu\n0 1 switch 0 11 sleeping\n",
		20 * (ROUNDS + 1) * ROUND_NS);
	if (clients)
		fprintf(to, "900 1 syscall 11 write enter=800 ret=9 args=6\n");
	for (unsigned i = 0; i < ROUNDS; i++) {
		const unsigned t = 20 * i * ROUND_NS + 1000, wake = t + (i % 2 ? 10000000 : 100000);
		const char *name = polls ? "poll" : "recvfrom", *args = polls ? "0x9000,1" : "5";

		fprintf(to,
			"%u 0 enter 10 %s enter=%u args=%s\n%u 0 switch 10 0 sleeping\n%u 0 waking 10 from - softirq\n"
			"%u 0 switch 0 10 sleeping\n%u 0 exit 10 %s ret=%d\n",
			t, name, t, args, t + 1000, wake, wake + 1000, wake + 2000, name, !polls || i % 5 ? 1 : 0);
	}
	run = run_of_file(to, &text);
	nr = scope_unit_pickups_of(run.pickups, 0)->nr;
	assert_int_equal(scope_unit_pickups_of(run.pickups, 0)->jobs, !clients);
	end_run(&run);
	return nr;
}

static void jobs_come_by_a_connection_that_a_process_without_clients_made(void **state)
{
	(void)state;
	assert_int_equal(gets_from_its_own(false, false), SYS_recvfrom);
	assert_int_equal(gets_from_its_own(true, false), SCOPE_NR_NONE);
}

static void jobs_come_after_polls_as_well(void **state)
{
	(void)state;
	assert_int_equal(gets_from_its_own(false, true), SYS_ppoll);
	assert_int_equal(gets_from_its_own(true, true), SYS_ppoll);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_whose_threads_add_work_waits_in_its_queue),
		cmocka_unit_test(threads_that_end_one_another_s_sleeps_share_a_lock),
		cmocka_unit_test(polls_for_a_peer_s_answer_take_no_work),
		cmocka_unit_test(answers_to_datagrams_count_after_one_to_a_connection),
		cmocka_unit_test(jobs_come_by_a_connection_that_a_process_without_clients_made),
		cmocka_unit_test(jobs_come_after_polls_as_well),
	};

	return cmocka_run_group_tests_name("pickup_learned", tests, NULL, NULL);
}
