// SPDX-License-Identifier: GPL-2.0-only
/* Which threads hang or spin when the window ends, and which wait for work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/hang.h"
#include "units_of.h"

#define MS 1000000ull
#define END_NS (20000 * MS)
#define LIMIT_NS (1000 * MS)

static const char head[] = "meta begin_ns 0\nmeta end_ns 20000000000\n"
			   "fd 10 4 listen -\nfd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 9 pipe -\n";

static struct run run;
static struct scope_hang *hangs;
static size_t count;

static void find(const char *text)
{
	char *all;
	size_t size;
	FILE *to = open_memstream(&all, &size);

	assert_non_null(to);
	fprintf(to, "%s%s", head, text);
	assert_int_equal(fclose(to), 0);
	run = run_of(all);
	free(all);
	assert_int_equal(scope_anomaly_hang_find(run.units, run.distributions, run.pickups, &hangs, &count), 0);
}

static void end(void)
{
	free(hangs);
	end_run(&run);
}

/* Thread 10 goes to sleep in that call, entered at that time before the end. Is it a hang, and of that kind? */
static bool hangs_in(uint64_t age_ns, const char *call, const char *before, struct scope_hang *ret_hang)
{
	const uint64_t enter_ns = END_NS - age_ns;
	char text[2000];
	bool found = false;

	snprintf(text, sizeof(text), "0 0 switch 0 10 sleeping\n%s%ju 0 enter 10 %s\n%ju 0 switch 10 0 sleeping\n",
		 before, (uintmax_t)enter_ns, call, (uintmax_t)enter_ns);
	find(text);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(hangs[i].kind, SCOPE_HANG_BLOCKED);
		if (hangs[i].thread == thread_of(run.units, 10)->index) {
			found = true;
			*ret_hang = hangs[i];
		}
	}
	end();
	return found;
}

static bool asleep(uint64_t age_ns, const char *name, const char *args, const char *before, struct scope_hang *ret_hang)
{
	char call[200];

	snprintf(call, sizeof(call), "%s enter=%ju args=%s", name, (uintmax_t)(END_NS - age_ns), args);
	return hangs_in(age_ns, call, before, ret_hang);
}

/* A request was taken just before, and is under way. */
#define TOOK_WORK "1000000000 0 syscall 10 read enter=999999000 ret=64 args=7\n"

static void a_second_in_a_lock_is_a_hang(void **state)
{
	struct scope_hang hang;

	(void)state;
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,2,0,0,0", "", &hang));
	assert_true(hang.lock && !hang.needs_peers);
	assert_int_equal(hang.object, 0x8000);
	assert_int_equal(hang.nr, SYS_futex);
	assert_int_equal(hang.since_ns, END_NS - LIMIT_NS);
	assert_false(asleep(LIMIT_NS - 1, "futex", "0x8000,0x80,2,0,0,0", "", &hang));
	/* The operation is the second argument. */
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80", "", &hang));
	assert_true(hang.lock);
	/* A word that is 0 is held by nobody, unless the call does not look at it. */
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,0,0,0,0", "", &hang));
	assert_false(hang.lock);
	assert_true(hang.needs_peers);
	/* Words of locks: the highest bit says that others wait, or the number is the owner's; others count something. */
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,1,0,0,0", "", &hang));
	assert_true(hang.lock);
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,0x80000003,0,0,0", "", &hang));
	assert_true(hang.lock);
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,10,0,0,0", "", &hang));
	assert_true(hang.lock);
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,3,0,0,0", "", &hang));
	assert_false(hang.lock);
	assert_true(hang.needs_peers);
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x86,0,0,0,0", "", &hang));
	assert_true(hang.lock);
}

/* Four requests of 200 ms: the limit is 2 s, by their 99th percentile; the fifth is under way. */
static void ten_times_the_99th_percentile_is_longer(void **state)
{
	static const char before[] = "1000000000 0 syscall 10 read enter=999999000 ret=64 args=7\n"
				     "1000001000 0 syscall 10 write enter=1000000500 ret=64 args=7\n"
				     "1200000000 0 syscall 10 read enter=1200000000 ret=64 args=7\n"
				     "1200000000 0 syscall 10 write enter=1200000000 ret=64 args=7\n"
				     "1400000000 0 syscall 10 read enter=1400000000 ret=64 args=7\n"
				     "1400000000 0 syscall 10 write enter=1400000000 ret=64 args=7\n"
				     "1600000000 0 syscall 10 read enter=1600000000 ret=64 args=7\n";
	struct scope_hang hang;

	(void)state;
	assert_true(asleep(2010 * MS, "futex", "0x8000,0x80,2,0,0,0", before, &hang));
	assert_false(asleep(1990 * MS, "futex", "0x8000,0x80,2,0,0,0", before, &hang));
}

