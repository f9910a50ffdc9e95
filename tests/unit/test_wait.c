// SPDX-License-Identifier: GPL-2.0-only
/* The sentence that says what a sleep waits for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/slices.h"
#include "timeline/timeline.h"
#include "trace_of.h"
#include "waits/history.h"

#define WAITS_MAX 4

struct waits {
	struct scope_wait wait[WAITS_MAX];
	unsigned count;
};

static int note_wait(void *user, const struct scope_wait *wait)
{
	struct waits *waits = user;

	assert_in_range(waits->count, 0, WAITS_MAX - 1);
	waits->wait[waits->count++] = *wait;
	return 0;
}

static struct waits waits_of(const char *text)
{
	const struct scope_timeline_ops ops = { .wait = note_wait };
	struct scope_trace *trace = trace_of(text);
	struct scope_timeline *timeline;
	struct waits waits = { .count = 0 };

	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &ops, &waits), 0);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
	return waits;
}

/* It reads from descriptor 7, and then sleeps for a page; in a lock's call it sleeps, and for a page again. */
static void a_page_fault_has_no_object(void **state)
{
	const struct waits waits = waits_of("meta begin_ns 0\nmeta end_ns 1000000\n"
					    "0 0 switch 0 10 sleeping\n"
					    "1000 0 syscall 10 read enter=500 ret=64 args=7\n"
					    "2000 0 switch 10 0 disk\n"
					    "200000 0 waking 10 from - hardirq\n"
					    "201000 0 switch 0 10 sleeping\n"
					    "300000 0 enter 10 futex enter=299000 args=0x10,0x80,2\n"
					    "300000 0 switch 10 0 sleeping\n"
					    "400000 0 waking 10 from - task\n"
					    "401000 0 switch 0 10 sleeping\n"
					    "402000 0 exit 10 futex ret=0\n"
					    "500000 0 switch 10 0 disk\n"
					    "600000 0 waking 10 from - hardirq\n"
					    "601000 0 switch 0 10 sleeping\n");

	(void)state;
	assert_int_equal(waits.count, 3);
	assert_int_equal(waits.wait[0].class, SCOPE_WAIT_FAULT);
	assert_int_equal(waits.wait[0].object, 0);
	assert_int_equal(waits.wait[1].class, SCOPE_WAIT_FUTEX);
	assert_int_equal(waits.wait[1].object, 0x10);
	assert_true(waits.wait[1].lock);
	assert_int_equal(waits.wait[2].class, SCOPE_WAIT_FAULT);
	assert_int_equal(waits.wait[2].object, 0);
	assert_false(waits.wait[2].lock);
}

#define SLICE_NS 5000000 /* the sleep of thread 10 there */
#define SLICED                                                                                                         \
	"meta begin_ns 0\nmeta end_ns 40000000\n"                                                                      \
	"0 1 switch 0 20 sleeping\n"                                                                                   \
	"0 0 switch 0 10 sleeping\n"                                                                                   \
	"1000000 0 enter 10 futex enter=999000 args=0x10,137\n"                                                        \
	"1000000 0 switch 10 0 sleeping\n"                                                                             \
	"6000000 0 waking 10 from - hardirq\n"                                                                         \
	"6001000 0 switch 0 10 sleeping\n"                                                                             \
	"6002000 0 exit 10 futex ret=-110\n"                                                                           \
	"6003000 0 syscall 10 futex enter=6002500 ret=0 args=0x18,129\n"

/* Two sleeps of thread 10, the first of which timed out, with those lines between; 20 is another thread. */
static struct waits sliced(const char *between, uint64_t enter_ns, unsigned object, const char *end)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 SLICED "%s"
			"%ju 0 enter 10 futex enter=%ju args=%#x,137\n"
			"%ju 0 switch 10 0 sleeping\n%s",
		 between, (uintmax_t)enter_ns, (uintmax_t)enter_ns - 1000, object, (uintmax_t)enter_ns, end);
	return waits_of(text);
}

#define WOKEN                                                                                                          \
	"9000000 1 waking 10 from 20 task\n"                                                                           \
	"9001000 0 switch 0 10 sleeping\n"                                                                             \
	"9002000 0 exit 10 futex ret=0\n"

/* A condition variable's two words are one object, and the clock and other futexes may be asked between. */
static void slices_are_one_wait(void **state)
{
	struct waits waits = sliced("6004000 0 syscall 10 clock_gettime enter=6003500 ret=0\n", 6010000, 0x14, WOKEN);

	(void)state;
	assert_int_equal(waits.count, 2);
	assert_int_equal(waits.wait[0].waker, SCOPE_WAIT_NO_THREAD);
	assert_int_equal(waits.wait[0].first_ns, 0);
	assert_false(waits.wait[0].woken);
	assert_int_equal(waits.wait[1].waker, 1);
	assert_int_equal(waits.wait[1].begin_ns, 6010000);
	assert_int_equal(waits.wait[1].first_ns, 1000000);
	assert_true(waits.wait[1].woken);
}

