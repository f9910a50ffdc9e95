// SPDX-License-Identifier: GPL-2.0-only
/* Sleeps after a request: no client waits for the thread, and the unit ended before the sleep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "units_of.h"

#define LOCK "args=0x2000,0x80,2"
#define EVENT "args=0x2000,0x80,0"

/*
 * Thread 10 takes a request at 1000, answers it or not, sleeps in a futex from 3000 to 5000 and comes to its next
 * request at 6000. Thread 11 ends that sleep; it waits for work itself from idle_ns to 5000.
 */
struct story {
	const char *futex;
	bool answers, goes_on; /* before it sleeps; and more of the answer after that */
	unsigned idle_ns;
	const char *next; /* NULL, or calls before that request */
};

static struct run run_of_story(struct story story)
{
	struct run run;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	/* Waits below 20 us are not reported. */
	fprintf(to, "meta begin_ns 0\nmeta end_ns 9000000\nfd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 8 accepted -\n"
		    "0 0 switch 0 10 sleeping\n1 0 comm 10 tgid=10 comm=a\n2 1 comm 11 tgid=10 comm=a\n"
		    "3 1 switch 0 11 sleeping\n");
	for (unsigned i = 1; i <= 8; i++)
		fprintf(to,
			"%u00000 1 syscall 11 epoll_wait enter=%u50000 ret=1 args=5\n"
			"%u10000 1 syscall 11 read enter=%u05000 ret=64 args=8\n"
			"%u20000 1 syscall 11 write enter=%u15000 ret=64 args=8\n"
			"%u30000 0 syscall 10 read enter=%u25000 ret=64 args=7\n"
			"%u40000 0 syscall 10 write enter=%u35000 ret=64 args=7\n",
			i, i - 1, i, i, i, i, i, i, i, i);
	fprintf(to, "1000000 0 syscall 10 read enter=900000 ret=64 args=7\n");
	if (story.answers)
		fprintf(to, "2000000 0 syscall 10 write enter=1900000 ret=64 args=7\n");
	fprintf(to,
		"3000000 0 enter 10 futex enter=3000000 %s\n"
		"3000000 0 switch 10 0 sleeping\n"
		"%u000 1 enter 11 epoll_wait enter=%u000 args=5\n"
		"%u000 1 switch 11 0 sleeping\n"
		"5000000 1 waking 11 from - softirq\n"
		"5000000 1 switch 0 11 sleeping\n"
		"5000000 1 exit 11 epoll_wait ret=1\n"
		"5000000 1 waking 10 from 11 task\n"
		"5001000 0 switch 0 10 sleeping\n"
		"5100000 0 exit 10 futex ret=0\n",
		story.futex, story.idle_ns, story.idle_ns, story.idle_ns);
	if (story.goes_on)
		fprintf(to, "5500000 0 syscall 10 write enter=5400000 ret=64 args=7\n");
	fputs(story.next ? story.next : "", to);
	fprintf(to, "6000000 0 syscall 10 read enter=6000000 ret=64 args=7\n"
		    "6500000 0 syscall 10 write enter=6400000 ret=64 args=7\n"
		    "7000000 0 syscall 10 read enter=6900000 ret=64 args=7\n");
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	return run;
}

/* When the unit that begins at 1000 ends. */
static uint64_t end_of(struct story story)
{
	struct run run = run_of_story(story);
	uint64_t end_ns = 0;

	for (size_t i = 0; i < run.units->count; i++)
		if (run.units->unit[i].begin_ns == 1000000)
			end_ns = run.units->unit[i].end_ns;
	end_run(&run);
	return end_ns;
}

static int note_wait(void *user, const struct scope_wait *wait)
{
	int *place = user;

	if (wait->thread == 0 && wait->begin_ns == 3000000 && !wait->queue) {
		assert_int_equal(*place, -1);
		*place = !wait->outside && !wait->idle;
	}
	return 0;
}

/* 1: the sleep of thread 10 at 3000 is in a request, 0: in none. Ends the run. */
static int place_in(struct run *run)
{
	int place = -1;
	const struct scope_unit_sink sink = { .wait = note_wait, .user = &place };

	assert_int_equal(thread_of(run->units, 10)->index, 0);
	assert_int_equal(scope_unit_groups_conclude(run->groups, run->pickups, run->units->timeline->threads), 0);
	assert_int_equal(scope_unit_distributions_replay(run->distributions, run->groups, &sink), 0);
	end_run(run);
	return place;
}

static int place_of(struct story story)
{
	struct run run = run_of_story(story);

	return place_in(&run);
}

static const struct story parked = { .futex = EVENT, .answers = true, .idle_ns = 4900 };

static void a_thread_that_parks_after_the_answer_is_done(void **state)
{
	struct story story = parked;

	(void)state;
	assert_int_equal(end_of(story), 3000000);
	assert_int_equal(place_of(story), 0);
	/* More of the answer goes out: it was not. */
	story.goes_on = true;
	assert_int_equal(end_of(story), 6000000);
	assert_int_equal(place_of(story), 1);
}

