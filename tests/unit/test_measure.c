// SPDX-License-Identifier: GPL-2.0-only
/* The measures of one function in the evidence: kind of fault, threads, begin, and the usual units for comparison. */
#include <math.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "anomaly/robust.h"
#include "measure_case.h"

/* By excess: running, asleep, for a lock, late. */
static enum scope_finding_kind kind_of(double run, double wait, double lock, double late)
{
	const uint32_t unit = case_unit(made, unit_of(0, SLOW_NS), 0, SCOPE_UNIT_SLOW, 0, 0);
	enum scope_finding_kind kind;
	void *state = NULL;

	item(at_mine, SCOPE_ITEM_RUN, run, unit);
	item(at_mine, SCOPE_ITEM_WAIT, wait, unit);
	item(at_mine, SCOPE_ITEM_BLAME, lock, unit);
	made->evidence.item[made->evidence.items - 1].lock = true;
	item(at_mine, SCOPE_ITEM_BLAME, late, unit);
	kind = measure().kind;
	again(&state);
	return kind;
}

static void a_kind_is_what_most_of_the_excess_is(void **state)
{
	(void)state;
	assert_int_equal(kind_of(10, 10, 0, 0), SCOPE_FINDING_TIME);
	assert_int_equal(kind_of(10, 11, 0, 0), SCOPE_FINDING_WAIT);
	assert_int_equal(kind_of(10, 11, 11, 10), SCOPE_FINDING_WAIT);
	assert_int_equal(kind_of(10, 11, 11, 11), SCOPE_FINDING_LOCK);
	assert_int_equal(kind_of(10, 11, 11, 12), SCOPE_FINDING_LATE);
	assert_int_equal(kind_of(12, 11, 11, 12), SCOPE_FINDING_TIME);
}

/* Two samples of 10 and 90 of its running time: the first hit the kernel, the second did not. */
static void a_call_is_no_kind_where_next_to_nothing_ran_in_the_kernel(void **state)
{
	for (int less = 0; less < 2; less++) {
		const uint32_t unit = case_unit(made, unit_of(0, SLOW_NS), 0, SCOPE_UNIT_SLOW, NR, 8);

		item(at_mine, SCOPE_ITEM_RUN, 10 - 0.1 * less, unit);
		made->evidence.item[made->evidence.items - 1].kernel = true;
		item(at_mine, SCOPE_ITEM_RUN, 90 + 0.1 * less, unit);
		usual(2);
		assert_int_equal(measure().kind, less ? SCOPE_FINDING_TIME : SCOPE_FINDING_CALLS);
		again(state);
	}
	/* Where no sample at all hit the kernel, samples do not say. */
	slow(SCOPE_ITEM_RUN, 8);
	usual(2);
	assert_int_equal(measure().kind, SCOPE_FINDING_CALLS);
}

/* Usual units make it twice on average, or not at all, which counts for once. */
static void a_call_made_four_times_as_often_is_the_kind(void **state)
{
	const struct {
		uint16_t usual, here;
		enum scope_finding_kind kind;
	} rows[] = {
		{ 2, 8, SCOPE_FINDING_CALLS },
		{ 2, 7, SCOPE_FINDING_TIME },
		{ 0, 4, SCOPE_FINDING_CALLS },
		{ 0, 3, SCOPE_FINDING_TIME },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct scope_finding finding;

		slow(SCOPE_ITEM_RUN, rows[i].here);
		usual(rows[i].usual);
		usual(rows[i].usual);
		finding = measure();
		assert_int_equal(finding.kind, rows[i].kind);
		if (finding.kind == SCOPE_FINDING_CALLS) {
			assert_true(finding.calls_times == 4);
			assert_int_equal(finding.nr, NR);
		}
		again(state);
	}
}

static void the_call_made_most_often_beyond_the_usual_is_told(void **state)
{
	const uint32_t unit = slow(SCOPE_ITEM_RUN, 4);

	(void)state;
	made->units.unit[unit].calls = 2;
	made->units.call[made->units.unit[unit].call + 1] = (struct scope_unit_call){ NR + 5, 5 };
	usual(1);
	assert_int_equal(measure().nr, NR + 5);
}

