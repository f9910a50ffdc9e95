// SPDX-License-Identifier: GPL-2.0-only
/* Perf records become the records that the module would have written; compared in the text form. */
#include "perf_session.h"

/* The clock was read for a flush before the last record came: the call is recorded all the same. */
static void flush_before_entry(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	PUT(0, sample_enter, 100, 100, 3000, SYS_getppid, 0);
	expect(session, 2000, "3000 0 enter 100 getppid enter=3000\n");
}

static void whole_calls(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	PUT(0, sample_enter, 100, 100, 1000, SYS_read, 7);
	PUT(0, sample_exit, 100, 100, 1500, SYS_read, -11);
	/* Another process: dropped. */
	PUT(0, sample_enter, 50, 50, 1600, SYS_read, 7);
	PUT(0, sample_exit, 50, 50, 1700, SYS_read, 0);
	/* Entered before tracing. */
	PUT(1, sample_exit, 100, 101, 1800, SYS_futex, 0);
	/* More than a record can hold. */
	PUT(1, sample_enter, 100, 101, 2000, SYS_getppid, 0);
	PUT(1, sample_exit, 100, 101, 5000002000, SYS_getppid, 1);
	/* Never returns: the flush records it. */
	PUT(0, sample_enter, 100, 100, 5000003000, SYS_getppid, 0);
	expect(session, 5000009000,
	       "1500 0 syscall 100 read enter=1000 ret=-11 args=7\n"
	       "1800 1 exit 101 futex ret=0\n"
	       "5000002000 1 enter 101 getppid enter=2000\n"
	       "5000002000 1 exit 101 getppid ret=1\n"
	       "5000009000 0 enter 100 getppid enter=5000003000\n");
}

static void blocked_calls(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	PUT(0, sample_enter, 100, 100, 1000, SYS_read, 7);
	PUT(0, sample_switch, 100, 100, 55, 1, 1200);
	PUT(1, sample_waking, 0, 0, 100, 0x08, 1300);
	PUT(1, sample_switch, 0, 0, 100, 0, 1400);
	PUT(1, sample_exit, 100, 100, 1500, SYS_read, 1);
	/* Preempted outside of a call, by a thread of its own process. */
	PUT(1, sample_switch, 100, 100, 101, 0x100, 1600);
	/* Neither is traced. */
	PUT(0, sample_switch, 55, 55, 56, 1, 1700);
	expect(session, 2000,
	       "1200 0 enter 100 read enter=1000 args=7\n"
	       "1200 0 switch 100 0 sleeping other=55\n"
	       "1300 1 waking 100 from - hardirq\n"
	       "1400 1 switch 0 100 runnable\n"
	       "1500 1 exit 100 read ret=1\n"
	       "1600 1 switch 100 101 runnable preempted\n");
}

/* The thread that ran until a traced one came is said if the records do not name it already; the idle task never is. */
static void who_ran_before(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	PUT(0, sample_switch, 100, 100, 55, 1, 1000);
	PUT(0, sample_switch, 56, 56, 100, 1, 1100);
	PUT(0, sample_switch, 100, 100, 56, 1, 1200);
	PUT(0, sample_switch, 56, 56, 100, 1, 1300);
	PUT(0, sample_switch, 100, 100, 0, 1, 1400);
	PUT(0, sample_switch, 56, 56, 100, 1, 1500);
	PUT(0, sample_switch, 100, 100, 0, 1, 1600);
	PUT(0, sample_switch, 0, 0, 100, 0, 1700);
	expect(session, 2000,
	       "1000 0 switch 100 0 sleeping other=55\n"
	       "1100 0 switch 0 0 runnable other=56\n"
	       "1100 0 switch 0 100 sleeping\n"
	       "1200 0 switch 100 0 sleeping other=56\n"
	       "1300 0 switch 0 100 sleeping\n"
	       "1400 0 switch 100 0 sleeping\n"
	       "1500 0 switch 0 0 runnable other=56\n"
	       "1500 0 switch 0 100 sleeping\n"
	       "1600 0 switch 100 0 sleeping\n"
	       "1700 0 switch 0 100 runnable\n");
}