/* A third slice: the wait began with the first. And once it is over the next wait is another. */
static void a_wait_in_slices_has_one_begin_and_one_end(void **state)
{
	struct waits waits = sliced("", 6010000, 0x10,
				    "11000000 0 waking 10 from - hardirq\n"
				    "11001000 0 switch 0 10 sleeping\n"
				    "11002000 0 exit 10 futex ret=-110\n"
				    "11010000 0 enter 10 futex enter=11009000 args=0x10,137\n"
				    "11010000 0 switch 10 0 sleeping\n"
				    "12000000 1 waking 10 from 20 task\n"
				    "12001000 0 switch 0 10 sleeping\n"
				    "12002000 0 exit 10 futex ret=0\n"
				    "12010000 0 enter 10 futex enter=12009000 args=0x10,137\n"
				    "12010000 0 switch 10 0 sleeping\n"
				    "13000000 1 waking 10 from 20 task\n"
				    "13001000 0 switch 0 10 sleeping\n"
				    "13002000 0 exit 10 futex ret=0\n");

	(void)state;
	assert_int_equal(waits.count, 4);
	assert_int_equal(waits.wait[1].first_ns, 1000000);
	assert_int_equal(waits.wait[2].first_ns, 1000000);
	assert_int_equal(waits.wait[3].first_ns, 0);
}

/* It timed out, and found something else to do; or waits for something else; or ran for a while. */
static void a_time_out_that_is_acted_upon_ends_a_wait(void **state)
{
	(void)state;
	assert_int_equal(
		sliced("6004000 0 syscall 10 write enter=6003500 ret=1 args=7\n", 6010000, 0x10, WOKEN).wait[1].first_ns,
		0);
	assert_int_equal(sliced("", 6010000, 0x20, WOKEN).wait[1].first_ns, 0);
	assert_int_equal(sliced("", 6002000 + SLICE_NS / SCOPE_SLICES_RUN, 0x10, WOKEN).wait[1].first_ns, 0);
	assert_int_equal(sliced("", 6001000 + SLICE_NS / SCOPE_SLICES_RUN, 0x10, WOKEN).wait[1].first_ns, 1000000);
	/* It had the lock in between, and handed it on. */
	assert_int_equal(sliced("6004000 0 syscall 10 futex enter=6003500 ret=1 args=0x10,129\n", 6010000, 0x10, WOKEN)
				 .wait[1]
				 .first_ns,
			 0);
	/* A page did not come. */
	assert_int_equal(sliced("6004000 0 switch 10 0 disk\n6005000 0 waking 10 from - hardirq\n"
				"6006000 0 switch 0 10 sleeping\n",
				6010000, 0x10, WOKEN)
				 .wait[2]
				 .first_ns,
			 0);
	/* What was done between is not known. */
	assert_int_equal(sliced("6004000 0 lost 3\n", 6010000, 0x10, WOKEN).wait[1].first_ns, 0);
}

/* The mutex of a condition variable is taken again between two slices, for which it may have to wait, too. */
static void another_lock_between_ends_no_wait(void **state)
{
	struct waits waits = sliced("6010000 0 enter 10 futex enter=6009000 args=0x18,128\n"
				    "6010000 0 switch 10 0 sleeping\n"
				    "6020000 1 waking 10 from 20 task\n"
				    "6021000 0 switch 0 10 sleeping\n"
				    "6022000 0 exit 10 futex ret=0\n",
				    6030000, 0x10, WOKEN);

	(void)state;
	assert_int_equal(waits.count, 3);
	assert_int_equal(waits.wait[1].first_ns, 0);
	assert_int_equal(waits.wait[2].first_ns, 1000000);
}

#define OF_ONE_PROCESS "thread 10 10 a\nthread 20 10 b\n"

/* The sleep of thread 10 after one that timed out, on another object, which 20 ends; other: what 20 did. */
static struct waits slice_and_lock(const char *threads, const char *other)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 "%s%.*s%s6004000 0 syscall 10 getpid enter=6003500 ret=10\n"
		 "6010000 0 enter 10 futex enter=6009000 args=0x20,128,2\n"
		 "6010000 0 switch 10 0 sleeping\n" WOKEN "9010000 0 enter 10 futex enter=9009000 args=0x30,128,2\n"
		 "9010000 0 switch 10 0 sleeping\n"
		 "9020000 1 waking 10 from 20 task\n"
		 "9021000 0 switch 0 10 sleeping\n"
		 "9022000 0 exit 10 futex ret=0\n",
		 threads, (int)strlen(SLICED), SLICED, other);
	return waits_of(text);
}

