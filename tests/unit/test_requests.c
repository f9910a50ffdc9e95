// SPDX-License-Identifier: GPL-2.0-only
/* Requests are counted as clients count them, for any calls before and after the one that takes the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "units_of.h"

#define BEGIN                                                                                                          \
	"meta begin_ns 0\nmeta end_ns 90000\nfd 10 3 listen -\nfd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 8 accepted -\n"

/* The unit that took the n-th request. */
static const struct scope_unit *request(const struct scope_units *units, unsigned n)
{
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].asked && !n--)
			return &units->unit[i];
	fail();
	return NULL;
}

/* Calls between the loop's return and the read are the request's, and so is what found nothing to read. */
static void calls_in_between_are_of_the_request(void **state)
{
	struct run run = run_of(BEGIN "0 0 switch 0 10 sleeping\n"
				      "1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				      "1100 0 syscall 10 clock_gettime enter=1050 ret=0\n"
				      "1150 0 syscall 10 rt_sigprocmask enter=1120 ret=0\n"
				      "1200 0 syscall 10 read enter=1160 ret=-11 args=8\n"
				      "1300 0 syscall 10 read enter=1250 ret=64 args=7\n"
				      "2000 0 syscall 10 write enter=1900 ret=64 args=7\n"
				      "2300 0 syscall 10 read enter=2250 ret=-11 args=7\n"
				      "2400 0 syscall 10 epoll_wait enter=2350 ret=1 args=5\n"
				      "2600 0 syscall 10 read enter=2500 ret=-11 args=7\n"
				      "2900 0 syscall 10 epoll_wait enter=2800 ret=1 args=5\n");

	(void)state;
	assert_int_equal(run.distributions->requests, 1);
	assert_int_equal(request(run.units, 0)->begin_ns, 1000);
	assert_int_equal(request(run.units, 0)->end_ns, 2350);
	end_run(&run);
}

/* A client is accepted in one turn and asks in the next; what it sends after the answer is thrown away. */
static void one_request_for_each_connection(void **state)
{
	struct run run = run_of(BEGIN "0 0 switch 0 10 sleeping\n"
				      "1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				      "1200 0 syscall 10 accept4 enter=1100 ret=9 args=3\n"
				      "2000 0 syscall 10 epoll_wait enter=1900 ret=1 args=5\n"
				      "2200 0 syscall 10 read enter=2100 ret=64 args=9\n"
				      "2300 0 syscall 10 write enter=2250 ret=64 args=9\n"
				      "2400 0 syscall 10 shutdown enter=2350 ret=0 args=9\n"
				      "3000 0 syscall 10 epoll_wait enter=2900 ret=1 args=5\n"
				      "3200 0 syscall 10 read enter=3100 ret=4 args=9\n"
				      "3300 0 syscall 10 read enter=3250 ret=0 args=9\n"
				      "3400 0 syscall 10 close enter=3350 ret=0 args=9\n"
				      "4000 0 syscall 10 epoll_wait enter=3900 ret=1 args=5\n"
				      "4200 0 syscall 10 accept4 enter=4100 ret=9 args=3\n"
				      "4400 0 syscall 10 read enter=4300 ret=64 args=9\n"
				      "4500 0 syscall 10 write enter=4450 ret=64 args=9\n"
				      "5000 0 syscall 10 epoll_wait enter=4900 ret=1 args=5\n");

	(void)state;
	assert_int_equal(run.distributions->requests, 2);
	assert_int_equal(request(run.units, 0)->begin_ns, 2000);
	/* The accept of one whose request is there already is a part of it. */
	assert_int_equal(request(run.units, 1)->begin_ns, 4000);
	end_run(&run);
}