#define TO "own_port=0 peer_port=%d own0=0 own1=281470849515521 peer0=0 peer1=%llu\n"

/* A connection's peer follows the connect that opened it, whether that slept or not, and the begin of a connect that sleeps. */
static void peers(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);
	char expected[1024];

	(void)state;
	PUT(0, sample_enter, 100, 100, 1000, SYS_connect, 9);
	PUT(0, sample_peer, 100, 100, 1100, 5, 5432);
	PUT(0, sample_exit, 100, 100, 1200, SYS_connect, 0);
	PUT(0, sample_enter, 100, 100, 1300, SYS_connect, 10);
	PUT(0, sample_peer, 100, 100, 1310, 6, 80);
	PUT(0, sample_switch, 100, 100, 55, 1, 1400);
	PUT(1, sample_switch, 0, 0, 100, 0, 1500);
	PUT(1, sample_exit, 100, 100, 1600, SYS_connect, 0);
	/* It can run, and does not wait for the peer. */
	PUT(1, sample_enter, 100, 100, 1610, SYS_connect, 14);
	PUT(1, sample_peer, 100, 100, 1620, 8, 79);
	PUT(1, sample_switch, 100, 100, 55, 0, 1630);
	PUT(1, sample_switch, 0, 0, 100, 0, 1640);
	PUT(1, sample_exit, 100, 100, 1650, SYS_connect, -ECONNREFUSED);
	/* It has begun; it is refused; it was to a unix socket; it is of another process. */
	PUT(1, sample_enter, 100, 100, 1700, SYS_connect, 11);
	PUT(1, sample_peer, 100, 100, 1710, 7, 81);
	PUT(1, sample_exit, 100, 100, 1720, SYS_connect, -EINPROGRESS);
	PUT(1, sample_enter, 100, 100, 1800, SYS_connect, 12);
	PUT(1, sample_peer, 100, 100, 1810, 7, 82);
	PUT(1, sample_exit, 100, 100, 1820, SYS_connect, -ECONNREFUSED);
	PUT(1, sample_enter, 100, 100, 1900, SYS_connect, 13);
	PUT(1, sample_exit, 100, 100, 1920, SYS_connect, 0);
	PUT(1, sample_peer, 50, 50, 1930, 7, 83);
	snprintf(expected, sizeof(expected),
		 "1200 0 syscall 100 connect enter=1000 ret=0 args=9\n"
		 "1200 0 peer 100 9 " TO "1400 0 enter 100 connect enter=1300 args=10\n"
		 "1400 0 peer 100 10 " TO "1400 0 switch 100 0 sleeping other=55\n"
		 "1500 1 switch 0 100 runnable\n"
		 "1600 1 exit 100 connect ret=0\n"
		 "1600 1 peer 100 10 " TO "1630 1 enter 100 connect enter=1610 args=14\n"
		 "1630 1 switch 100 0 runnable other=55\n"
		 "1640 1 switch 0 100 runnable\n"
		 "1650 1 exit 100 connect ret=-111\n"
		 "1720 1 syscall 100 connect enter=1700 ret=-115 args=11\n"
		 "1720 1 peer 100 11 " TO "1820 1 syscall 100 connect enter=1800 ret=-111 args=12\n"
		 "1920 1 syscall 100 connect enter=1900 ret=0 args=13\n",
		 5432, 0xffff0a000005ull, 80, 0xffff0a000006ull, 80, 0xffff0a000006ull, 81, 0xffff0a000007ull);
	expect(session, 2000, expected);
}

