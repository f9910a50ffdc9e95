// SPDX-License-Identifier: GPL-2.0-only
/*
 * A part of a wait that timed out has the waker that ended the whole wait, and so has its stack. A poll right before a read from one
 * peer was for that peer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/late.h"
#include "units_of.h"

#define ENOUGH 8

static void each_is_found_by_any_time_in_it(void **state)
{
	struct scope_late late = { 0 };
	struct scope_wait wait = { .thread = 3, .waker = 1, .waker_tid = 20, .first_ns = 100, .begin_ns = 200 };

	(void)state;
	assert_null(scope_unit_late_at(&late, 3, 150));
	assert_int_equal(scope_unit_late_slices(&late, &wait), 0);
	wait = (struct scope_wait){ .thread = 3, .waker = 2, .waker_tid = 21, .first_ns = 300, .begin_ns = 400 };
	assert_int_equal(scope_unit_late_slices(&late, &wait), 0);
	/* Nobody ended it, or it had no slices. */
	wait = (struct scope_wait){ .thread = 3, .waker = SCOPE_WAIT_NO_THREAD, .first_ns = 500, .begin_ns = 600 };
	assert_int_equal(scope_unit_late_slices(&late, &wait), 0);
	wait = (struct scope_wait){ .thread = 3, .waker = 2, .begin_ns = 800 };
	assert_int_equal(scope_unit_late_slices(&late, &wait), 0);
	assert_null(scope_unit_late_at(&late, 3, 99));
	assert_int_equal(scope_unit_late_at(&late, 3, 100)->waker, 1);
	assert_int_equal(scope_unit_late_at(&late, 3, 199)->waker, 1);
	assert_null(scope_unit_late_at(&late, 3, 200));
	assert_int_equal(scope_unit_late_at(&late, 3, 399)->waker_tid, 21);
	assert_null(scope_unit_late_at(&late, 3, 550));
	assert_null(scope_unit_late_at(&late, 2, 150));
	assert_null(scope_unit_late_at(&late, 4, 150));
	scope_unit_late_free(&late);
}

/* A slice of a request's wait, of 5 ms from begin on; the lines of how it ends follow. */
#define SLICE(BEGIN)                                                                                                   \
#BEGIN "010000 0 enter 10 futex enter=" #BEGIN "009000 args=0x10,137\n" #BEGIN "010000 0 switch 10 0 sleeping\n"
#define TIMES_OUT(END)                                                                                                 \
#END "000000 0 waking 10 from - hardirq\n" #END "001000 0 switch 0 10 sleeping\n" #END                         \
	     "002000 0 exit 10 futex ret=-110\n" #END "002000 0 stack 10 0x1010\n"
#define IS_WOKEN(END)                                                                                                  \
#END "000000 1 waking 10 from 20 task\n" #END "001000 0 switch 0 10 sleeping\n" #END                           \
	     "002000 0 exit 10 futex ret=0\n" #END "002000 0 stack 10 0x1010\n"
#define ASKED(AT) #AT "000 0 syscall 10 read enter=" #AT "000 ret=64 args=7\n"
#define ANSWERS(AT)                                                                                                    \
#AT "500000 0 syscall 10 write enter=" #AT "400000 ret=64 args=7\n" #AT                                        \
	    "600000 0 syscall 10 epoll_wait enter=" #AT "510000 ret=1 args=5\n"
#define SERVER                                                                                                         \
	"meta begin_ns 0\nmeta end_ns 40000000\nmeta sample_ns 1000000\nfd 10 5 epoll -\n"                             \
	"fd 10 7 accepted -\nsym 0 0x1000 0x100 wait server program\n"                                                 \
	"0 0 switch 0 10 sleeping\n0 1 switch 0 20 sleeping\n" ASKED(500)

struct reported {
	struct scope_wait wait[ENOUGH];
	bool propagated[ENOUGH];
	uint8_t class[ENOUGH];
	unsigned waits, stacks;
};

static int note_wait(void *user, const struct scope_wait *wait)
{
	struct reported *reported = user;

	if (wait->queue)
		return 0;
	assert_in_range(reported->waits, 0, ENOUGH - 1);
	reported->wait[reported->waits++] = *wait;
	return 0;
}

static int note_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	(void)user;
	(void)unit;
	(void)call;
	return 0;
}

static int note_stack(void *user, const struct scope_logged_stack *stack)
{
	struct reported *reported = user;

	assert_in_range(reported->stacks, 0, ENOUGH - 1);
	reported->class[reported->stacks] = stack->stack.class;
	reported->propagated[reported->stacks++] = stack->stack.propagated;
	return 0;
}

static struct reported waits_of(const char *text)
{
	struct reported reported = { .waits = 0 };
	const struct scope_unit_sink sink = { .unit = note_unit, .wait = note_wait, .user = &reported };
	struct run run = run_of(text);

	assert_int_equal(scope_unit_distributions_replay(run.distributions, run.groups, &sink), 0);
	assert_int_equal(scope_unit_log_stacks(run.distributions->log, note_stack, &reported), 0);
	end_run(&run);
	return reported;
}