/* n slow units, of which some open a connection, each that many times; `kernel` parts of n of their time are in it. */
static struct scope_finding connecting_of(unsigned n, unsigned units, unsigned times, unsigned kernel)
{
	again(NULL);
	for (unsigned i = 0; i < n; i++) {
		const uint32_t unit =
			case_unit(made, unit_of(0, SLOW_NS), 0, SCOPE_UNIT_SLOW, SYS_connect, i < units ? times : 0);

		item(at_mine, SCOPE_ITEM_RUN, SLOW_NS, unit);
		made->evidence.item[made->evidence.items - 1].kernel = i < kernel;
		case_unit(made, unit_of(0, USUAL_NS), 0, SCOPE_UNIT_USUAL, SYS_connect, 0);
	}
	return measure();
}

static struct scope_finding connecting(unsigned units, unsigned times, unsigned kernel)
{
	return connecting_of(10, units, times, kernel);
}

static void a_connection_more_asks_a_peer(void **state)
{
	struct scope_finding finding = connecting(10, 1, 5);

	(void)state;
	assert_true(finding.wait.asks && finding.wait.outside);
	assert_int_equal(finding.kind, SCOPE_FINDING_WAIT);
	assert_int_equal(finding.nr, SYS_connect);
	/* Its own code runs, too. */
	assert_false(scope_rank_finding_asks(&(struct scope_finding[]){ connecting(10, 1, 4) }[0]));
	/* Half of its units do, or fewer. */
	assert_true(scope_rank_finding_asks(&(struct scope_finding[]){ connecting(5, 1, 8) }[0]));
	assert_false(scope_rank_finding_asks(&(struct scope_finding[]){ connecting_of(40, 19, 1, 32) }[0]));
	/* One and a half more is over and over. */
	assert_true(scope_rank_finding_asks(&(struct scope_finding[]){ connecting(7, 2, 8) }[0]));
	assert_false(scope_rank_finding_asks(&(struct scope_finding[]){ connecting(5, 3, 8) }[0]));
}

/* Eight slow units, of which some map memory that many times; usual ones do it `usually` times. Three quarters of their time are in the kernel. */
static double mapping(unsigned units, unsigned times, unsigned usually)
{
	again(NULL);
	for (unsigned i = 0; i < 8; i++) {
		const uint32_t unit =
			case_unit(made, unit_of(0, SLOW_NS), 0, SCOPE_UNIT_SLOW, SYS_mmap, i < units ? times : 0);

		item(at_mine, SCOPE_ITEM_RUN, SLOW_NS, unit);
		made->evidence.item[made->evidence.items - 1].kernel = i < 6;
		case_unit(made, unit_of(0, USUAL_NS), 0, SCOPE_UNIT_USUAL, SYS_mmap, usually);
	}
	return measure().kernel_alike_share;
}

static void page_faults_are_of_those_that_map_memory(void **state)
{
	(void)state;
	assert_true(mapping(0, 0, 0) == 0.75);
	/* Half of its units do, or fewer. */
	assert_true(mapping(4, 1, 0) == 0);
	assert_true(mapping(3, 1, 0) == 0.75);
	/* One and a half times as often as usual, or less. */
	assert_true(mapping(8, 3, 2) == 0);
	assert_true(mapping(8, 4, 3) == 0.75);
}

static void shares_of_time_are_of_what_runs_alone(void **state)
{
	const uint32_t unit = slow(SCOPE_ITEM_RUN, 0);

	(void)state;
	item(at_other, SCOPE_ITEM_RUN, SLOW_NS, unit);
	item(at_other, SCOPE_ITEM_WAIT, 100 * SLOW_NS, unit);
	/* Of 10 usual stacks of running none is mine: (0 + 1) of 12. */
	for (int i = 0; i < 10; i++) {
		item(at_other, SCOPE_ITEM_RUN, -10, 0);
		item(at_other, SCOPE_ITEM_WAIT, -1000, 0);
		item(at_mine, SCOPE_ITEM_WAIT, -1000, 0);
	}
	assert_true(fabs(measure().times - 0.5 * 12) < 1e-9);
}

