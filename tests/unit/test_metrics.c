// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics of random traces equal the ledger of the random events: to the ns, the byte and the call, for any
 * step and any limit of memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/meter.h"
#include "metrics/rejoin.h"
#include "metrics/view.h"
#include "trace_of.h"

#define THREADS 5
#define LINES_MAX 40000
#define BEGIN_NS 1000
#define END_NS 5000000000ull
#define FIRST_TID 10
#define PIPE_FD 7
#define SOCKET_FD 8
#define FILE_FD 9

/* What was written, in the order of time; and what it comes to. */
struct story {
	uint64_t seed;
	struct {
		uint64_t time_ns;
		unsigned order;
		char text[120];
	} * line;
	size_t lines;
	uint64_t ledger[THREADS][SCOPE_METRICS];
};

static uint64_t dice(struct story *story, uint64_t sides)
{
	story->seed ^= story->seed << 13;
	story->seed ^= story->seed >> 7;
	story->seed ^= story->seed << 17;
	return story->seed % sides;
}

__attribute__((format(printf, 3, 4))) static void say(struct story *story, uint64_t time_ns, const char *format, ...)
{
	const int used =
		(assert_true(story->lines < LINES_MAX),
		 snprintf(story->line[story->lines].text, sizeof(story->line->text), "%ju ", (uintmax_t)time_ns));
	va_list list;

	va_start(list, format);
	vsnprintf(story->line[story->lines].text + used, sizeof(story->line->text) - (size_t)used, format, list);
	va_end(list);
	story->line[story->lines].time_ns = time_ns;
	story->line[story->lines].order = (unsigned)story->lines;
	story->lines++;
}

