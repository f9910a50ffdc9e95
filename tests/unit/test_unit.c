// SPDX-License-Identifier: GPL-2.0-only
/* Execution units: where they begin and end, what they contain, and what counts as idle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "units_of.h"

/* Two threads take turns on one CPU: each has its own account and units. */
static void interleaved_threads_are_distinguished(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 4000\n"
				"0 0 switch 0 10 sleeping\n"
				"500 0 syscall 10 getpid enter=400 ret=10\n"
				"1000 0 switch 10 11 runnable preempted\n"
				"1500 0 syscall 11 getuid enter=1400 ret=0\n"
				"2000 0 switch 11 10 runnable preempted\n"
				"2500 0 syscall 10 getpid enter=2400 ret=10\n"
				"3000 0 switch 10 11 runnable preempted\n"
				"4000 0 switch 11 0 runnable preempted\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(thread_of(units, 10)->account.run_ns, 2000);
	assert_int_equal(thread_of(units, 11)->account.run_ns, 2000);
	assert_int_equal(thread_of(units, 10)->account.queue_ns, 2000);
	for (size_t i = 0; i < units->count; i++) {
		const struct scope_unit *unit = &units->unit[i];
		uint32_t tid = scope_timeline_threads_at(units->timeline->threads, unit->thread)->tid;

		for (unsigned j = 0; j < unit->calls; j++)
			assert_int_equal(units->call[unit->call + j].nr, tid == 10 ? 39 : 102);
	}
	end_run(&run);
}

/* From the return of the wait, whose work a read takes, to the next one; a dry read cuts nothing. */
static void requests_run_from_pick_up_to_pick_up(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\n"
				"fd 10 5 epoll -\nfd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				"1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				"2000 0 syscall 10 write enter=1900 ret=64 args=7\n"
				"2200 0 syscall 10 read enter=2100 ret=-11 args=7\n"
				"3000 0 enter 10 epoll_wait enter=2900 args=5\n"
				"3000 0 switch 10 0 sleeping\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->count, 1);
	assert_int_equal(units->unit[0].begin_ns, 1000);
	assert_int_equal(units->unit[0].end_ns, 2900);
	assert_int_equal(units->unit[0].granularity, SCOPE_UNIT_REQUEST);
	assert_int_equal(units->unit[0].run_ns, 1900);
	/* The wait that is still on at the end belongs to no unit. */
	assert_false(units->unit[0].open);
	end_run(&run);
}

/* Reads of one socket in a row are one request; the one that sleeps waits for the next. */
static void a_request_read_in_parts_is_one(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\n"
				"fd 10 7 accepted -\nfd 10 8 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 syscall 10 read enter=900 ret=4 args=7\n"
				"1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				"1400 0 syscall 10 read enter=1300 ret=64 args=8\n"
				"2000 0 syscall 10 write enter=1900 ret=64 args=8\n"
				"2200 0 syscall 10 read enter=2100 ret=4 args=8\n"
				"2300 0 enter 10 read enter=2250 args=8\n"
				"2300 0 switch 10 0 sleeping\n"
				"3000 0 waking 10 from - softirq\n"
				"3100 0 switch 0 10 sleeping\n"
				"3200 0 exit 10 read ret=4\n"
				"3500 0 syscall 10 write enter=3400 ret=64 args=8\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->count, 4);
	assert_int_equal(units->unit[0].begin_ns, 1000);
	assert_int_equal(units->unit[0].end_ns, 1300); /* another socket */
	assert_int_equal(units->call[units->unit[0].call].count, 2);
	assert_int_equal(units->unit[0].bytes, 68);
	assert_int_equal(units->unit[1].end_ns, 2100); /* an answer went out */
	assert_int_equal(units->unit[2].end_ns, 2250); /* asleep */
	assert_int_equal(units->unit[3].begin_ns, 3200);
	end_run(&run);
}

