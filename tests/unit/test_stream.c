// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report of a trace that was followed while it was written equals that of the finished file.
 *
 * With the path of a trace as argument: the same for that one, instead of the traces here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/text.h"
#include "stream_feed.h"
#include "trace_of.h"

static const struct feed usual = { .step_events = 300000 };

static char *report_of(struct scope_trace *trace, struct scope_stream *stream)
{
	const struct scope_report_style style = { .verbose = true, .details = 3 };
	struct scope_analysis_options options;
	struct scope_analysis *analysis;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	scope_analysis_options_init(&options);
	options.stream = stream;
	assert_int_equal(scope_analysis_run(trace, &options, &analysis), 0);
	assert_int_equal(scope_report_text(analysis, &style, to), 0);
	assert_int_equal(fclose(to), 0);
	scope_analysis_destroy(analysis);
	return text;
}

/* How often the stream had to start again. */
static unsigned compare(struct scope_trace *trace, struct feed feed)
{
	struct scope_trace *whole = NULL;
	char *streamed, *plain;
	unsigned restarts;

	assert_int_equal(feed_run(&feed, trace), 0);
	assert_int_equal(scope_trace_open_fd(fileno(feed.file), "the feed", NULL, &whole), 0);
	streamed = report_of(whole, feed.stream);
	plain = report_of(whole, NULL);
	assert_string_equal(streamed, plain);
	assert_true(strlen(plain) > 500);
	restarts = scope_analysis_stream_restarts(feed.stream);
	free(streamed);
	free(plain);
	scope_trace_close(whole);
	feed_free(&feed);
	return restarts;
}

/* Requests of one thread for some seconds; every hundredth is slow. */
static uint64_t put_requests(FILE *to, uint32_t tid, unsigned cpu, uint64_t now, uint64_t end)
{
	for (unsigned i = 0; now < end; i++) {
		uint64_t length = i % 100 ? 100000 + i % 7 * 1000 : 2000000;

		fprintf(to, "%ju %u syscall %u read enter=%ju ret=64 args=7\n", (uintmax_t)now, cpu, tid,
			(uintmax_t)now - 500);
		now += length;
		fprintf(to, "%ju %u sample %u 0x1010\n", (uintmax_t)now - 1000, cpu, tid);
		fprintf(to, "%ju %u syscall %u epoll_wait enter=%ju ret=1 args=5\n", (uintmax_t)now + 1000000, cpu, tid,
			(uintmax_t)now);
		now += 1002000;
	}
	return now;
}

static FILE *begin_text(char **text, size_t *size)
{
	FILE *to = open_memstream(text, size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 1\nmeta sample_ns 1000000\nfd 10 5 epoll -\nfd 10 7 accepted -\n"
		    "fd 20 5 epoll -\nfd 20 7 accepted -\n"
		    "sym 0 0x1000 0x100 work server program\n"
		    "1 0 switch 0 10 sleeping\n");
	return to;
}

static unsigned compare_text(FILE *to, char **text, struct feed feed)
{
	struct scope_trace *trace;
	unsigned restarts;

	assert_int_equal(fclose(to), 0);
	trace = trace_of(*text);
	restarts = compare(trace, feed);
	scope_trace_close(trace);
	free(*text);
	return restarts;
}

static void steady_work_is_followed_without_a_restart(void **state)
{
	char *text;
	size_t size;
	FILE *to = begin_text(&text, &size);

	(void)state;
	put_requests(to, 10, 0, 1000, 9000000000);
	assert_int_equal(compare_text(to, &text, usual), 0);
}

/* Steady requests of two threads. Returns as compare() does. */
static unsigned compare_two_threads(struct feed feed)
{
	char *text;
	size_t size;
	FILE *to = begin_text(&text, &size);

	put_requests(to, 10, 0, 1000, 9000000000);
	put_requests(to, 20, 1, 1000, 9000000000);
	return compare_text(to, &text, feed);
}

static void a_short_lag_changes_nothing(void **state)
{
	const struct feed close = { .step_events = 300000, .lag_ns = 100000000 };

	(void)state;
	assert_int_equal(compare_two_threads(close), 0);
}

/* It is slower than the trace grows, and catches up at the end. */
static void a_slow_follower_needs_no_restart(void **state)
{
	const struct feed slow = { .step_events = 500 };

	(void)state;
	assert_int_equal(compare_two_threads(slow), 0);
}

/* A source that breaks its word: what it had called settled was not all there. */
static void late_events_start_again(void **state)
{
	const struct feed late = { .step_events = 300000, .late = true };
	char *text;
	size_t size;
	FILE *to = begin_text(&text, &size);

	(void)state;
	put_requests(to, 10, 0, 1000, 5000000000);
	put_requests(to, 20, 1, 1000, 5000000000);
	assert_int_equal(compare_text(to, &text, late), 1);
}

/* A CPU that was not there, and a thread that was born, in the middle. */
static void cpus_and_threads_may_come_later(void **state)
{
	char *text;
	size_t size;
	FILE *to = begin_text(&text, &size);

	(void)state;
	put_requests(to, 10, 1, 1000, 9000000000);
	fprintf(to, "3000000000 1 fork 20 parent=10 tgid=20 comm=helper\n"
		    "3000100000 0 switch 0 20 runnable\n");
	put_requests(to, 20, 0, 3000200000, 8000000000);
	assert_int_equal(compare_text(to, &text, usual), 0);
}

/* What it was taken for turns out to be wrong: it waits for work by epoll, after five seconds. */
static void a_change_of_ways_starts_again(void **state)
{
	char *text;
	size_t size;
	FILE *to = begin_text(&text, &size);
	uint64_t now = 1000;

	(void)state;
	for (; now < 5000000000; now += 1000000)
		fprintf(to, "%ju 0 syscall 10 getpid enter=%ju ret=10\n", (uintmax_t)now, (uintmax_t)now - 500);
	put_requests(to, 10, 0, now, 9000000000);
	assert_true(compare_text(to, &text, usual) > 0);
}

/* The name by which threads are grouped comes late. */
static void a_late_name_starts_again(void **state)
{
	char *text;
	size_t size;
	FILE *to = begin_text(&text, &size);
	uint64_t now = put_requests(to, 10, 0, 1000, 6000000000);

	(void)state;
	fprintf(to, "%ju 0 comm 10 tgid=10 comm=renamed\n", (uintmax_t)now);
	put_requests(to, 10, 0, now + 1000, 7000000000);
	assert_int_equal(compare_text(to, &text, usual), 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_work_is_followed_without_a_restart),
		cmocka_unit_test(a_short_lag_changes_nothing),
		cmocka_unit_test(a_slow_follower_needs_no_restart),
		cmocka_unit_test(late_events_start_again),
		cmocka_unit_test(cpus_and_threads_may_come_later),
		cmocka_unit_test(a_change_of_ways_starts_again),
		cmocka_unit_test(a_late_name_starts_again),
	};
	struct scope_error error = { "" };
	struct scope_trace *trace;

	if (argc < 2)
		return cmocka_run_group_tests(tests, NULL, NULL);
	if (scope_trace_open(argv[1], &error, &trace)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	compare(trace, usual);
	scope_trace_close(trace);
	return 0;
}