static void waiting_for_work_is_no_hang(void **state)
{
	struct scope_hang hang;

	(void)state;
	assert_false(asleep(10 * LIMIT_NS, "accept", "4,0,0,0,0,0", "", &hang));
	assert_false(asleep(10 * LIMIT_NS, "epoll_wait", "5,0,64,0,0,0", "", &hang));
	assert_false(asleep(10 * LIMIT_NS, "poll", "0x7000,2,0,0,0,0", "", &hang));
	assert_false(asleep(10 * LIMIT_NS, "read", "7,0,64,0,0,0", "", &hang));
}

static void where_others_idle_peers_decide_or_nobody(void **state)
{
	static const struct {
		const char *call, *args;
	} idle[] = {
		{ "wait4", "0,0,0,0,0,0" },
		{ "io_getevents", "1,1,1,0,0,0" },
		{ "rt_sigsuspend", "0x7000,8,0,0,0,0" },
#ifdef SYS_pause
		{ "pause", "0,0,0,0,0,0" },
#endif
	};
	struct scope_hang hang;

	(void)state;
	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++) {
		assert_true(asleep(10 * LIMIT_NS, idle[i].call, idle[i].args, "", &hang));
		assert_true(hang.needs_peers && hang.quiet);
		/* A client waits for its answer. */
		assert_true(asleep(10 * LIMIT_NS, idle[i].call, idle[i].args, TOOK_WORK, &hang));
		assert_false(hang.needs_peers || hang.quiet);
	}
}

static void a_condition_is_a_matter_for_its_peers(void **state)
{
	struct scope_hang hang;

	(void)state;
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x189,0,0,0,0", "", &hang));
	assert_true(hang.needs_peers && !hang.lock);
	/* In the middle of a request nobody idles. */
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x189,0,0,0,0", TOOK_WORK, &hang));
	assert_false(hang.needs_peers);
}

/* Thread 11 answers, and takes what comes next: that request is not thread 10's any more. */
static void a_thread_that_was_answered_for_is_in_no_request(void **state)
{
	static const char met[] = TOOK_WORK
		"1000000100 1 switch 0 11 sleeping\n"
		"1000000100 1 state 11 tgid=10 state=runnable since=0 run=0 comm=other on_cpu\n";
	static const char *const other[] = {
		"1000000500 1 syscall 11 write enter=1000000400 ret=64 args=7\n",
		"1000000500 1 syscall 11 write enter=1000000400 ret=64 args=7\n"
		"1000000700 1 syscall 11 read enter=1000000600 ret=64 args=7\n",
		"1000000500 1 syscall 11 write enter=1000000400 ret=64 args=9\n",
	};
	struct scope_hang hang;

	(void)state;
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
		char before[1000];

		snprintf(before, sizeof(before), "%s%s1000001000 1 switch 11 0 sleeping\n", met, other[i]);
		assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x189,0,0,0,0", before, &hang));
		/* The last one is a write to something else. */
		assert_int_equal(hang.needs_peers, i < 2);
	}
}

/* It answered two requests, and slept after the first: once there and once elsewhere is no majority. */
static void where_a_thread_sleeps_most_it_parks(void **state)
{
#define SLEPT(BEGIN, END, AT)                                                                                          \
#BEGIN " 0 enter 10 futex enter=" #BEGIN " args=" AT ",0x80,0\n" #BEGIN " 0 switch 10 0 sleeping\n" #END       \
	       " 0 waking 10 from - softirq\n" #END " 0 switch 0 10 sleeping\n" #END " 0 exit 10 futex ret=0\n"
#define ANSWERED(BEGIN, END)                                                                                           \
#BEGIN " 0 syscall 10 epoll_wait enter=" #BEGIN " ret=1 args=5\n" #BEGIN " 0 syscall 10 read enter=" #BEGIN    \
	       " ret=64 args=7\n" #END " 0 syscall 10 write enter=" #END " ret=64 args=7\n"
	static const char there[] = ANSWERED(1000, 2000) SLEPT(3000, 900000, "0x8000") ANSWERED(901000, 902000);
	static const char twice[] = ANSWERED(1000, 2000) SLEPT(3000, 900000, "0x8000") SLEPT(901000, 990000, "0x9000")
		ANSWERED(991000, 992000);
	static const char asked[] = ANSWERED(1000, 2000) SLEPT(3000, 900000, "0x8000") ANSWERED(901000, 902000)
		TOOK_WORK;
	struct scope_hang hang;

	(void)state;
	assert_false(asleep(10 * LIMIT_NS, "futex", "0x8000,0x80,0,0,0,0", there, &hang));
	assert_true(asleep(LIMIT_NS, "futex", "0x9000,0x80,0,0,0,0", there, &hang));
	assert_true(hang.needs_peers);
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,0,0,0,0", twice, &hang));
	/* Not so in a lock, nor in a request. */
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,2,0,0,0", there, &hang));
	assert_true(asleep(10 * LIMIT_NS, "futex", "0x8000,0x80,0,0,0,0", asked, &hang));
#undef ANSWERED
#undef SLEPT
}

