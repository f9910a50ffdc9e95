// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets over the loopback end a sleep in a soft interrupt on the sender's CPU: the thread that runs there ended it, even if the
 * switch to that thread was not recorded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "units_of.h"

#define BEGIN                                                                                                          \
	"meta begin_ns 0\nmeta end_ns 10000000\n"                                                                      \
	"fd 10 8 connected socket:[1]\\x20from\\x20127.0.0.1:1\\x20to\\x20127.0.0.1:2\\x20(pid\\x2010\\x20w)\n"        \
	"0 0 state 10 tgid=10 state=runnable since=0 run=0 comm=sends on_cpu\n0 0 switch 0 10 sleeping\n"              \
	"0 1 state 11 tgid=10 state=runnable since=0 run=0 comm=waits on_cpu\n0 1 switch 0 11 sleeping\n"              \
	"1000 1 enter 11 read enter=900 args=8\n1000 1 switch 11 0 sleeping\n"                                         \
	"2000 0 enter 10 nanosleep enter=1900 args=0\n2000 0 switch 10 0 sleeping\n"
#define END                                                                                                            \
	"6000000 0 waking 11 from - softirq\n6000000 1 switch 0 11 sleeping\n6001000 1 exit 11 read ret=8\n"           \
	"6002000 0 syscall 10 write enter=5999000 ret=8 args=9\n"

static int last_waker; /* of thread 11 */

static int take(void *user, const struct scope_wait *wait)
{
	const struct run *run = user;
	struct scope_threads *threads = run->units->timeline->threads;

	if (scope_timeline_threads_at(threads, wait->thread)->tid == 11 && !wait->queue)
		last_waker = wait->waker < 0 ? -1 : (int)scope_timeline_threads_at(threads, (size_t)wait->waker)->tid;
	return 0;
}

static int waker_of(const char *text)
{
	struct run run = run_of(text);
	const struct scope_unit_sink sink = { .wait = take, .user = &run };

	last_waker = 0;
	assert_int_equal(scope_unit_distributions_replay(run.distributions, run.groups, &sink), 0);
	end_run(&run);
	return last_waker;
}

static void the_thread_that_runs_there_sent_them(void **state)
{
	(void)state;
	assert_int_equal(waker_of(BEGIN "5000000 0 switch 0 10 sleeping\n5000100 0 exit 10 nanosleep ret=0\n" END), 10);
}

static void a_switch_to_it_need_not_be_recorded(void **state)
{
	(void)state;
	assert_int_equal(waker_of(BEGIN "5000100 0 exit 10 nanosleep ret=0\n" END), 10);
}

/* It sleeps, as far as is known. */
static void no_thread_that_is_known_runs_there(void **state)
{
	(void)state;
	assert_int_equal(waker_of(BEGIN "6000000 0 waking 11 from - softirq\n6000000 1 switch 0 11 sleeping\n"
					"6001000 1 exit 11 read ret=8\n"),
			 -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_thread_that_runs_there_sent_them),
		cmocka_unit_test(a_switch_to_it_need_not_be_recorded),
		cmocka_unit_test(no_thread_that_is_known_runs_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
