// SPDX-License-Identifier: GPL-2.0-only
/* Waits that consist of sleeps of fixed length: when they are a hang, and what ends them. */
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
#define BEGIN_NS MS
#define HALF_NS (1900 * MS)
#define END_NS (3900 * MS)

static void write_sleep(FILE *to, uint64_t at_ns, uint64_t ns)
{
	fprintf(to,
		"%ju 0 enter 10 nanosleep enter=%ju args=0x7000,0\n%ju 0 switch 10 0 sleeping\n"
		"%ju 0 waking 10 from - hardirq\n%ju 0 switch 0 10 sleeping\n%ju 0 exit 10 nanosleep ret=0\n",
		(uintmax_t)at_ns, (uintmax_t)at_ns, (uintmax_t)at_ns, (uintmax_t)(at_ns + ns), (uintmax_t)(at_ns + ns),
		(uintmax_t)(at_ns + ns));
}

/* Analyses the text, and frees it. Returns the number of sleeps that are one hang; 0: there is none. */
static uint32_t find(char *text)
{
	struct run run = run_of(text);
	struct scope_hang *hangs;
	uint32_t found = 0;
	size_t count;

	free(text);
	assert_int_equal(scope_anomaly_hang_find(run.units, run.distributions, run.pickups, &hangs, &count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(hangs[i].needs_peers && hangs[i].quiet);
		found = hangs[i].retries;
	}
	free(hangs);
	end_run(&run);
	return found;
}

/*
 * Thread 10 sleeps as often as that in two seconds, then makes the call, then sleeps as often again and is asleep at
 * the end. Returns the number of sleeps that are one hang; 0: it is none.
 */
static uint32_t retries(unsigned sleeps, const char *call)
{
	const uint64_t middle_ns = BEGIN_NS + HALF_NS, step_ns = HALF_NS / sleeps;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs("meta begin_ns 0\nmeta end_ns 3900000000\nfd 10 7 accepted -\nfd 10 8 file -\n0 0 switch 0 10 sleeping\n",
	      to);
	for (unsigned i = 0; i < sleeps; i++)
		write_sleep(to, BEGIN_NS + i * step_ns, step_ns - 10 * MS);
	if (call)
		fprintf(to, "%ju 0 syscall 10 %s enter=%ju\n", (uintmax_t)(middle_ns + 1000), call,
			(uintmax_t)middle_ns);
	for (unsigned i = 0; i < sleeps; i++)
		write_sleep(to, middle_ns + 10 * MS + i * step_ns, step_ns - 10 * MS);
	fprintf(to, "%ju 0 enter 10 nanosleep enter=%ju args=0x7000,0\n%ju 0 switch 10 0 sleeping\n",
		(uintmax_t)(END_NS - 50 * MS), (uintmax_t)(END_NS - 50 * MS), (uintmax_t)(END_NS - 50 * MS));
	assert_int_equal(fclose(to), 0);
	return find(text);
}

static void sleeps_without_progress_are_one_hang(void **state)
{
	(void)state;
	assert_int_equal(retries(10, NULL), 20);
	assert_int_equal(retries(2, NULL), 4);
	assert_int_equal(retries(1, NULL), 0);
}

/* Twenty sleeps of 190 ms, and then it runs for that time. */
static uint32_t awake(uint64_t ns)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nmeta end_ns %ju\n0 0 switch 0 10 sleeping\n", (uintmax_t)(END_NS - 90 * MS + ns));
	for (unsigned i = 0; i < 20; i++)
		write_sleep(to, BEGIN_NS + i * 190 * MS, 180 * MS);
	fprintf(to, "%ju 1 switch 0 20 sleeping\n", (uintmax_t)(END_NS - 90 * MS + ns));
	assert_int_equal(fclose(to), 0);
	return find(text);
}

/* The window may end while the thread tries once more, for no longer than from one sleep to the next. */
static void one_that_tries_at_the_end_hangs(void **state)
{
	(void)state;
	assert_int_equal(awake(5 * MS), 20);
	assert_int_equal(awake(180 * MS), 20);
	assert_int_equal(awake(182 * MS), 0);
}

