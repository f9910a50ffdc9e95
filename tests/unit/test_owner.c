// SPDX-License-Identifier: GPL-2.0-only
/* Hangs in which threads wait for each other's locks in a circle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/lock_owner.h"
#include "units_of.h"

/* Threads 10 to 14 of one process wait for a lock each; a letter is its owner, '-': that is not known. */
static const char head[] = "meta begin_ns 0\nmeta end_ns 1000\n";

static void fill(const char *owners, struct scope_hang *hangs, size_t count)
{
	struct scope_threads *threads;
	struct scope_trace *trace;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs(head, to);
	for (size_t i = 0; i < count; i++)
		if (owners[i] != '-')
			/* pthread_mutex_t of a little-endian machine: the third word is the owner. */
			fprintf(to, "memory %zu %#zx 0200000001000000%02x00000001000000\n", 10 + i, 0x1000 * (i + 1),
				(unsigned)(10 + owners[i] - 'a'));
	assert_int_equal(fclose(to), 0);
	trace = trace_of(text);
	free(text);
	assert_int_equal(scope_timeline_threads_create(&threads), 0);
	for (size_t i = 0; i < count; i++) {
		const long index = scope_timeline_threads_get(threads, 10 + i);

		assert_int_equal(index, i);
		scope_timeline_threads_at(threads, i)->tgid = 10;
		hangs[i] = (struct scope_hang){ .thread = i, .object = 0x1000 * (i + 1), .lock = true };
	}
	scope_anomaly_owner_fill(trace, threads, hangs, count);
	scope_timeline_threads_destroy(threads);
	scope_trace_close(trace);
}

static void a_thread_that_waits_for_itself_is_a_circle(void **state)
{
	struct scope_hang hangs[2];

	(void)state;
	fill("aa", hangs, 2);
	assert_int_equal(hangs[0].owner, 0);
	assert_true(hangs[0].circle);
	assert_int_equal(hangs[1].owner, 0);
	assert_false(hangs[1].circle);
}

static void a_circle_may_be_long_and_have_others_before_it(void **state)
{
	struct scope_hang hangs[5];

	(void)state;
	fill("bcada", hangs, 5);
	assert_true(hangs[0].circle && hangs[1].circle && hangs[2].circle && hangs[3].circle);
	assert_false(hangs[4].circle);
}

static void an_owner_that_is_not_known_ends_it(void **state)
{
	struct scope_hang hangs[3];

	(void)state;
	fill("bc-", hangs, 3);
	assert_int_equal(hangs[2].owner, SCOPE_OWNER_NONE);
	for (int i = 0; i < 3; i++)
		assert_false(hangs[i].circle);
}

/*
 * Threads 10 to 12, asleep for a lock for 0.1 ms at the end. Which are in a circle, as digits; said: what the trace says of its
 * locks, limit: of the time of thread 11's wait, owners as above.
 */
