// SPDX-License-Identifier: GPL-2.0-only
/* Accounts of threads: how each spent its time, which sleeps it had, and what is missing in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/hang.h"
#include "units_of.h"

/* Run, run queue and blocked add up to wall, and the wait has its class. */
static void accounts_add_up(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 10000\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 enter 10 fsync enter=900 args=3\n"
				"1000 0 switch 10 0 disk\n"
				"6000 0 waking 10 from - hardirq\n"
				"6500 1 switch 0 10 sleeping\n"
				"6600 1 exit 10 fsync ret=0\n"
				"10000 1 switch 10 0 runnable preempted\n");
	const struct scope_units *units = run.units;
	const struct scope_account *account = &thread_of(units, 10)->account;

	(void)state;
	assert_int_equal(account->blocked_ns[SCOPE_WAIT_DISK], 5000);
	assert_int_equal(account->queue_ns, 500);
	assert_int_equal(account->run_ns, 4500);
	assert_int_equal(scope_timeline_account_wall(account), 10000);
	end_run(&run);
}

static void an_open_call_is_kept(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 5000000000\n"
				"fd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 8 connected -\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				"1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				"2000 0 enter 10 recvfrom enter=1900 args=8\n"
				"2000 0 switch 10 0 sleeping\n");
	const struct scope_units *units = run.units;
	struct scope_hang *hangs;
	size_t count;

	(void)state;
	assert_true(units->unit[units->count - 1].open);
	assert_int_equal(units->unit[units->count - 1].end_ns, 5000000000);
	assert_int_equal(scope_anomaly_hang_find(units, run.distributions, run.pickups, &hangs, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(hangs[0].nr, 45);
	assert_int_equal(hangs[0].object, 8);
	free(hangs);
	end_run(&run);
}

/* The object of the call before is not what it waits for; one that was stopped waits for nothing. */
static void a_sleep_outside_calls_has_no_object(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 5000000000\n"
				"fd 10 5 epoll -\nfd 10 7 accepted -\n"
				"0 0 switch 0 10 sleeping\n"
				"0 1 switch 0 11 sleeping\n"
				"1000 0 syscall 10 epoll_wait enter=900 ret=1 args=5\n"
				"1200 0 syscall 10 read enter=1100 ret=64 args=7\n"
				"1200 1 syscall 11 read enter=1100 ret=64 args=7\n"
				"2000 0 switch 10 0 disk\n"
				"2000 1 switch 11 0 stopped\n");
	struct scope_hang *hangs;
	size_t count;

	(void)state;
	assert_int_equal(scope_anomaly_hang_find(run.units, run.distributions, run.pickups, &hangs, &count), 0);
	assert_int_equal(count, 1);
	assert_ptr_equal(scope_timeline_threads_at(run.units->timeline->threads, hangs[0].thread),
			 thread_of(run.units, 10));
	assert_int_equal(hangs[0].nr, SCOPE_NR_NONE);
	assert_int_equal(hangs[0].object, 0);
	assert_false(hangs[0].lock);
	assert_int_equal(hangs[0].since_ns, 2000);
	free(hangs);
	end_run(&run);
}

/* No kernel reported that it was woken and came to a CPU: the return of its call, or a sample, shows it. */
static void a_thread_that_is_seen_has_come(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 900000\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 enter 10 futex enter=900 args=77,0,2\n"
				"1000 0 switch 10 0 sleeping\n"
				"201000 1 exit 10 futex ret=0\n"
				"211000 1 switch 10 0 sleeping\n"
				"411000 1 sample 10 -\n"
				"412000 1 syscall 10 getppid enter=411500 ret=1\n"
				"413000 1 switch 10 0 runnable\n"
				"513000 0 syscall 10 getppid enter=512000 ret=1\n");
	const struct scope_account *account = &thread_of(run.units, 10)->account;

	(void)state;
	assert_int_equal(run.units->timeline->unrecorded, 3);
	assert_int_equal(account->blocked_ns[SCOPE_WAIT_FUTEX], 200000);
	assert_int_equal(account->asleep_ns, 200000 + 200000);
	assert_int_equal(account->queue_ns, 512000 - 413000);
	assert_int_equal(account->run_ns, 1000 + 10000 + 2000 + 900000 - 512000);
	end_run(&run);
}

/* Woken, 10 us on the CPU, asleep again in the same call: one sleep, reported once. */
static void false_wakeups_are_one_sleep(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 900000\n"
				"0 0 switch 0 10 sleeping\n"
				"1000 0 enter 10 futex enter=900 args=77,0,2\n"
				"1000 0 switch 10 0 sleeping\n"
				"200000 0 waking 10 from 11 task\n"
				"201000 0 switch 0 10 sleeping\n"
				"211000 0 switch 10 0 sleeping\n"
				"400000 0 waking 10 from 12 task\n"
				"401000 0 switch 0 10 sleeping\n"
				"402000 0 exit 10 futex ret=0\n"
				"500000 0 enter 10 futex enter=499000 args=77,0,2\n"
				"500000 0 switch 10 0 sleeping\n"
				"700000 0 waking 10 from 12 task\n"
				"701000 0 switch 0 10 sleeping\n"
				"702000 0 exit 10 futex ret=0\n");
	const struct scope_account *account = &thread_of(run.units, 10)->account;

	(void)state;
	assert_int_equal(run.units->timeline->false_wakeups, 1);
	/* What it ran in between is still its own. */
	assert_int_equal(account->blocked_ns[SCOPE_WAIT_FUTEX], 199000 + 189000 + 200000);
	assert_int_equal(account->queue_ns, 3000);
	end_run(&run);
}

/* Sleeps of 900 us and runs of 100 us by turns for 2 s, without every drop-th switch (0: with all). */
static double unexplained_of(unsigned drop)
{
	struct scope_threads *threads;
	const struct scope_thread *thread;
	unsigned switches = 0;
	struct run run;
	char *text;
	size_t size;
	double share;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs("meta begin_ns 0\nmeta end_ns 2000000000\n"
	      "0 0 state 10 tgid=10 state=sleeping run=5000000 comm=server\n",
	      to);
	for (uint64_t now = 0; now < 2000000000; now += 1000000)
		for (int in = 1; in >= 0; in--)
			if (!drop || ++switches % drop)
				fprintf(to, "%ju 0 switch %s\n", (uintmax_t)now + 900000 + (in ? 0 : 100000 - 1),
					in ? "0 10 sleeping" : "10 0 sleeping");
	fputs("2000000000 0 state 10 tgid=10 state=sleeping run=204998000 comm=server at_stop\n", to);
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	threads = run.units->timeline->threads;
	thread = scope_timeline_threads_at(threads, scope_timeline_threads_find(threads, 10));
	share = (double)scope_timeline_thread_unexplained(thread) / scope_timeline_account_wall(&thread->account);
	end_run(&run);
	free(text);
	return share;
}

static void missing_switches_show_against_the_kernels_count(void **state)
{
	(void)state;
	assert_true(unexplained_of(0) < 0.0001);
	assert_true(unexplained_of(21) > SCOPE_UNEXPLAINED_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accounts_add_up),
		cmocka_unit_test(an_open_call_is_kept),
		cmocka_unit_test(a_sleep_outside_calls_has_no_object),
		cmocka_unit_test(a_thread_that_is_seen_has_come),
		cmocka_unit_test(false_wakeups_are_one_sleep),
		cmocka_unit_test(missing_switches_show_against_the_kernels_count),
	};

	return cmocka_run_group_tests_name("accounts", tests, NULL, NULL);
}