/* Half of all there; of ten usual stacks five are mine, running. */
static void shares_of_waits_for_it_leave_its_own_running_aside(void **state)
{
	const uint32_t unit = case_unit(made, unit_of(0, SLOW_NS), 0, SCOPE_UNIT_SLOW, 0, 0);

	(void)state;
	item(at_mine, SCOPE_ITEM_BLAME, 100, unit);
	item(at_other, SCOPE_ITEM_WAIT, 100, unit);
	for (int i = 0; i < 5; i++) {
		item(at_mine, SCOPE_ITEM_RUN, -10, 0);
		item(at_other, SCOPE_ITEM_RUN, -10, 0);
	}
	assert_true(fabs(measure().times - 0.5 * 12) < 1e-9);
	/* A sleep of its own counts: (5 + 1) of 12. */
	again(state);
	item(at_mine, SCOPE_ITEM_WAIT, 100, case_unit(made, unit_of(0, SLOW_NS), 0, SCOPE_UNIT_SLOW, 0, 0));
	item(at_other, SCOPE_ITEM_WAIT, 100, 0);
	for (int i = 0; i < 5; i++) {
		item(at_mine, SCOPE_ITEM_RUN, -10, 0);
		item(at_other, SCOPE_ITEM_RUN, -10, 0);
	}
	assert_true(fabs(measure().times - 0.5 * 12 / 6) < 1e-9);
}

/* Usual units wait for 1 % of their time, by their timelines: (10 + 1) of 1,002. */
static void timelines_of_usual_units_leave_no_room(void **state)
{
	const uint32_t unit = slow(SCOPE_ITEM_WAIT, 1);

	(void)state;
	item(at_other, SCOPE_ITEM_WAIT, SLOW_NS, unit);
	usual(0);
	made->evidence.item[0].class = SCOPE_WAIT_FUTEX;
	made->evidence.usual_ns = 1e6;
	made->evidence.usual_blocked_ns = 1e4;
	made->evidence.usual_units = 1000;
	assert_true(fabs(measure().times - 0.5 * 1002 / 11) < 1e-9);
	/* What waits for something outside is compared by stacks alone: of none one of two. */
	made->evidence.item[0].class = SCOPE_WAIT_NETWORK;
	assert_true(fabs(measure().times - 1) < 1e-9);
}

static void several_stacks_of_one_unit_count_once(void **state)
{
	double z;

	for (int i = 0; i < 10; i++) {
		const uint32_t unit = slow(SCOPE_ITEM_RUN, 0);

		for (int j = 0; j < 3; j++)
			item(at_mine, SCOPE_ITEM_RUN, SLOW_NS, unit);
		item(at_other, SCOPE_ITEM_RUN, SLOW_NS, unit);
		item(at_other, SCOPE_ITEM_RUN, -10, 0);
		/* How often it sleeps as well says nothing of how long it runs. */
		item(at_mine, SCOPE_ITEM_WAIT, 1, unit);
	}
	/* 40 of 50 stacks in 10 units count for 10 of 12.5; usual are (0 + 1) of 12. */
	z = measure().chance_z;
	assert_true(fabs(z - scope_anomaly_two_shares_z(10 / 12.5, 12.5, 1.0 / 12, 12)) < 1e-9);
	/* In waits they count as stacks do. */
	again(state);
	for (int i = 0; i < 10; i++) {
		const uint32_t unit = slow(SCOPE_ITEM_WAIT, 0);

		item(at_mine, SCOPE_ITEM_WAIT, SLOW_NS, unit);
		item(at_other, SCOPE_ITEM_WAIT, -10, 0);
	}
	z = measure().chance_z;
	assert_true(fabs(z - scope_anomaly_two_shares_z(1, 10, 1.0 / 12, 12)) < 1e-9);
}

/* Twenty-one units, the first of which begins at from_ns, the last after over_ns more. */
static double spread(uint64_t from_ns, uint64_t over_ns, uint64_t since_ns, uint64_t end_ns)
{
	double found;
	void *state = NULL;

	made->input.since_ns = since_ns;
	made->timeline->end_ns = end_ns;
	for (unsigned i = 0; i <= 20; i++)
		item(at_mine, SCOPE_ITEM_RUN, 1,
		     case_unit(made, unit_of(from_ns + over_ns / 20 * i, 1), 0, SCOPE_UNIT_SLOW, 0, 0));
	found = measure().spread;
	again(&state);
	return found;
}

static bool is(double value, double expected)
{
	return fabs(value - expected) < 1e-6;
}

static void units_are_spread_over_a_part_of_the_window(void **state)
{
	const uint64_t s = 1000000000;

	(void)state;
	assert_true(is(spread(0, 0, 0, 10 * s), 0));
	assert_true(is(spread(0, 10 * s, 0, 10 * s), 0.8));
	assert_true(is(spread(2 * s, 5 * s, 0, 10 * s), 0.4));
	/* Of the time since a change, where there was one. */
	assert_true(is(spread(5 * s, 5 * s, 5 * s, 10 * s), 0.8));
	/* Two seconds of a long one are as much as 0.2. */
	assert_true(is(spread(30 * s, s * 5 / 2, 0, 100 * s), 0.2));
}