/* The fourth argument is the time-out. */
static void a_wait_with_a_time_out_is_no_hang_between_requests(void **state)
{
	struct scope_hang hang;

	(void)state;
	assert_false(asleep(LIMIT_NS, "futex", "0x8000,0x189,0,0x7000,0,0", "", &hang));
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x189,0,0x7000,0,0", TOOK_WORK, &hang));
	assert_true(asleep(LIMIT_NS, "futex", "0x8000,0x80,2,0x7000,0,0", "", &hang));
}

static void a_timer_is_a_matter_for_its_peers(void **state)
{
	struct scope_hang hang;

	(void)state;
	assert_true(asleep(LIMIT_NS, "nanosleep", "0x7000,0,0,0,0,0", "", &hang));
	assert_true(hang.needs_peers);
	assert_true(asleep(LIMIT_NS, "nanosleep", "0x7000,0,0,0,0,0", TOOK_WORK, &hang));
	assert_false(hang.needs_peers);
	/* A poll of nothing is one. */
	assert_true(asleep(LIMIT_NS, "poll", "0,0,0,0,0,0", "", &hang));
	assert_true(hang.needs_peers);
}

/* Thread 11 of the process waits for work, or of another one. */
static void another_call_is_a_hang_unless_its_process_waits_for_work(void **state)
{
	static const char *const waits =
		"1000 1 fork %u parent=1 tgid=%u comm=poller\n1200 1 switch 0 %u sleeping\n"
		"2000 1 enter %u epoll_wait enter=1500 args=5,0,64,0,0,0\n2000 1 switch %u 0 sleeping\n";
	char before[500];
	struct scope_hang hang;

	(void)state;
	assert_true(asleep(LIMIT_NS, "read", "9,0,64,0,0,0", "", &hang));
	assert_false(hang.needs_peers);
	snprintf(before, sizeof(before), waits, 11, 10, 11, 11, 11);
	assert_true(asleep(LIMIT_NS, "read", "9,0,64,0,0,0", before, &hang));
	assert_true(hang.needs_peers);
	/* Nobody waits for work where a pipe is full. A client may be slow to read. */
	assert_true(asleep(LIMIT_NS, "write", "9,0,64,0,0,0", before, &hang));
	assert_false(hang.needs_peers);
	assert_true(asleep(LIMIT_NS, "write", "7,0,64,0,0,0", before, &hang));
	assert_true(hang.needs_peers);
	snprintf(before, sizeof(before), waits, 11, 77, 11, 11, 11);
	assert_true(asleep(LIMIT_NS, "read", "9,0,64,0,0,0", before, &hang));
	assert_false(hang.needs_peers);
	/* In the middle of a request nobody is asked. */
	snprintf(before, sizeof(before), waits, 11, 10, 11, 11, 11);
	strcat(before, TOOK_WORK);
	assert_true(asleep(LIMIT_NS, "read", "9,0,64,0,0,0", before, &hang));
	assert_false(hang.needs_peers);
}