/* A request that has not returned when the window ends is kept, as open. */
/* A second read has no poll before it; a read after an answer takes another request. */
static void a_poll_and_its_read_are_one(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\n"
				"fd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 syscall 10 poll enter=500 ret=1 args=0x7f00\n"
				"1300 0 syscall 10 read enter=1200 ret=64 args=7\n"
				"2000 0 syscall 10 write enter=1900 ret=64 args=7\n"
				"2200 0 syscall 10 read enter=2100 ret=64 args=7\n"
				"2400 0 syscall 10 write enter=2300 ret=64 args=7\n"
				"3000 0 syscall 10 poll enter=2500 ret=1 args=0x7f00\n"
				"3200 0 syscall 10 write enter=3100 ret=64 args=7\n"
				"3400 0 syscall 10 read enter=3300 ret=64 args=7\n"
				"3600 0 syscall 10 poll enter=3500 ret=1 args=0x7f00\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->count, 5);
	assert_int_equal(units->unit[0].begin_ns, 1000);
	assert_int_equal(units->unit[0].end_ns, 2100);
	assert_int_equal(units->unit[1].end_ns, 2500);
	assert_int_equal(units->unit[2].begin_ns, 3000); /* an answer went out: another request */
	assert_int_equal(units->unit[2].end_ns, 3300);
	assert_int_equal(units->unit[3].begin_ns, 3600);
	/* It waits for its answer until the window ends. */
	assert_int_equal(units->unit[4].begin_ns, 3400);
	assert_int_equal(units->unit[4].end_ns, 3500);
	end_run(&run);
}

/* A server that waits for a lock by another epoll than for its client does not idle there. */
static void an_epoll_inside_a_request_is_none(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\n"
				"fd 10 5 epoll -\nfd 10 6 epoll -\nfd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 syscall 10 epoll_wait enter=500 ret=1 args=5\n"
				"1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				"1500 0 syscall 10 epoll_wait enter=1300 ret=1 args=6\n"
				"1800 0 syscall 10 epoll_wait enter=1600 ret=1 args=6\n"
				"2000 0 syscall 10 write enter=1900 ret=64 args=7\n"
				"2200 0 syscall 10 epoll_wait enter=2100 ret=1 args=5\n"
				"2400 0 syscall 10 read enter=2300 ret=64 args=7\n"
				"2600 0 syscall 10 write enter=2500 ret=64 args=7\n"
				"2800 0 syscall 10 epoll_wait enter=2700 ret=1 args=5\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->count, 3);
	assert_int_equal(units->unit[0].begin_ns, 1000);
	assert_int_equal(units->unit[0].end_ns, 2100);
	assert_int_equal(units->unit[1].begin_ns, 2200);
	end_run(&run);
}

/* A worker that is handed connections and reads from them itself idles where it waits for one. */
static void a_worker_that_is_handed_connections_idles(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\n"
				"fd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"500 0 enter 10 futex enter=400 args=0x1000,0x89\n"
				"500 0 switch 10 0 sleeping\n"
				"900 0 waking 10 from - softirq\n"
				"950 0 switch 0 10 sleeping\n"
				"1000 0 exit 10 futex ret=0\n"
				"1300 0 syscall 10 read enter=1200 ret=64 args=7\n"
				"2000 0 syscall 10 write enter=1900 ret=64 args=7\n"
				"2200 0 syscall 10 read enter=2100 ret=-11 args=7\n"
				"2500 0 enter 10 futex enter=2400 args=0x1000,0x89\n"
				"2500 0 switch 10 0 sleeping\n"
				"6900 0 waking 10 from - softirq\n"
				"6950 0 switch 0 10 sleeping\n"
				"7000 0 exit 10 futex ret=0\n"
				"7300 0 syscall 10 read enter=7200 ret=64 args=7\n"
				"8000 0 syscall 10 write enter=7900 ret=64 args=7\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->count, 2);
	assert_int_equal(units->unit[0].begin_ns, 1000);
	assert_int_equal(units->unit[0].end_ns, 2400);
	assert_int_equal(units->unit[0].blocked_ns, 0);
	assert_int_equal(units->unit[1].begin_ns, 7000);
	end_run(&run);
}

