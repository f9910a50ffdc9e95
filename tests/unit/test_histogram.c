// SPDX-License-Identifier: GPL-2.0-only
/* Units whose lists of calls have a number are reported in the same way as units for whose lists there was no room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace_of.h"
#include "unit/histogram.h"
#include "unit/distributor.h"
#include "pickups_learned.h"

#define UNITS (SCOPE_HISTOGRAMS_MAX + 5000)

struct run {
	struct scope_trace *trace;
	struct scope_pickups *pickups;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
};

/* One thread that waits for work in epoll; nothing else. */
static struct run begin_run(void)
{
	struct run run = {
		.trace = trace_of("meta begin_ns 1\nmeta end_ns 100000000000000\nfd 10 5 epoll -\n"
				  "1 0 switch 0 10 sleeping\n"
				  "3 0 syscall 10 epoll_wait enter=2 ret=1 args=5\n"),
	};

	assert_int_equal(pickups_learned(run.trace, &run.pickups), 0);
	assert_int_equal(scope_unit_groups_create(run.pickups, &run.groups), 0);
	assert_int_equal(
		scope_unit_distributions_begin(run.trace, NULL, run.pickups, run.groups, NULL, &run.distributions), 0);
	return run;
}

static void end_run(struct run *run)
{
	scope_unit_distributions_destroy(run->distributions);
	scope_unit_groups_destroy(run->groups);
	scope_unit_pickups_destroy(run->pickups);
	scope_trace_close(run->trace);
}

/* Number i: three calls, of which one is made a number of times that depends on i. */
static unsigned make_calls(uint64_t i, struct scope_unit_call *call)
{
	call[0] = (struct scope_unit_call){ 1, 1 };
	call[1] = (struct scope_unit_call){ (uint16_t)(2 + i % 2), (uint16_t)(i / 2 + 1) };
	call[2] = (struct scope_unit_call){ 7, 1 };
	return 2 + i % 3 / 2;
}

static void hand_over(struct run *run, uint64_t i)
{
	struct scope_unit unit = {
		.begin_ns = i * 1000,
		.end_ns = i * 1000 + 500,
		.run_ns = 300 + i,
		.blocked_ns = i % 5,
		.bytes = i << 20,
		.granularity = SCOPE_UNIT_REQUEST,
		.histogram = SCOPE_HISTOGRAM_NONE,
	};
	struct scope_unit_call call[3];

	unit.calls = (uint16_t)make_calls(i, call);
	assert_int_equal(scope_unit_distributions_take(run->distributions, &unit, call), 0);
	assert_true((unit.histogram == SCOPE_HISTOGRAM_NONE) == (i >= SCOPE_HISTOGRAMS_MAX));
}

static int check_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	uint64_t *next = user, i = *next % UNITS;
	struct scope_unit_call expected[3];

	assert_int_equal(unit->calls, make_calls(i, expected));
	assert_memory_equal(call, expected, unit->calls * sizeof(*call));
	assert_int_equal(unit->begin_ns, i * 1000);
	assert_int_equal(unit->end_ns, i * 1000 + 500);
	assert_int_equal(unit->run_ns, 300 + i);
	assert_int_equal(unit->blocked_ns, i % 5);
	assert_int_equal(unit->bytes, i << 20);
	++*next;
	return 0;
}

/* Each list comes twice, the second time when all room is gone. */
static void lists_without_a_number_count_as_well(void **state)
{
	struct run run = begin_run();
	const struct scope_vector_set *set = run.groups->group[0].vectors;
	struct scope_unit_sink sink = { .unit = check_unit };
	uint64_t next = 0, units = 0, calls = 0, distinct = 0;

	(void)state;
	for (uint64_t i = 0; i < 2 * UNITS; i++)
		hand_over(&run, i % UNITS);
	assert_int_equal(run.distributions->histograms->count, SCOPE_HISTOGRAMS_MAX);
	assert_int_equal(scope_unit_distributions_end(run.distributions), 0);
	assert_int_equal(scope_cluster_vector_set_count(set), 4);
	for (uint32_t i = 0; i < 4; i++)
		distinct += scope_cluster_vector_set_multiplicity(set, i);
	assert_int_equal(distinct, 2 * UNITS);
	for (size_t i = 0; i < run.distributions->group[0].rows; i++) {
		const struct scope_distributions_row *row = &run.distributions->group[0].row[i];

		assert_int_equal(row->units, scope_cluster_vector_set_multiplicity(set, (uint32_t)i));
		assert_int_equal(row->measure.total, row->units);
		units += row->units;
		for (size_t j = 0; j < row->calls; j++) {
			assert_int_equal(row->call[j].count.total, row->units);
			calls += row->call[j].count.total;
		}
	}
	assert_int_equal(units, 2 * UNITS);
	assert_int_equal(calls, 2 * UNITS * 2 + 2 * (UNITS / 3));
	sink.user = &next;
	assert_int_equal(scope_unit_distributions_replay(run.distributions, run.groups, &sink), 0);
	assert_int_equal(next, 2 * UNITS);
	end_run(&run);
}