/* The pipe's other end, or the socket's, is in process 77, which waits for work, or for something else. */
static void what_another_process_sends_is_waited_for(void **state)
{
	static const char *const ends[] = {
		"fd 10 12 pipe pipe:[500]\nfd 77 3 pipe pipe:[500]\n",
		"fd 10 12 connected socket:[500]\\x20to\\x20socket:[501]\\x20(pid\\x2077\\x20front)\n",
	};
	static const char waits[] = "fd 77 5 epoll -\n"
				    "1000 1 fork 77 parent=1 tgid=77 comm=front\n1200 1 switch 0 77 sleeping\n"
				    "2000 1 enter 77 %s\n2000 1 switch 77 0 sleeping\n";
	static const char *const idle[] = { "pause enter=1500", "epoll_wait enter=1500 args=5,0,64,0,0,0" };
	char before[1000];
	struct scope_hang hang;

	(void)state;
	for (int i = 0; i < 2; i++) {
		int length = snprintf(before, sizeof(before), "%s", ends[i]);

		/* Without the other process. */
		assert_true(asleep(LIMIT_NS, "read", "12,0,64,0,0,0", before, &hang));
		for (int j = 0; j < 2; j++) {
			snprintf(before + length, sizeof(before) - (size_t)length, waits, idle[j]);
			assert_false(asleep(LIMIT_NS, "read", "12,0,64,0,0,0", before, &hang));
		}
		/* It runs; it sleeps since less than a second, or since a second. */
		snprintf(before + length, sizeof(before) - (size_t)length,
			 "1000 1 fork 77 parent=1 tgid=77 comm=front\n1200 1 switch 0 77 sleeping\n");
		assert_false(asleep(LIMIT_NS, "read", "12,0,64,0,0,0", before, &hang));
		for (int longer = 0; longer < 2; longer++) {
			const uintmax_t since_ns = END_NS - LIMIT_NS + 1 - longer;

			snprintf(before + length, sizeof(before) - (size_t)length,
				 "1000 1 fork 77 parent=1 tgid=77 comm=front\n1200 1 switch 0 77 sleeping\n"
				 "%ju 1 enter 77 fsync enter=%ju args=9,0,0,0,0,0\n%ju 1 switch 77 0 sleeping\n",
				 since_ns, since_ns, since_ns);
			assert_int_equal(asleep(2 * LIMIT_NS, "read", "12,0,64,0,0,0", before, &hang), longer);
		}
		snprintf(before + length, sizeof(before) - (size_t)length, waits, idle[1]);
		/* A descriptor that it has alone. */
		assert_true(asleep(LIMIT_NS, "read", "9,0,64,0,0,0", before, &hang));
		/* In the middle of a request. */
		strcat(before, TOOK_WORK);
		assert_true(asleep(LIMIT_NS, "read", "12,0,64,0,0,0", before, &hang));
	}
}

/* It connected to a listener of the other process, by a unix socket or by TCP, and waits for an answer. */
static void an_answer_of_another_process_is_owed(void **state)
{
	static const char *const ends[] = {
		"fd 10 12 connected socket:[500]\\x20to\\x20socket:[501]\\x20(pid\\x2077\\x20front)\n"
		"fd 77 6 accepted socket:[501]\\x20to\\x20socket:[500]\n",
		"fd 10 12 connected socket:[500]\\x20from\\x20127.0.0.1:9\\x20to\\x20127.0.0.1:80\\x20(pid\\x2077\\x20front)\n",
	};
	char before[1000];
	struct scope_hang hang;

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(before, sizeof(before),
			 "%s1000 1 fork 77 parent=1 tgid=77 comm=front\n1200 1 switch 0 77 sleeping\n", ends[i]);
		assert_true(asleep(LIMIT_NS, "read", "12,0,64,0,0,0", before, &hang));
	}
}

/* Each reads what the other one sends: both hang. */
static void two_that_read_from_each_other_hang(void **state)
{
	(void)state;
	find("fd 10 12 pipe pipe:[500]\nfd 77 3 pipe pipe:[500]\nfd 10 13 pipe pipe:[600]\nfd 77 4 pipe pipe:[600]\n"
	     "0 0 switch 0 10 sleeping\n1000 1 fork 77 parent=1 tgid=77 comm=front\n1200 1 switch 0 77 sleeping\n"
	     "2000 1 enter 77 read enter=1500 args=4,0,64,0,0,0\n2000 1 switch 77 0 sleeping\n"
	     "3000 0 enter 10 read enter=2500 args=12,0,64,0,0,0\n3000 0 switch 10 0 sleeping\n");
	assert_int_equal(count, 2);
	end();
}