/* A sample costs time that is the tracer's, not the request's. */
static void taking_a_stack_is_not_work(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\n"
				"fd 10 5 epoll -\nfd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				"1500 0 sample 10 regs=0x1,0x2 data=00ff cost=400\n"
				"3000 0 enter 10 epoll_wait enter=2900 args=5\n"
				"3000 0 switch 10 0 sleeping\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->count, 1);
	assert_int_equal(units->unit[0].run_ns, 1700 - 400);
	/* The account itself stays the kernel's. */
	assert_int_equal(thread_of(units, 10)->account.run_ns, 3000);
	end_run(&run);
}

/* The client closed its connection: the unit ends at the write that fails, and what follows is in none. */
static void a_client_that_is_gone_ends_its_unit(void **state)
{
	static const struct {
		const char *ret, *fd;
		uint64_t end_ns; /* of the unit */
	} rows[] = {
		{ "-32", "7", 2000 },
		{ "-104", "7", 2000 },
		{ "64", "7", 5900 },
		/* No answer: what is read of it next belongs to the same request. */
		{ "-11", "7", 6900 },
		/* The connection of another client, or to a backend. */
		{ "-32", "8", 6900 },
		{ "-32", "9", 5900 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[1000];
		struct run run;

		snprintf(text, sizeof(text),
			 "meta begin_ns 0\nmeta end_ns 9000\n"
			 "fd 10 7 accepted -\nfd 10 8 accepted -\nfd 10 9 connected -\n"
			 "0 0 switch 0 10 sleeping\n"
			 "1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
			 "2000 0 syscall 10 write enter=1900 ret=%s args=%s\n"
			 "5000 0 syscall 10 getpid enter=4900 ret=10\n"
			 "6000 0 syscall 10 read enter=5900 ret=64 args=7\n"
			 "7000 0 syscall 10 read enter=6900 ret=64 args=8\n",
			 rows[i].ret, rows[i].fd);
		run = run_of(text);
		assert_true(run.units->count >= 2);
		assert_int_equal(run.units->unit[0].begin_ns, 1200);
		assert_int_equal(run.units->unit[0].end_ns, rows[i].end_ns);
		assert_int_equal(run.units->unit[1].begin_ns, rows[i].end_ns < 6000 ? 6000 : 7000);
		end_run(&run);
	}
}

/* The client was answered and has closed its connection: the unit ends before the read that finds that, and no other begins. */
static void a_client_that_has_left_ends_its_unit(void **state)
{
	static const struct {
		const char *answer_fd, *ret, *fd;
		bool open; /* at the end of the window */
	} rows[] = {
		{ "7", "0", "7", false },
		/* More may come. */
		{ "7", "-11", "7", true },
		/* It waits for an answer, and has only said that it sends no more. */
		{ "9", "0", "7", true },
		/* A connection to a backend. */
		{ "7", "0", "9", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[1000];
		struct run run;

		snprintf(text, sizeof(text),
			 "meta begin_ns 0\nmeta end_ns 9000000\n"
			 "fd 10 7 accepted -\nfd 10 9 connected -\n"
			 "0 0 switch 0 10 sleeping\n"
			 "1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
			 "2000 0 syscall 10 write enter=1900 ret=64 args=%s\n"
			 "3000 0 syscall 10 read enter=2900 ret=%s args=%s\n"
			 "5000 0 syscall 10 close enter=4900 ret=0 args=3\n"
			 "6000 0 enter 10 futex enter=5900 args=4096,128,2\n"
			 "6000 0 switch 10 0 sleeping\n",
			 rows[i].answer_fd, rows[i].ret, rows[i].fd);
		run = run_of(text);
		assert_int_equal(run.units->count, 1);
		assert_int_equal(run.units->unit[0].begin_ns, 1200);
		assert_int_equal(run.units->unit[0].open, rows[i].open);
		assert_int_equal(run.units->unit[0].end_ns, rows[i].open ? 9000000 : 3000);
		end_run(&run);
	}
}

/* The same, where the thread sleeps until the client closes: that sleep is in no unit. */
static void a_client_that_leaves_late_ends_its_unit(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000000\nfd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				"2000 0 syscall 10 write enter=1900 ret=64 args=7\n"
				"2950 0 enter 10 read enter=2900 args=7\n"
				"3000 0 switch 10 0 sleeping\n"
				"4000000 0 waking 10 from - softirq\n"
				"4001000 0 switch 0 10 sleeping\n"
				"4002000 0 exit 10 read ret=0\n"
				"4003000 0 syscall 10 close enter=4002900 ret=0 args=7\n"
				"4006000 0 enter 10 futex enter=4005900 args=4096,128,2\n"
				"4006000 0 switch 10 0 sleeping\n");

	(void)state;
	assert_int_equal(run.units->count, 1);
	assert_int_equal(run.units->unit[0].end_ns, 2900);
	assert_false(run.units->unit[0].open);
	end_run(&run);
}

/* Events of a CPU were lost: no unit spans the gap. */
static void a_loss_cuts_units(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\n"
				"fd 10 5 epoll -\nfd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				"5000 0 lost 3\n"
				"6000 0 syscall 10 read enter=5900 ret=64 args=7\n"
				"7000 0 enter 10 epoll_wait enter=6900 args=5\n"
				"7000 0 switch 10 0 sleeping\n"
				"8000 0 waking 10 from - hardirq\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->discarded, 1);
	assert_int_equal(units->count, 1);
	assert_int_equal(units->unit[0].begin_ns, 6000);
	assert_int_equal(units->timeline->lost, 3);
	end_run(&run);
}

/* Waits for one condition variable sleep on two words of it by turns: both are the top of the loop. */
static void a_condition_is_one_object(void **state)
{
	char text[4096] = "meta begin_ns 0\nmeta end_ns 900000\n0 0 switch 0 10 sleeping\n";
	struct run run;

	(void)state;
	for (int i = 1; i <= 6; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%d1000 0 enter 10 futex enter=%d0900 args=%d,0x189\n"
			 "%d1000 0 switch 10 0 sleeping\n"
			 "%d3000 0 waking 10 from 11 task\n"
			 "%d3000 0 switch 0 10 sleeping\n"
			 "%d3500 0 exit 10 futex ret=0\n"
			 "%d4000 0 syscall 10 write enter=%d3900 ret=5\n",
			 i, i, i % 2 ? 80 : 84, i, i, i, i, i, i);
	run = run_of(text);
	/* Five pieces of work between six waits; the last is open. */
	assert_int_equal(run.units->count, 6);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(run.units->unit[i].granularity, SCOPE_UNIT_REQUEST);
		assert_int_equal(run.units->unit[i].end_ns, (i + 2) * 10000 + 900);
	}
	end_run(&run);
}

