// SPDX-License-Identifier: GPL-2.0-only
/*
 * From evidence to an ordered list: which functions are named and for what reason, their order, and what is left out.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "rank_case.h"

#define SLOW_NS 1000000

static const struct scope_function loop = { .name = "loop", .module = "p" };
static const struct scope_function find = { .name = "find", .module = "p" };
static const struct scope_function hash = { .name = "hash", .module = "p" };
static const struct scope_function idle = { .name = "idle", .module = "p" };

static const struct scope_function pause_of = { .name = "pause", .module = "p", .known = true };

static struct rank_case *made;
static struct scope_hang hangs[4];
static struct scope_stopped_stack stopped_stack[CASE_THREADS];
static struct scope_ranking *ranking;
static uint32_t at_loop, at_find, at_hash, at_idle;

static uint32_t below_loop(const struct scope_function *function)
{
	const struct scope_function *path[] = { &loop, function };

	return case_node(made, path, 2);
}

static int setup(void **state)
{
	const struct scope_function *path[] = { &loop };

	(void)state;
	made = case_create();
	at_loop = case_node(made, path, 1);
	at_find = below_loop(&find);
	at_hash = below_loop(&hash);
	at_idle = below_loop(&idle);
	made->group[0].serves = true;
	memset(stopped_stack, 0, sizeof(stopped_stack));
	memset(hangs, 0, sizeof(hangs));
	made->groups.of_thread = calloc(CASE_THREADS, sizeof(uint32_t));
	assert_non_null(made->groups.of_thread);
	made->evidence.stopped_stack = stopped_stack;
	made->input.hangs = hangs;
	made->detection.busy_ns = 100.0 * SLOW_NS;
	made->evidence.stacks = 1000;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_rank_destroy(ranking);
	ranking = NULL;
	free(made->groups.of_thread);
	made->evidence.stopped_stack = NULL;
	case_destroy(made);
	return 0;
}

static void sample(uint32_t node, double excess_ns, uint32_t unit)
{
	struct scope_tree_node *of = &made->evidence.tree.node[node];

	case_item(made, (struct scope_item){
				.node = node,
				.kind = SCOPE_ITEM_RUN,
				.excess_ns = excess_ns,
				.unit = unit,
				.abnormal = excess_ns > 0,
			});
	of->self_ns += excess_ns;
	of->self_run_ns += excess_ns;
	made->evidence.excess_ns += excess_ns > 0 ? excess_ns : 0;
}

/* n slow units, evenly over the window, with a sample there each. */
static void slow_units(uint32_t node, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const uint64_t begin_ns = CASE_END_NS / count * i;
		const uint32_t unit = case_unit(made,
						(struct scope_unit){
							.begin_ns = begin_ns,
							.end_ns = begin_ns + SLOW_NS,
							.run_ns = SLOW_NS,
						},
						0, SCOPE_UNIT_SLOW, 0, 0);

		sample(node, SLOW_NS, unit);
	}
}

static void usual_units_at(uint32_t node, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const uint32_t unit = case_unit(made, (struct scope_unit){ .run_ns = 1000 }, 0, SCOPE_UNIT_USUAL, 0, 0);

		sample(node, -1000, unit);
	}
}

/* Usual units run in the loop itself. */
static void usual_units(unsigned count)
{
	usual_units_at(at_loop, count);
}

static void rank(void)
{
	made->distributions.units = 1000;
	made->distributions.busy_ns = made->detection.busy_ns;
	scope_evidence_tree_sum(&made->evidence.tree);
	assert_int_equal(scope_rank_run(&made->input, &ranking), 0);
}

static const char *named(size_t place)
{
	return place < ranking->findings ? ranking->finding[place].function->name : "";
}

static void a_function_that_stands_out_is_named(void **state)
{
	(void)state;
	slow_units(at_find, 40);
	usual_units(100);
	rank();
	assert_int_equal(ranking->findings, 1);
	assert_string_equal(named(0), "find");
	assert_int_equal(ranking->verdict, SCOPE_VERDICT_SLOWDOWN);
	assert_int_equal(ranking->finding[0].units, 40);
	assert_true(ranking->inside_share > 0.99);
	assert_int_equal(ranking->nears, 0);
}