/* Ruby's GVL: after its time the thread meets the holder at a mutex. What that passes on comes after it, and is another wait. */
static void who_held_it_all_the_time_may_be_met_elsewhere(void **state)
{
	struct waits waits = slice_and_lock(OF_ONE_PROCESS, "");

	(void)state;
	assert_int_equal(waits.count, 3);
	assert_int_equal(waits.wait[1].waker, 1);
	assert_int_equal(waits.wait[1].first_ns, 1000000);
	assert_int_equal(waits.wait[2].first_ns, 0);
	/* It was preempted, and ran on. */
	assert_int_equal(slice_and_lock(OF_ONE_PROCESS,
					"6003000 1 switch 20 0 runnable\n6003100 1 switch 0 20 runnable\n")
				 .wait[1]
				 .first_ns,
			 1000000);
	/* It slept, of which one that has what is waited for does not hear. */
	waits = slice_and_lock(OF_ONE_PROCESS, "6003000 1 switch 20 0 sleeping\n6003100 1 waking 20 from - hardirq\n"
					       "6003200 1 switch 0 20 sleeping\n");
	assert_int_equal(waits.count, 4);
	assert_int_equal(waits.wait[2].first_ns, 0);
	/* Of another process. */
	assert_int_equal(slice_and_lock("thread 10 10 a\nthread 20 20 b\n", "").wait[1].first_ns, 0);
}

/*
 * Thread 10 waits for the mutex at 0x10, whose memory is `memory`, until that interrupt; args of the call; 20 is of
 * process tgid.
 */
static struct scope_wait timed_lock(const char *args, const char *memory, const char *interrupt, unsigned tgid)
{
	char text[1024];
	struct waits waits;

	snprintf(text, sizeof(text),
		 "meta begin_ns 0\nmeta end_ns 1000000\nthread 10 10 a\nthread 20 %u b\n"
		 "0 1 switch 0 20 sleeping\n"
		 "0 0 switch 0 10 sleeping\n"
		 "300000 0 enter 10 futex enter=299000 args=%s\n%s"
		 "300000 0 switch 10 0 sleeping\n"
		 "400000 0 waking 10 from - %s\n"
		 "401000 0 switch 0 10 sleeping\n"
		 "402000 0 exit 10 futex ret=-110\n",
		 tgid, args, memory, interrupt);
	waits = waits_of(text);
	assert_int_equal(waits.count, 1);
	return waits.wait[0];
}

#define NAMES_20 "300000 0 futex 10 16 m0=2 m1=0 m2=20 m3=1\n" /* as glibc's mutexes have it */

/* A wait for a lock that a time limit ends was for the thread that the lock's memory named as it began. */
static void a_lock_that_was_not_released_names_its_owner(void **state)
{
	struct scope_wait wait = timed_lock("0x10,0x80,2", NAMES_20, "hardirq timer", 10);

	(void)state;
	assert_int_equal(wait.waker, SCOPE_WAIT_NO_THREAD);
	assert_int_equal(wait.interrupt, SCOPE_INTERRUPT_TIMER);
	assert_int_equal(wait.owner, 1 + 0 + (wait.thread == 0));
	assert_int_equal(scope_waits_history_stay(&wait).waker, wait.owner - 1);
	/* Without the memory it waited for its time limit. */
	wait = timed_lock("0x10,0x80,2", "", "hardirq timer", 10);
	assert_int_equal(wait.owner, 0);
	assert_int_equal(scope_waits_history_stay(&wait).waker, SCOPE_WAIT_NO_THREAD);
	assert_int_equal(scope_waits_history_stay(&wait).class, SCOPE_WAIT_TIMER);
}

/* Of a thread of another process, of itself, of a condition variable, of memory that is no lock of a known kind. */
static void other_words_name_no_owner(void **state)
{
	(void)state;
	assert_int_equal(timed_lock("0x10,0x80,2", NAMES_20, "hardirq timer", 20).owner, 0);
	assert_int_equal(
		timed_lock("0x10,0x80,2", "300000 0 futex 10 16 m0=2 m1=0 m2=10 m3=1\n", "hardirq timer", 10).owner, 0);
	assert_int_equal(timed_lock("0x10,0x189,0", NAMES_20, "hardirq timer", 10).owner, 0);
	assert_int_equal(
		timed_lock("0x10,0x80,2", "300000 0 futex 10 16 m0=7 m1=0 m2=20 m3=1\n", "hardirq timer", 10).owner, 0);
	/* Only the word itself was readable. */
	assert_int_equal(
		timed_lock("0x10,0x80,2", "300000 0 futex 10 4 m0=2 m1=0 m2=0 m3=0\n", "hardirq timer", 10).owner, 0);
	/* The owner of an earlier call is not that of this one. */
	assert_int_equal(timed_lock("0x10,0x80,2", NAMES_20 "300000 0 futex 10 16 m0=2 m1=0 m2=0 m3=0\n",
				    "hardirq timer", 10)
				 .owner,
			 0);
}