/* A worker that takes its work from a pipe, and sleeps by select of no descriptors for each piece. */
static void select_of_nothing_is_a_sleep(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 900000\n"
				"fd 10 3 pipe -\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 enter 10 read enter=900 args=3\n"
				"1000 0 switch 10 0 sleeping\n"
				"101000 0 waking 10 from - softirq\n"
				"101000 0 switch 0 10 sleeping\n"
				"102000 0 exit 10 read ret=8\n"
				"103000 0 enter 10 select enter=102900 args=0\n"
				"103000 0 switch 10 0 sleeping\n"
				"303000 0 waking 10 from - hardirq\n"
				"303000 0 switch 0 10 sleeping\n"
				"304000 0 exit 10 select ret=0\n"
				"305000 0 enter 10 read enter=304900 args=3\n"
				"305000 0 switch 10 0 sleeping\n"
				"500000 0 waking 10 from - softirq\n"
				"500000 0 switch 0 10 sleeping\n"
				"501000 0 exit 10 read ret=8\n"
				"700000 0 switch 10 0 sleeping\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->unit[0].begin_ns, 102000);
	assert_int_equal(units->unit[0].end_ns, 304900);
	assert_int_equal(units->unit[0].granularity, SCOPE_UNIT_REQUEST);
	assert_int_equal(thread_of(units, 10)->account.blocked_ns[SCOPE_WAIT_TIMER], 200000);
	end_run(&run);
}