static void several_are_listed_by_their_excess(void **state)
{
	(void)state;
	slow_units(at_hash, 20);
	slow_units(at_find, 40);
	usual_units(100);
	rank();
	assert_int_equal(ranking->findings, 2);
	assert_string_equal(named(0), "find");
	assert_string_equal(named(1), "hash");
}

/* find has 90 % of the excess: beside it hash has odds of 2, until find is left out. */
static void what_one_hides_is_found_in_a_further_round(void **state)
{
	(void)state;
	slow_units(at_find, 140);
	slow_units(at_hash, 16);
	usual_units(100);
	for (int i = 0; i < 4; i++)
		sample(at_hash, -1000, 0);
	rank();
	assert_int_equal(ranking->findings, 2);
	assert_string_equal(named(1), "hash");
}

static void what_fails_one_rule_came_near(void **state)
{
	(void)state;
	slow_units(at_find, 4);
	usual_units(100);
	rank();
	assert_int_equal(ranking->findings, 0);
	assert_int_equal(ranking->verdict, SCOPE_VERDICT_NOTHING);
	assert_int_equal(ranking->nears, 1);
	assert_ptr_equal(ranking->near[0].finding.function, &find);
	assert_int_equal(ranking->near[0].fails, SCOPE_RULE_UNITS);
}

/*
 * A caller's excess splits over three callees; each unit has one stack, in one of them, by turns. Units that are slow
 * elsewhere are so where usual units are, too; in_caller of the usual ones are in the caller.
 */
static bool caller_is_named(unsigned count, unsigned elsewhere, unsigned usual, unsigned in_caller)
{
	static const struct scope_function caller = { .name = "caller", .module = "p" };
	static const struct scope_function rest = { .name = "rest", .module = "p" };
	const uint32_t at_rest = below_loop(&rest);
	const struct scope_function *callee[] = { &find, &hash, &idle }, *path[] = { &loop, &caller, NULL };
	bool is_named;

	for (unsigned i = 0; i < count; i++) {
		path[2] = callee[i % 3];
		slow_units(case_node(made, path, 3), 1);
		made->units.unit[i].begin_ns = CASE_END_NS / count * i;
	}
	slow_units(at_rest, elsewhere);
	usual_units_at(at_rest, usual - in_caller);
	usual_units_at(case_node(made, path, 2), in_caller);
	rank();
	is_named = !strcmp(named(0), "caller");
	if (is_named)
		assert_int_equal(ranking->finding[0].confidence, SCOPE_CONFIDENCE_LOW);
	else
		assert_int_equal(ranking->near[0].fails, SCOPE_RULE_PARTS);
	return is_named;
}

static void a_caller_that_few_stacks_show_needs_ten_units(void **state)
{
	(void)state;
	assert_true(caller_is_named(10, 0, 100, 0));
	teardown(state);
	setup(state);
	assert_false(caller_is_named(9, 0, 100, 0));
}

/* Half of the slow units: odds of 10 where 39 + 1 of 438 + 2 usual stacks are there, 9.7 with one more. */
static void a_caller_that_few_stacks_show_needs_twice_the_odds(void **state)
{
	(void)state;
	assert_true(caller_is_named(10, 10, 438, 39));
	teardown(state);
	setup(state);
	assert_false(caller_is_named(10, 10, 438, 40));
}

static struct scope_hang *hang(uint32_t thread, uint32_t node, uint64_t since_ns)
{
	struct scope_hang *row = &hangs[made->input.hang_count++];

	*row = (struct scope_hang){
		.thread = thread,
		.kind = SCOPE_HANG_BLOCKED,
		.since_ns = since_ns,
		.owner = SCOPE_OWNER_NONE,
	};
	stopped_stack[thread].node = node;
	return row;
}