/* One unit of ten at another time does not spread them. */
static void single_units_do_not_spread_them(void **state)
{
	const uint64_t s = 1000000000;

	(void)state;
	made->timeline->end_ns = 10 * s;
	for (unsigned i = 0; i <= 20; i++)
		item(at_mine, SCOPE_ITEM_RUN, 1,
		     case_unit(made,
			       unit_of(i < 2	? 0
				       : i > 18 ? 9 * s
						: 5 * s,
				       1),
			       0, SCOPE_UNIT_SLOW, 0, 0));
	assert_true(is(measure().spread, 0));
}

static void most_of_its_units_say_the_population(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		item(at_mine, SCOPE_ITEM_RUN, 1, case_unit(made, unit_of(0, 1), i < 2 ? 0 : 2, SCOPE_UNIT_SLOW, 0, 0));
	made->population[2].median_ns = 77;
	assert_int_equal(measure().population, 2);
	assert_int_equal(measure().group, 1);
	assert_true(measure().usual_ns == 77);
}

static void percentiles_and_times_are_of_its_units(void **state)
{
	struct scope_finding finding;

	(void)state;
	for (uint64_t i = 0; i <= 100; i++)
		item(at_mine, SCOPE_ITEM_RUN, 1,
		     case_unit(made, unit_of(1000 + 10 * i, 100 + i), 0, SCOPE_UNIT_SLOW, 0, 0));
	/* Another function's. */
	item(at_other, SCOPE_ITEM_RUN, 1, case_unit(made, unit_of(0, 9999), 0, SCOPE_UNIT_SLOW, 0, 0));
	finding = measure();
	assert_int_equal(finding.units, 101);
	assert_true(finding.p05_ns == 105 && finding.p50_ns == 150 && finding.p95_ns == 195 && finding.p99_ns == 199);
	assert_int_equal(finding.first_ns, 1000);
	assert_int_equal(finding.last_ns, 1000 + 1000 + 200);
	assert_int_equal(finding.example, 50);
	assert_int_equal(finding.samples, 101);
}

/* Of like calls first, then nearest to the median; not of another group, nor open, nor slow. */
static void the_usual_example_makes_the_same_calls(void **state)
{
	struct scope_unit unit = unit_of(0, USUAL_NS);
	uint32_t likest;

	(void)state;
	slow(SCOPE_ITEM_RUN, 0);
	unit.vector = 1;
	case_unit(made, unit, 0, SCOPE_UNIT_USUAL, 0, 0);
	case_unit(made, unit_of(0, USUAL_NS + 200), 0, SCOPE_UNIT_USUAL, 0, 0);
	likest = case_unit(made, unit_of(0, USUAL_NS - 100), 1, SCOPE_UNIT_USUAL, 0, 0);
	unit = unit_of(0, USUAL_NS);
	unit.open = true;
	case_unit(made, unit, 0, SCOPE_UNIT_USUAL, 0, 0);
	case_unit(made, unit_of(0, USUAL_NS), 2, SCOPE_UNIT_USUAL, 0, 0);
	case_unit(made, unit_of(0, USUAL_NS), 0, SCOPE_UNIT_SLOW, 0, 0);
	assert_int_equal(measure().usual_example, likest);
	assert_false(measure().usual_elsewhere);
}

/* Above the mean of both, by their ratio, it is nearer to slow ones (1 and 10 µs: 3.162 µs). */
static void the_usual_example_is_not_as_slow(void **state)
{
	for (unsigned more = 0; more < 2; more++) {
		uint32_t unit;

		slow(SCOPE_ITEM_RUN, 1);
		unit = case_unit(made, unit_of(0, 3162 + more), 0, SCOPE_UNIT_USUAL, NR, 1);
		assert_int_equal(measure().usual_example, more ? UINT32_MAX : unit);
		again(state);
	}
}

static void without_usual_units_there_is_no_example(void **state)
{
	(void)state;
	slow(SCOPE_ITEM_RUN, 0);
	assert_int_equal(measure().usual_example, UINT32_MAX);
}

static void bytes_are_compared_with_those_of_usual_units(void **state)
{
	uint32_t unit = slow(SCOPE_ITEM_RUN, 0);

	(void)state;
	made->units.unit[unit].bytes = 900;
	made->units.unit[usual(0)].bytes = 100;
	made->units.unit[usual(0)].bytes = 300;
	/* Neither of another population, nor between usual and slow. */
	unit = case_unit(made, unit_of(0, USUAL_NS), 1, SCOPE_UNIT_USUAL, 0, 0);
	made->units.unit[unit].bytes = 100000;
	unit = case_unit(made, unit_of(0, USUAL_NS), 0, SCOPE_UNIT_BETWEEN, 0, 0);
	made->units.unit[unit].bytes = 100000;
	assert_true(measure().bytes_more == 700);
}

