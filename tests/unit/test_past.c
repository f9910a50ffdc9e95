// SPDX-License-Identifier: GPL-2.0-only
/* Reports on the window alone use the accounts that were marked at the begin of the window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/times.h"
#include "stream_feed.h"
#include "trace_of.h"

#define END_NS 9000000000ull
#define SLEEP_NS 6000000000ull
#define WAKE_NS 7000000000ull

/* A thread that works, sleeps for a second and runs for two; and one that ends after a second. */
static char *text_of(void)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs("meta begin_ns 1\nfd 10 5 epoll -\nfd 10 7 accepted -\n"
	      "1 0 switch 0 10 sleeping\n1 0 comm 10 tgid=10 comm=server\n"
	      "2 1 fork 30 parent=10 tgid=10 comm=early\n3 1 switch 0 30 runnable\n"
	      "1000000000 1 thread_exit 30 tgid=10\n1000000001 1 switch 30 0 dead\n",
	      to);
	for (uint64_t now = 1100000000; now < SLEEP_NS; now += 1000000)
		fprintf(to,
			"%ju 0 syscall 10 read enter=%ju ret=64 args=7\n"
			"%ju 0 syscall 10 epoll_wait enter=%ju ret=1 args=5\n",
			(uintmax_t)now, (uintmax_t)now - 500, (uintmax_t)now + 200000, (uintmax_t)now + 199000);
	fprintf(to, "%ju 0 enter 10 epoll_wait enter=%ju args=5\n%ju 0 switch 10 0 sleeping\n", (uintmax_t)SLEEP_NS,
		(uintmax_t)SLEEP_NS, (uintmax_t)SLEEP_NS);
	fprintf(to,
		"%ju 0 waking 10 from - softirq\n%ju 0 switch 0 10 runnable\n"
		"%ju 0 exit 10 epoll_wait ret=1\n",
		(uintmax_t)WAKE_NS, (uintmax_t)WAKE_NS, (uintmax_t)WAKE_NS);
	for (uint64_t now = WAKE_NS + 1000; now <= END_NS; now += 100000000)
		fprintf(to, "%ju 0 syscall 10 getpid enter=%ju ret=10\n", (uintmax_t)now, (uintmax_t)now - 500);
	fprintf(to, "%ju 0 syscall 10 getpid enter=%ju ret=10\n", (uintmax_t)END_NS, (uintmax_t)END_NS - 500);
	assert_int_equal(fclose(to), 0);
	return text;
}

static struct scope_analysis *analysis_of(struct feed *feed, struct scope_trace *whole, uint64_t from_ns)
{
	struct scope_analysis_options options;
	struct scope_analysis *analysis;

	scope_analysis_options_init(&options);
	options.stream = feed->stream;
	options.from_ns = from_ns;
	assert_int_equal(scope_analysis_run(whole, &options, &analysis), 0);
	return analysis;
}

/* The last window_ns of it; 0: all. */
static void check(uint64_t window_ns, size_t groups)
{
	struct feed feed = { .step_events = 300000, .window_ns = window_ns };
	char *text = text_of();
	struct scope_trace *trace = trace_of(text), *whole = NULL;
	const uint64_t from_ns = window_ns ? END_NS - window_ns : 0;
	struct scope_analysis *analysis;
	struct scope_times *line;
	uint64_t begin_ns;
	size_t lines;

	assert_int_equal(feed_run(&feed, trace), 0);
	assert_int_equal(scope_trace_open_fd(fileno(feed.file), "the feed", NULL, &whole), 0);
	analysis = analysis_of(&feed, whole, from_ns);
	begin_ns = analysis->units->timeline->begin_ns;
	assert_in_range(begin_ns, from_ns, from_ns + window_ns / 32 + 1);
	assert_int_equal(scope_report_times_collect(analysis, &line, &lines), 0);
	assert_int_equal(lines, groups);
	assert_string_equal(line[lines - 1].name, "server");
	assert_int_equal((uint64_t)line[lines - 1].wall_ns, END_NS - begin_ns);
	assert_int_equal((uint64_t)line[lines - 1].blocked_ns[SCOPE_WAIT_POLL], begin_ns < SLEEP_NS ? WAKE_NS - SLEEP_NS
										: begin_ns < WAKE_NS
											? WAKE_NS - begin_ns
											: 0);
	assert_int_equal((uint64_t)(line[lines - 1].run_ns + line[lines - 1].blocked_ns[SCOPE_WAIT_POLL]),
			 END_NS - begin_ns);
	free(line);
	scope_analysis_destroy(analysis);
	scope_trace_close(whole);
	feed_free(&feed);
	scope_trace_close(trace);
	free(text);
}

static void all_of_it_without_a_window(void **state)
{
	(void)state;
	check(0, 2);
}

/* Begun while it runs, while it sleeps, and while it works; who ended before is not in it. */
static void what_came_before_is_not_counted(void **state)
{
	(void)state;
	check(1500000000, 1);
	check(2500000000, 1);
	check(5000000000, 1);
}

static void a_thread_that_ended_inside_is(void **state)
{
	(void)state;
	check(8500000000, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_without_a_window),
		cmocka_unit_test(what_came_before_is_not_counted),
		cmocka_unit_test(a_thread_that_ended_inside_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