static void all_slices_have_the_last_ones_waker(void **state)
{
	const struct reported reported =
		waits_of(SERVER SLICE(1) TIMES_OUT(6) SLICE(6) TIMES_OUT(11) SLICE(11) IS_WOKEN(14) ANSWERS(14));

	(void)state;
	assert_int_equal(reported.waits, 3);
	assert_int_equal(reported.stacks, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(reported.wait[i].waker, 1);
		assert_int_equal(reported.wait[i].waker_tid, 20);
		assert_true(reported.propagated[i]);
	}
	/* Their times stay as they were. */
	assert_int_equal(reported.wait[1].begin_ns, 6010000);
	assert_int_equal(reported.wait[1].wake_ns, 11000000);
}

/* The last slice was so short that it is reported only because of the others. */
static void a_short_last_slice_is_reported_too(void **state)
{
	const struct reported reported =
		waits_of(SERVER SLICE(1) TIMES_OUT(6) "6010000 0 enter 10 futex enter=6009000 args=0x10,137\n"
						      "6010000 0 switch 10 0 sleeping\n"
						      "6011000 1 waking 10 from 20 task\n"
						      "6012000 0 switch 0 10 sleeping\n"
						      "6013000 0 exit 10 futex ret=0\n" ANSWERS(6));

	(void)state;
	assert_int_equal(reported.waits, 2);
	assert_int_equal(reported.wait[0].waker, 1);
	assert_true(reported.propagated[0]);
}

/* A wakeup that was lost: the time-out ended the wait, and what came next is another one. */
static void a_wait_that_only_time_outs_end_is_the_waiters(void **state)
{
	const struct reported reported = waits_of(SERVER SLICE(1) TIMES_OUT(6) SLICE(6) TIMES_OUT(
		11) "11100000 0 syscall 10 lseek enter=11099000 ret=0 args=3\n" SLICE(12) IS_WOKEN(14) ANSWERS(14));

	(void)state;
	assert_int_equal(reported.waits, 3);
	assert_int_equal(reported.wait[0].waker, SCOPE_WAIT_NO_THREAD);
	assert_int_equal(reported.wait[1].waker, SCOPE_WAIT_NO_THREAD);
	assert_int_equal(reported.wait[2].waker, 1);
	assert_false(reported.propagated[0]);
	assert_false(reported.propagated[1]);
	assert_true(reported.propagated[2]);
}

/* The time-out came first, and the wakeup before the thread had a CPU: the call returns 0. */
static void a_wakeup_after_a_time_out_is_one(void **state)
{
	const struct reported reported = waits_of(SERVER SLICE(1) "6000000 0 waking 10 from - hardirq\n"
								  "9001000 0 switch 0 10 sleeping\n"
								  "9002000 0 exit 10 futex ret=0\n"
								  "9002000 0 stack 10 0x1010\n" ANSWERS(9));

	(void)state;
	assert_int_equal(reported.waits, 1);
	assert_int_equal(reported.wait[0].waker, SCOPE_WAIT_NO_THREAD);
	assert_true(reported.propagated[0]);
}

/* A request's poll of 5 ms from 1 ms on, after which it reads from fd, and what is between. */
static struct reported polled(const char *between, const char *fd, const char *got)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 SERVER "fd 10 8 connected -\nfd 10 9 connected -\n"
			"1010000 0 enter 10 poll enter=1009000 args=0x7000,1,5000\n1010000 0 switch 10 0 sleeping\n"
			"6000000 0 waking 10 from - softirq\n6001000 0 switch 0 10 sleeping\n"
			"6002000 0 exit 10 poll ret=1\n6002000 0 stack 10 0x1010\n%s"
			"6005000 0 syscall 10 recvfrom enter=6004000 ret=%s args=%s\n" ANSWERS(6),
		 between, got, fd);
	return waits_of(text);
}

static void a_poll_is_for_the_peer_that_is_read_next(void **state)
{
	struct reported reported = polled("", "8", "64");

	(void)state;
	assert_int_equal(reported.waits, 1);
	assert_int_equal(reported.wait[0].class, SCOPE_WAIT_NETWORK);
	assert_int_equal(reported.wait[0].object, 8);
	assert_int_equal(reported.wait[0].begin_ns, 1010000);
	assert_int_equal(reported.stacks, 1);
	assert_int_equal(reported.class[0], SCOPE_WAIT_NETWORK);
	assert_int_equal(polled("", "9", "1").wait[0].object, 9);
}

/* It read nothing, or from a client or a file, or did something else first. */
static void any_other_poll_stays_one(void **state)
{
	const struct reported reported[] = {
		polled("", "8", "-11"),
		polled("", "8", "0"),
		polled("", "7", "64"),
		polled("", "6", "64"),
		polled("6003500 0 syscall 10 write enter=6003000 ret=1 args=9\n", "8", "64"),
		polled("6003500 0 syscall 10 lseek enter=6003000 ret=0 args=3\n", "8", "64"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(reported) / sizeof(*reported); i++) {
		assert_int_equal(reported[i].wait[0].class, SCOPE_WAIT_POLL);
		assert_int_equal(reported[i].class[0], SCOPE_WAIT_POLL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found_by_any_time_in_it),
		cmocka_unit_test(all_slices_have_the_last_ones_waker),
		cmocka_unit_test(a_short_last_slice_is_reported_too),
		cmocka_unit_test(a_wait_that_only_time_outs_end_is_the_waiters),
		cmocka_unit_test(a_wakeup_after_a_time_out_is_one),
		cmocka_unit_test(a_poll_is_for_the_peer_that_is_read_next),
		cmocka_unit_test(any_other_poll_stays_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