/* Without a loop the accept is where a request begins. */
static void an_accept_and_its_read_are_one(void **state)
{
	struct run run = run_of(BEGIN "0 0 switch 0 10 sleeping\n"
				      "1000 0 syscall 10 accept enter=900 ret=9 args=3\n"
				      "1200 0 syscall 10 read enter=1100 ret=64 args=9\n"
				      "1300 0 syscall 10 write enter=1250 ret=64 args=9\n"
				      "1400 0 syscall 10 close enter=1350 ret=0 args=9\n"
				      "2000 0 syscall 10 accept enter=1900 ret=9 args=3\n"
				      "2200 0 syscall 10 read enter=2100 ret=64 args=9\n"
				      "2300 0 syscall 10 write enter=2250 ret=64 args=9\n"
				      "2400 0 syscall 10 close enter=2350 ret=0 args=9\n");

	(void)state;
	assert_int_equal(run.units->count, 2);
	assert_int_equal(run.distributions->requests, 2);
	assert_int_equal(request(run.units, 0)->begin_ns, 1000);
	assert_int_equal(request(run.units, 0)->end_ns, 1900);
	end_run(&run);
}

/* It comes in two turns, and is answered in a third: one request. Another client's in the third is one more. */
static void turns_that_take_no_work_are_none(void **state)
{
	struct run run = run_of(BEGIN "0 0 switch 0 10 sleeping\n"
				      "1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				      "1200 0 syscall 10 read enter=1100 ret=8 args=7\n"
				      "2000 0 syscall 10 epoll_wait enter=1900 ret=1 args=5\n"
				      "2200 0 syscall 10 read enter=2100 ret=56 args=7\n"
				      "3000 0 syscall 10 epoll_wait enter=2900 ret=1 args=5\n"
				      "3300 0 syscall 10 write enter=3200 ret=64 args=7\n"
				      "3500 0 syscall 10 read enter=3400 ret=64 args=8\n"
				      "3600 0 syscall 10 write enter=3550 ret=64 args=8\n"
				      "4000 0 syscall 10 epoll_wait enter=3900 ret=1 args=5\n"
				      "4200 0 syscall 10 read enter=4100 ret=64 args=7\n"
				      "5000 0 syscall 10 epoll_wait enter=4900 ret=1 args=5\n");

	(void)state;
	assert_int_equal(run.distributions->requests, 3);
	assert_int_equal(request(run.units, 1)->begin_ns, 3500);
	end_run(&run);
}

/* What is known of a connection stays known while another one, 256 numbers on, is looked at. */
static void connections_give_way_to_each_other(void **state)
{
	struct run run = run_of(BEGIN "fd 10 263 accepted -\n0 0 switch 0 10 sleeping\n"
				      "1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				      "1200 0 syscall 10 read enter=1100 ret=8 args=7\n"
				      "2000 0 syscall 10 epoll_wait enter=1900 ret=1 args=5\n"
				      "2200 0 syscall 10 read enter=2100 ret=64 args=263\n"
				      "2300 0 syscall 10 write enter=2250 ret=64 args=263\n"
				      "3000 0 syscall 10 epoll_wait enter=2900 ret=1 args=5\n"
				      "3200 0 syscall 10 read enter=3100 ret=56 args=7\n"
				      "3300 0 syscall 10 write enter=3250 ret=64 args=7\n"
				      "4000 0 syscall 10 epoll_wait enter=3900 ret=1 args=5\n"
				      "4200 0 syscall 10 read enter=4100 ret=64 args=263\n"
				      "5000 0 syscall 10 epoll_wait enter=4900 ret=1 args=5\n");

	(void)state;
	assert_int_equal(run.distributions->requests, 3);
	end_run(&run);
}