/* Nothing is known of the descriptor, since those of its process were too many to be read. */
static void what_was_not_read_is_no_hang(void **state)
{
	static const char reads[] = "1000 1 fork 77 parent=1 tgid=77 comm=front\n1200 1 switch 0 77 sleeping\n"
				    "2000 1 enter 77 read enter=1500 args=12,0,64,0,0,0\n2000 1 switch 77 0 sleeping\n";
	char text[300];

	(void)state;
	for (size_t known = 0; known < 2; known++) {
		snprintf(text, sizeof(text), "%s%s", known ? "fd 77 0 file /dev/null\n" : "", reads);
		find(text);
		assert_int_equal(count, known);
		end();
	}
}

/* Asleep outside any call for that time, to be interrupted or not. */
static bool in_a_fault(uint64_t age_ns, const char *how)
{
	char text[500];
	bool found = false;

	snprintf(text, sizeof(text), "0 0 switch 0 10 sleeping\n%ju 0 switch 10 0 %s\n", (uintmax_t)(END_NS - age_ns),
		 how);
	find(text);
	found = count == 1;
	if (found) {
		assert_int_equal(hangs[0].nr, SCOPE_NR_NONE);
		assert_int_equal(hangs[0].since_ns, END_NS - age_ns);
		assert_false(hangs[0].needs_peers);
	}
	end();
	return found;
}

static void a_page_that_does_not_come_is_a_hang(void **state)
{
	(void)state;
	assert_true(in_a_fault(LIMIT_NS, "disk"));
	assert_false(in_a_fault(LIMIT_NS - 1, "disk"));
	/* Stopped, by a debugger say. */
	assert_false(in_a_fault(10 * LIMIT_NS, "sleeping"));
}

/* Runs from first seen, but for a sleep in a fault, and made its last call at that time before the end. */
static bool spins(uint64_t quiet_ns, uint64_t slept_ns)
{
	const uint64_t call_ns = END_NS - quiet_ns;
	char text[500];
	bool found;

	snprintf(text, sizeof(text),
		 "%ju 0 switch 0 10 sleeping\n%ju 0 syscall 10 getpid enter=%ju ret=10\n"
		 "%ju 0 switch 10 0 disk\n%ju 0 switch 0 10 sleeping\n",
		 (uintmax_t)(call_ns - 1), (uintmax_t)call_ns, (uintmax_t)(call_ns - 1), (uintmax_t)call_ns,
		 (uintmax_t)(call_ns + slept_ns));
	find(text);
	found = count == 1;
	if (found) {
		assert_int_equal(hangs[0].kind, SCOPE_HANG_SPIN);
		assert_int_equal(hangs[0].since_ns, call_ns);
		assert_int_equal(hangs[0].nr, SCOPE_NR_NONE);
	}
	end();
	return found;
}

static void a_second_of_running_without_a_call_is_a_spin(void **state)
{
	(void)state;
	assert_true(spins(LIMIT_NS, 0));
	assert_false(spins(LIMIT_NS - 1, 0));
}

static void a_thread_that_slept_for_more_than_half_of_it_does_not_spin(void **state)
{
	(void)state;
	assert_true(spins(10 * LIMIT_NS, 5 * LIMIT_NS));
	assert_false(spins(10 * LIMIT_NS, 5 * LIMIT_NS + 1));
}

static void waiting_for_a_cpu_is_part_of_a_spin(void **state)
{
	(void)state;
	find("0 0 switch 0 10 sleeping\n5000000000 0 switch 10 0 runnable\n");
	assert_int_equal(count, 1);
	assert_int_equal(hangs[0].kind, SCOPE_HANG_SPIN);
	end();
}

/* It ran for 10 s, then made a call, and has had a processor since for that time only. */
static bool spins_without_cpu(uint64_t ran_ns)
{
	char text[500];
	bool found;

	snprintf(text, sizeof(text),
		 "0 0 switch 0 10 sleeping\n10000000000 0 syscall 10 getpid enter=9999999999 ret=10\n"
		 "10000000001 0 switch 10 0 runnable preempted\n15000000000 0 switch 0 10 sleeping\n"
		 "%ju 0 switch 10 0 runnable preempted\n",
		 (uintmax_t)(15000 * MS + ran_ns - 1));
	find(text);
	found = count > 0;
	end();
	return found;
}

static void a_thread_that_got_no_processor_does_not_spin(void **state)
{
	(void)state;
	assert_false(spins_without_cpu(1));
	assert_false(spins_without_cpu(LIMIT_NS - 1));
	assert_true(spins_without_cpu(LIMIT_NS));
}

