// SPDX-License-Identifier: GPL-2.0-only
/* Units that are added to metrics while the trace is written give the same result as a pass over the finished trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/meter.h"
#include "analysis/settled_units.h"
#include "stream_feed.h"
#include "trace_of.h"

struct live {
	struct scope_metrics *metrics;
	struct scope_settled_units settled;
	unsigned added; /* how often units were added before the end */
};

static int settle(struct feed *feed, uint64_t now_ns)
{
	struct live *live = feed->user;
	const struct scope_log_place before = live->metrics->taken;
	int err = scope_analysis_settle_units(&live->settled, feed->stream, live->metrics, now_ns);

	live->added += memcmp(&before, &live->metrics->taken, sizeof(before)) != 0;
	return err;
}

/* Requests of one thread; every hundredth is slow. From `since` on it waits for them by epoll. */
static void put_requests(FILE *to, uint64_t since, uint64_t end)
{
	uint64_t now = 1000;

	for (; now < since; now += 1000000)
		fprintf(to, "%ju 0 syscall 10 getpid enter=%ju ret=10\n", (uintmax_t)now, (uintmax_t)now - 500);
	for (unsigned i = 0; now < end; i++) {
		const uint64_t length = i % 100 ? 100000 + i % 7 * 1000 : 2000000;

		fprintf(to, "%ju 0 syscall 10 read enter=%ju ret=64 args=7\n", (uintmax_t)now, (uintmax_t)now - 500);
		now += length;
		fprintf(to, "%ju 0 switch 10 0 sleeping\n%ju 0 switch 0 10 runnable\n", (uintmax_t)now - 50000,
			(uintmax_t)now - 20000);
		fprintf(to, "%ju 0 syscall 10 epoll_wait enter=%ju ret=1 args=5\n", (uintmax_t)now + 1000000,
			(uintmax_t)now);
		now += 1002000;
	}
}

static struct scope_trace *requests(uint64_t since)
{
	struct scope_trace *trace;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 1\nfd 10 5 epoll -\nfd 10 7 accepted -\n1 0 switch 0 10 sleeping\n");
	put_requests(to, since, 11000000000);
	assert_int_equal(fclose(to), 0);
	trace = trace_of(text);
	free(text);
	return trace;
}

static void assert_same_cells(const struct scope_metric_store *live, const struct scope_metric_store *whole)
{
	assert_int_equal(live->step_ns, whole->step_ns);
	assert_int_equal(live->count, whole->count);
	for (size_t i = 0; i < whole->count; i++) {
		assert_int_equal(live->series[i].first, whole->series[i].first);
		assert_int_equal(live->series[i].steps, whole->series[i].steps);
		assert_memory_equal(live->series[i].cell, whole->series[i].cell,
				    whole->series[i].steps * sizeof(*whole->series[i].cell));
	}
}

static void assert_same_latency(const struct scope_metric_latency *live, const struct scope_metric_latency *whole,
				bool by_step)
{
	assert_int_equal(live->all.total, whole->all.total);
	if (whole->all.total)
		assert_true(scope_sketch_quantile(&live->all, 0.99) == scope_sketch_quantile(&whole->all, 0.99));
	assert_int_equal(live->steps, whole->steps);
	for (size_t i = 0; i < whole->steps; i++)
		if (by_step)
			assert_memory_equal(&live->step[i], &whole->step[i], sizeof(whole->step[i]));
		else /* the higher one of two is at least about the one of both */
			assert_true(live->step[i].p99 >= 0.9F * whole->step[i].p99);
}

static unsigned compare(uint64_t since, const struct scope_metrics_options *options, bool by_step)
{
	struct live live = { 0 };
	struct scope_pass_listener listener;
	const struct scope_listeners listeners = { &listener, 1 };
	struct feed feed = {
		.step_events = 300000, .lag_ns = 100000000, .listeners = &listeners, .after = settle, .user = &live
	};
	struct scope_trace *trace = requests(since), *file;
	struct scope_found_units found;
	struct scope_metered whole;
	unsigned restarts;

	assert_int_equal(scope_metrics_create(options, &live.metrics), 0);
	listener = scope_metrics_listener(live.metrics);
	assert_int_equal(feed_run(&feed, trace), 0);
	assert_true(live.added >= 1);
	assert_int_equal(scope_analysis_stream_finish(feed.stream, UINT64_MAX, &found), 0);
	assert_int_equal(scope_unit_groups_conclude(found.groups, found.pickups,
						    found.distributions->run->timeline->threads),
			 0);
	assert_int_equal(scope_metrics_take_units(live.metrics, found.distributions, found.groups), 0);
	restarts = scope_analysis_stream_restarts(feed.stream);

	assert_int_equal(scope_trace_open_fd(fileno(feed.file), "the feed", NULL, &file), 0);
	assert_int_equal(scope_analysis_meter(file, options, &whole), 0);
	assert_same_cells(&live.metrics->thread, &whole.metrics->thread);
	assert_same_cells(&live.metrics->kind, &whole.metrics->kind);
	assert_int_equal(live.metrics->groups, whole.metrics->groups);
	assert_true(whole.metrics->group_latency[0].all.total > 5000);
	for (size_t i = 0; i < whole.metrics->groups; i++)
		assert_same_latency(&live.metrics->group_latency[i], &whole.metrics->group_latency[i], by_step);
	for (size_t i = 0; i < whole.metrics->kind_count; i++)
		assert_same_latency(&live.metrics->kind_latency[i], &whole.metrics->kind_latency[i], by_step);

	scope_analysis_metered_free(&whole);
	scope_trace_close(file);
	scope_analysis_found_units_destroy(&found);
	scope_metrics_destroy(live.metrics);
	feed_free(&feed);
	scope_trace_close(trace);
	return restarts;
}

static void units_are_added_once(void **state)
{
	const struct scope_metrics_options options = { .kinds = true };

	(void)state;
	assert_int_equal(compare(0, &options, true), 0);
}

static void a_restart_begins_again(void **state)
{
	const struct scope_metrics_options options = { .kinds = true };

	(void)state;
	assert_true(compare(5000000000, &options, true) > 0);
}

/* 4,096 steps of 1 ms are not enough for 11 s. */
static void steps_may_double(void **state)
{
	const struct scope_metrics_options options = { .step_ns = 1000000, .kinds = true };

	(void)state;
	assert_int_equal(compare(0, &options, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_added_once),
		cmocka_unit_test(a_restart_begins_again),
		cmocka_unit_test(steps_may_double),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