static int by_time(const void *left, const void *right)
{
	const struct {
		uint64_t time_ns;
		unsigned order;
	} *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* One of the calls there are: its time is `time`, calls are `count`, and what it returns is `bytes` of that. */
struct kind {
	const char *name, *args;
	enum scope_metric time, count, amount;
	bool returns;
};

static const struct kind kinds[] = {
	{ "read", "7", SCOPE_METRIC_PIPE_TIME, SCOPE_METRIC_PIPE_READS, SCOPE_METRIC_PIPE_READ_BYTES, true },
	{ "write", "7", SCOPE_METRIC_PIPE_TIME, SCOPE_METRIC_PIPE_WRITES, SCOPE_METRIC_PIPE_WRITTEN_BYTES, true },
	{ "recvfrom", "8", SCOPE_METRIC_NET_TIME, SCOPE_METRIC_NET_RECEIVES, SCOPE_METRIC_NET_RECEIVED_BYTES, true },
	{ "write", "8", SCOPE_METRIC_NET_TIME, SCOPE_METRIC_NET_SENDS, SCOPE_METRIC_NET_SENT_BYTES, true },
	{ "pread64", "9", SCOPE_METRIC_FILE_TIME, SCOPE_METRIC_FILE_READS, SCOPE_METRIC_FILE_READ_BYTES, true },
	{ "write", "77", SCOPE_METRIC_OTHER_TIME, SCOPE_METRIC_OTHER_WRITES, SCOPE_METRIC_OTHER_WRITTEN_BYTES, true },
	{ "epoll_wait", "5", SCOPE_METRIC_POLL_TIME, SCOPE_METRIC_POLL_CALLS, SCOPE_METRICS, false },
	{ "futex", "4096,128,2", SCOPE_METRIC_FUTEX_TIME, SCOPE_METRIC_FUTEX_WAITS, SCOPE_METRICS, false },
	{ "futex", "4096,129,1", SCOPE_METRICS, SCOPE_METRIC_FUTEX_WAKES, SCOPE_METRIC_FUTEX_WOKEN, true },
	{ "getpid", "0", SCOPE_METRICS, SCOPE_METRICS, SCOPE_METRICS, false },
};

static void count(struct story *story, unsigned thread, enum scope_metric metric, uint64_t value)
{
	if (metric < SCOPE_METRICS)
		story->ledger[thread][metric] += value;
}

/* Asleep and woken, perhaps preempted after that, from `at` on; returns when it runs again. Outside calls that is for a page. */
static uint64_t sleep_from(struct story *story, unsigned thread, uint64_t at, bool in_call)
{
	static const struct {
		const char *state;
		enum scope_metric metric;
	} ways[] = {
		{ "sleeping", SCOPE_METRIC_SLEEP },
		{ "disk", SCOPE_METRIC_DISK },
		{ "disk iowait", SCOPE_METRIC_IOWAIT },
	};
	const unsigned tid = FIRST_TID + thread, way = (unsigned)dice(story, 3);
	const bool stalls = way && dice(story, 2);
	const uint64_t slept_ns = 1 + dice(story, dice(story, 20) ? 3000000 : 1500000000),
		       queued_ns = dice(story, 90000);

	say(story, at, "%u switch %u 0 %s%s", thread, tid, ways[way].state, stalls ? " memstall" : "");
	say(story, at + slept_ns, "%u waking %u from - hardirq", thread, tid);
	say(story, at + slept_ns + queued_ns, "%u switch 0 %u sleeping", thread, tid);
	count(story, thread, ways[way].metric, slept_ns);
	count(story, thread, SCOPE_METRIC_FAULT_WAIT, way && !in_call ? slept_ns : 0);
	count(story, thread, SCOPE_METRIC_SLEEPS, 1);
	count(story, thread, SCOPE_METRIC_PAGE_WAIT_TIME, stalls ? slept_ns : 0);
	count(story, thread, SCOPE_METRIC_QUEUE, queued_ns);
	return at + slept_ns + queued_ns;
}

static uint64_t preempt_from(struct story *story, unsigned thread, uint64_t at)
{
	const uint64_t queued_ns = 1 + dice(story, 4000000);

	say(story, at, "%u switch %u 0 runnable preempted", thread, FIRST_TID + thread);
	say(story, at + queued_ns, "%u switch 0 %u sleeping", thread, FIRST_TID + thread);
	count(story, thread, SCOPE_METRIC_QUEUE, queued_ns);
	count(story, thread, SCOPE_METRIC_PREEMPTIONS, 1);
	return at + queued_ns;
}

/* What the kernel counts while the thread runs from `at` on, for ran_ns. */
static void count_from(struct story *story, unsigned thread, uint64_t at, uint64_t ran_ns)
{
	static const enum scope_metric stalls[] = { SCOPE_METRIC_RECLAIM_TIME, SCOPE_METRIC_GROUP_RECLAIM_TIME,
						    SCOPE_METRIC_COMPACTION_TIME };
	const unsigned tid = FIRST_TID + thread, kind = (unsigned)dice(story, 3);
	const uint64_t faults = 1 + dice(story, 50), irq_ns = dice(story, ran_ns + 1);

	switch (dice(story, 8)) {
	case 0:
		say(story, at, "%u stall %u %u", thread, tid, kind);
		say(story, at + ran_ns, "%u stall %u %u end", thread, tid, kind);
		count(story, thread, stalls[kind], ran_ns);
		break;
	case 1:
		say(story, at + ran_ns, "%u %s %u %ju", thread, kind ? "hardirq" : "softirq", tid, (uintmax_t)irq_ns);
		count(story, thread, kind ? SCOPE_METRIC_HARDIRQ_TIME : SCOPE_METRIC_SOFTIRQ_TIME, irq_ns);
		count(story, thread, SCOPE_METRIC_INTERRUPTS, 1);
		break;
	case 2:
		say(story, at + ran_ns, "%u counters %u minor=%ju major=%u read=4096 written=%ju swapin=7 thrashing=5",
		    thread, tid, (uintmax_t)faults, kind, (uintmax_t)faults * 4096);
		count(story, thread, SCOPE_METRIC_MINOR_FAULTS, faults);
		count(story, thread, SCOPE_METRIC_MAJOR_FAULTS, kind);
		count(story, thread, SCOPE_METRIC_STORAGE_READ_BYTES, 4096);
		count(story, thread, SCOPE_METRIC_STORAGE_WRITTEN_BYTES, faults * 4096);
		count(story, thread, SCOPE_METRIC_SWAPIN_TIME, 12);
		break;
	}
}

/* Returns when it returns. */
static uint64_t call_from(struct story *story, unsigned thread, uint64_t at)
{
	const struct kind *kind = &kinds[dice(story, sizeof(kinds) / sizeof(*kinds))];
	const uint64_t ret = kind->returns ? dice(story, 5000) : 0, short_ns = 100 + dice(story, 5000);
	const unsigned tid = FIRST_TID + thread;
	uint64_t end = at + short_ns;

	if (dice(story, 3)) {
		say(story, end, "%u syscall %u %s enter=%ju ret=%ju args=%s", thread, tid, kind->name, (uintmax_t)at,
		    (uintmax_t)ret, kind->args);
	} else {
		say(story, end, "%u enter %u %s enter=%ju args=%s", thread, tid, kind->name, (uintmax_t)at, kind->args);
		end = sleep_from(story, thread, end, true) + short_ns;
		count(story, thread, SCOPE_METRIC_RUN, short_ns);
		say(story, end, "%u exit %u %s ret=%ju", thread, tid, kind->name, (uintmax_t)ret);
	}
	count(story, thread, SCOPE_METRIC_RUN, short_ns);
	count(story, thread, kind->time, end - at);
	count(story, thread, kind->count, 1);
	count(story, thread, kind->amount, ret);
	return end;
}

/* A thread's whole life: it is born as the window begins, and what it is in as that ends is cut there. */
static void live(struct story *story, unsigned thread)
{
	uint64_t now = BEGIN_NS;

	say(story, now, "%u fork %u parent=1 tgid=1 comm=t%u", thread, FIRST_TID + thread, thread);
	say(story, now, "%u switch 0 %u sleeping", thread, FIRST_TID + thread);
	for (unsigned i = 0; i < 1500 && now < END_NS / 2; i++) {
		const uint64_t ran_ns = dice(story, 300000);

		count_from(story, thread, now, ran_ns);
		now += ran_ns;
		count(story, thread, SCOPE_METRIC_RUN, ran_ns);
		switch (dice(story, 16)) {
		case 0:
			now = preempt_from(story, thread, now);
			break;
		case 1:
			now = sleep_from(story, thread, now, false);
			break;
		default:
			now = call_from(story, thread, now);
		}
	}
	/* It sleeps in a call until the end. */
	say(story, now + 10, "%u enter %u epoll_wait enter=%ju args=5", thread, FIRST_TID + thread, (uintmax_t)now);
	say(story, now + 10, "%u switch %u 0 sleeping", thread, FIRST_TID + thread);
	count(story, thread, SCOPE_METRIC_SLEEPS, 1);
	count(story, thread, SCOPE_METRIC_RUN, 10);
	count(story, thread, SCOPE_METRIC_SLEEP, END_NS - now - 10);
	count(story, thread, SCOPE_METRIC_POLL_TIME, END_NS - now);
}

static struct scope_trace *write_story(struct story *story, uint64_t seed)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);
	struct scope_trace *trace;

	*story = (struct story){ .seed = seed, .line = calloc(LINES_MAX, sizeof(*story->line)) };
	assert_non_null(story->line);
	fprintf(to,
		"meta begin_ns %u\nmeta end_ns %ju\nfd 1 5 epoll -\nfd 1 7 pipe -\nfd 1 8 connected -\nfd 1 9 file -\n",
		BEGIN_NS, (uintmax_t)END_NS);
	for (unsigned i = 0; i < THREADS; i++)
		live(story, i);
	qsort(story->line, story->lines, sizeof(*story->line), by_time);
	for (size_t i = 0; i < story->lines; i++)
		fprintf(to, "%s\n", story->line[i].text);
	assert_int_equal(fclose(to), 0);
	trace = trace_of(text);
	free(text);
	return trace;
}