static void what_fails_or_concerns_files_is_no_progress(void **state)
{
	(void)state;
	assert_int_equal(retries(10, "openat ret=-17"), 20);
	assert_int_equal(retries(10, "connect ret=-111 args=9"), 20);
	assert_int_equal(retries(10, "read ret=8 args=8"), 20);
	assert_int_equal(retries(10, "write ret=-11 args=7"), 20);
	assert_int_equal(retries(10, "poll ret=0 args=0,0"), 20);
}

static void work_and_looking_for_it_are_progress(void **state)
{
	(void)state;
	assert_int_equal(retries(10, "write ret=8 args=7"), 10);
	assert_int_equal(retries(10, "read ret=-11 args=7"), 10);
	assert_int_equal(retries(10, "poll ret=0 args=0x7000,1"), 10);
	assert_int_equal(retries(10, "accept4 ret=-11 args=4"), 10);
	/* What is left of it is too short, or too few sleeps. */
	assert_int_equal(retries(2, "write ret=8 args=7"), 0);
}

/* Waits in a poll, or for a condition, that a time-out ends. */
static const char timed_out[] = "%ju 0 enter 10 %s enter=%ju args=%s\n%ju 0 switch 10 0 sleeping\n"
				"%ju 0 waking 10 from - hardirq\n%ju 0 switch 0 10 sleeping\n%ju 0 exit 10 %s ret=%d\n";

/*
 * Thread 10 makes that call over and over, each time for 100 ms with that result, and is in it at the end. In place of the 11th it waits in
 * a futex for pause_ns, until somebody wakes it. Sleeps of the hang.
 */
static uint32_t timed_with(const char *call, const char *args, int ret, const char *futex, uint64_t pause_ns)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs("meta begin_ns 0\nmeta end_ns 3900000000\n0 0 switch 0 10 sleeping\n", to);
	for (uint64_t at = BEGIN_NS; at < END_NS - 200 * MS; at += 110 * MS) {
		const uintmax_t from = at, until = at + 100 * MS, end = at + pause_ns;

		if (pause_ns && at == BEGIN_NS + 10 * 110 * MS)
			fprintf(to, timed_out, from, "futex", from, futex, from, end, end, end, "futex", 0);
		else
			fprintf(to, timed_out, from, call, from, args, from, until, until, until, call, ret);
	}
	fprintf(to, "%ju 0 enter 10 %s enter=%ju args=%s\n%ju 0 switch 10 0 sleeping\n", (uintmax_t)(END_NS - 50 * MS),
		call, (uintmax_t)(END_NS - 50 * MS), args, (uintmax_t)(END_NS - 50 * MS));
	assert_int_equal(fclose(to), 0);
	return find(text);
}

static uint32_t timed(const char *call, const char *args, int ret)
{
	return timed_with(call, args, ret, NULL, 0);
}

/* Another wait of less than a tenth of the time between two is for a lock, or its runtime has it pause; in the same futex something came. */
static void a_short_wait_elsewhere_is_no_progress(void **state)
{
	static const char own[] = "0x7000,0x189,0,0x7100", other[] = "0x8000,0x80,7";

	(void)state;
	assert_int_equal(timed_with("futex", own, -110, other, 11 * MS - 1), 33);
	assert_int_equal(timed_with("futex", own, -110, other, 11 * MS), 0);
	assert_int_equal(timed_with("futex", own, -110, own, 1 * MS - 1), 0);
	/* Either word of a condition variable. */
	assert_int_equal(timed_with("futex", own, -110, "0x7004,0x189,0", 1 * MS - 1), 0);
	assert_int_equal(timed_with("poll", "0x7000,1,100", 0, other, 1 * MS - 1), 33);
}

static void waits_that_time_out_are_one_hang_too(void **state)
{
	(void)state;
	assert_int_equal(timed("futex", "0x7000,0x189,0,0x7100", -110), 34);
	assert_int_equal(timed("poll", "0x7000,1,100", 0), 34);
	/* Something came. */
	assert_int_equal(timed("futex", "0x7000,0x189,0,0x7100", 0), 0);
	assert_int_equal(timed("poll", "0x7000,1,100", 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleeps_without_progress_are_one_hang),
		cmocka_unit_test(one_that_tries_at_the_end_hangs),
		cmocka_unit_test(what_fails_or_concerns_files_is_no_progress),
		cmocka_unit_test(work_and_looking_for_it_are_progress),
		cmocka_unit_test(waits_that_time_out_are_one_hang_too),
		cmocka_unit_test(a_short_wait_elsewhere_is_no_progress),
	};

	return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
