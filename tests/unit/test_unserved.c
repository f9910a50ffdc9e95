// SPDX-License-Identifier: GPL-2.0-only
/* Threads that sleep while clients wait: when it is the fault of the thread, and when not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/kept_waiting.h"
#include "anomaly/unserved.h"
#include "units_of.h"

#define MS 1000000ull

static struct run run;
static struct scope_unserved *unserved;
static size_t count;

/* A window of 9 s whose only thread at first is 10, of process 10; FDs 3 and 7 are a listener and a client of it. */
static void begin(const char *rest)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 "meta begin_ns 1000000000\nmeta end_ns 9000000000\nthread 10 10 server\n"
		 "fd 10 3 listen socket:[53]\nfd 10 7 accepted socket:[57]\n%s",
		 rest);
	run = run_of(text);
	assert_int_equal(scope_anomaly_unserved_find(run.units->timeline, &unserved, &count), 0);
}

static void end(void)
{
	free(unserved);
	end_run(&run);
}

static bool is_to_blame(uint32_t tid)
{
	const struct scope_thread *thread = thread_of(run.units, tid);
	const struct scope_unserved *of = scope_anomaly_unserved_of(unserved, count, thread->tgid);

	return of && scope_anomaly_unserved_by(of, run.units, run.pickups, thread->index);
}

static void clients_wait_after_three_seconds_up_to_the_end(void **state)
{
	(void)state;
	begin("meta waiting_bytes.0 8900000000 5900000000 57 64 0\n");
	assert_int_equal(count, 1);
	assert_int_equal(unserved[0].tgid, 10);
	assert_int_equal(unserved[0].unread, 1);
	assert_int_equal(unserved[0].backlog, 0);
	assert_int_equal(unserved[0].since_ns, 5900 * MS);
	end();
	/* One ns shorter; ended before; of another socket; no row of the right kind. */
	begin("meta waiting_bytes.0 8900000000 5900000001 57 64 0\n");
	assert_int_equal(count, 0);
	end();
	begin("meta waiting_bytes.0 7499999999 1000000000 57 64 0\n");
	assert_int_equal(count, 0);
	end();
	begin("meta waiting_bytes.0 7500000000 1000000000 57 64 0\n");
	assert_int_equal(count, 1);
	end();
	begin("meta waiting_bytes.0 8900000000 1000000000 58 64 0\n");
	assert_int_equal(count, 0);
	end();
	begin("meta backlog.0 8900000000 1000000000 57 64 0\n");
	assert_int_equal(count, 0);
	end();
	begin("meta backlog.0 8900000000 1000000000 53 2 128\nmeta waiting_bytes.0 8900000000 2000000000 57 64 0\n");
	assert_int_equal(count, 1);
	assert_int_equal(unserved[0].backlog, 2);
	assert_int_equal(unserved[0].since_ns, 1000 * MS);
	end();
}

#define UNREAD "meta waiting_bytes.0 8900000000 5000000000 57 64 0\n"
#define BACKLOG "meta backlog.0 8900000000 5000000000 53 2 128\n"
#define ASLEEP(tid, call, since)                                                                                       \
	"1000000000 0 state " tid " tgid=10 state=sleeping nr=" call " since=" since " run=0 comm=server args=5,0,0,0\n"

static void the_only_thread_is_to_blame_if_it_slept_all_the_time(void **state)
{
	(void)state;
	begin(UNREAD ASLEEP("10", "poll", "900000000"));
	assert_true(is_to_blame(10));
	end();
	begin(UNREAD ASLEEP("10", "wait4", "900000000"));
	assert_true(is_to_blame(10));
	end();
	begin(BACKLOG ASLEEP("10", "wait4", "900000000"));
	assert_true(is_to_blame(10));
	end();
	/* A parent of those that serve has the listening socket, too, but no clients. */
	begin(BACKLOG
	      "thread 12 12 server\nfd 12 3 listen socket:[53]\n"
	      "1000000000 0 state 12 tgid=12 state=sleeping nr=wait4 since=900000000 run=0 comm=server args=5,0,0,0\n");
	assert_int_equal(count, 2);
	assert_false(is_to_blame(12));
	end();
	begin(BACKLOG ASLEEP("10", "poll", "900000000"));
	assert_true(is_to_blame(10));
	end();
	/* It slept only since a ns later. */
	begin(UNREAD "1000000000 0 switch 0 10 sleeping\n5000000002 0 enter 10 poll enter=5000000001 args=5,0,0,0\n"
		     "5000000002 0 switch 10 0 sleeping\n");
	assert_false(is_to_blame(10));
	end();
}