static void a_thread_that_owes_an_answer_is_not(void **state)
{
	struct story story = parked;

	(void)state;
	story.answers = false;
	assert_int_equal(end_of(story), 6900000);
	assert_int_equal(place_of(story), 1);
}

/* Half of the sleep, or just less. */
static void a_lock_is_none_where_its_holder_idles(void **state)
{
	struct story story = parked;

	(void)state;
	story.futex = LOCK;
	assert_int_equal(end_of(story), 6000000);
	assert_int_equal(place_of(story), 1);
	story.idle_ns = 4000;
	assert_int_equal(end_of(story), 3000000);
	assert_int_equal(place_of(story), 0);
	story.idle_ns = 4001;
	assert_int_equal(end_of(story), 6000000);
}

/* The holder works for all of the sleep, and the lock may have had others before. */
static void a_lock_that_is_taken_to_wait_for_work_is_a_turn(void **state)
{
	struct story story = parked;

	(void)state;
	story.futex = LOCK;
	story.next = "5900000 0 syscall 10 accept4 enter=5800000 ret=9 args=3\n";
	assert_int_equal(end_of(story), 3000000);
	assert_int_equal(place_of(story), 0);
	/* A lock for something else. */
	story.next = "5500000 0 syscall 10 getpid enter=5400000 ret=10\n"
		     "5900000 0 syscall 10 accept4 enter=5800000 ret=9 args=3\n";
	assert_int_equal(end_of(story), 5800000);
	assert_int_equal(place_of(story), 1);
	/* The client waits for its answer. */
	story.next = "5900000 0 syscall 10 accept4 enter=5800000 ret=9 args=3\n";
	story.answers = false;
	assert_int_not_equal(end_of(story), 3000000);
	assert_int_equal(place_of(story), 1);
	/* It reads its next request: at once, so that was kept waiting; or it waits for it. */
	story.answers = true;
	story.next = "5900000 0 syscall 10 read enter=5800000 ret=64 args=7\n";
	assert_int_equal(end_of(story), 5800000);
	assert_int_equal(place_of(story), 1);
	story.next = "5800000 0 enter 10 read enter=5800000 args=7\n"
		     "5801000 0 switch 10 0 sleeping\n"
		     "5900000 0 waking 10 from - softirq\n"
		     "5901000 0 switch 0 10 sleeping\n"
		     "5902000 0 exit 10 read ret=64\n";
	assert_int_equal(end_of(story), 3000000);
	assert_int_equal(place_of(story), 0);
}

/*
 * Thread 10 comes by a clock each 0.5 ms, and sleeps in a futex from 3000 to 5000, until thread 11, which serves clients, and waits for them
 * most of the time, ends that.
 */
static int place_beside(unsigned tgid, const char *futex)
{
	struct run run;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to,
		"meta begin_ns 0\nmeta end_ns 9000000\nfd %u 5 epoll -\nfd %u 8 accepted -\n"
		"0 0 state 10 tgid=10 state=runnable since=0 run=0 comm=a on_cpu\n"
		"0 1 state 11 tgid=%u state=runnable since=0 run=0 comm=a on_cpu\n",
		tgid, tgid, tgid);
	for (unsigned us = 500; us <= 6500; us += 500) {
		if (us == 3000)
			fprintf(to, "3000000 0 enter 10 futex enter=3000000 %s\n3000000 0 switch 10 0 sleeping\n",
				futex);
		if (us < 3000 || us > 5000)
			fprintf(to,
				"%u000 0 enter 10 nanosleep enter=%u000\n%u000 0 switch 10 0 sleeping\n"
				"%u300 0 waking 10 from - hardirq\n%u310 0 switch 0 10 sleeping\n%u320 0 exit 10 nanosleep ret=0\n",
				us, us, us, us, us, us);
		if (us == 5000)
			fprintf(to, "5000000 1 waking 10 from 11 task\n5001000 0 switch 0 10 sleeping\n"
				    "5001300 0 exit 10 futex ret=0\n");
		fprintf(to,
			"%u450 1 syscall 11 epoll_wait enter=%u450 ret=1 args=5\n%u460 1 syscall 11 read enter=%u455 ret=64 args=8\n"
			"%u480 1 syscall 11 write enter=%u470 ret=64 args=8\n",
			us, us - 400, us, us, us, us);
	}
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	return place_in(&run);
}

static void a_thread_without_clients_may_be_waited_for(void **state)
{
	(void)state;
	assert_int_equal(place_beside(11, EVENT), 1);
	/* Other threads of its process serve: no request waits for it here, or that would count in theirs. */
	assert_int_equal(place_beside(10, EVENT), 0);
	/* What it does waits for a lock. */
	assert_int_equal(place_beside(10, LOCK), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_parks_after_the_answer_is_done),
		cmocka_unit_test(a_thread_that_owes_an_answer_is_not),
		cmocka_unit_test(a_lock_is_none_where_its_holder_idles),
		cmocka_unit_test(a_lock_that_is_taken_to_wait_for_work_is_a_turn),
		cmocka_unit_test(a_thread_without_clients_may_be_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