static unsigned thread_of(const struct scope_metric_line *line)
{
	assert_in_range(line->tid, FIRST_TID, FIRST_TID + THREADS - 1);
	return line->tid - FIRST_TID;
}

static void assert_ledger(const struct story *story, const struct scope_metrics_view *view)
{
	assert_int_equal(view->lines, THREADS);
	for (size_t i = 0; i < view->lines; i++)
		for (unsigned j = 0; j < SCOPE_METRIC_UNITS; j++)
			if (view->line[i].total.value[j] != story->ledger[thread_of(&view->line[i])][j])
				fail_msg("%s of %s: %ju, not %ju", scope_metrics_row[j].name, view->line[i].name,
					 (uintmax_t)view->line[i].total.value[j],
					 (uintmax_t)story->ledger[thread_of(&view->line[i])][j]);
}

/* A thread that is there all the time is in one state at any time: to the ns, not to a thousandth. */
static void assert_whole(const struct scope_metrics_view *view)
{
	for (size_t i = 0; i < view->lines; i++)
		for (size_t j = 0; j < view->steps; j++)
			assert_int_equal(scope_metrics_present_ns(&view->line[i].cell[j]),
					 scope_metrics_view_step_ns(view, j));
}

static void assert_group_sums(const struct scope_metered *metered, const struct scope_metrics_view *threads)
{
	struct scope_metrics_view *groups;
	struct scope_metric_cells sum = { 0 };

	assert_int_equal(scope_metrics_view_create(metered->metrics, metered->found.distributions,
						   metered->found.groups, SCOPE_METRICS_BY_GROUP, &groups),
			 0);
	for (size_t i = 0; i < threads->lines; i++)
		for (unsigned j = 0; j < SCOPE_METRICS; j++)
			sum.value[j] += threads->line[i].total.value[j];
	for (size_t i = 0; i < groups->lines; i++)
		for (unsigned j = 0; j < SCOPE_METRICS; j++)
			sum.value[j] -= groups->line[i].total.value[j];
	for (unsigned j = 0; j < SCOPE_METRICS; j++)
		assert_int_equal(sum.value[j], 0);
	scope_metrics_view_destroy(groups);
}