static void a_part_of_its_time_is_inside_the_kernel(void **state)
{
	const uint32_t unit = slow(SCOPE_ITEM_RUN, 0);
	struct scope_finding finding;

	(void)state;
	item(at_mine, SCOPE_ITEM_RUN, 3 * SLOW_NS, unit);
	made->evidence.item[0].kernel = true;
	finding = measure();
	assert_true(finding.kernel_share == 0.25);
	/* Half of that is in doubt. */
	assert_true(finding.score == finding.excess_ns * (1 - 0.125));
}

/* The longest of the waits says whose it was, and which lock. */
static void a_thread_that_waits_for_it_is_reported(void **state)
{
	static struct scope_wait_segment windows[3];
	uint32_t unit[3];
	struct scope_finding finding;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct scope_unit of = unit_of(0, SLOW_NS);

		of.thread = i;
		unit[i] = case_unit(made, of, i < 2 ? 2 : 0, SCOPE_UNIT_SLOW, 0, 0);
		item(at_mine, SCOPE_ITEM_BLAME, 100, unit[i]);
		windows[i] = (struct scope_wait_segment){
			.unit = unit[i],
			.thread = i + 1,
			.object = 10 + i,
			.weight_ns = i == 1 ? 50 : 49,
		};
	}
	/* A fourth unit waits for longer, for something else. */
	windows[2].unit = case_unit(made, unit_of(0, SLOW_NS), 0, SCOPE_UNIT_SLOW, 0, 0);
	windows[2].weight_ns = 1000;
	made->kept.wait_chains.window = windows;
	made->kept.wait_chains.windows = 3;
	finding = measure();
	made->kept.wait_chains = (struct scope_wait_chains){ 0 };
	assert_int_equal(finding.kind, SCOPE_FINDING_LATE);
	assert_int_equal(finding.holder.thread, 2);
	assert_int_equal(finding.holder.object, 11);
	assert_int_equal(finding.holder.victim_group, 1);
	assert_int_equal(finding.holder.victim_threads, 2);
}

/* The baseline's units are the usual ones where the population is compared with it. */
static void a_baseline_says_what_is_usual(void **state)
{
	struct rank_case *baseline = case_create();
	struct scope_finding finding;

	(void)state;
	slow(SCOPE_ITEM_RUN, 8);
	usual(100);
	made->population[0].reference = 20;
	made->input.reference = &baseline->kept;
	case_unit(baseline, unit_of(0, USUAL_NS), 0, SCOPE_UNIT_USUAL, NR, 2);
	finding = measure();
	assert_int_equal(finding.kind, SCOPE_FINDING_CALLS);
	assert_true(finding.calls_times == 4);
	assert_true(finding.usual_elsewhere);
	assert_int_equal(finding.usual_example, 0);
	case_destroy(baseline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_kind_is_what_most_of_the_excess_is),
		TEST(a_call_made_four_times_as_often_is_the_kind),
		TEST(a_call_is_no_kind_where_next_to_nothing_ran_in_the_kernel),
		TEST(the_call_made_most_often_beyond_the_usual_is_told),
		TEST(page_faults_are_of_those_that_map_memory),
		TEST(a_connection_more_asks_a_peer),
		TEST(shares_of_time_are_of_what_runs_alone),
		TEST(shares_of_waits_for_it_leave_its_own_running_aside),
		TEST(timelines_of_usual_units_leave_no_room),
		TEST(several_stacks_of_one_unit_count_once),
		TEST(units_are_spread_over_a_part_of_the_window),
		TEST(single_units_do_not_spread_them),
		TEST(most_of_its_units_say_the_population),
		TEST(percentiles_and_times_are_of_its_units),
		TEST(the_usual_example_makes_the_same_calls),
		TEST(the_usual_example_is_not_as_slow),
		TEST(without_usual_units_there_is_no_example),
		TEST(bytes_are_compared_with_those_of_usual_units),
		TEST(a_part_of_its_time_is_inside_the_kernel),
		TEST(a_thread_that_waits_for_it_is_reported),
		TEST(a_baseline_says_what_is_usual),
	};

	return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
