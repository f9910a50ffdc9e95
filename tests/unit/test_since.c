// SPDX-License-Identifier: GPL-2.0-only
/*
 * A problem that begins during a capture is reported while the capture runs, as long as the time before it is in the
 * window.
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

#define SECOND_NS 1000000000ull
#define SINCE_NS (4 * SECOND_NS)

/* Requests of 0.1 ms until SINCE_NS, of 1 ms more from then on, to end_ns. */
static char *text_of(uint64_t end_ns)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	uint64_t now = 1000;

	assert_non_null(to);
	fputs("meta begin_ns 1\nmeta sample_ns 1000000\nmeta wall_clock_ns 1700000000000000000\n"
	      "fd 10 5 epoll -\nfd 10 7 accepted -\n"
	      "sym 0 0x1000 0x100 parse server program\nsym 0 0x2000 0x100 walk server program\n"
	      "1 0 switch 0 10 sleeping\n",
	      to);
	for (unsigned i = 0; now < end_ns; i++) {
		fprintf(to, "%ju 0 syscall 10 read enter=%ju ret=64 args=7\n", (uintmax_t)now, (uintmax_t)now - 500);
		now += 100000 + i % 7 * 1000;
		if (i % 10 == 0)
			fprintf(to, "%ju 0 sample 10 0x1010\n", (uintmax_t)now - 1000);
		if (now >= SINCE_NS) {
			now += 1000000 + i % 11 * 1000;
			fprintf(to, "%ju 0 sample 10 0x2010\n", (uintmax_t)now - 1000);
		}
		fprintf(to, "%ju 0 syscall 10 epoll_wait enter=%ju ret=1 args=5\n", (uintmax_t)now + 400000,
			(uintmax_t)now);
		now += 402000;
	}
	assert_int_equal(fclose(to), 0);
	return text;
}

/* A report of what was traced until end_ns, as one of --live is made; window_ns: 0, all of that. */
static char *live_report(uint64_t end_ns, uint64_t window_ns, uint64_t *ret_since_ns)
{
	struct feed feed = { .step_events = 300000, .window_ns = window_ns };
	const struct scope_report_style style = { .verbose = true, .details = 3 };
	struct scope_analysis_options options;
	struct scope_trace *trace, *growing;
	struct scope_analysis *analysis;
	char *text = text_of(end_ns), *report;
	size_t size;
	FILE *to;

	trace = trace_of(text);
	free(text);
	assert_int_equal(feed_run(&feed, trace), 0);
	assert_int_equal(scope_trace_open_growing(fileno(feed.file), "the feed", NULL, &growing), 0);
	assert_int_equal(scope_trace_grow(growing, end_ns), 0);
	scope_analysis_options_init(&options);
	options.stream = feed.stream;
	options.settled_ns = end_ns;
	options.from_ns = window_ns ? end_ns - window_ns : 0;
	assert_int_equal(scope_analysis_run(growing, &options, &analysis), 0);
	*ret_since_ns = analysis->since_ns;
	to = open_memstream(&report, &size);
	assert_non_null(to);
	assert_int_equal(scope_report_text(analysis, &style, to), 0);
	assert_int_equal(fclose(to), 0);
	scope_analysis_destroy(analysis);
	scope_trace_close(growing);
	scope_trace_close(trace);
	feed_free(&feed);
	return report;
}

static void check_report(uint64_t end_ns, uint64_t window_ns)
{
	uint64_t since_ns;
	char *report = live_report(end_ns, window_ns, &since_ns);

	assert_in_range(since_ns, SINCE_NS - 10000000, SINCE_NS + 10000000);
	assert_non_null(strstr(report, "SLOWDOWN"));
	assert_non_null(strstr(report, "  1  walk "));
	assert_non_null(strstr(report, "into the window, at 2023-11-14 22:13:2"));
	assert_non_null(strstr(report, window_ns ? "Compared with the time before, which has 1 of" : "It began 4.0 s"));
	/* Begun at 22:13:20 by the wall's clock. */
	assert_true(strstr(report, "22:13:23 UTC") || strstr(report, "22:13:24 UTC"));
	free(report);
}

static void the_time_is_printed_of_all_so_far(void **state)
{
	(void)state;
	check_report(6 * SECOND_NS, 0);
	check_report(9 * SECOND_NS, 0);
}

static void the_time_is_printed_of_a_window_that_has_it(void **state)
{
	(void)state;
	check_report(6 * SECOND_NS, 4 * SECOND_NS);
	check_report(9 * SECOND_NS, 6 * SECOND_NS);
}

/* Before it, and after: there is no time before that it could be compared with. */
static void a_window_of_one_kind_prints_no_time(void **state)
{
	const uint64_t ends_ns[] = { 4 * SECOND_NS, 9 * SECOND_NS };
	uint64_t since_ns;

	(void)state;
	for (int i = 0; i < 2; i++) {
		char *report = live_report(ends_ns[i], 3 * SECOND_NS, &since_ns);

		assert_int_equal(since_ns, 0);
		assert_non_null(strstr(report, "NOTHING ABNORMAL"));
		free(report);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_is_printed_of_all_so_far),
		cmocka_unit_test(the_time_is_printed_of_a_window_that_has_it),
		cmocka_unit_test(a_window_of_one_kind_prints_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