/* Naps of 1 s from the window's begin on; the first one ends, and the next begins, after the clients began to wait. */
static void naps_that_began_with_the_window_began_before_it(void **state)
{
	static const char naps[] =
		"meta waiting_bytes.0 8900000000 1000000000 57 64 0\n"
		"1000000000 0 switch 0 10 sleeping\n"
		"1900000000 0 enter 10 nanosleep enter=1900000000 args=0x7000,0\n1900000000 0 switch 10 0 sleeping\n"
		"2900000000 0 waking 10 from - hardirq\n2900000000 0 switch 0 10 sleeping\n2900000000 0 exit 10 nanosleep ret=0\n"
		"2900000100 0 enter 10 nanosleep enter=2900000100 args=0x7000,0\n2900000100 0 switch 10 0 sleeping\n"
		"3900000000 0 waking 10 from - hardirq\n3900000000 0 switch 0 10 sleeping\n3900000000 0 exit 10 nanosleep ret=0\n"
		"3900000100 0 enter 10 nanosleep enter=3900000100 args=0x7000,0\n3900000100 0 switch 10 0 sleeping\n"
		"4900000000 0 waking 10 from - hardirq\n4900000000 0 switch 0 10 sleeping\n4900000000 0 exit 10 nanosleep ret=0\n"
		"4900000100 0 enter 10 nanosleep enter=4900000100 args=0x7000,0\n4900000100 0 switch 10 0 sleeping\n";

	(void)state;
	begin(naps);
	assert_true(is_to_blame(10));
	end();
}

static void another_thread_may_be_to_blame_instead(void **state)
{
	(void)state;
	/* Threads in futexes and timers often serve nobody. */
	begin(UNREAD ASLEEP("10", "poll", "900000000") ASLEEP("11", "futex", "900000000"));
	assert_true(is_to_blame(10));
	assert_false(is_to_blame(11));
	end();
	begin(UNREAD ASLEEP("10", "poll", "900000000") ASLEEP("11", "read", "900000000"));
	assert_false(is_to_blame(10));
	assert_false(is_to_blame(11));
	end();
	begin(UNREAD ASLEEP(
		"10", "poll",
		"900000000") "1000000000 1 switch 0 11 sleeping\n"
			     "1000000000 1 state 11 tgid=10 state=runnable since=0 run=0 comm=server on_cpu\n"
			     "1000000000 1 syscall 11 getpid enter=999000000 ret=1\n");
	assert_false(is_to_blame(10));
	end();
}

/* If all sleep where threads often serve nobody, the last one that worked is where the process stopped. */
static void the_last_one_to_sleep_is_to_blame_if_all_sleep_aside(void **state)
{
	(void)state;
	begin(UNREAD ASLEEP("10", "futex", "900000000") ASLEEP("11", "futex", "899999999"));
	assert_true(is_to_blame(10));
	assert_false(is_to_blame(11));
	end();
	begin(UNREAD ASLEEP("10", "wait4", "900000000") ASLEEP("11", "futex", "900000000"));
	assert_false(is_to_blame(10));
	assert_false(is_to_blame(11));
	end();
	/* It worked after clients began to wait. */
	begin(UNREAD ASLEEP(
		"10", "futex",
		"900000000") "1000000000 1 switch 0 11 sleeping\n"
			     "1000000000 1 state 11 tgid=10 state=runnable since=0 run=0 comm=server on_cpu\n"
			     "5000000002 1 enter 11 futex enter=5000000001 args=5,0,0,0\n"
			     "5000000002 1 switch 11 0 sleeping\n");
	assert_false(is_to_blame(10));
	assert_false(is_to_blame(11));
	end();
}

static bool is_among(uint32_t tid)
{
	const struct scope_thread *thread = thread_of(run.units, tid);
	const struct scope_unserved *of = scope_anomaly_unserved_of(unserved, count, thread->tgid);

	return of && scope_anomaly_unserved_among(of, run.units, run.pickups, thread->index);
}

#define AWAKE(tid)                                                                                                     \
	"1000000000 1 switch 0 " tid " sleeping\n"                                                                     \
	"1000000000 1 state " tid " tgid=10 state=runnable since=0 run=0 comm=server on_cpu\n"

/* Their stacks decide, if all slept for as long as clients wait, and none has served. */
static void one_of_those_that_slept_is(void **state)
{
	(void)state;
	begin(UNREAD ASLEEP("10", "futex", "900000000") ASLEEP("11", "poll", "900000000"));
	assert_true(is_among(10) && is_among(11));
	end();
	begin(BACKLOG ASLEEP("10", "futex", "900000000") ASLEEP("11", "poll", "900000000"));
	assert_false(is_among(10) || is_among(11));
	end();
	begin(UNREAD ASLEEP("10", "futex", "900000000") AWAKE(
		"11") "5000000002 1 enter 11 poll enter=5000000001 args=5,0,0,0\n5000000002 1 switch 11 0 sleeping\n");
	assert_true(is_among(10));
	assert_false(is_among(11));
	end();
	begin(UNREAD ASLEEP("10", "futex", "900000000")
		      AWAKE("11") "3000000000 1 syscall 11 read enter=2000000000 ret=64 args=7\n"
				  "3000000001 1 syscall 11 write enter=3000000000 ret=64 args=7\n");
	assert_false(is_among(10));
	end();
}

