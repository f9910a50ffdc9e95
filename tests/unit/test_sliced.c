// SPDX-License-Identifier: GPL-2.0-only
/* A slice that timed out has the waker that ended the whole wait, and so has its stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/sliced.h"
#include "units_of.h"

#define ENOUGH 8

static void each_is_found_by_any_time_in_it(void **state)
{
	struct scope_sliced sliced = { 0 };
	struct scope_wait wait = { .thread = 3, .waker = 1, .waker_tid = 20, .first_ns = 100, .begin_ns = 200 };

	(void)state;
	assert_null(scope_unit_sliced_at(&sliced, 3, 150));
	assert_int_equal(scope_unit_sliced_note(&sliced, &wait), 0);
	wait = (struct scope_wait){ .thread = 3, .waker = 2, .waker_tid = 21, .first_ns = 300, .begin_ns = 400 };
	assert_int_equal(scope_unit_sliced_note(&sliced, &wait), 0);
	/* Nobody ended it, or it had no slices. */
	wait = (struct scope_wait){ .thread = 3, .waker = SCOPE_WAIT_NO_THREAD, .first_ns = 500, .begin_ns = 600 };
	assert_int_equal(scope_unit_sliced_note(&sliced, &wait), 0);
	wait = (struct scope_wait){ .thread = 3, .waker = 2, .begin_ns = 800 };
	assert_int_equal(scope_unit_sliced_note(&sliced, &wait), 0);
	assert_null(scope_unit_sliced_at(&sliced, 3, 99));
	assert_int_equal(scope_unit_sliced_at(&sliced, 3, 100)->waker, 1);
	assert_int_equal(scope_unit_sliced_at(&sliced, 3, 199)->waker, 1);
	assert_null(scope_unit_sliced_at(&sliced, 3, 200));
	assert_int_equal(scope_unit_sliced_at(&sliced, 3, 399)->waker_tid, 21);
	assert_null(scope_unit_sliced_at(&sliced, 3, 550));
	assert_null(scope_unit_sliced_at(&sliced, 2, 150));
	assert_null(scope_unit_sliced_at(&sliced, 4, 150));
	scope_unit_sliced_free(&sliced);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found_by_any_time_in_it),
		cmocka_unit_test(all_slices_have_the_last_ones_waker),
		cmocka_unit_test(a_short_last_slice_is_reported_too),
		cmocka_unit_test(a_wait_that_only_time_outs_end_is_the_waiters),
		cmocka_unit_test(a_wakeup_after_a_time_out_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