/* The oldest waits for a lock, one is a circle of its own, one may be idle; and a function is slow. */
static void hangs_come_in_the_order_of_what_they_prove(void **state)
{
	(void)state;
	slow_units(at_hash, 40);
	usual_units(100);
	hang(0, at_find, 0)->lock = true;
	hang(1, at_idle, 10)->unsure = true;
	rank();
	assert_string_equal(named(0), "find");
	assert_string_equal(named(1), "hash");
	assert_string_equal(named(2), "idle");
	assert_int_equal(ranking->verdict, SCOPE_VERDICT_HANG);
	scope_rank_destroy(ranking);
	hangs[1].unsure = false;
	rank();
	assert_string_equal(named(0), "idle");
	assert_string_equal(named(1), "find");
	assert_string_equal(named(2), "hash");
	scope_rank_destroy(ranking);
	hangs[0].circle = true;
	rank();
	assert_string_equal(named(0), "find");
}

/* A tool without names that the server waits for has hung for longer, and a lock's waiter has a name. */
static void a_hang_with_a_name_comes_before_one_without(void **state)
{
	(void)state;
	hang(0, at_find, 0);
	hang(1, below_loop(&pause_of), 10);
	rank();
	assert_string_equal(named(0), "pause");
	assert_string_equal(named(1), "find");
	scope_rank_destroy(ranking);
	hangs[1].lock = true;
	rank();
	assert_string_equal(named(0), "find");
}

/* The one shown is the oldest, or one of a circle. */
static void threads_in_one_function_are_one_row(void **state)
{
	(void)state;
	hang(0, at_find, 100);
	hang(1, at_find, 50);
	hang(2, at_find, 75);
	rank();
	assert_int_equal(ranking->findings, 1);
	assert_int_equal(ranking->finding[0].hang.threads, 3);
	assert_int_equal(ranking->finding[0].hang.thread, 1);
	assert_true(fabs(ranking->finding[0].share - 1) < 1e-9);
	scope_rank_destroy(ranking);
	hangs[2].lock = hangs[2].circle = true;
	rank();
	assert_int_equal(ranking->finding[0].hang.thread, 2);
	assert_true(ranking->finding[0].hang.circle);
}

static void spin_samples(uint32_t node, unsigned count, const struct scope_function *below,
			 const struct scope_function *inside)
{
	for (unsigned i = 0; i < count; i++)
		case_item(made, (struct scope_item){
					.node = node,
					.kind = SCOPE_ITEM_SPIN,
					.weight_ns = 1000,
					.below = below,
					.inside = inside,
				});
}

/* find accepts in vain: that many samples are in the call, others are where the error is logged, in hash. */
static bool failing_call_names(unsigned samples)
{
	static const struct scope_function accept = { .name = "__libc_accept4", .module = "libc.so.6" };
	static const struct scope_spin rounds = { .nr = SYS_accept4, .poll_nr = SYS_epoll_pwait, .ret = -24 };

	*hang(0, at_loop, 0) = (struct scope_hang){ .kind = SCOPE_HANG_SPIN, .rounds = &rounds };
	spin_samples(at_hash, 20, NULL, NULL);
	spin_samples(at_find, samples, &accept, NULL);
	rank();
	assert_int_equal(ranking->findings, 1);
	return !strcmp(named(0), "find");
}

static void five_samples_in_the_call_that_fails_name_a_spin(void **state)
{
	assert_true(failing_call_names(5));
	teardown(state);
	setup(state);
	assert_false(failing_call_names(4));
}

/* hash only polls, in vain; that many samples of all are in find, which makes the loop turn again. */
static bool samples_beside_name(unsigned samples, unsigned all)
{
	static const struct scope_function in_kernel = { .name = "do_epoll_wait", .module = "[kernel]" };
	static const struct scope_spin rounds = { .nr = SCOPE_NR_NONE, .poll_nr = SYS_epoll_pwait };

	*hang(0, at_loop, 0) = (struct scope_hang){ .kind = SCOPE_HANG_SPIN, .rounds = &rounds };
	spin_samples(at_hash, all - samples, NULL, &in_kernel);
	spin_samples(at_find, samples, NULL, NULL);
	rank();
	assert_int_equal(ranking->findings, 1);
	return !strcmp(named(0), "find");
}

static void a_tenth_of_the_samples_beside_the_poll_names_a_spin(void **state)
{
	assert_true(samples_beside_name(7, 70));
	teardown(state);
	setup(state);
	assert_false(samples_beside_name(7, 71));
	teardown(state);
	setup(state);
	assert_true(samples_beside_name(5, 20));
	teardown(state);
	setup(state);
	assert_false(samples_beside_name(4, 20));
}