/* The first request of a connection that was accepted in the window; not of one that was there. */
static void the_first_request_of_a_connection_is_known(void **state)
{
	static const bool first[] = { false, true, false, true };
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\nfd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 syscall 10 read enter=900 ret=64 args=7\n"
				"1100 0 syscall 10 write enter=1050 ret=64 args=7\n"
				"1200 0 syscall 10 accept enter=1150 ret=8 args=3\n"
				"2000 0 syscall 10 read enter=1900 ret=64 args=8\n"
				"2100 0 syscall 10 write enter=2050 ret=64 args=8\n"
				"3000 0 syscall 10 read enter=2900 ret=64 args=8\n"
				"3100 0 syscall 10 write enter=3050 ret=64 args=8\n"
				"3200 0 syscall 10 close enter=3150 ret=0 args=8\n"
				"3300 0 syscall 10 accept enter=3250 ret=8 args=3\n"
				"4000 0 syscall 10 read enter=3900 ret=64 args=8\n"
				"4100 0 syscall 10 write enter=4050 ret=64 args=8\n"
				"5000 0 enter 10 read enter=4900 args=8\n"
				"5000 0 switch 10 0 sleeping\n");
	const struct scope_units *units = run.units;

	(void)state;
	assert_int_equal(units->count, 4);
	for (size_t i = 0; i < units->count; i++)
		assert_int_equal(units->unit[i].first, first[i]);
	end_run(&run);
}

/* A new thread waits for its client's request; it greets the client before that, or it does not. Its units. */
static size_t units_of_new_thread(const char *greeting, uint8_t *ret_asked)
{
	char text[1000];
	struct run run;
	size_t units;

	snprintf(text, sizeof(text),
		 "meta begin_ns 0\nmeta end_ns 9000\nfd 10 7 accepted -\n"
		 "500 1 fork 11 parent=10 tgid=10 comm=conn\n"
		 "1000 0 switch 0 11 sleeping\n"
		 "1500 0 syscall 11 getpeername enter=1400 ret=0 args=7\n"
		 "%s"
		 "2300 0 enter 11 read enter=2250 args=7\n"
		 "2300 0 switch 11 0 sleeping\n"
		 "3000 0 waking 11 from - softirq\n"
		 "3100 0 switch 0 11 sleeping\n"
		 "3200 0 exit 11 read ret=4\n"
		 "3500 0 syscall 11 write enter=3400 ret=64 args=7\n"
		 "3700 0 enter 11 read enter=3600 args=7\n"
		 "3700 0 switch 11 0 sleeping\n",
		 greeting);
	run = run_of(text);
	units = run.units->count;
	*ret_asked = run.units->unit[0].asked;
	end_run(&run);
	return units;
}

static void a_greeting_is_a_unit_that_took_no_request(void **state)
{
	uint8_t asked;

	(void)state;
	assert_int_equal(units_of_new_thread("2000 0 syscall 11 write enter=1900 ret=64 args=7\n", &asked), 2);
	assert_int_equal(asked, 0);
	/* What it writes elsewhere is no greeting. */
	assert_int_equal(units_of_new_thread("2000 0 syscall 11 write enter=1900 ret=64 args=2\n", &asked), 1);
	assert_int_equal(asked, 1);
	assert_int_equal(units_of_new_thread("", &asked), 1);
}

/*
 * A worker finds its queue filled: it answers one client after 1,000 ns of work, and another one work_ns later; that one has asked,
 * or the answer goes on. The worker's units.
 */
