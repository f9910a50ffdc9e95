// SPDX-License-Identifier: GPL-2.0-only
/* Spins made of calls: which rounds achieve nothing, and from which length and number on they are a spin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/hang.h"
#include "units_of.h"

#define US 1000ull
#define END_NS 20000000000ull

/* One round of a loop, count times. */
struct rounds {
	const char *call; /* after the poll: name, and the rest of a line; NULL: none */
	const char *rest;
	uint64_t round_us;    /* from poll to poll */
	uint64_t sleep_us;    /* of it, asleep in the poll; 0: it returns at once */
	unsigned awake_every; /* rounds; in one of them the poll returns at once all the same; 0: in none */
	unsigned count;
	unsigned request_every; /* rounds; 0: nobody asks */
	unsigned log_every;	/* the same: a line is written to a file */
	unsigned lost_every;	/* the same: events are lost for lost_us, after the round */
	uint64_t lost_us;
	unsigned pause_at; /* a round; after it the thread answers a client for pause_us, then turns again; 0: never */
	uint64_t pause_us;
};

static struct scope_hang hang;

/* How much later a round begins because of the pause and of losses before it. */
static uint64_t shift_us(const struct rounds *rounds, unsigned number)
{
	const unsigned losses = rounds->lost_every && number ? (number - 1) / rounds->lost_every + 1 : 0;

	return (rounds->pause_at && number > rounds->pause_at ? rounds->pause_us : 0) + losses * rounds->lost_us;
}

static void write_round(FILE *to, const struct rounds *rounds, unsigned number)
{
	const uint64_t now = 1000000 + (number * rounds->round_us + shift_us(rounds, number)) * US;
	const bool awake = rounds->awake_every && number % rounds->awake_every == 0;
	const uint64_t sleep_us = awake ? 0 : rounds->sleep_us;

	if (sleep_us)
		fprintf(to,
			"%ju 0 enter 10 epoll_wait enter=%ju args=5\n%ju 0 switch 10 0 sleeping\n"
			"%ju 0 waking 10 from - hardirq\n%ju 0 switch 0 10 sleeping\n%ju 0 exit 10 epoll_wait ret=1\n",
			(uintmax_t)now, (uintmax_t)now, (uintmax_t)now, (uintmax_t)(now + sleep_us * US),
			(uintmax_t)(now + sleep_us * US), (uintmax_t)(now + sleep_us * US));
	else
		fprintf(to, "%ju 0 syscall 10 epoll_wait enter=%ju ret=1 args=5\n", (uintmax_t)(now + 100),
			(uintmax_t)now);
	if (rounds->call)
		fprintf(to, "%ju 0 syscall 10 %s enter=%ju %s\n", (uintmax_t)(now + sleep_us * US + 300), rounds->call,
			(uintmax_t)(now + sleep_us * US + 200), rounds->rest);
	if (rounds->request_every && number % rounds->request_every == 0)
		fprintf(to, "%ju 0 syscall 10 read enter=%ju ret=64 args=7\n", (uintmax_t)(now + sleep_us * US + 500),
			(uintmax_t)(now + sleep_us * US + 400));
	if (rounds->log_every && number % rounds->log_every == 0)
		fprintf(to, "%ju 0 syscall 10 write enter=%ju ret=64 args=8\n", (uintmax_t)(now + sleep_us * US + 700),
			(uintmax_t)(now + sleep_us * US + 600));
	if (rounds->lost_every && number % rounds->lost_every == 0)
		fprintf(to, "%ju 0 lost 100\n%ju 0 switch 0 10 sleeping\n",
			(uintmax_t)(now + (rounds->round_us - 1 + rounds->lost_us) * US),
			(uintmax_t)(now + (rounds->round_us - 1 + rounds->lost_us) * US));
	if (rounds->pause_at && number == rounds->pause_at)
		fprintf(to, "%ju 0 syscall 10 read enter=%ju ret=64 args=7\n", (uintmax_t)(now + 900),
			(uintmax_t)(now + 800));
}

/* Sets hang to what was found. */
static bool spins(struct rounds rounds)
{
	struct scope_hang *hangs;
	struct run run;
	size_t size, count;
	uint64_t end_ns;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to,
		"meta begin_ns 0\nmeta end_ns %ju\nfd 10 3 listen -\nfd 10 5 epoll -\nfd 10 7 accepted -\n"
		"fd 10 8 file -\nfd 10 9 accepted -\n0 0 switch 0 10 sleeping\n",
		(uintmax_t)END_NS);
	for (unsigned i = 0; i < rounds.count; i++)
		write_round(to, &rounds, i);
	end_ns = 1000000 + (rounds.count * rounds.round_us + shift_us(&rounds, rounds.count)) * US;
	fprintf(to, "%ju 0 enter 10 epoll_wait enter=%ju args=5\n%ju 0 switch 10 0 sleeping\n", (uintmax_t)end_ns,
		(uintmax_t)end_ns, (uintmax_t)end_ns);
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	assert_int_equal(scope_anomaly_hang_find(run.units, run.distributions, run.pickups, &hangs, &count), 0);
	if (count) {
		assert_int_equal(count, 1);
		assert_int_equal(hangs[0].kind, SCOPE_HANG_SPIN);
		assert_int_equal(hangs[0].thread, thread_of(run.units, 10)->index);
		assert_non_null(hangs[0].rounds);
		hang = hangs[0];
	}
	free(hangs);
	end_run(&run);
	return count;
}