static void wakers(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	PUT(0, sample_waking, 100, 101, 100, 0, 1000);
	PUT(0, sample_waking, 70, 71, 100, 0, 1001);
	PUT(0, sample_waking, 70, 71, 100, 0x10, 1002);
	PUT(0, sample_waking, 70, 71, 100, 0x40 | 0x08, 1003);
	PUT(0, sample_waking, 100, 100, 55, 0, 1004);
	expect(session, 2000,
	       "1000 0 waking 100 from 101 task\n"
	       "1001 0 waking 100 from 71 tgid=70 task\n"
	       "1002 0 waking 100 from - softirq\n"
	       "1003 0 waking 100 from - nmi\n");
}

static void lives(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	PUT(0, bytes_task, PERF_RECORD_FORK, 100, 102, 100, 1000);
	PUT(0, bytes_task, PERF_RECORD_FORK, 200, 200, 101, 1001);
	PUT(0, bytes_task, PERF_RECORD_FORK, 300, 300, 50, 1002);
	PUT(1, sample_enter, 200, 200, 1100, SYS_execve, 0);
	PUT(1, bytes_comm, 200, 200, "program", PERF_RECORD_MISC_COMM_EXEC, 1200);
	PUT(1, sample_exec, 200, 200, 200, 1300);
	PUT(1, sample_exit, 200, 200, 1400, SYS_execve, 0);
	PUT(0, bytes_comm, 100, 101, "renamed", 0, 1500);
	PUT(0, bytes_task, PERF_RECORD_EXIT, 100, 102, 0, 1600);
	PUT(1, bytes_task, PERF_RECORD_EXIT, 200, 200, 100, 1700);
	PUT(1, sample_switch, 200, 200, 0, 0x10, 1800);
	/* The number begins again, elsewhere. */
	PUT(1, sample_enter, 200, 200, 1900, SYS_read, 0);
	assert_int_equal(scope_perf_tasks_processes(session->tasks), 1);
	assert_int_equal(scope_perf_tasks_alive(session->tasks, 100), 2);
	expect(session, 2000,
	       "1000 0 fork 102 parent=100 tgid=100 comm=first\n"
	       "1001 0 fork 200 parent=101 tgid=200 comm=second\n"
	       "1300 1 exec 200 old=200 tgid=200 comm=program\n"
	       "1400 1 syscall 200 execve enter=1100 ret=0\n"
	       "1500 0 comm 101 tgid=100 comm=renamed\n"
	       "1600 0 thread_exit 102 tgid=100\n"
	       "1700 1 thread_exit 200 tgid=200 last\n"
	       "1800 1 switch 200 0 dead\n");
}

static void children_left_out(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	session->options.follow = false;
	PUT(0, bytes_task, PERF_RECORD_FORK, 100, 102, 100, 1000);
	PUT(0, bytes_task, PERF_RECORD_FORK, 200, 200, 101, 1001);
	PUT(1, sample_enter, 200, 200, 1100, SYS_read, 0);
	PUT(1, sample_exit, 200, 200, 1200, SYS_read, 0);
	/* A thread whose fork was lost. */
	PUT(1, sample_enter, 100, 103, 1300, SYS_getppid, 0);
	PUT(1, sample_exit, 100, 103, 1400, SYS_getppid, 1);
	expect(session, 2000,
	       "1000 0 fork 102 parent=100 tgid=100 comm=first\n"
	       "1001 0 fork 200 parent=101 tgid=200 comm=second\n"
	       "1400 1 syscall 103 getppid enter=1300 ret=1\n");
}

