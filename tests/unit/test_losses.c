// SPDX-License-Identifier: GPL-2.0-only
/* How much is missing in a part of a trace: never too little, and 0 where nothing was lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timeline/timeline.h"
#include "trace_of.h"

static uint64_t lost_within(const struct scope_losses *losses, uint64_t from_ns, uint64_t until_ns)
{
	double came;

	return scope_timeline_losses_within(losses, from_ns, until_ns, &came).count;
}

static double came_within(const struct scope_losses *losses, uint64_t from_ns, uint64_t until_ns)
{
	double came;

	scope_timeline_losses_within(losses, from_ns, until_ns, &came);
	return came;
}

static void a_loss_counts_where_it_touches(void **state)
{
	struct scope_losses *losses = calloc(1, sizeof(*losses));

	(void)state;
	scope_timeline_losses_add(losses, &(struct scope_loss){ .from_ns = 100, .until_ns = 200, .count = 5 });
	scope_timeline_losses_add(losses, &(struct scope_loss){ .from_ns = 50, .until_ns = 300, .unknown = true });
	assert_int_equal(lost_within(losses, 0, 99), 0);
	assert_int_equal(lost_within(losses, 0, 100), 5);
	assert_int_equal(lost_within(losses, 150, 160), 5);
	assert_int_equal(lost_within(losses, 200, 900), 5);
	assert_int_equal(lost_within(losses, 201, 900), 0);
	assert_true(scope_timeline_losses_within(losses, 201, 900, &(double){ 0 }).unknown);
	assert_false(scope_timeline_losses_within(losses, 301, 900, &(double){ 0 }).unknown);
	free(losses);
}

/* In two bursts far from one another, far more losses than are kept separately. */
static void the_list_is_bounded_and_only_grows(void **state)
{
	enum { LOSSES = 20 * SCOPE_LOSSES_MAX, WINDOWS = 2000, BURST_NS = 1000000, APART_NS = 500000000 };
	struct scope_losses *losses = calloc(1, sizeof(*losses));
	struct scope_loss *all = calloc(LOSSES, sizeof(*all));
	uint64_t sum = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < LOSSES; i++) {
		const uint64_t burst_ns = 1000 + (i < LOSSES / 2 ? 0 : APART_NS);

		all[i].until_ns = burst_ns + (uint64_t)BURST_NS * (unsigned)(i % (LOSSES / 2)) / (LOSSES / 2);
		all[i].from_ns = all[i].until_ns - (unsigned)rand() % 1000;
		all[i].count = 1 + (unsigned)rand() % 9;
		sum += all[i].count;
		scope_timeline_losses_add(losses, &all[i]);
		assert_true(losses->losses <= SCOPE_LOSSES_MAX);
	}
	assert_int_equal(losses->losses, SCOPE_LOSSES_MAX);
	assert_int_equal(lost_within(losses, 0, UINT64_MAX), sum);
	for (int i = 0; i < WINDOWS; i++) {
		const uint64_t from_ns = (i % 2 ? APART_NS : 0) + (unsigned)rand() % BURST_NS;
		const uint64_t until_ns = from_ns + (unsigned)rand() % 100000;
		uint64_t count = 0;

		for (int j = 0; j < LOSSES; j++)
			if (all[j].from_ns <= until_ns && all[j].until_ns >= from_ns)
				count += all[j].count;
		assert_true(lost_within(losses, from_ns, until_ns) >= count);
	}
	/* The time between the bursts stays free of them, and so do those before and after. */
	assert_int_equal(lost_within(losses, BURST_NS + 2000, APART_NS - 1), 0);
	assert_int_equal(lost_within(losses, APART_NS + BURST_NS + 2000, UINT64_MAX), 0);
	free(all);
	free(losses);
}