static const struct rounds no_descriptor = {
	.call = "accept4",
	.rest = "ret=-24 args=3",
	.round_us = 200,
	.count = 10000,
};

static void calls_that_fail_for_a_second_are_a_spin(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	assert_true(spins(rounds));
	assert_int_equal(hang.object, 3);
	rounds.count = 5010; /* the first ten calls are five rounds, and none of it */
	assert_true(spins(rounds));
	rounds.count = 4990;
	assert_false(spins(rounds));
}

static void a_call_that_brings_nothing_is_in_vain(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.call = "read";
	rounds.rest = "ret=0 args=9";
	assert_true(spins(rounds));
	rounds.call = "write";
	rounds.rest = "ret=-11 args=9";
	assert_true(spins(rounds));
	rounds.call = NULL;
	assert_true(spins(rounds));
	/* The end of a file is no want of progress, but the poll is in vain all the same. */
	rounds.call = "read";
	rounds.rest = "ret=0 args=8";
	assert_true(spins(rounds));
	assert_int_equal(hang.nr, 232);
}

static void a_request_in_few_rounds_is_progress(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.request_every = 4; /* fewer than ten calls */
	assert_false(spins(rounds));
	rounds.request_every = 100;
	assert_true(spins(rounds));
	/* Less than a millisecond since the tenth, as of a thread that polls instead of sleeping. */
	rounds.round_us = 50;
	rounds.count = 40000;
	rounds.request_every = 24;
	assert_false(spins(rounds));
	rounds.request_every = 25;
	assert_true(spins(rounds));
}

static void a_log_is_no_progress(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.log_every = 1;
	assert_true(spins(rounds));
	rounds.call = "read";
	rounds.rest = "ret=64 args=9";
	assert_false(spins(rounds));
}

static void few_rounds_a_second_are_none(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.round_us = 999;
	assert_true(spins(rounds));
	rounds.round_us = 1010;
	assert_false(spins(rounds));
}

static void a_thread_that_sleeps_for_most_of_it_does_not_spin(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.sleep_us = 90;
	assert_true(spins(rounds));
	rounds.sleep_us = 110;
	assert_false(spins(rounds));
	/* A sleep of a millisecond ends it, though less than half of the time is spent there. */
	rounds.round_us = 1200;
	rounds.awake_every = 2;
	rounds.sleep_us = 999;
	assert_true(spins(rounds));
	rounds.sleep_us = 1000;
	assert_false(spins(rounds));
}

/* Of the rounds up to the next request the first ten are no spin. With 20 the others are half of the time, with 19 less. */
static void ten_calls_in_vain_begin_a_spin(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.call = NULL;
	rounds.request_every = 20;
	assert_true(spins(rounds));
	rounds.request_every = 19;
	assert_false(spins(rounds));
}

/* 0.9 s of rounds are before the pause and after it. The second stretch begins 1 ms after it, with the tenth call in vain. */
static void a_second_of_something_else_makes_two_spins(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.count = 9000;
	rounds.pause_at = 4500;
	rounds.pause_us = 998000;
	assert_true(spins(rounds));
	assert_in_range(hang.until_ns - hang.since_ns, 2700000000, 2800000000);
	rounds.pause_us = 1000000;
	assert_false(spins(rounds));
}

/* What a lost record may have brought is not known, but as many rounds in vain are right after it. */
static void a_spin_goes_on_after_lost_events(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.lost_every = 250;
	assert_true(spins(rounds));
	assert_in_range(hang.until_ns - hang.since_ns, 1990000000, 2000000000);
	/* After each loss it is known after ten calls that it spins, and only a millisecond of that counts. */
	rounds.round_us = 210;
	rounds.lost_every = 10;
	assert_true(spins(rounds));
	rounds.lost_every = 9;
	assert_false(spins(rounds));
}

/* If it ran while events were lost is not known, so that is no part of its running time. Between two losses it spins for 5 ms, of 6. */
static void time_of_lost_events_is_none_of_a_spin(void **state)
{
	struct rounds rounds = no_descriptor;

	(void)state;
	rounds.lost_every = 30;
	rounds.lost_us = 3900;
	assert_true(spins(rounds));
	rounds.lost_us = 4100;
	assert_false(spins(rounds));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_fail_for_a_second_are_a_spin),
		cmocka_unit_test(a_call_that_brings_nothing_is_in_vain),
		cmocka_unit_test(a_request_in_few_rounds_is_progress),
		cmocka_unit_test(a_log_is_no_progress),
		cmocka_unit_test(few_rounds_a_second_are_none),
		cmocka_unit_test(a_thread_that_sleeps_for_most_of_it_does_not_spin),
		cmocka_unit_test(ten_calls_in_vain_begin_a_spin),
		cmocka_unit_test(a_second_of_something_else_makes_two_spins),
		cmocka_unit_test(a_spin_goes_on_after_lost_events),
		cmocka_unit_test(time_of_lost_events_is_none_of_a_spin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