/* Thread 101 by its name, 101 and 301 as long as they have it; 100 not at all, nor what 301 was before. */
static void names_come_and_go(void **state)
{
	struct scope_selection selection = { .count = 1 };
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	selection.target[0] = (struct scope_control_target){ .kind = SCOPE_ATTR_COMM, .comm = "chosen1" };
	session->options.selection = &selection;
	scope_perf_tasks_remove(session->tasks, 100);
	scope_perf_tasks_find(session->tasks, 101)->by = SCOPE_PERF_BY_NAME;
	PUT(0, sample_enter, 300, 301, 900, SYS_getppid, 0);
	PUT(0, sample_exit, 300, 301, 950, SYS_getppid, 1);
	PUT(0, bytes_comm, 300, 301, "chosen1", 0, 1000);
	PUT(0, sample_enter, 300, 301, 1100, SYS_getppid, 0);
	PUT(0, sample_exit, 300, 301, 1200, SYS_getppid, 1);
	/* Its process is not meant, and what it starts has its name. */
	PUT(0, sample_enter, 300, 300, 1250, SYS_getppid, 0);
	PUT(0, sample_exit, 300, 300, 1260, SYS_getppid, 1);
	PUT(0, bytes_task, PERF_RECORD_FORK, 300, 302, 301, 1300);
	PUT(0, sample_enter, 300, 301, 1400, SYS_prctl, 0);
	PUT(0, bytes_comm, 300, 301, "another", 0, 1500);
	PUT(0, sample_exit, 300, 301, 1600, SYS_prctl, 0);
	PUT(1, bytes_comm, 100, 101, "renamed", 0, 1700);
	assert_null(scope_perf_tasks_find(session->tasks, 301));
	assert_non_null(scope_perf_tasks_find(session->tasks, 302));
	expect(session, 2000,
	       "1000 0 comm 301 tgid=300 comm=chosen1\n"
	       "1200 0 syscall 301 getppid enter=1100 ret=1\n"
	       "1300 0 fork 302 parent=301 tgid=300 comm=chosen1\n"
	       "1500 0 comm 301 tgid=300 comm=another\n"
	       "1500 0 enter 301 prctl enter=1400\n"
	       "1500 0 thread_exit 301 tgid=300 untraced\n"
	       "1700 1 comm 101 tgid=100 comm=renamed\n"
	       "1700 1 thread_exit 101 tgid=100 untraced\n");
}

/* The kernel's filter may let other calls through, too. */
static void calls_not_asked_for_are_dropped(void **state)
{
	struct scope_selection selection = { .some_calls = true };
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	selection.calls[SYS_read / 8] |= 1 << SYS_read % 8;
	session->options.selection = &selection;
	PUT(0, sample_enter, 100, 100, 1000, SYS_getppid, 0);
	PUT(0, sample_exit, 100, 100, 1100, SYS_getppid, 1);
	PUT(0, sample_enter, 100, 100, 1200, SYS_read, 7);
	PUT(0, sample_exit, 100, 100, 1300, SYS_read, 5);
	PUT(0, sample_enter, 100, 100, 1400, SYS_getppid, 0);
	expect(session, 2000, "1300 0 syscall 100 read enter=1200 ret=5 args=7\n");
}

/* Another thread than the first one calls exec: it takes the first one's number. */
static void exec_by_a_thread(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	PUT(0, sample_enter, 100, 101, 1000, SYS_execve, 0);
	PUT(0, bytes_task, PERF_RECORD_EXIT, 100, 100, 0, 1100);
	PUT(0, bytes_comm, 100, 100, "program", PERF_RECORD_MISC_COMM_EXEC, 1200);
	PUT(0, sample_exec, 100, 100, 101, 1300);
	PUT(0, sample_exit, 100, 100, 1400, SYS_execve, 0);
	assert_null(scope_perf_tasks_find(session->tasks, 101));
	assert_int_equal(scope_perf_tasks_alive(session->tasks, 100), 1);
	expect(session, 2000,
	       "1100 0 thread_exit 100 tgid=100\n"
	       "1300 0 exec 100 old=101 tgid=100 comm=program\n"
	       "1400 0 syscall 100 execve enter=1000 ret=0\n");
}