/* An event each microsecond; steps double on the way. */
static void events_are_counted_by_time(void **state)
{
	const uint64_t begin_ns = 7000000000, events = 20000000;
	struct scope_losses *losses = calloc(1, sizeof(*losses));

	(void)state;
	for (uint64_t i = 0; i < events; i++)
		if (begin_ns + i * 1000 >= losses->next_ns)
			scope_timeline_losses_mark(losses, begin_ns + i * 1000, i);
	scope_timeline_losses_end(losses, begin_ns + (events - 1) * 1000, events);
	assert_true(losses->marks <= SCOPE_LOSSES_MARKS);
	assert_float_equal(came_within(losses, 0, UINT64_MAX), events, 0);
	for (uint64_t from = 0; from < events; from += 1234567)
		for (uint64_t length = 1; length < events - from; length *= 7)
			assert_float_equal(came_within(losses, begin_ns + from * 1000,
						       begin_ns + (from + length) * 1000),
					   length, 1);
	free(losses);
}

/* A pause far longer than all marks so far, and a clock at its end. */
static void a_pause_takes_no_longer_than_marks(void **state)
{
	const uint64_t late_ns = 1ull << 62;
	struct scope_losses *losses = calloc(1, sizeof(*losses));

	(void)state;
	scope_timeline_losses_mark(losses, 5, 0);
	scope_timeline_losses_mark(losses, late_ns, 1000);
	assert_true(losses->next_ns > late_ns);
	scope_timeline_losses_end(losses, late_ns + 10, 3000);
	assert_float_equal(came_within(losses, 0, UINT64_MAX), 3000, 0);
	assert_float_equal(came_within(losses, late_ns / 4, late_ns / 2), 0, 0);
	free(losses);
}

static struct scope_timeline *timeline_of(struct scope_trace *trace)
{
	const struct scope_timeline_ops ops = { 0 };
	struct scope_timeline *timeline;

	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &ops, NULL), 0);
	return timeline;
}

/*
 * What a CPU lost came after the begin of the sub-buffer before. What the kernel counted beyond may have
 * gone at any time.
 */
static void a_trace_says_when(void **state)
{
	static const char text[] = "meta begin_ns 1000\nmeta end_ns 90000\n"
				   "2000 0 switch 0 10 sleeping\n"
				   "9000 0 lost 17\n"
				   "9000 0 syscall 10 getpid enter=8500 ret=10\n"
				   "20000 0 syscall 10 getpid enter=19500 ret=10\n"
				   "30000 1 lost 4\n"
				   "30000 1 switch 0 11 sleeping\n"
				   "50000 0 lost 0\n"
				   "50000 0 syscall 10 getpid enter=49500 ret=10\n";
	char counted[sizeof(text) + 32];
	struct scope_trace *trace = trace_of(text);
	struct scope_timeline *timeline = timeline_of(trace);
	const struct scope_losses *losses = &timeline->losses;
	const struct scope_loss *loss = losses->loss;

	(void)state;
	assert_int_equal(scope_timeline_lost(timeline), 21);
	assert_int_equal(losses->losses, 3);
	assert_int_equal(loss[0].from_ns, 1000); /* nothing of CPU 1 came before */
	assert_int_equal(loss[0].until_ns, 30000);
	assert_int_equal(loss[0].count, 4);
	assert_int_equal(loss[1].from_ns, 2000);
	assert_int_equal(loss[1].until_ns, 9000);
	assert_int_equal(loss[1].count, 17);
	assert_int_equal(loss[2].from_ns, 9000);
	assert_int_equal(loss[2].until_ns, 50000);
	assert_true(loss[2].unknown);
	assert_int_equal(lost_within(losses, 60000, 90000), 0);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);

	snprintf(counted, sizeof(counted), "meta lost 25\n%s", text);
	trace = trace_of(counted);
	timeline = timeline_of(trace);
	assert_int_equal(scope_timeline_lost(timeline), 25);
	assert_int_equal(lost_within(&timeline->losses, 60000, 90000), 4);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);

	snprintf(counted, sizeof(counted), "meta lost 25\nmeta continues 1\n%s", text);
	trace = trace_of(counted);
	timeline = timeline_of(trace);
	assert_int_equal(lost_within(&timeline->losses, 60000, 90000), 0);
	scope_timeline_destroy(timeline);
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_counts_where_it_touches),
		cmocka_unit_test(the_list_is_bounded_and_only_grows),
		cmocka_unit_test(events_are_counted_by_time),
		cmocka_unit_test(a_pause_takes_no_longer_than_marks),
		cmocka_unit_test(a_trace_says_when),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