/* Entered long ago, and still running in it. */
static void time_inside_a_call_is_no_time_without_one(void **state)
{
	(void)state;
	find("0 0 switch 0 10 sleeping\n100 0 syscall 10 getpid enter=50 ret=10\n"
	     "19500000000 0 enter 10 read enter=19500000000 args=9\n");
	assert_int_equal(count, 0);
	end();
}

static void a_thread_that_ended_neither_hangs_nor_spins(void **state)
{
	(void)state;
	find("0 0 switch 0 10 sleeping\n100 0 thread_exit 10 tgid=10 last\n");
	assert_int_equal(count, 0);
	end();
}

/* Events of its processor were lost, and nothing was seen of it since. */
static void a_thread_that_is_not_known_of_neither_hangs_nor_spins(void **state)
{
	(void)state;
	find("0 0 switch 0 10 sleeping\n100 0 syscall 10 getpid enter=50 ret=10\n"
	     "10000000000 0 lost 5\n10000000000 1 switch 0 11 sleeping\n19999999000 1 switch 11 0 sleeping\n");
	assert_int_equal(thread_of(run.units, 10)->run, SCOPE_RUN_UNKNOWN);
	for (size_t i = 0; i < count; i++)
		assert_int_not_equal(hangs[i].thread, thread_of(run.units, 10)->index);
	end();
}

static void a_thread_that_takes_work_serves_and_one_that_waits_for_it_waits(void **state)
{
	(void)state;
	/* 10 reads requests and computes; 11 waits in epoll, 13 is about to; 12 waits in a pipe. */
	find("0 0 switch 0 10 sleeping\n" TOOK_WORK
	     "1000 1 enter 11 epoll_wait enter=500 args=5,0,64,0,0,0\n2000 1 switch 11 0 sleeping\n"
	     "1000 2 enter 12 read enter=500 args=9,0,64,0,0,0\n2000 2 switch 12 0 sleeping\n"
	     "1000 3 enter 13 poll enter=500 args=0x7000,2,0,0,0,0\n");
	assert_false(scope_anomaly_hang_waits(run.units, run.pickups, thread_of(run.units, 13)->index));
	for (uint32_t tid = 10; tid <= 12; tid++) {
		const uint32_t index = thread_of(run.units, tid)->index;

		assert_int_equal(scope_anomaly_hang_serves(run.units, run.pickups, index), tid < 12);
		assert_int_equal(scope_anomaly_hang_waits(run.units, run.pickups, index), tid == 11);
	}
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_in_a_lock_is_a_hang),
		cmocka_unit_test(ten_times_the_99th_percentile_is_longer),
		cmocka_unit_test(waiting_for_work_is_no_hang),
		cmocka_unit_test(where_others_idle_peers_decide_or_nobody),
		cmocka_unit_test(a_condition_is_a_matter_for_its_peers),
		cmocka_unit_test(a_thread_that_was_answered_for_is_in_no_request),
		cmocka_unit_test(where_a_thread_sleeps_most_it_parks),
		cmocka_unit_test(a_wait_with_a_time_out_is_no_hang_between_requests),
		cmocka_unit_test(a_timer_is_a_matter_for_its_peers),
		cmocka_unit_test(another_call_is_a_hang_unless_its_process_waits_for_work),
		cmocka_unit_test(what_another_process_sends_is_waited_for),
		cmocka_unit_test(an_answer_of_another_process_is_owed),
		cmocka_unit_test(two_that_read_from_each_other_hang),
		cmocka_unit_test(what_was_not_read_is_no_hang),
		cmocka_unit_test(a_page_that_does_not_come_is_a_hang),
		cmocka_unit_test(a_second_of_running_without_a_call_is_a_spin),
		cmocka_unit_test(a_thread_that_slept_for_more_than_half_of_it_does_not_spin),
		cmocka_unit_test(waiting_for_a_cpu_is_part_of_a_spin),
		cmocka_unit_test(a_thread_that_got_no_processor_does_not_spin),
		cmocka_unit_test(time_inside_a_call_is_no_time_without_one),
		cmocka_unit_test(a_thread_that_ended_neither_hangs_nor_spins),
		cmocka_unit_test(a_thread_that_is_not_known_of_neither_hangs_nor_spins),
		cmocka_unit_test(a_thread_that_takes_work_serves_and_one_that_waits_for_it_waits),
	};

	return cmocka_run_group_tests_name("hang", tests, NULL, NULL);
}