/* Answers of another thread count, from the time it began to write: its call may return late. */
static void another_thread_may_answer(void **state)
{
	struct run run = run_of(BEGIN "0 0 switch 0 10 sleeping\n0 1 switch 0 11 sleeping\n"
				      "1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=loop on_cpu\n"
				      "1 1 state 11 tgid=10 state=runnable since=0 run=0 comm=worker on_cpu\n"
				      "1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				      "1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				      "1400 0 enter 10 epoll_wait enter=1300 args=5\n1400 0 switch 10 0 sleeping\n"
				      "1500 1 enter 11 write enter=1450 args=7\n"
				      "1500 1 switch 11 0 runnable preempted\n"
				      "1600 0 waking 10 from - softirq\n1600 0 switch 0 10 sleeping\n"
				      "1610 0 exit 10 epoll_wait ret=1\n"
				      "1700 0 syscall 10 read enter=1650 ret=64 args=7\n"
				      "1800 1 switch 0 11 sleeping\n1810 1 exit 11 write ret=64\n"
				      "1900 0 syscall 10 epoll_wait enter=1850 ret=1 args=5\n");

	(void)state;
	assert_int_equal(run.distributions->requests, 2);
	end_run(&run);
}

/* To a thread that never answers each read is a request, except parts that are read one after the other. */
static void without_answers_reads_are_requests(void **state)
{
	struct run run = run_of(BEGIN "0 0 switch 0 10 sleeping\n"
				      "1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				      "1200 0 syscall 10 read enter=1100 ret=8 args=7\n"
				      "1300 0 syscall 10 read enter=1250 ret=56 args=7\n"
				      "2000 0 syscall 10 epoll_wait enter=1900 ret=1 args=5\n"
				      "2200 0 syscall 10 read enter=2100 ret=56 args=7\n"
				      "3000 0 syscall 10 epoll_wait enter=2900 ret=1 args=5\n");

	(void)state;
	assert_int_equal(run.distributions->requests, 2);
	end_run(&run);
}

/* A process made for a connection has it from the one that accepted it. */
static void a_child_has_its_parents_connection(void **state)
{
	struct run run = run_of(BEGIN "0 0 switch 0 10 sleeping\n"
				      "1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=server on_cpu\n"
				      "1000 0 syscall 10 accept enter=900 ret=9 args=3\n"
				      "1100 0 fork 20 parent=10 tgid=20 comm=server\n"
				      "1200 0 syscall 10 close enter=1150 ret=0 args=9\n"
				      "1300 1 switch 0 20 sleeping\n"
				      "1500 1 syscall 20 read enter=1400 ret=64 args=9\n"
				      "1600 1 syscall 20 write enter=1550 ret=64 args=9\n"
				      "1700 1 syscall 20 close enter=1650 ret=0 args=9\n");

	(void)state;
	assert_int_equal(run.distributions->requests, 1);
	assert_int_equal(request(run.units, 0)->begin_ns, 1100);
	assert_int_equal(request(run.units, 0)->thread, thread_of(run.units, 20)->index);
	assert_int_equal(request(run.units, 0)->connection, 1);
	end_run(&run);
}

/* By the number of its accept, whatever its descriptor; of one that was open before, nothing is known. */
static void requests_of_a_connection_have_its_number(void **state)
{
	struct run run = run_of(BEGIN "0 0 switch 0 10 sleeping\n"
				      "1000 0 syscall 10 accept enter=900 ret=9 args=3\n"
				      "1500 0 syscall 10 read enter=1400 ret=64 args=9\n"
				      "1600 0 syscall 10 write enter=1550 ret=64 args=9\n"
				      "2500 0 syscall 10 read enter=2400 ret=64 args=9\n"
				      "2600 0 syscall 10 write enter=2550 ret=64 args=9\n"
				      "2700 0 syscall 10 close enter=2650 ret=0 args=9\n"
				      "3000 0 syscall 10 accept enter=2900 ret=9 args=3\n"
				      "3500 0 syscall 10 read enter=3400 ret=64 args=9\n"
				      "3600 0 syscall 10 write enter=3550 ret=64 args=9\n"
				      "4500 0 syscall 10 read enter=4400 ret=64 args=7\n"
				      "4600 0 syscall 10 write enter=4550 ret=64 args=7\n");

	(void)state;
	assert_int_equal(request(run.units, 0)->connection, 1);
	assert_int_equal(request(run.units, 1)->connection, 1);
	assert_int_equal(request(run.units, 2)->connection, 2);
	assert_int_equal(request(run.units, 3)->connection, 0);
	end_run(&run);
}