static size_t units_of_worker(unsigned work_ns, int second_fd, uint64_t *ret_first_end_ns)
{
	char text[2000];
	struct run run;
	size_t units = 0;

	snprintf(text, sizeof(text),
		 "meta begin_ns 0\nmeta end_ns 9000\n"
		 "fd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 8 accepted -\n"
		 "0 0 switch 0 10 sleeping\n"
		 "100 0 syscall 10 epoll_wait enter=50 ret=1 args=5\n"
		 "200 0 syscall 10 read enter=150 ret=64 args=7\n"
		 "300 0 syscall 10 epoll_wait enter=250 ret=1 args=5\n"
		 "400 0 syscall 10 read enter=350 ret=64 args=8\n"
		 "450 1 fork 11 parent=10 tgid=10 comm=worker\n500 1 switch 0 11 sleeping\n"
		 "600 1 enter 11 futex enter=550 args=0x1000,0\n600 1 switch 11 0 sleeping\n"
		 "900 1 waking 11 from 10 task\n1000 1 switch 0 11 sleeping\n1000 1 exit 11 futex ret=0\n"
		 "2000 1 syscall 11 write enter=1900 ret=64 args=7\n"
		 "%u 1 syscall 11 write enter=%u ret=64 args=%d\n"
		 "6000 1 enter 11 futex enter=5900 args=0x1000,0\n6000 1 switch 11 0 sleeping\n"
		 "7000 1 waking 11 from 10 task\n7100 1 switch 0 11 sleeping\n7100 1 exit 11 futex ret=0\n"
		 "7300 1 enter 11 futex enter=7200 args=0x1000,0\n7300 1 switch 11 0 sleeping\n",
		 2100 + work_ns, 2000 + work_ns, second_fd);
	run = run_of(text);
	for (size_t i = 0; i < run.units->count; i++) {
		const struct scope_unit *unit = &run.units->unit[i];

		if (scope_timeline_threads_at(run.units->timeline->threads, unit->thread)->tid != 11)
			continue;
		if (!units++)
			*ret_first_end_ns = unit->end_ns;
		else if (units == 2 && *ret_first_end_ns == 2000)
			assert_int_equal(run.units->call[unit->call].count, 1);
	}
	end_run(&run);
	return units;
}

/* A quarter of the work for the first answer, or less. */
static void a_worker_begins_a_unit_after_an_answer(void **state)
{
	uint64_t end_ns;

	(void)state;
	assert_int_equal(units_of_worker(250, 8, &end_ns), 3);
	assert_int_equal(end_ns, 2000);
	assert_int_equal(units_of_worker(249, 8, &end_ns), 2);
	assert_int_equal(end_ns, 5900);
	/* More of the same answer. */
	assert_int_equal(units_of_worker(2000, 7, &end_ns), 2);
	assert_int_equal(end_ns, 5900);
}

/* The client asked for 64 bytes and got 500; how the server does that, by a page and a journal, is its own. */
static void bytes_of_files_are_no_size(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\nfd 10 7 accepted -\nfd 10 9 file -\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 syscall 10 read enter=900 ret=64 args=7\n"
				"1200 0 syscall 10 read enter=1100 ret=4096 args=9\n"
				"1400 0 syscall 10 write enter=1300 ret=8192 args=9\n"
				"2000 0 syscall 10 write enter=1900 ret=500 args=7\n"
				"5000 0 enter 10 read enter=4900 args=7\n"
				"5000 0 switch 10 0 sleeping\n");

	(void)state;
	assert_int_equal(run.units->count, 1);
	assert_int_equal(run.units->unit[0].bytes, 564);
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interleaved_threads_are_distinguished),
		cmocka_unit_test(requests_run_from_pick_up_to_pick_up),
		cmocka_unit_test(a_request_read_in_parts_is_one),
		cmocka_unit_test(a_poll_and_its_read_are_one),
		cmocka_unit_test(an_epoll_inside_a_request_is_none),
		cmocka_unit_test(a_worker_that_is_handed_connections_idles),
		cmocka_unit_test(taking_a_stack_is_not_work),
		cmocka_unit_test(a_client_that_is_gone_ends_its_unit),
		cmocka_unit_test(a_client_that_has_left_ends_its_unit),
		cmocka_unit_test(a_client_that_leaves_late_ends_its_unit),
		cmocka_unit_test(a_loss_cuts_units),
		cmocka_unit_test(a_condition_is_one_object),
		cmocka_unit_test(select_of_nothing_is_a_sleep),
		cmocka_unit_test(the_first_request_of_a_connection_is_known),
		cmocka_unit_test(a_greeting_is_a_unit_that_took_no_request),
		cmocka_unit_test(a_worker_begins_a_unit_after_an_answer),
		cmocka_unit_test(bytes_of_files_are_no_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
