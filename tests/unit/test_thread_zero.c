// SPDX-License-Identifier: GPL-2.0-only
/* Thread 0 is not a thread: a trace with events of thread 0 is read, and these events have no effect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "timeline/timeline.h"
#include "trace_of.h"

static void test_no_account(void **state)
{
	static const struct scope_timeline_ops nothing = { 0 };
	/* As the first events, and after others: the table of threads is empty, then not. */
	struct scope_trace *trace = trace_of("1 0 fork 0 parent=5 tgid=5 comm=a\n"
					     "2 0 exec 0 old=0 tgid=5 comm=b\n"
					     "3 0 comm 0 tgid=5 comm=c\n"
					     "4 0 state 7 tgid=7 state=sleeping nr=- since=0 run=0 comm=real\n"
					     "5 0 fork 0 parent=7 tgid=7 comm=d\n"
					     "6 0 exec 0 old=7 tgid=7 comm=e\n"
					     "7 0 thread_exit 0 tgid=7\n");
	struct scope_timeline *timeline;

	(void)state;
	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &nothing, NULL), 0);
	assert_int_equal(scope_timeline_threads_count(timeline->threads), 1);
	assert_string_equal(scope_timeline_threads_at(timeline->threads, 0)->comm, "real");
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
}

static bool take_plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
		       enum scope_timeline_call_role role)
{
	(void)user;
	(void)thread;
	(void)event;
	(void)role;
	fail_msg("a call of thread 0 was counted");
	return true;
}

/* Calls that only add up are looked up in the short list of recent threads first, which is empty. */
static void test_no_call(void **state)
{
	static const struct scope_timeline_ops adds_up = { .plain = take_plain };
	struct scope_trace *trace = trace_of("2 0 syscall 0 getpid enter=1 ret=5\n");
	struct scope_timeline *timeline;

	(void)state;
	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &adds_up, NULL), 0);
	assert_int_equal(scope_timeline_threads_count(timeline->threads), 0);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_account),
		cmocka_unit_test(test_no_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