/*
 * A close releases its number as it begins, and may return late: the connection that another thread accepted
 * under this number while it ran, accepted_ns after the close was entered, or before it, stays a client's or does not.
 * Returns how many requests were read from it.
 */
static unsigned reuse(int64_t accepted_ns)
{
	char text[1024];
	struct run run;
	unsigned requests = 0;

	snprintf(text, sizeof(text),
		 BEGIN "1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n"
		       "1 1 state 20 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n"
		       "%lld 1 syscall 20 accept4 enter=800 ret=7 args=3\n"
		       "3000 0 syscall 10 close enter=2000 ret=0 args=7\n"
		       "3200 1 syscall 20 read enter=3100 ret=64 args=7\n"
		       "3400 1 syscall 20 write enter=3300 ret=64 args=7\n",
		 (long long)(2000 + accepted_ns));
	run = run_of(text);
	for (size_t i = 0; i < run.units->count; i++)
		requests += run.units->unit[i].asked;
	end_run(&run);
	return requests;
}

static void number_opened_again_while_its_close_runs_stays_open(void **state)
{
	(void)state;
	assert_int_equal(reuse(1), 1);
	assert_int_equal(reuse(500), 1);
	/* The client's connection itself was closed. */
	assert_int_equal(reuse(0), 0);
	assert_int_equal(reuse(-500), 0);
}

/*
 * Both requests of a turn are answered at its end, the first by a write that takes write_ns. ret_writes: of the second
 * request; returns its time on a CPU.
 */
static uint64_t answered_together(unsigned write_ns, const char *first_client, bool in_two, unsigned *ret_writes)
{
	const struct scope_unit_call *call;
	const struct scope_unit *unit;
	uint64_t run_ns;
	struct run run;
	char text[1024];

	snprintf(text, sizeof(text),
		 BEGIN "fd 10 9 accepted -\n0 0 switch 0 10 sleeping\n"
		       "1000 0 syscall 10 epoll_wait enter=900 ret=2 args=5\n"
		       "1200 0 syscall 10 read enter=1100 ret=64 args=%s\n"
		       "2000 0 syscall 10 read enter=1900 ret=64 args=8\n"
		       "%s%u 0 %s 10 write%s ret=64%s\n"
		       "%u 0 syscall 10 write enter=%u ret=64 args=8\n"
		       "%u 0 syscall 10 epoll_wait enter=%u ret=1 args=5\n",
		 first_client, in_two ? "3000 0 enter 10 write enter=3000 args=7\n" : "", 3000 + write_ns,
		 in_two ? "exit" : "syscall", in_two ? "" : " enter=3000", in_two ? "" : " args=7", 5000 + write_ns,
		 4000 + write_ns, 7000 + write_ns, 6000 + write_ns);
	run = run_of(text);
	/* A request that is never answered comes last. */
	unit = request(run.units, 0);
	if (unit->begin_ns != 2000)
		unit = request(run.units, 1);
	assert_int_equal(unit->begin_ns, 2000);
	assert_int_equal(unit->end_ns, 6000 + write_ns);
	call = &run.units->call[unit->call];
	*ret_writes = 0;
	for (unsigned i = 0; i < unit->calls; i++)
		if (call[i].nr == SYS_write)
			*ret_writes = call[i].count;
	run_ns = unit->run_ns;
	end_run(&run);
	return run_ns;
}

/* An answer to another client of the turn is no part of the last request, unless it takes 0.1 ms. */
static void an_answer_belongs_to_who_asked(void **state)
{
	unsigned writes;

	(void)state;
	/* A stack, say, parts the call's record in two. */
	for (int in_two = 0; in_two < 2; in_two++) {
		assert_int_equal(answered_together(99999, "7", in_two, &writes), 4000);
		assert_int_equal(writes, 1);
		assert_int_equal(answered_together(100000, "7", in_two, &writes), 104000);
		assert_int_equal(writes, 1);
		/* To one who did not ask: what is sent to all, say, is this request's work. */
		assert_int_equal(answered_together(99999, "9", in_two, &writes), 103999);
		assert_int_equal(writes, 2);
	}
}