/* The bound on calls is reached first, with lists that are long. */
static void long_lists_find_no_room_either(void **state)
{
	struct scope_unit_call call[SCOPE_UNIT_CALLS];
	struct scope_histograms *histograms;
	uint32_t number, with = 0;

	(void)state;
	assert_int_equal(scope_unit_histograms_create(&histograms), 0);
	for (uint16_t i = 0; i < SCOPE_UNIT_CALLS; i++)
		call[i] = (struct scope_unit_call){ i, 1 };
	for (uint16_t i = 0; i < SCOPE_HISTOGRAM_CALLS_MAX / SCOPE_UNIT_CALLS + 10; i++) {
		const struct scope_unit unit = { .calls = SCOPE_UNIT_CALLS };
		uint64_t hash;

		call[5].count = i;
		hash = scope_unit_histogram_hash(0, call, unit.calls);
		assert_int_equal(scope_unit_histograms_find(histograms, hash, 0, call, unit.calls),
				 SCOPE_HISTOGRAM_NONE);
		assert_int_equal(scope_unit_histograms_add(histograms, hash, &unit, call, &number), 0);
		with += number != SCOPE_HISTOGRAM_NONE;
		assert_int_equal(scope_unit_histograms_find(histograms, hash, 0, call, unit.calls), number);
		assert_int_equal(scope_unit_histograms_find(histograms, scope_unit_histogram_hash(1, call, unit.calls),
							    1, call, unit.calls),
				 SCOPE_HISTOGRAM_NONE);
	}
	assert_int_equal(with, SCOPE_HISTOGRAM_CALLS_MAX / SCOPE_UNIT_CALLS);
	scope_unit_histograms_destroy(histograms);
}

/* Of two lists with one hash each has its number. */
static void lists_of_one_hash_are_distinguished(void **state)
{
	const struct scope_unit_call call[] = { { 1, 1 }, { 2, 1 } };
	const struct scope_unit unit = { .calls = 1 };
	struct scope_histograms *histograms;
	uint32_t first, second;

	(void)state;
	assert_int_equal(scope_unit_histograms_create(&histograms), 0);
	assert_int_equal(scope_unit_histograms_add(histograms, 7, &unit, &call[0], &first), 0);
	assert_int_equal(scope_unit_histograms_find(histograms, 7, 0, &call[1], 1), SCOPE_HISTOGRAM_NONE);
	assert_int_equal(scope_unit_histograms_add(histograms, 7, &unit, &call[1], &second), 0);
	assert_int_equal(scope_unit_histograms_find(histograms, 7, 0, &call[0], 1), first);
	assert_int_equal(scope_unit_histograms_find(histograms, 7, 0, &call[1], 1), second);
	assert_int_not_equal(first, second);
	scope_unit_histograms_destroy(histograms);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* As who counts call by call would have it. Returns how often the call was made by then. */
static unsigned count(struct scope_unit_call *call, unsigned *calls, uint16_t nr)
{
	unsigned i = 0;

	while (i < *calls && call[i].nr != nr)
		i++;
	if (i == *calls)
		call[(*calls)++] = (struct scope_unit_call){ nr, 0 };
	return ++call[i].count;
}

/*
 * From call to call a shape is that of all calls so far, whether the step was taken before, or another one
 * has taken its place, and until there is no way on.
 */
static void steps_lead_where_counting_leads(void **state)
{
	struct scope_unit_call call[200];
	struct scope_histograms *histograms;
	uint32_t random = 1, known = 0, ends = 0;

	(void)state;
	assert_int_equal(scope_unit_histograms_create(&histograms), 0);
	for (uint32_t i = 0; i < 20000; i++) {
		const uint32_t group = next_random(&random) % 3;
		const uint32_t numbers = next_random(&random) % 8 ? 4 : 200;
		unsigned calls = 0, times;
		uint32_t histogram;

		assert_int_equal(scope_unit_histograms_root(histograms, group, &histogram), 0);
		assert_int_equal(histograms->histogram[histogram].calls, 0);
		for (unsigned length = next_random(&random) % 90; length; length--) {
			/* Beyond SCOPE_SYSCALL_MAX as well. */
			const uint16_t nr = (uint16_t)(480 + next_random(&random) % numbers);
			const uint32_t to = scope_unit_histograms_recent(histograms, histogram, nr);
			uint32_t now = to;

			times = count(call, &calls, nr);
			if (to == SCOPE_HISTOGRAM_NONE)
				assert_int_equal(scope_unit_histograms_step(histograms, histogram, nr, &now), 0);
			known += to != SCOPE_HISTOGRAM_NONE;
			if (now == SCOPE_HISTOGRAM_NONE) {
				assert_true(times > SCOPE_HISTOGRAM_COUNT_MAX || calls > SCOPE_UNIT_CALLS ||
					    histograms->count >= SCOPE_HISTOGRAMS_MAX / 2 ||
					    histograms->calls >= SCOPE_HISTOGRAM_CALLS_MAX / 2);
				ends++;
				break;
			}
			histogram = now;
			assert_int_equal(histograms->histogram[histogram].group, group);
			assert_int_equal(histograms->histogram[histogram].calls, calls);
			assert_memory_equal(scope_unit_histogram_calls(histograms, &histograms->histogram[histogram]),
					    call, calls * sizeof(*call));
		}
	}
	assert_true(known > 10000 && ends > 1000);
	/* The other half is left for lists that units end with. */
	assert_in_range(histograms->calls, SCOPE_HISTOGRAM_CALLS_MAX / 2,
			SCOPE_HISTOGRAM_CALLS_MAX / 2 + SCOPE_UNIT_CALLS);
	scope_unit_histograms_destroy(histograms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_without_a_number_count_as_well),
		cmocka_unit_test(long_lists_find_no_room_either),
		cmocka_unit_test(lists_of_one_hash_are_distinguished),
		cmocka_unit_test(steps_lead_where_counting_leads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