/* An interrupt's record before the one it interrupted, and records of CPUs that come in disorder. */
static void disorder(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);

	(void)state;
	PUT(0, sample_waking, 0, 0, 100, 0x08, 1010);
	PUT(0, sample_enter, 100, 100, 1000, SYS_getppid, 0);
	PUT(0, sample_exit, 100, 100, 1005, SYS_getppid, 1);
	PUT(1, sample_waking, 0, 0, 101, 0x08, 500);
	/* A return before its entry: clocks of CPUs may differ a little. */
	PUT(1, sample_enter, 100, 101, 2000, SYS_getppid, 0);
	PUT(1, sample_exit, 100, 101, 1990, SYS_getppid, 1);
	expect(session, 3000,
	       "500 1 waking 101 from - hardirq\n"
	       "1010 0 waking 100 from - hardirq\n"
	       "1010 0 syscall 100 getppid enter=1000 ret=1\n"
	       "2000 1 syscall 101 getppid enter=2000 ret=1\n");
}

static void losses(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);
	struct scope_capture_counts counts;

	(void)state;
	PUT(0, sample_enter, 100, 100, 1000, SYS_read, 7);
	PUT(0, bytes_lost, 17, 2000);
	/* Whether that call returned in that time is not known. */
	PUT(0, sample_enter, 100, 100, 3000, SYS_getppid, 0);
	PUT(0, sample_exit, 100, 100, 3100, SYS_getppid, 1);
	assert_int_equal(scope_perf_pack_lost(session->pack, 0, 4000, 3), 0);
	scope_perf_pack_count(session->pack, &counts);
	assert_int_equal(counts.lost[SCOPE_LOST_FULL], 20);
	assert_int_equal(counts.records, 1);
	PUT(0, sample_waking, 100, 100, 101, 0, 5000);
	expect(session, 6000,
	       "2000 0 lost 17\n"
	       "3100 0 syscall 100 getppid enter=3000 ret=1\n"
	       "4000 0 lost 3\n"
	       "5000 0 waking 101 from 100 task\n");
}

static void stopped_stack(void **state)
{
	struct session *session = begin(SCOPE_STACK_NONE);
	struct scope_record_state sleeping = {
		.tid = 101,
		.tgid = 100,
		.nr = SYS_read,
		.state = SCOPE_STATE_SLEEPING,
		.since_ns = 900,
		.run_ns = 5,
		.comm = "second",
		.regs = 2,
	};
	struct scope_record_state running = {
		.tid = 100,
		.tgid = 100,
		.nr = SCOPE_NR_NONE,
		.state = SCOPE_STATE_RUNNABLE,
		.comm = "first",
	};
	const uint64_t reg[2] = { 1, 2 };

	(void)state;
	PUT(1, sample_switch, 0, 0, 100, 0, 1000);
	assert_int_equal(scope_perf_pack_state(session->pack, 1100, &sleeping, reg), 0);
	assert_int_equal(scope_perf_pack_state(session->pack, 1200, &running, reg), 0);
	expect(session, 2000,
	       "1000 1 switch 0 100 runnable\n"
	       "1100 0 state 101 tgid=100 state=sleeping nr=read since=900 run=5 comm=second regs=0x1,0x2\n"
	       "1200 1 state 100 tgid=100 state=runnable nr=- since=0 run=0 comm=first on_cpu\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_calls),
		cmocka_unit_test(flush_before_entry),
		cmocka_unit_test(blocked_calls),
		cmocka_unit_test(who_ran_before),
		cmocka_unit_test(peers),
		cmocka_unit_test(wakers),
		cmocka_unit_test(lives),
		cmocka_unit_test(children_left_out),
		cmocka_unit_test(names_come_and_go),
		cmocka_unit_test(calls_not_asked_for_are_dropped),
		cmocka_unit_test(exec_by_a_thread),
		cmocka_unit_test(disorder),
		cmocka_unit_test(losses),
		cmocka_unit_test(stopped_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