/*
 * The end of the unit that took the request. The write at 3000 has that result and goes to that descriptor. The thread works
 * until it looks for the next request at 9000.
 */
static uint64_t ends_after(const char *ret, const char *fd, bool in_two)
{
	struct run run;
	uint64_t end_ns;
	char text[1024];

	snprintf(text, sizeof(text),
		 BEGIN "0 0 switch 0 10 sleeping\n"
		       "1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
		       "2000 0 syscall 10 read enter=1900 ret=64 args=7\n"
		       "%s3100 0 %s 10 write%s ret=%s%s%s\n"
		       "8000 0 syscall 10 fsync enter=4000 ret=0 args=4\n"
		       "9500 0 syscall 10 epoll_wait enter=9000 ret=1 args=5\n",
		 in_two ? "3000 0 enter 10 write enter=3000 args=7\n" : "", in_two ? "exit" : "syscall",
		 in_two ? "" : " enter=3000", ret, in_two ? "" : " args=", in_two ? "" : fd);
	run = run_of(text);
	end_ns = request(run.units, 0)->end_ns;
	end_run(&run);
	return end_ns;
}

/* What follows a write to a client that has closed its connection keeps nobody waiting. */
static void request_ends_where_its_client_is_gone(void **state)
{
	(void)state;
	/* EPIPE, ECONNRESET */
	assert_int_equal(ends_after("-32", "7", false), 3100);
	assert_int_equal(ends_after("-104", "7", false), 3100);
	assert_int_equal(ends_after("-32", "7", true), 3100);
	/* EAGAIN: the client reads too slowly. */
	assert_int_equal(ends_after("-11", "7", false), 9000);
	assert_int_equal(ends_after("64", "7", false), 9000);
	/* To another client, and to something else. */
	assert_int_equal(ends_after("-32", "8", false), 9000);
	assert_int_equal(ends_after("-32", "6", false), 9000);
}

/* The end of a turn in which a write to descriptor 7 failed, though the turn read nothing from it. */
static uint64_t turn_ends(const char *before)
{
	struct run run;
	uint64_t end_ns = 0;
	char text[1024];

	snprintf(text, sizeof(text),
		 BEGIN "0 0 switch 0 10 sleeping\n"
		       "1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
		       "2000 0 syscall 10 read enter=1900 ret=64 args=7\n"
		       "%s"
		       "10000 0 syscall 10 epoll_wait enter=5900 ret=1 args=5\n"
		       "12000 0 syscall 10 write enter=11000 ret=-32 args=7\n"
		       "18000 0 syscall 10 fsync enter=14000 ret=0 args=4\n"
		       "20000 0 syscall 10 epoll_wait enter=19000 ret=1 args=5\n",
		 before);
	run = run_of(text);
	for (size_t i = 0; i < run.units->count; i++)
		if (run.units->unit[i].begin_ns == 10000)
			end_ns = run.units->unit[i].end_ns;
	end_run(&run);
	return end_ns;
}

/* Whose turn it is is known only if the thread ever had one client. */
static void turn_ends_where_the_only_client_is_gone(void **state)
{
	(void)state;
	assert_int_equal(turn_ends(""), 12000);
	assert_int_equal(turn_ends("4000 0 syscall 10 read enter=3900 ret=64 args=8\n"), 19000);
}

#define NEW_THREAD                                                                                                     \
	"meta begin_ns 0\nmeta end_ns 90000\nfd 10 3 listen -\nfd 10 7 accepted -\n0 0 switch 0 10 sleeping\n"         \
	"10000 0 fork 20 parent=10 tgid=10 comm=conn\n10100 1 switch 0 20 sleeping\n"                                  \
	"12000 1 syscall 20 getpeername enter=11000 ret=0 args=7\n"

#define ITS_ANSWER "17000 1 syscall 20 write enter=16000 ret=64 args=7\n18000 1 switch 20 0 dead\n"