static void an_interrupt_says_what_a_sleep_was_for(void **state)
{
	static const struct {
		enum scope_wait_class class;
		uint8_t interrupt;
		enum scope_wait_class for_what;
	} row[] = {
		{ SCOPE_WAIT_POLL, SCOPE_INTERRUPT_NET, SCOPE_WAIT_NETWORK },
		{ SCOPE_WAIT_POLL, SCOPE_INTERRUPT_TIMER, SCOPE_WAIT_TIMER },
		{ SCOPE_WAIT_POLL, SCOPE_INTERRUPT_UNKNOWN, SCOPE_WAIT_POLL },
		{ SCOPE_WAIT_POLL, SCOPE_INTERRUPT_DEVICE, SCOPE_WAIT_POLL },
		{ SCOPE_WAIT_OTHER, SCOPE_INTERRUPT_BLOCK, SCOPE_WAIT_DISK },
		{ SCOPE_WAIT_OTHER, SCOPE_INTERRUPT_NET, SCOPE_WAIT_NETWORK },
		{ SCOPE_WAIT_FAULT, SCOPE_INTERRUPT_BLOCK, SCOPE_WAIT_DISK },
		{ SCOPE_WAIT_FUTEX, SCOPE_INTERRUPT_TIMER, SCOPE_WAIT_TIMER },
		{ SCOPE_WAIT_FUTEX, SCOPE_INTERRUPT_NET, SCOPE_WAIT_FUTEX },
		{ SCOPE_WAIT_NETWORK, SCOPE_INTERRUPT_NET, SCOPE_WAIT_NETWORK },
		{ SCOPE_WAIT_NETWORK, SCOPE_INTERRUPT_TIMER, SCOPE_WAIT_TIMER },
		{ SCOPE_WAIT_DISK, SCOPE_INTERRUPT_TIMER, SCOPE_WAIT_DISK }, /* a disk's own time-out */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(scope_timeline_wait_ended_by(row[i].class, row[i].interrupt), row[i].for_what);
}

/* Without wakings in a trace no waker is known: a time-out may return 0 there, too. */
static void a_trace_without_wakings_says_nothing_of_them(void **state)
{
	const struct waits waits = waits_of("meta begin_ns 0\nmeta end_ns 1000000\n"
					    "0 0 switch 0 10 sleeping\n"
					    "300000 0 enter 10 futex enter=299000 args=0x10,0x80,2\n"
					    "300000 0 switch 10 0 sleeping\n"
					    "401000 0 switch 0 10 sleeping\n"
					    "402000 0 exit 10 futex ret=0\n");

	(void)state;
	assert_int_equal(waits.count, 1);
	assert_false(waits.wait[0].woken);
}

/* It sleeps twice in one call, and is on a CPU for run_ns between. Returns how many sleeps that is. */
static unsigned sleeps_around(unsigned run_ns)
{
	struct waits waits;
	char *text;

	assert_true(asprintf(&text,
			     "meta begin_ns 0\nmeta end_ns 900000\n"
			     "0 0 switch 0 10 sleeping\n"
			     "1000 0 enter 10 futex enter=900 args=77,0,2\n"
			     "1000 0 switch 10 0 sleeping\n"
			     "200000 0 waking 10 from 11 task\n"
			     "201000 0 switch 0 10 sleeping\n"
			     "%u 0 switch 10 0 sleeping\n"
			     "400000 0 waking 10 from 12 task\n"
			     "401000 0 switch 0 10 sleeping\n"
			     "402000 0 exit 10 futex ret=0\n",
			     201000 + run_ns) > 0);
	waits = waits_of(text);
	free(text);
	return waits.count;
}

static void a_thread_that_runs_for_less_than_50_us_was_woken_for_nothing(void **state)
{
	(void)state;
	assert_int_equal(sleeps_around(49999), 1);
	assert_int_equal(sleeps_around(50000), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_fault_has_no_object),
		cmocka_unit_test(a_thread_that_runs_for_less_than_50_us_was_woken_for_nothing),
		cmocka_unit_test(slices_are_one_wait),
		cmocka_unit_test(a_wait_in_slices_has_one_begin_and_one_end),
		cmocka_unit_test(who_held_it_all_the_time_may_be_met_elsewhere),
		cmocka_unit_test(a_time_out_that_is_acted_upon_ends_a_wait),
		cmocka_unit_test(another_lock_between_ends_no_wait),
		cmocka_unit_test(a_lock_that_was_not_released_names_its_owner),
		cmocka_unit_test(other_words_name_no_owner),
		cmocka_unit_test(an_interrupt_says_what_a_sleep_was_for),
		cmocka_unit_test(a_trace_without_wakings_says_nothing_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
