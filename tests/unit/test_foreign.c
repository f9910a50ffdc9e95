// SPDX-License-Identifier: GPL-2.0-only
/* Polls that are not the top of a thread's loop: a thread that sleeps in one is in the middle of a request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anomaly/hang.h"
#include "units_of.h"

#define TURN_NS 1000000ull

/* A loop that serves some requests, and then sleeps in another poll until the window ends. */
struct story {
	const char *loop, *inner; /* calls with their first argument; inner NULL: none in a usual request */
	const char *last;	  /* where it is at last */
	unsigned turns;
	unsigned asides; /* turns that make the last poll first, of which one brings a request */
	bool nested;	 /* inner is called at the top of the loop, before it */
	bool answered;	 /* before it sleeps in the last one */
};

static void call(FILE *to, uint64_t *now, const char *name, const char *rest)
{
	fprintf(to, "%ju 0 syscall 10 %.*s enter=%ju %s\n", (uintmax_t)(*now + 200), (int)strcspn(name, " "), name,
		(uintmax_t)(*now + 100), rest);
	*now += 300;
}

static void poll_once(FILE *to, uint64_t *now, const char *name)
{
	char rest[64];

	snprintf(rest, sizeof(rest), "ret=1 args=%s", strchr(name, ' ') + 1);
	call(to, now, name, rest);
}

static bool hangs_in(struct story story)
{
	uint64_t now = 0;
	struct scope_hang *hangs;
	struct run run;
	size_t size, count;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs("meta begin_ns 0\nmeta end_ns 5000000000\nfd 10 5 epoll -\nfd 10 6 epoll -\nfd 10 7 accepted -\n"
	      "0 0 switch 0 10 sleeping\n",
	      to);
	for (unsigned i = 0; i < story.turns; i++) {
		now = (i + 1) * TURN_NS;
		if (i < story.asides)
			poll_once(to, &now, story.last);
		if (story.asides && !i) {
			call(to, &now, "read", "ret=64 args=7");
			call(to, &now, "write", "ret=64 args=7");
		}
		if (story.inner && story.nested)
			poll_once(to, &now, story.inner);
		poll_once(to, &now, story.loop);
		call(to, &now, "read", "ret=64 args=7");
		if (story.inner && !story.nested)
			poll_once(to, &now, story.inner);
		if (i + 1 < story.turns || story.answered)
			call(to, &now, "write", "ret=64 args=7");
	}
	fprintf(to, "%ju 0 enter 10 %.*s enter=%ju args=%s\n%ju 0 switch 10 0 sleeping\n", (uintmax_t)(now + 100),
		(int)strcspn(story.last, " "), story.last, (uintmax_t)(now + 100), strchr(story.last, ' ') + 1,
		(uintmax_t)(now + 100));
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	assert_int_equal(thread_of(run.units, 10)->run, SCOPE_RUN_BLOCKED);
	assert_int_equal(scope_anomaly_hang_find(run.units, run.distributions, run.pickups, &hangs, &count), 0);
	free(hangs);
	end_run(&run);
	return count > 0;
}

static const struct story usual = { .loop = "epoll_wait 5", .last = "epoll_wait 5", .turns = 100 };

static void a_thread_in_its_loop_waits_for_work(void **state)
{
	struct story story = usual;

	(void)state;
	assert_false(hangs_in(story));
	story.loop = story.last = "poll 0x7000";
	assert_false(hangs_in(story));
}

static void a_thread_in_a_poll_seen_once_hangs(void **state)
{
	struct story story = usual;

	(void)state;
	story.last = "poll 0x7ff0";
	assert_true(hangs_in(story));
	story.last = "epoll_wait 6";
	assert_true(hangs_in(story));
	/* The same call of another set. */
	story.loop = "poll 0x7000";
	story.last = "poll 0x7ff0";
	assert_true(hangs_in(story));
	story.last = "pselect6 9";
	assert_true(hangs_in(story));
	/* One poll of twenty is the share. */
	story.turns = 20;
	assert_true(hangs_in(story));
	story.turns = 19;
	assert_false(hangs_in(story));
}

/* A resolver's poll, after which a request came once in twenty, with that in which it is at last. */
static void a_thread_in_a_poll_that_hardly_brings_work_hangs(void **state)
{
	struct story story = usual;

	(void)state;
	story.last = "poll 0x7ff0";
	story.turns = 400;
	story.asides = 19;
	assert_true(hangs_in(story));
	story.asides = 18;
	assert_false(hangs_in(story));
}

static void a_thread_where_each_request_asks_hangs(void **state)
{
	struct story story = usual;

	(void)state;
	story.inner = story.last = "poll 0x7ff0";
	assert_true(hangs_in(story));
}

/* A poll over the epoll's own descriptor: both are the top of the loop. */
static void a_thread_that_comes_to_two_polls_by_turns_waits(void **state)
{
	struct story story = usual;

	(void)state;
	story.inner = story.last = "poll 0x7ff0";
	story.nested = true;
	assert_false(hangs_in(story));
}

/* It waits for the client to ask again, as some do before they hand the connection back. */
static void a_thread_that_has_answered_waits(void **state)
{
	struct story story = usual;

	(void)state;
	story.last = "poll 0x7ff0";
	story.answered = true;
	assert_false(hangs_in(story));
}

/*
 * A thread reads ten requests, asleep in as many of its reads as slept says, and comes to a poll before two of them.
 * Is the poll the top of its loop?
 */
static bool poll_is_the_loop(unsigned slept)
{
	struct run run;
	bool loop;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nmeta end_ns 900000\nfd 10 7 accepted -\n0 0 switch 0 10 sleeping\n");
	for (unsigned i = 1; i <= 10; i++) {
		if (i <= 2)
			fprintf(to, "%u0010 0 syscall 10 poll enter=%u0000 ret=1 args=0x7f00\n", i, i);
		if (i > 10 - slept)
			fprintf(to,
				"%u0100 0 enter 10 read enter=%u0090 args=7\n%u0110 0 switch 10 0 sleeping\n"
				"%u0120 0 waking 10 from - softirq\n%u0130 0 switch 0 10 sleeping\n"
				"%u0140 0 exit 10 read ret=64\n",
				i, i, i, i, i, i);
		else
			fprintf(to, "%u0140 0 syscall 10 read enter=%u0130 ret=64 args=7\n", i, i);
		fprintf(to, "%u0200 0 syscall 10 write enter=%u0190 ret=64 args=7\n", i, i);
	}
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	loop = scope_unit_pickups_of(run.pickups, thread_of(run.units, 10)->index)->nr != SCOPE_NR_NONE;
	end_run(&run);
	return loop;
}

static void a_thread_that_sleeps_in_its_reads_polls_for_something_else(void **state)
{
	(void)state;
	assert_true(poll_is_the_loop(0));
	assert_true(poll_is_the_loop(2));
	assert_false(poll_is_the_loop(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_in_its_loop_waits_for_work),
		cmocka_unit_test(a_thread_in_a_poll_seen_once_hangs),
		cmocka_unit_test(a_thread_in_a_poll_that_hardly_brings_work_hangs),
		cmocka_unit_test(a_thread_where_each_request_asks_hangs),
		cmocka_unit_test(a_thread_that_comes_to_two_polls_by_turns_waits),
		cmocka_unit_test(a_thread_that_has_answered_waits),
		cmocka_unit_test(a_thread_that_sleeps_in_its_reads_polls_for_something_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