#define REQUEST(at)                                                                                                    \
	at "20 1 syscall 20 read enter=" at "10 ret=64 args=7\n" at "40 1 syscall 20 write enter=" at                  \
	   "30 ret=64 args=7\n"

/* What a thread does for its connection before it reads is part of the first request. */
static void request_begins_as_its_thread_does(void **state)
{
	struct run run = run_of(NEW_THREAD "15000 1 syscall 20 read enter=14900 ret=64 args=7\n" ITS_ANSWER);
	const struct scope_unit *unit = request(run.units, 0);

	(void)state;
	assert_int_equal(run.units->count, 1);
	assert_int_equal(unit->begin_ns, 10000);
	assert_int_equal(unit->run_ns, 18000 - 10100);
	assert_int_equal(unit->queue_ns, 100);
	assert_int_equal(unit->calls, 3);
	end_run(&run);
}

/* If the client had not asked by then, it begins with what the client sent. */
static void request_begins_with_what_the_client_sent_later(void **state)
{
	struct run run = run_of(NEW_THREAD "13000 1 enter 20 read enter=12900 args=7\n13100 1 switch 20 0 sleeping\n"
					   "15000 0 waking 20 from - hardirq\n15010 1 switch 0 20 sleeping\n"
					   "15020 1 exit 20 read ret=64\n" ITS_ANSWER);

	(void)state;
	assert_int_equal(run.units->count, 1);
	assert_int_equal(request(run.units, 0)->begin_ns, 15020);
	assert_int_equal(request(run.units, 0)->calls, 2);
	end_run(&run);
}

/* A thread of a pool waits for its first work, or for a connection: until then it does nobody's work. */
static void new_thread_that_waits_for_work_has_no_unit_yet(void **state)
{
	/* One of five requests came after the futex, so that is not where the thread waits for them. */
	struct run run = run_of(NEW_THREAD
				"13000 1 enter 20 futex enter=12900 args=51966,128,0\n13100 1 switch 20 0 sleeping\n"
				"14000 0 waking 20 from 10 task\n14010 1 switch 0 20 sleeping\n"
				"14020 1 exit 20 futex ret=0\n15000 1 syscall 20 read enter=14900 ret=64 args=7\n"
				"15100 1 syscall 20 write enter=15050 ret=64 args=7\n" REQUEST("152") REQUEST("154")
					REQUEST("156") REQUEST("158") ITS_ANSWER);

	(void)state;
	assert_int_equal(run.distributions->requests, 5);
	assert_int_equal(request(run.units, 0)->begin_ns, 15000);
	end_run(&run);
	run = run_of(NEW_THREAD "14000 1 syscall 20 accept4 enter=13900 ret=7 args=3\n"
				"15000 1 syscall 20 read enter=14900 ret=64 args=7\n" ITS_ANSWER);
	assert_int_equal(run.units->count, 1);
	assert_int_equal(request(run.units, 0)->begin_ns, 14000);
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_in_between_are_of_the_request),
		cmocka_unit_test(one_request_for_each_connection),
		cmocka_unit_test(an_accept_and_its_read_are_one),
		cmocka_unit_test(turns_that_take_no_work_are_none),
		cmocka_unit_test(number_opened_again_while_its_close_runs_stays_open),
		cmocka_unit_test(connections_give_way_to_each_other),
		cmocka_unit_test(another_thread_may_answer),
		cmocka_unit_test(without_answers_reads_are_requests),
		cmocka_unit_test(a_child_has_its_parents_connection),
		cmocka_unit_test(requests_of_a_connection_have_its_number),
		cmocka_unit_test(an_answer_belongs_to_who_asked),
		cmocka_unit_test(request_ends_where_its_client_is_gone),
		cmocka_unit_test(turn_ends_where_the_only_client_is_gone),
		cmocka_unit_test(request_begins_as_its_thread_does),
		cmocka_unit_test(request_begins_with_what_the_client_sent_later),
		cmocka_unit_test(new_thread_that_waits_for_work_has_no_unit_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
