// SPDX-License-Identifier: GPL-2.0-only
/* Waits in the futex in which a thread waits for work: in the middle of a request, or after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "units_of.h"

#define ENOUGH 200

/*
 * Thread 10 gets connections from thread 11 by a futex of its own, and reads and answers requests: eight of them. It takes one more at
 * 1000 us, sleeps in that futex from 3000 to 5000, and goes on at 5100 with `next`, until it waits for more work at 7000.
 */
struct story {
	const char *before; /* NULL, or lines before all that */
	const char *next;
	bool lost; /* events are, as it sleeps */
};

#define ANSWERS "5500000 0 syscall 10 write enter=5400000 ret=64 args=7\n"
#define ANOTHER                                                                                                        \
	"6000000 0 syscall 10 read enter=5900000 ret=64 args=8\n"                                                      \
	"6500000 0 syscall 10 write enter=6400000 ret=64 args=8\n"
#define PARKS                                                                                                          \
	"7000000 0 enter 10 futex enter=7000000 args=0x2000,0x189,0\n7000000 0 switch 10 0 sleeping\n"                 \
	"7500000 1 waking 10 from 11 task\n7501000 0 switch 0 10 sleeping\n7502000 0 exit 10 futex ret=0\n"

#define THREADS                                                                                                        \
	"0 0 state 10 tgid=10 state=runnable since=0 run=0 comm=a on_cpu\n0 0 switch 0 10 sleeping\n"                  \
	"0 1 state 11 tgid=10 state=runnable since=0 run=0 comm=b on_cpu\n0 1 switch 0 11 sleeping\n"                  \
	"0 2 state 12 tgid=10 state=runnable since=0 run=0 comm=c on_cpu\n0 2 switch 0 12 sleeping\n"

struct seen {
	struct scope_unit unit[ENOUGH];
	struct scope_wait wait[ENOUGH];
	unsigned units, waits;
};

static struct seen seen;

static int note_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	(void)user;
	(void)call;
	assert_in_range(seen.units, 0, ENOUGH - 1);
	seen.unit[seen.units++] = *unit;
	return 0;
}

static int note_wait(void *user, const struct scope_wait *wait)
{
	(void)user;
	assert_in_range(seen.waits, 0, ENOUGH - 1);
	seen.wait[seen.waits++] = *wait;
	return 0;
}

static void see(struct story story)
{
	const struct scope_unit_sink sink = { .unit = note_unit, .wait = note_wait };
	struct run run;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to,
		"meta begin_ns 0\nmeta end_ns 9000000\nfd 10 7 accepted -\nfd 10 8 accepted -\nfd 10 9 accepted -\n" THREADS
		"4 2 syscall 12 read enter=4 ret=64 args=9\n5 2 syscall 12 write enter=5 ret=64 args=9\n%s",
		story.before ? story.before : "");
	for (unsigned i = 1; i <= 8; i++)
		fprintf(to,
			"%u10000 0 enter 10 futex enter=%u10000 args=0x2000,0x189,0\n%u10000 0 switch 10 0 sleeping\n"
			"%u40000 1 waking 10 from 11 task\n%u41000 0 switch 0 10 sleeping\n%u42000 0 exit 10 futex ret=0\n"
			"%u50000 0 syscall 10 read enter=%u45000 ret=64 args=7\n"
			"%u60000 0 syscall 10 write enter=%u55000 ret=64 args=7\n",
			i, i, i, i, i, i, i, i, i, i);
	fprintf(to,
		"1000000 0 syscall 10 read enter=990000 ret=64 args=7\n"
		"3000000 0 enter 10 futex enter=3000000 args=0x2000,0x189,0\n3000000 0 switch 10 0 sleeping\n%s"
		"5000000 1 waking 10 from 11 task\n5001000 0 switch 0 10 sleeping\n5100000 0 exit 10 futex ret=0\n%s" PARKS,
		story.lost ? "4000000 0 lost 10\n" : "", story.next);
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	seen = (struct seen){ 0 };
	assert_int_equal(scope_unit_distributions_replay(run.distributions, run.groups, &sink), 0);
	end_run(&run);
}

static const struct scope_unit *unit_at(uint64_t begin_ns)
{
	for (unsigned i = 0; i < seen.units; i++)
		if (seen.unit[i].begin_ns == begin_ns)
			return &seen.unit[i];
	return NULL;
}

