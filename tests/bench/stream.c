// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure how long a report takes to be complete once its window has ended, when the trace was followed while
 * it was written.
 *
 * Usage: stream TRACE NAME    lines "name value unit" on stdout, NAME before each name
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

#include "../unit/stream_feed.h"
#include "analysis/analysis.h"
#include "report/text.h"

#define RATE 100000.0 /* events/s, of all kinds */

static double now_s(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* From the end of the file to the last byte of the report. */
static int report(const struct feed *feed)
{
	const struct scope_report_style style = { .verbose = true, .details = 3 };
	struct scope_analysis_options options;
	struct scope_analysis *analysis;
	struct scope_error error = { "" };
	struct scope_trace *trace;
	FILE *to = fopen("/dev/null", "we");

	if (!to || scope_trace_open_fd(fileno(feed->file), "the feed", &error, &trace))
		return 1;
	scope_analysis_options_init(&options);
	options.stream = feed->stream;
	if (scope_analysis_run(trace, &options, &analysis) || scope_report_text(analysis, &style, to) || fclose(to))
		return 1;
	scope_analysis_destroy(analysis);
	scope_trace_close(trace);
	return 0;
}

int main(int argc, char **argv)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;
	struct feed feed = { .step_events = 300000 };
	struct rusage usage;
	double begin_s, cpu_s;

	if (argc != 3 || scope_trace_open(argv[1], &error, &trace)) {
		fprintf(stderr, "usage: stream TRACE NAME\n%s\n", error.text);
		return 2;
	}
	if (feed_run(&feed, trace))
		return 1;
	scope_trace_close(trace);
	begin_s = now_s(CLOCK_MONOTONIC);
	cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
	if (report(&feed))
		return 1;
	printf("%sreport_after_end_s %.3f s\n", argv[2], now_s(CLOCK_MONOTONIC) - begin_s);
	printf("%sreport_after_end_cpu_s %.3f s\n", argv[2], now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s);
	printf("%sstream_cpu_share %.2f %%\n", argv[2], 100 * feed.stream_s * RATE / (double)feed.events);
	printf("%sstream_restarts %u times\n", argv[2], scope_analysis_stream_restarts(feed.stream));
	getrusage(RUSAGE_SELF, &usage);
	printf("%sstream_peak_kb %ld KB\n", argv[2], usage.ru_maxrss);
	feed_free(&feed);
	return 0;
}