/* Of calls the objects have what their threads have. */
static void assert_object_sums(const struct scope_metered *metered, const struct scope_metrics_view *threads)
{
	struct scope_metrics_view *objects;

	assert_int_equal(scope_metrics_view_create(metered->metrics, metered->found.distributions,
						   metered->found.groups, SCOPE_METRICS_BY_OBJECT, &objects),
			 0);
	assert_int_equal(objects->lines, 6);
	for (unsigned j = SCOPE_METRIC_FUTEX_TIME; j < SCOPE_METRIC_MINOR_FAULTS; j++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < threads->lines; i++)
			sum += threads->line[i].total.value[j];
		for (size_t i = 0; i < objects->lines; i++)
			sum -= objects->line[i].total.value[j];
		if (sum)
			fail_msg("%s: by object %jd too few", scope_metrics_row[j].name, (intmax_t)sum);
	}
	scope_metrics_view_destroy(objects);
}

static void check(struct scope_trace *trace, const struct story *story, uint64_t step_ns, size_t rows_max)
{
	const struct scope_metrics_options options = { .step_ns = step_ns, .objects = true, .rows_max = rows_max };
	struct scope_metrics_view *view;
	struct scope_metered metered;

	assert_int_equal(scope_analysis_meter(trace, &options, &metered), 0);
	assert_int_equal(scope_metrics_view_create(metered.metrics, metered.found.distributions, metered.found.groups,
						   SCOPE_METRICS_BY_THREAD, &view),
			 0);
	if (rows_max)
		assert_true(view->step_ns > step_ns);
	assert_true(metered.metrics->thread.rows <= metered.metrics->thread.rows_max);
	assert_ledger(story, view);
	assert_whole(view);
	assert_group_sums(&metered, view);
	assert_object_sums(&metered, view);
	scope_metrics_view_destroy(view);
	scope_analysis_metered_free(&metered);
}