static const struct scope_wait *wait_at(uint64_t begin_ns)
{
	for (unsigned i = 0; i < seen.waits; i++)
		if (seen.wait[i].begin_ns == begin_ns && !seen.wait[i].queue)
			return &seen.wait[i];
	return NULL;
}

static unsigned requests(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < seen.units; i++)
		count += seen.unit[i].asked;
	return count;
}

static void a_wait_before_the_answer_is_in_the_request(void **state)
{
	(void)state;
	see((struct story){ .next = ANSWERS });
	assert_non_null(unit_at(1000000));
	assert_int_equal(unit_at(1000000)->end_ns, 7000000);
	assert_int_equal(unit_at(1000000)->asked, 1);
	assert_int_equal(unit_at(1000000)->blocked_ns, 2000000);
	assert_int_equal(unit_at(1000000)->bytes, 128);
	assert_null(unit_at(5100000));
	assert_non_null(wait_at(3000000));
	assert_false(wait_at(3000000)->outside || wait_at(3000000)->idle);
	assert_int_equal(wait_at(3000000)->waker_tid, 11);
	assert_int_equal(requests(), 10);
}

static void it_is_after_it_if_the_thread_takes_another_request(void **state)
{
	(void)state;
	see((struct story){ .next = ANOTHER });
	assert_int_equal(unit_at(1000000)->end_ns, 3000000);
	assert_int_equal(unit_at(1000000)->asked, 1);
	assert_int_equal(unit_at(1000000)->blocked_ns, 0);
	assert_int_equal(unit_at(1000000)->bytes, 64);
	assert_int_equal(unit_at(5100000)->end_ns, 7000000);
	assert_int_equal(unit_at(5100000)->asked, 1);
	assert_int_equal(unit_at(5100000)->bytes, 128);
	assert_true(wait_at(3000000)->outside);
	assert_int_equal(requests(), 11);
	/* Or more of the same one, for which the client took its time. */
	see((struct story){ .next = "6000000 0 syscall 10 read enter=5900000 ret=64 args=7\n" });
	assert_int_equal(unit_at(1000000)->end_ns, 3000000);
	assert_true(wait_at(3000000)->outside);
	assert_int_equal(requests(), 10);
	/* Or answers one that it took before. */
	see((struct story){ .before = "6 0 syscall 10 read enter=5 ret=64 args=8\n",
			    .next = "5500000 0 syscall 10 write enter=5400000 ret=64 args=8\n" });
	assert_int_equal(unit_at(1000000)->end_ns, 3000000);
	assert_true(wait_at(3000000)->outside);
}

static void it_is_after_it_if_another_thread_answers(void **state)
{
	(void)state;
	see((struct story){ .next = "5500000 2 syscall 12 write enter=5400000 ret=64 args=7\n" });
	assert_int_equal(unit_at(1000000)->end_ns, 3000000);
	assert_int_equal(unit_at(1000000)->blocked_ns, 0);
	assert_int_equal(unit_at(5100000)->end_ns, 7000000);
	assert_int_equal(unit_at(5100000)->asked, 0);
	assert_true(wait_at(3000000)->outside);
	assert_int_equal(requests(), 10);
}

static void without_an_answer_it_is_after_it(void **state)
{
	(void)state;
	see((struct story){ .next = "" });
	assert_int_equal(unit_at(1000000)->end_ns, 3000000);
	assert_false(unit_at(1000000)->open);
	assert_true(wait_at(3000000)->outside);
	assert_int_equal(requests(), 10);
	/* In which case the first of several is the end. */
	see((struct story){ .next = "5200000 0 enter 10 futex enter=5200000 args=0x2000,0x189,0\n"
				    "5200000 0 switch 10 0 sleeping\n5300000 1 waking 10 from 11 task\n"
				    "5301000 0 switch 0 10 sleeping\n5302000 0 exit 10 futex ret=0\n" });
	assert_int_equal(unit_at(1000000)->end_ns, 3000000);
	assert_true(wait_at(5200000)->outside);
	assert_int_equal(requests(), 10);
}