#define DATAGRAMS "fd 10 8 datagram socket:[58]\nmeta waiting_bytes.0 8900000000 5000000000 58 64 0\n"

/* Of a socket of datagrams it is not known that the program wants to read it: a thread that waits for clients may be idle. */
static void datagrams_that_nobody_reads_are_of_clients(void **state)
{
	(void)state;
	begin(DATAGRAMS ASLEEP("10", "futex", "900000000"));
	assert_int_equal(unserved[0].unread, 1);
	assert_int_equal(unserved[0].datagrams, 1);
	assert_true(is_to_blame(10));
	assert_true(is_among(10));
	end();
	begin(DATAGRAMS ASLEEP("10", "poll", "900000000"));
	assert_false(is_to_blame(10) || is_among(10));
	end();
	begin(DATAGRAMS ASLEEP("10", "recvfrom", "900000000"));
	assert_false(is_to_blame(10) || is_among(10));
	end();
	begin(UNREAD "fd 10 8 datagram socket:[58]\nmeta waiting_bytes.1 8900000000 5000000000 58 64 0\n" ASLEEP(
		"10", "poll", "900000000"));
	assert_int_equal(unserved[0].unread, 2);
	assert_true(is_to_blame(10));
	end();
}

#define PROGRAM(tgid, path) "map " tgid " 0x1000 0x2000 0x0 x " path " -\nmap " tgid " 0x7000 0x8000 0x0 x /lib/c -\n"

/* A command has the connections of its parent, where these were not closed, and serves none. */
static void a_child_that_runs_another_program_has_no_clients(void **state)
{
	(void)state;
	begin(UNREAD PROGRAM("10", "/server") PROGRAM(
		"12", "/bin/sh") "thread 12 12 sh\nfd 12 7 accepted socket:[57]\n" ASLEEP("10", "wait4", "900000000"));
	assert_int_equal(count, 1);
	assert_int_equal(unserved[0].tgid, 10);
	end();
	begin(UNREAD PROGRAM("10", "/server")
		      PROGRAM("12", "/server") "thread 12 12 server\nfd 12 7 accepted socket:[57]\n" ASLEEP(
			      "10", "wait4", "900000000"));
	assert_int_equal(count, 2);
	end();
}

/* In the window from 1 s to 9 s the server goes to sleep in this call at that time, while others wait to be accepted. */
static bool keeps_waiting(const char *at, const char *call, const char *rest)
{
	char text[512];
	struct scope_hang hang;
	const struct scope_thread *thread;
	bool found;

	snprintf(text, sizeof(text),
		 BACKLOG
		 "%s1000000000 0 switch 0 10 sleeping\n%s 0 enter 10 %s enter=%s args=7\n%s 0 switch 10 0 sleeping\n",
		 rest, at, call, at, at);
	begin(text);
	thread = thread_of(run.units, 10);
	found = scope_anomaly_kept_waiting(run.units, scope_anomaly_unserved_of(unserved, count, 10), thread->index,
					   &hang);
	if (found) {
		assert_int_equal(hang.thread, thread->index);
		assert_int_equal(hang.backlog, 2);
		assert_int_equal(hang.since_ns, 5000 * MS);
	}
	end();
	return found;
}

static void half_of_the_window_at_its_client_keeps_others_waiting(void **state)
{
	(void)state;
	assert_true(keeps_waiting("5000000000", "read", ""));
	assert_false(keeps_waiting("5000000001", "read", ""));
	assert_true(keeps_waiting("5000000000", "write", ""));
	/* In another call, or while another thread of the process waits for connections. */
	assert_false(keeps_waiting("5000000000", "fsync", ""));
	assert_false(keeps_waiting("5000000000", "read", ASLEEP("11", "accept", "900000000")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clients_wait_after_three_seconds_up_to_the_end),
		cmocka_unit_test(the_only_thread_is_to_blame_if_it_slept_all_the_time),
		cmocka_unit_test(naps_that_began_with_the_window_began_before_it),
		cmocka_unit_test(another_thread_may_be_to_blame_instead),
		cmocka_unit_test(the_last_one_to_sleep_is_to_blame_if_all_sleep_aside),
		cmocka_unit_test(one_of_those_that_slept_is),
		cmocka_unit_test(datagrams_that_nobody_reads_are_of_clients),
		cmocka_unit_test(a_child_that_runs_another_program_has_no_clients),
		cmocka_unit_test(half_of_the_window_at_its_client_keeps_others_waiting),
	};

	return cmocka_run_group_tests_name("unserved", tests, NULL, NULL);
}