static void they_equal_the_ledger(void **state)
{
	static const uint64_t steps_ns[] = { 3000000, 77777777, 1000000000, 60000000000 };

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct story story;
		struct scope_trace *trace = write_story(&story, seed * 0x9e3779b97f4a7c15ull);

		for (size_t i = 0; i < sizeof(steps_ns) / sizeof(*steps_ns); i++)
			check(trace, &story, steps_ns[i], 0);
		check(trace, &story, 3000000, 64);
		scope_trace_close(trace);
		free(story.line);
	}
}

/* Where there are more threads than series, those that came later share one: nothing is lost. */
static void later_threads_share_a_series(void **state)
{
	const struct scope_metrics_options options = { .step_ns = 1000000000, .rows_max = 8 };
	struct scope_metrics_view *view;
	struct scope_metered metered;
	struct story story;
	struct scope_trace *trace = write_story(&story, 77);

	(void)state;
	assert_int_equal(scope_analysis_meter(trace, &options, &metered), 0);
	assert_int_equal(scope_metrics_view_create(metered.metrics, metered.found.distributions, metered.found.groups,
						   SCOPE_METRICS_BY_THREAD, &view),
			 0);
	assert_int_equal(view->lines, 4);
	for (unsigned j = 0; j < SCOPE_METRIC_UNITS; j++) {
		uint64_t wanted = 0, sum = 0;

		for (unsigned i = 0; i < THREADS; i++)
			wanted += story.ledger[i][j];
		for (size_t i = 0; i < view->lines; i++)
			sum += view->line[i].total.value[j];
		assert_int_equal(sum, wanted);
	}
	assert_group_sums(&metered, view);
	scope_metrics_view_destroy(view);
	scope_analysis_metered_free(&metered);
	scope_trace_close(trace);
	free(story.line);
}

/* A sleep of 3.5 s that was under way as the window began, a request to a disk, a loss: what they are, and no more. */
static void they_say_what_is_not_known(void **state)
{
	static const char text[] = "meta begin_ns 1000000000\nmeta end_ns 4000000000\n"
				   "1000000000 0 fork 10 parent=1 tgid=1 comm=a\n"
				   "1000000000 0 switch 0 10 sleeping\n"
				   "1500000000 0 block_issue 10 read dev=8,1 sector=8 bytes=4096 queued=700000000\n"
				   "2500000000 0 block_done 10 read dev=8,1 sector=8 bytes=4096 latency=1000000000\n"
				   "3000000000 0 lost 5\n";
	const struct scope_metrics_options options = { .step_ns = 1000000000, .objects = true };
	struct scope_trace *trace = trace_of(text);
	struct scope_metrics_view *view;
	struct scope_metered metered;
	const struct scope_metric_cells *cell;

	(void)state;
	assert_int_equal(scope_analysis_meter(trace, &options, &metered), 0);
	assert_int_equal(scope_metrics_view_create(metered.metrics, metered.found.distributions, metered.found.groups,
						   SCOPE_METRICS_BY_THREAD, &view),
			 0);
	assert_int_equal(view->lines, 1);
	assert_int_equal(view->steps, 3);
	cell = view->line[0].cell;
	assert_int_equal(view->line[0].total.value[SCOPE_METRIC_RUN], 2000000000);
	assert_int_equal(cell[2].value[SCOPE_METRIC_UNKNOWN], 1000000000);
	assert_int_equal(view->line[0].total.value[SCOPE_METRIC_BLOCK_SECTORS], 8);
	assert_int_equal(view->line[0].total.value[SCOPE_METRIC_BLOCK_REQUESTS], 1);
	assert_int_equal(cell[0].value[SCOPE_METRIC_BLOCK_QUEUE_TIME], 500000000); /* 200 ms were before the window */
	assert_int_equal(cell[0].value[SCOPE_METRIC_BLOCK_DEVICE_TIME], 500000000);
	assert_int_equal(cell[1].value[SCOPE_METRIC_BLOCK_DEVICE_TIME], 500000000);
	assert_null(scope_metrics_view_lacks(view, SCOPE_METRIC_BLOCK_REQUESTS));
	assert_int_equal(metered.metrics->device[1][6], 1);
	scope_metrics_view_destroy(view);
	scope_analysis_metered_free(&metered);
	scope_trace_close(trace);
}