static void circles(const char *owners, const char *said, const char *limit, const char *expected)
{
	struct scope_hang *hangs = NULL;
	char *text, found[4] = "";
	size_t size, count = 0;
	FILE *to = open_memstream(&text, &size);
	struct run run;

	assert_non_null(to);
	fprintf(to, "%s%s", "meta begin_ns 0\nmeta end_ns 1000000\n", said);
	for (size_t i = 0; i < 3; i++)
		if (owners[i] != '-')
			fprintf(to, "lock %zu %#zx %d\n", 10 + i, 0x1000 * (i + 1), 10 + owners[i] - 'a');
	for (int i = 0; i < 3; i++)
		fprintf(to,
			"%d 0 state %d tgid=10 state=sleeping nr=futex since=900000 run=5 comm=w "
			"args=%#x,0x80,2,%s at_stop\n",
			900000 + i, 10 + i, 0x1000 * (i + 1), i == 1 ? limit : "0");
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	assert_int_equal(
		scope_anomaly_owner_circles(run.trace, run.units->timeline, run.units->threads, &hangs, &count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(hangs[i].lock && hangs[i].kind == SCOPE_HANG_BLOCKED);
		assert_int_equal(hangs[i].object, 0x1000 * (hangs[i].thread + 1));
		found[i] = (char)('0' + hangs[i].thread);
	}
	assert_string_equal(found, expected);
	free(hangs);
	end_run(&run);
}

static void a_circle_is_certain_at_once(void **state)
{
	static const char asleep[] = "meta locks asleep\n";

	(void)state;
	circles("baa", asleep, "0", "01");
	circles("bca", asleep, "0", "012");
	circles("-ba", asleep, "0", "1");
	circles("bc-", asleep, "0", "");
	/* The owners were read at another time, as far as the trace says; or the wait of one ends by itself. */
	circles("bca", "", "0", "");
	circles("bca", asleep, "0x7000", "");
	circles("baa", asleep, "0x7000", "");
}

/* Threads 10 and 20, of a process each, wait for each other's lock, in futex calls with that operation. True: it is a circle. */
static bool is_circle_of_processes(const char *operation)
{
	static const char text[] = "meta begin_ns 0\nmeta end_ns 1000000\nmeta locks asleep\n"
				   "lock 10 0x1000 20\nlock 20 0x2000 10\n"
				   "900000 0 state 10 tgid=10 state=sleeping nr=futex since=900000 run=5 comm=w "
				   "args=0x1000,%s,2,0 at_stop\n"
				   "900001 0 state 20 tgid=20 state=sleeping nr=futex since=900000 run=5 comm=w "
				   "args=0x2000,%s,2,0 at_stop\n";
	struct scope_hang *hangs = NULL;
	char filled[sizeof(text) + 16];
	size_t count = 0;
	struct run run;

	snprintf(filled, sizeof(filled), text, operation, operation);
	run = run_of(filled);
	assert_int_equal(
		scope_anomaly_owner_circles(run.trace, run.units->timeline, run.units->threads, &hangs, &count), 0);
	free(hangs);
	end_run(&run);
	return count == 2;
}

static void processes_wait_for_shared_locks_alone(void **state)
{
	(void)state;
	assert_true(is_circle_of_processes("0"));
	/* FUTEX_PRIVATE_FLAG */
	assert_false(is_circle_of_processes("0x80"));
}

/* Another thread got the lock while it was read: each of two that wait for it is its owner in what was read for the other one. */
static void a_lock_that_others_get_makes_no_circle(void **state)
{
	static const char text[] = "meta begin_ns 0\nmeta end_ns 1000000\nmeta locks asleep\n"
				   "lock 10 0x1000 11\nlock 11 0x1000 10\n"
				   "900000 0 state 10 tgid=10 state=sleeping nr=futex since=900000 run=5 comm=w "
				   "args=0x1000,0x80,2,0 at_stop\n"
				   "900001 0 state 11 tgid=10 state=sleeping nr=futex since=900000 run=5 comm=w "
				   "args=0x1000,0x80,2,0 at_stop\n";
	struct scope_hang *hangs = NULL;
	size_t count = 0;
	struct run run;

	(void)state;
	run = run_of(text);
	assert_int_equal(
		scope_anomaly_owner_circles(run.trace, run.units->timeline, run.units->threads, &hangs, &count), 0);
	assert_int_equal(count, 0);
	free(hangs);
	end_run(&run);
}

/*
 * Two threads take turns at one connection: who has the lock reads a request, gives the lock to the other one, answers, and waits for it again.
 * In the end one has read for 3 s, and the other waits for the lock; owes: without having answered. How many hangs are left.
 */
static size_t hangs_of_turns(bool owes)
{
	struct scope_hang *hangs = NULL;
	uint64_t now = 1000000;
	size_t size, count = 0;
	char *text, *lines;
	FILE *to = open_memstream(&lines, &size);
	struct run run;

	assert_non_null(to);
	for (unsigned i = 0; i <= 60; i++) {
		const unsigned a = 10 + i % 2, b = 21 - a;

		fprintf(to, "%ju %u enter %u read enter=%ju args=7\n%ju %u switch %u 0 sleeping\n", now, a - 10, a, now,
			now, a - 10, a);
		if (i == 60)
			break;
		now += 1000000;
		fprintf(to,
			"%ju %u waking %u from - softirq\n%ju %u switch 0 %u sleeping\n%ju %u exit %u read ret=64\n",
			now, a - 10, a, now, a - 10, a, now, a - 10, a);
		fprintf(to, "%ju %u syscall %u futex enter=%ju ret=1 args=0x1000,0x81,1\n", now + 1000, a - 10, a, now);
		if (i)
			fprintf(to,
				"%ju %u waking %u from %u task\n%ju %u switch 0 %u sleeping\n%ju %u exit %u futex ret=0\n",
				now + 1000, b - 10, b, a, now + 2000, b - 10, b, now + 2000, b - 10, b);
		now += 50000;
		if (i < 59 || !owes)
			fprintf(to, "%ju %u syscall %u write enter=%ju ret=64 args=7\n", now, a - 10, a, now - 1000);
		fprintf(to, "%ju %u enter %u futex enter=%ju args=0x1000,0x80,2,0\n%ju %u switch %u 0 sleeping\n",
			now + 1000, a - 10, a, now + 1000, now + 1000, a - 10, a);
		now += 2000;
	}
	assert_int_equal(fclose(to), 0);
	to = open_memstream(&text, &size);
	fprintf(to, "meta begin_ns 0\nmeta end_ns %ju\nfd 10 7 accepted -\nlock 11 0x1000 10\n", now + 3000000000);
	for (unsigned tid = 10; tid <= 11; tid++)
		fprintf(to, "0 %u state %u tgid=10 state=runnable since=0 run=0 comm=server on_cpu\n", tid - 10, tid);
	fputs(lines, to);
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	assert_int_equal(scope_anomaly_hang_find(run.units, run.distributions, run.pickups, &hangs, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(scope_timeline_threads_at(run.units->timeline->threads, hangs[0].thread)->tid, 11);
	count = scope_anomaly_owner_leave_turns(run.trace, run.units, run.pickups, hangs, count);
	free(hangs);
	free(lines);
	free(text);
	end_run(&run);
	return count;
}

static void who_waits_for_its_turn_at_a_client_does_not_hang(void **state)
{
	(void)state;
	assert_int_equal(hangs_of_turns(false), 0);
	/* In the middle of a request it does, whatever the owner does. */
	assert_int_equal(hangs_of_turns(true), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_waits_for_itself_is_a_circle),
		cmocka_unit_test(a_circle_may_be_long_and_have_others_before_it),
		cmocka_unit_test(an_owner_that_is_not_known_ends_it),
		cmocka_unit_test(a_circle_is_certain_at_once),
		cmocka_unit_test(processes_wait_for_shared_locks_alone),
		cmocka_unit_test(a_lock_that_others_get_makes_no_circle),
		cmocka_unit_test(who_waits_for_its_turn_at_a_client_does_not_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
