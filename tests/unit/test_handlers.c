// SPDX-License-Identifier: GPL-2.0-only
/* A thread that makes no call except those of signal handlers spins; a thread whose handlers do its work does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/hang.h"
#include "unit/handlers.h"
#include "units_of.h"

#define US 1000ull
#define MS 1000000ull
#define END_NS (4000 * MS)

enum form {
	WHOLE,	  /* rt_sigreturn is one record, as the module writes it */
	RETURNED, /* its return comes first, as that of no known call, and its entry with the next call: perf events */
};

/*
 * Thread 10 runs for 4 s. From 1 s on a handler interrupts it every period_us, for the last time just before the end. It makes `calls`
 * calls before rt_sigreturn and as many after it, gap_us apart, and `last` gap_us after these.
 */
struct story {
	unsigned period_us;
	unsigned calls;
	unsigned gap_us;
	const char *last; /* name, or NULL */
	const char *rest; /* of its line */
	enum form form;
	unsigned queue_us;  /* waits for a CPU before each call */
	unsigned own_every; /* periods: in one of them it makes a call in the middle between two handlers; 0: never */
	const char *own, *own_rest;
};

static const struct story usual = { .period_us = 10000, .calls = 1, .gap_us = 20 };

static struct scope_hang hang;

static uint64_t step(FILE *to, const struct story *story, uint64_t *now)
{
	*now += story->gap_us * US;
	if (story->queue_us) {
		fprintf(to, "%ju 0 switch 10 0 runnable preempted\n", (uintmax_t)*now);
		*now += story->queue_us * US;
		fprintf(to, "%ju 0 switch 0 10 sleeping\n", (uintmax_t)*now);
	}
	return *now;
}

static void call(FILE *to, const struct story *story, uint64_t *now, const char *name, const char *rest)
{
	const uint64_t enter_ns = step(to, story, now);

	*now = enter_ns + 1 * US;
	fprintf(to, "%ju 0 syscall 10 %s enter=%ju %s\n", (uintmax_t)*now, name, (uintmax_t)enter_ns, rest);
}

static void interrupt(FILE *to, const struct story *story, uint64_t now)
{
	uint64_t enter_ns;

	for (unsigned i = 0; i < story->calls; i++)
		call(to, story, &now, "rt_sigprocmask", "ret=0");
	enter_ns = step(to, story, &now);
	now += 1 * US;
	if (story->form == WHOLE) {
		fprintf(to, "%ju 0 syscall 10 rt_sigreturn enter=%ju ret=0\n", (uintmax_t)now, (uintmax_t)enter_ns);
	} else {
		fprintf(to, "%ju 0 exit 10 65535 ret=0\n", (uintmax_t)now);
		step(to, story, &now);
		fprintf(to, "%ju 0 enter 10 rt_sigreturn enter=%ju\n", (uintmax_t)now, (uintmax_t)enter_ns);
	}
	for (unsigned i = 0; i < story->calls; i++)
		call(to, story, &now, "gettid", "ret=10");
	if (story->last)
		call(to, story, &now, story->last, story->rest);
}

/* Does it spin? Sets hang if so. */
static bool spins(struct story story)
{
	struct scope_hang *hangs;
	size_t count, size;
	struct run run;
	char *text;
	FILE *to = open_memstream(&text, &size);
	bool found;
	unsigned number = 0;

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nmeta end_ns %ju\nfd 10 7 accepted -\nfd 10 8 file -\n0 0 switch 0 10 sleeping\n",
		(uintmax_t)END_NS);
	for (uint64_t now = 1000 * MS; now < END_NS - 2 * MS; now += story.period_us * US, number++) {
		uint64_t own_ns = now + story.period_us * US / 2;

		interrupt(to, &story, now);
		if (story.own_every && number % story.own_every == 0 && own_ns < END_NS - 2 * MS)
			call(to, &story, &own_ns, story.own, story.own_rest);
	}
	interrupt(to, &story, END_NS - 1 * MS);
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	free(text);
	assert_int_equal(scope_anomaly_hang_find(run.units, run.distributions, run.pickups, &hangs, &count), 0);
	found = count == 1;
	if (found) {
		assert_int_equal(hangs[0].kind, SCOPE_HANG_SPIN);
		hang = hangs[0];
	}
	free(hangs);
	end_run(&run);
	return found;
}

static void it_has_run_since_its_own_last_call(void **state)
{
	struct story story = usual;

	(void)state;
	for (unsigned form = WHOLE; form <= RETURNED; form++) {
		story.form = (enum form)form;
		story.calls = 1;
		assert_true(spins(story));
		/* What came before the first handler is not known. */
		assert_in_range(hang.since_ns, 0, 1000 * MS + 200 * US);
		assert_in_range(hang.signals, 299, 301);
		/* One that makes no call but the last. */
		story.calls = 0;
		assert_true(spins(story));
		assert_in_range(hang.signals, 299, 301);
	}
}

static void calls_that_move_data_are_its_own(void **state)
{
	struct story story = usual;

	(void)state;
	for (unsigned form = WHOLE; form <= RETURNED; form++) {
		story.form = (enum form)form;
		story.last = "futex";
		story.rest = "ret=1 args=0x2000,0x81,1";
		assert_true(spins(story));
		story.last = "sched_yield";
		story.rest = "ret=0";
		assert_true(spins(story));
		/* It serves clients by signals (SIGIO). */
		story.last = "read";
		story.rest = "ret=64 args=7";
		assert_false(spins(story));
		story.last = "write";
		story.rest = "ret=64 args=7";
		assert_false(spins(story));
		story.last = "accept4";
		story.rest = "ret=9 args=3";
		assert_false(spins(story));
	}
}

/* A call up to that time after a handler's last one belongs to it, and up to that number of calls. */
static void later_or_more_calls_are_its_own(void **state)
{
	struct story story = usual;

	(void)state;
	story.gap_us = SCOPE_HANDLERS_GAP_NS / US;
	assert_true(spins(story));
	story.gap_us++;
	assert_false(spins(story));
	/* It waits for a CPU in between. */
	story.gap_us = SCOPE_HANDLERS_GAP_NS / US / 2;
	story.queue_us = SCOPE_HANDLERS_GAP_NS / US;
	assert_true(spins(story));
	story.queue_us = 0;
	story.gap_us = 5;
	story.calls = 7;
	story.last = "getpid";
	story.rest = "ret=10";
	assert_true(spins(story));
	assert_int_equal(2 * story.calls + 2, SCOPE_HANDLERS_CALLS);
	story.calls = 8;
	assert_false(spins(story));
}

/* A worker that is profiled: it gets jobs and gives results by futexes, at other times than signals come. */
static void a_profiled_worker_does_not_spin(void **state)
{
	struct story story = usual;

	(void)state;
	story.own = "futex";
	story.own_rest = "ret=1 args=0x2000,0x81,1";
	story.own_every = 1;
	assert_false(spins(story));
	/* The last job ended 1005 ms before the end, or 995 ms. */
	story.own_every = 199;
	assert_true(spins(story));
	assert_in_range(hang.since_ns, 2995 * MS, 2996 * MS);
	story.own_every = 200;
	assert_false(spins(story));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_has_run_since_its_own_last_call),
		cmocka_unit_test(calls_that_move_data_are_its_own),
		cmocka_unit_test(later_or_more_calls_are_its_own),
		cmocka_unit_test(a_profiled_worker_does_not_spin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