/* Threads that are found 70 ms after the window began sleep in calls since before it: for no more than all of their time. */
static void a_call_counts_while_its_thread_is_known(void **state)
{
	static const char text[] =
		"meta begin_ns 1000000000\nmeta end_ns 2000000000\n"
		"1000000000 0 fork 10 parent=1 tgid=1 comm=a\n"
		"1070000000 0 state 11 tgid=1 state=sleeping nr=futex args=4096,128,2 since=5 run=0 comm=b\n"
		"1070000000 0 state 12 tgid=1 state=sleeping nr=futex args=4096,128,2 since=5 run=0 comm=b\n"
		"1570000000 0 waking 12 from - hardirq\n1570000000 0 switch 0 12 sleeping\n"
		"1570000000 0 exit 12 futex ret=0\n";
	const struct scope_metrics_options options = { .step_ns = 500000000 };
	struct scope_trace *trace = trace_of(text);
	struct scope_metrics_view *view;
	struct scope_metered metered;

	(void)state;
	assert_int_equal(scope_analysis_meter(trace, &options, &metered), 0);
	assert_int_equal(scope_metrics_view_create(metered.metrics, metered.found.distributions, metered.found.groups,
						   SCOPE_METRICS_BY_THREAD, &view),
			 0);
	for (size_t i = 0; i < view->lines; i++) {
		const struct scope_metric_line *line = &view->line[i];

		if (line->tid == 11)
			assert_int_equal(line->total.value[SCOPE_METRIC_FUTEX_TIME], 930000000);
		if (line->tid == 12)
			assert_int_equal(line->total.value[SCOPE_METRIC_FUTEX_TIME], 500000000);
		for (size_t j = 0; j < view->steps; j++)
			assert_true(line->cell[j].value[SCOPE_METRIC_FUTEX_TIME] <=
				    scope_metrics_present_ns(&line->cell[j]));
	}
	scope_metrics_view_destroy(view);
	scope_analysis_metered_free(&metered);
	scope_trace_close(trace);
}

/* Threads and requests of a golden kind: units by thread and kind are those of the pass. */
static void units_are_those_of_the_pass(void **state)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);
	const struct scope_metrics_options options = { .step_ns = 10000000, .kinds = true };
	struct scope_metrics_view *view;
	struct scope_metered metered;
	struct scope_trace *trace;

	(void)state;
	fprintf(to, "meta begin_ns 0\nmeta end_ns 1000000000\nfd 1 7 accepted -\n"
		    "1 0 fork 10 parent=1 tgid=1 comm=a\n1 0 switch 0 10 sleeping\n");
	for (uint64_t at = 1000000; at < 999000000; at += 1000000) {
		fprintf(to, "%ju 0 syscall 10 read enter=%ju ret=9 args=7\n", (uintmax_t)at + 1000, (uintmax_t)at);
		fprintf(to, "%ju 0 syscall 10 write enter=%ju ret=9 args=7\n", (uintmax_t)at + 200000 + at % 7,
			(uintmax_t)at + 190000);
	}
	assert_int_equal(fclose(to), 0);
	trace = trace_of(text);
	assert_int_equal(scope_analysis_meter(trace, &options, &metered), 0);
	for (enum scope_metrics_by by = 0; by < SCOPE_METRICS_BYS; by++) {
		uint64_t units = 0;

		if (by == SCOPE_METRICS_BY_OBJECT)
			continue;
		assert_int_equal(scope_metrics_view_create(metered.metrics, metered.found.distributions,
							   metered.found.groups, by, &view),
				 0);
		for (size_t i = 0; i < view->lines; i++)
			units += view->line[i].total.value[SCOPE_METRIC_UNITS];
		assert_in_range(units, metered.found.distributions->units - 1, metered.found.distributions->units);
		if (by == SCOPE_METRICS_BY_GROUP) {
			assert_int_equal(view->line[0].latency->all.total, units);
			assert_true(view->line[0].latency->step[5].p50 > 900000);
		}
		scope_metrics_view_destroy(view);
	}
	assert_int_equal(metered.metrics->late_units, 0);
	scope_analysis_metered_free(&metered);
	scope_trace_close(trace);
	free(text);
}