static void several_waits_may_be_in_one_request(void **state)
{
	(void)state;
	see((struct story){ .next = "5200000 0 enter 10 futex enter=5200000 args=0x2000,0x189,0\n"
				    "5200000 0 switch 10 0 sleeping\n5300000 1 waking 10 from 11 task\n"
				    "5301000 0 switch 0 10 sleeping\n5302000 0 exit 10 futex ret=0\n" ANSWERS });
	assert_int_equal(unit_at(1000000)->end_ns, 7000000);
	assert_int_equal(unit_at(1000000)->blocked_ns, 2100000);
	assert_false(wait_at(3000000)->outside || wait_at(5200000)->outside);
	/* The next one, at which the client has its answer, is not. */
	assert_int_equal(requests(), 10);
}

/* Thread 12 answers that many requests of thread 10, or thread 10 those of thread 12. */
static void passed_on(char *text, size_t room, unsigned times)
{
	size_t used = 0;

	for (unsigned i = 0; i < times; i++)
		used += (size_t)snprintf(text + used, room - used,
					 "%u0 0 syscall 10 read enter=%u0 ret=64 args=8\n"
					 "%u1 2 syscall 12 write enter=%u1 ret=64 args=8\n",
					 i + 1, i + 1, i + 1, i + 1);
}

static void where_requests_go_from_thread_to_thread_it_is_after_it(void **state)
{
	char before[2000];

	(void)state;
	passed_on(before, sizeof(before), 4);
	see((struct story){ .before = before, .next = ANSWERS });
	assert_int_equal(unit_at(1000000)->end_ns, 7000000);
	passed_on(before, sizeof(before), 5);
	see((struct story){ .before = before, .next = ANSWERS });
	assert_int_equal(unit_at(1000000)->end_ns, 3000000);
}

static void a_loss_ends_the_doubt(void **state)
{
	(void)state;
	see((struct story){ .next = ANSWERS, .lost = true });
	assert_int_equal(unit_at(1000000)->end_ns, 3000000);
	assert_int_equal(unit_at(1000000)->asked, 1);
	/* But for that of thread 12, which had not ended. */
	assert_int_equal(requests(), 9);
}

/* Thread 11 ends the sleeps of thread 10: before its requests, or within them. Does it serve? */
static bool gives_work(bool within)
{
	struct run run;
	size_t size;
	char *text;
	bool serves;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nmeta end_ns 9000000\nfd 10 7 accepted -\n" THREADS);
	for (unsigned i = 1; i <= 8; i++) {
		fprintf(to,
			"%u10000 0 enter 10 futex enter=%u10000 args=0x2000,0x189,0\n%u10000 0 switch 10 0 sleeping\n"
			"%u20000 %u waking 10 from %u task\n%u21000 0 switch 0 10 sleeping\n%u22000 0 exit 10 futex ret=0\n"
			"%u30000 0 syscall 10 read enter=%u25000 ret=64 args=7\n",
			i, i, i, i, within ? 2 : 1, within ? 12 : 11, i, i, i, i);
		if (within && i > 1)
			fprintf(to,
				"%u40000 0 enter 10 futex enter=%u40000 args=0x2000,0x189,0\n%u40000 0 switch 10 0 sleeping\n"
				"%u70000 1 waking 10 from 11 task\n%u71000 0 switch 0 10 sleeping\n"
				"%u72000 0 exit 10 futex ret=0\n",
				i, i, i, i, i, i);
		fprintf(to, "%u90000 0 syscall 10 write enter=%u85000 ret=64 args=7\n", i, i);
	}
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	serves = scope_unit_pickups_serves(run.pickups, thread_of(run.units, 11)->index);
	assert_true(!within || scope_unit_pickups_serves(run.pickups, thread_of(run.units, 12)->index));
	end_run(&run);
	return serves;
}

static void who_ends_it_gives_no_work(void **state)
{
	(void)state;
	assert_true(gives_work(false));
	assert_false(gives_work(true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_before_the_answer_is_in_the_request),
		cmocka_unit_test(it_is_after_it_if_the_thread_takes_another_request),
		cmocka_unit_test(it_is_after_it_if_another_thread_answers),
		cmocka_unit_test(without_an_answer_it_is_after_it),
		cmocka_unit_test(several_waits_may_be_in_one_request),
		cmocka_unit_test(where_requests_go_from_thread_to_thread_it_is_after_it),
		cmocka_unit_test(a_loss_ends_the_doubt),
		cmocka_unit_test(who_ends_it_gives_no_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
