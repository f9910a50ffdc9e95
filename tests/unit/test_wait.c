// SPDX-License-Identifier: GPL-2.0-only
/* What a sleep is said to wait for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timeline/timeline.h"
#include "trace_of.h"

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
	const struct scope_timeline_ops ops = {.wait = note_wait};
	struct scope_trace *trace = trace_of(text);
	struct scope_timeline *timeline;
	struct waits waits = {.count = 0};

	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &ops, &waits), 0);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
	return waits;
}

/* It reads from descriptor 7, and then sleeps for a page; in a lock's call it sleeps, and for a page again. */
static void a_page_fault_has_no_object(void **state)
{
	const struct waits waits = waits_of(
		"meta begin_ns 0\nmeta end_ns 1000000\n"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_fault_has_no_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