/* Threads 11 and 12 serve clients, or one of them sleeps for a disk all the time; 13 keeps house. All have one name. */
static struct scope_trace *trace_of_pool(unsigned stuck, uint32_t first_tid)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);
	struct scope_trace *trace;

	fprintf(to, "meta begin_ns 0\nmeta end_ns 1000000000\nfd 1 7 accepted -\nfd 1 8 accepted -\n");
	for (unsigned i = 0; i < 3; i++)
		fprintf(to, "1 0 fork %u parent=1 tgid=1 comm=pool\n", first_tid + i);
	for (uint64_t at = 1000000; at < 999000000; at += 1000000)
		for (unsigned i = 0; i < 3; i++) {
			const uint64_t now = at + 300000 * i;
			const unsigned tid = first_tid + i;

			fprintf(to, "%ju 0 switch 0 %u sleeping\n", (uintmax_t)now, tid);
			if (i < 2 && i >= stuck) {
				fprintf(to, "%ju 0 syscall %u read enter=%ju ret=9 args=%u\n", (uintmax_t)now + 2000,
					tid, (uintmax_t)now + 1000, 7 + i);
				fprintf(to, "%ju 0 syscall %u write enter=%ju ret=9 args=%u\n", (uintmax_t)now + 90000,
					tid, (uintmax_t)now + 80000, 7 + i);
			}
			fprintf(to, "%ju 0 switch %u 0 %s\n", (uintmax_t)now + 100000, tid,
				i < stuck ? "disk iowait" : "sleeping");
		}
	assert_int_equal(fclose(to), 0);
	trace = trace_of(text);
	free(text);
	return trace;
}

static const struct scope_metric_line *line_named(const struct scope_metrics_view *view, const char *name)
{
	for (size_t i = 0; i < view->lines; i++)
		if (!strcmp(view->line[i].name, name))
			return &view->line[i];
	return NULL;
}

/* The view of the later trace, with the groups of the earlier one, must have two threads that serve clients, and one more. */
static void check_pool(unsigned stuck, uint32_t first_tid)
{
	const struct scope_metrics_options options = { .step_ns = 100000000 };
	struct scope_trace *before = trace_of_pool(0, 11), *after = trace_of_pool(stuck, first_tid);
	struct scope_metered then, now;
	const struct scope_metric_line *line;
	struct scope_metrics_view *old, *view;
	uint64_t asleep_ns = 0;

	assert_int_equal(scope_analysis_meter(before, &options, &then), 0);
	assert_int_equal(scope_analysis_meter(after, &options, &now), 0);
	assert_int_equal(scope_metrics_view_create(then.metrics, then.found.distributions, then.found.groups,
						   SCOPE_METRICS_BY_GROUP, &old),
			 0);
	assert_int_equal(scope_metrics_view_create(now.metrics, now.found.distributions, now.found.groups,
						   SCOPE_METRICS_BY_GROUP, &view),
			 0);
	for (size_t i = 0; i < view->lines; i++)
		asleep_ns += view->line[i].total.value[SCOPE_METRIC_IOWAIT];
	assert_int_equal(scope_metrics_view_rejoin(
				 view, &(struct scope_metrics_grouped){ now.found.distributions, now.found.groups },
				 &(struct scope_metrics_grouped){ then.found.distributions, then.found.groups }),
			 0);
	assert_int_equal(old->lines, 2);
	assert_int_equal(view->lines, 2);
	for (size_t i = 0; i < old->lines; i++) {
		line = line_named(view, old->line[i].name);
		assert_non_null(line);
		assert_int_equal(line->threads, old->line[i].threads);
		assert_int_equal(line->serves, old->line[i].serves);
		assert_int_equal(line->pickup, old->line[i].pickup);
		if (line->serves)
			assert_int_equal(line->total.value[SCOPE_METRIC_IOWAIT], asleep_ns);
	}
	assert_true(stuck ? asleep_ns > 800000000ull * stuck : !asleep_ns);
	scope_metrics_view_destroy(old);
	scope_metrics_view_destroy(view);
	scope_analysis_metered_free(&then);
	scope_analysis_metered_free(&now);
	scope_trace_close(before);
	scope_trace_close(after);
}