static void no_more_than_findings_max_are_listed(void **state)
{
	(void)state;
	made->options.findings_max = 1;
	slow_units(at_hash, 20);
	slow_units(at_find, 40);
	usual_units(100);
	rank();
	assert_int_equal(ranking->findings, 1);
	assert_string_equal(named(0), "find");
}

/* Of eleven functions that are findings, ten are listed. */
static void ten_findings_are_listed(void **state)
{
	struct scope_function function[11] = { 0 };
	char name[11][4];

	(void)state;
	for (unsigned i = 0; i < 11; i++) {
		snprintf(name[i], sizeof(name[i]), "f%u", i);
		function[i].name = name[i];
		function[i].module = "p";
		slow_units(below_loop(&function[i]), 31 - i);
	}
	usual_units(100);
	rank();
	assert_int_equal(ranking->findings, 10);
	assert_string_equal(named(0), "f0");
	assert_string_equal(named(9), "f9");
}

/* Of four functions that fail a rule, three with the most excess are kept as near. */
static void three_that_fail_a_rule_are_kept(void **state)
{
	static const struct scope_function fourth = { .name = "fourth", .module = "p" };
	const uint32_t at[] = { at_find, at_hash, at_idle, below_loop(&fourth) };

	(void)state;
	made->options.units_min = 30;
	for (unsigned i = 0; i < 4; i++)
		slow_units(at[i], 20 + i);
	usual_units(100);
	rank();
	assert_int_equal(ranking->findings, 0);
	assert_int_equal(ranking->nears, 3);
	assert_ptr_equal(ranking->near[0].finding.function, &fourth);
	assert_ptr_equal(ranking->near[1].finding.function, &idle);
	assert_ptr_equal(ranking->near[2].finding.function, &hash);
}

/*
 * Units 0 and 1 waited for thread 0, and unit 1 again, and for thread 1. Each stands for two. The sleeps inside of others have no weight, and
 * a thread in which a function of the program was seen once is none of the runtime.
 */
static void waits_for_a_runtime_are_added_up(void **state)
{
	struct scope_wait_segment window[] = {
		{ .thread = 0, .unit = 0, .weight_ns = 100 }, { .thread = 0, .unit = 1, .weight_ns = 50 },
		{ .thread = 0, .unit = 1, .weight_ns = 10 },  { .thread = 0, .unit = 2 },
		{ .thread = 1, .unit = 1, .weight_ns = 200 }, { .thread = 2, .unit = 1, .weight_ns = 999 },
	};
	struct scope_thread_stacks thread_stacks[CASE_THREADS] = { { .runtime = true },
								   { .runtime = true },
								   { .runtime = true, .own = true } };

	(void)state;
	slow_units(at_find, 20);
	usual_units(100);
	made->evidence.excess_ns = 1440;
	made->evidence.thread_stacks = thread_stacks;
	made->kept.wait_chains.window = window;
	made->kept.wait_chains.windows = 6;
	made->of[0].side[1].kept = 20;
	made->of[0].side[1].units = 40;
	rank();
	made->kept.wait_chains.window = NULL;
	made->evidence.thread_stacks = NULL;
	assert_true(ranking->runtime_share == 0.5);
	assert_int_equal(ranking->runtime_thread, 1);
	assert_true(ranking->runtime_units == 6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_function_that_stands_out_is_named),
		TEST(several_are_listed_by_their_excess),
		TEST(what_one_hides_is_found_in_a_further_round),
		TEST(what_fails_one_rule_came_near),
		TEST(a_caller_that_few_stacks_show_needs_ten_units),
		TEST(a_caller_that_few_stacks_show_needs_twice_the_odds),
		TEST(hangs_come_in_the_order_of_what_they_prove),
		TEST(a_hang_with_a_name_comes_before_one_without),
		TEST(threads_in_one_function_are_one_row),
		TEST(five_samples_in_the_call_that_fails_name_a_spin),
		TEST(a_tenth_of_the_samples_beside_the_poll_names_a_spin),
		TEST(no_more_than_findings_max_are_listed),
		TEST(ten_findings_are_listed),
		TEST(three_that_fail_a_rule_are_kept),
		TEST(waits_for_a_runtime_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