/* A thread that is stuck for the whole window picks up no work, but stays in the group that it was in. */
static void a_stuck_thread_stays_in_its_group(void **state)
{
	(void)state;
	for (unsigned stuck = 0; stuck <= 2; stuck++)
		check_pool(stuck, 11);
	check_pool(0, 21); /* started again */
}

/* The host is a line of its own; what it counted is split over steps, and is the same for any step. */
static void the_host_is_a_line(void **state)
{
	static const char text[] = "meta begin_ns 1000000000\nmeta end_ns 4500000000\nmeta pressure_of /a\n"
				   "meta host.0 500000000 steal=0 irq=7 softirq=0 psi_io=100\n"
				   "meta host.1 1500000000 steal=1000000000 irq=7 softirq=0 psi_io=100\n"
				   "meta host.2 4500000000 steal=1000000003 irq=7 softirq=0 psi_io=2000000100\n"
				   "1000000000 0 fork 10 parent=1 tgid=1 comm=host\n"
				   "1000000000 0 switch 0 10 sleeping\n";
	struct scope_trace *trace = trace_of(text);

	(void)state;
	for (uint64_t step_ns = 100000000; step_ns <= 6400000000; step_ns *= 4) {
		const struct scope_metrics_options options = { .step_ns = step_ns };
		struct scope_metrics_view *view;
		struct scope_metered metered;

		assert_int_equal(scope_analysis_meter(trace, &options, &metered), 0);
		assert_int_equal(scope_metrics_view_create(metered.metrics, metered.found.distributions,
							   metered.found.groups, SCOPE_METRICS_BY_GROUP, &view),
				 0);
		assert_int_equal(view->lines, 2);
		assert_true(view->line[0].host && !view->line[1].host);
		assert_string_equal(view->line[0].name, "host and control group (/a)");
		assert_int_equal(view->line[0].total.value[SCOPE_METRIC_STOLEN], 500000003);
		assert_int_equal(view->line[0].total.value[SCOPE_METRIC_PSI_IO], 2000000000);
		assert_int_equal(view->line[1].total.value[SCOPE_METRIC_STOLEN], 0);
		assert_int_equal(view->line[1].total.value[SCOPE_METRIC_RUN], 3500000000);
		assert_int_equal(scope_metrics_view_base_ns(view, &view->line[0], &view->line[0].total, 5), 5);
		assert_true(scope_metrics_view_has(view, &view->line[0], SCOPE_METRIC_HOST_SOFTIRQ));
		assert_false(scope_metrics_view_has(view, &view->line[0], SCOPE_METRIC_RUN));
		assert_false(scope_metrics_view_has(view, &view->line[1], SCOPE_METRIC_STOLEN));
		assert_non_null(strstr(scope_metrics_view_lacks(view, SCOPE_METRIC_THROTTLED), "has a limit"));
		assert_non_null(strstr(scope_metrics_view_lacks(view, SCOPE_METRIC_PSI_MEMORY), "CONFIG_PSI"));
		scope_metrics_view_destroy(view);
		assert_int_equal(scope_metrics_view_create(metered.metrics, metered.found.distributions,
							   metered.found.groups, SCOPE_METRICS_BY_KIND, &view),
				 0);
		for (size_t i = 0; i < view->lines; i++)
			assert_false(view->line[i].host);
		assert_non_null(scope_metrics_view_lacks(view, SCOPE_METRIC_STOLEN));
		scope_metrics_view_destroy(view);
		scope_analysis_metered_free(&metered);
	}
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_equal_the_ledger),
		cmocka_unit_test(a_stuck_thread_stays_in_its_group),
		cmocka_unit_test(the_host_is_a_line),
		cmocka_unit_test(later_threads_share_a_series),
		cmocka_unit_test(they_say_what_is_not_known),
		cmocka_unit_test(units_are_those_of_the_pass),
		cmocka_unit_test(a_call_counts_while_its_thread_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
