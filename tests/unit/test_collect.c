// SPDX-License-Identifier: GPL-2.0-only
/* Which stacks of a trace are evidence, for how much time, and how far a few stacks are scaled up. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "evidence_case.h"

#define MS 1000000ull

/* 40 usual requests without a stack, and then a slow one, from that time on. */
static void begin(struct story *story, const char *head)
{
	story_begin(story, head);
	story_usual(story, 40, NULL);
	story_take(story);
}

static const struct scope_evidence *end(struct story *story, uint64_t length_ns, struct evidence_case *made)
{
	story->now_ns += length_ns;
	story_loop(story);
	*made = case_of(story);
	assert_int_equal(made->kept->slow_units, 1);
	return case_collect(made);
}

static void sample(struct story *story, uint64_t behind_ns, const char *words)
{
	fprintf(story->to, "%ju 0 sample 10 %s\n", (uintmax_t)(story->now_ns + behind_ns), words);
}

static void a_sample_counts_for_the_unit_it_falls_into(void **state)
{
	struct story story;
	struct evidence_case made;
	const struct scope_evidence *evidence;

	(void)state;
	begin(&story, "");
	sample(&story, 2 * MS, AT_WALK);
	evidence = end(&story, 10 * MS, &made);
	assert_int_equal(evidence->items, 1);
	assert_int_equal(evidence->item[0].kind, SCOPE_ITEM_RUN);
	assert_true(evidence->item[0].abnormal && !evidence->item[0].kernel);
	assert_true(evidence->item[0].weight_ns == MS && evidence->item[0].sampling_ratio == 1);
	assert_int_equal(made.kept->mark[evidence->item[0].unit], SCOPE_UNIT_SLOW);
	assert_string_equal(case_function(evidence, &evidence->item[0]), "walk");
	assert_int_equal(evidence->stacks, 1);
	assert_int_equal(evidence->nameless, 0);
	case_end(&made);
}

/* From 6 ms on they come four times as often. */
static void a_sample_weighs_the_sampling_period_of_its_time(void **state)
{
	struct story story;
	struct evidence_case made;
	const struct scope_evidence *evidence;

	(void)state;
	begin(&story, "meta sample_ns.6000000 250000\n");
	assert_true(story.now_ns < 6 * MS);
	sample(&story, 6 * MS - story.now_ns - 1, AT_WALK);
	sample(&story, 6 * MS - story.now_ns, AT_WALK);
	evidence = end(&story, 10 * MS, &made);
	assert_int_equal(evidence->items, 2);
	assert_true(evidence->item[0].weight_ns == MS && evidence->item[0].sampling_ratio == 1);
	assert_true(evidence->item[1].weight_ns == MS / 4 && evidence->item[1].sampling_ratio == 4);
	case_end(&made);
}

static void a_sample_that_hit_the_tracer_is_no_evidence(void **state)
{
	static const char *const tracers[] = { "0xffffffff81000010", "0xffffffffc0000010" };
	static const char *const others[] = { "0xffffffff82000010", "0xffffffff83000010" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct story story;
		struct evidence_case made;
		const struct scope_evidence *evidence;
		char words[100];

		begin(&story, "");
		snprintf(words, sizeof(words), AT_WALK " kernel_ip=%s kernel", tracers[i]);
		sample(&story, 2 * MS, words);
		snprintf(words, sizeof(words), AT_WALK " kernel_ip=%s kernel", others[i]);
		sample(&story, 3 * MS, words);
		evidence = end(&story, 10 * MS, &made);
		assert_int_equal(evidence->tracer, 1);
		assert_int_equal(evidence->items, 1);
		assert_true(evidence->item[0].kernel);
		assert_string_equal(evidence->item[0].inside->name, i ? "perf_probe" : "copy_page");
		case_end(&made);
	}
}

static void a_stack_of_libraries_alone_names_nobody(void **state)
{
	struct story story;
	struct evidence_case made;
	const struct scope_evidence *evidence;

	(void)state;
	begin(&story, "");
	sample(&story, 2 * MS, AT_LIBRARY "," AT_WALK);
	sample(&story, 3 * MS, AT_LIBRARY);
	evidence = end(&story, 10 * MS, &made);
	assert_int_equal(evidence->items, 2);
	assert_string_equal(case_function(evidence, &evidence->item[0]), "walk");
	assert_int_equal(evidence->item[1].node, SCOPE_TREE_ROOT);
	assert_int_equal(evidence->nameless, 1);
	case_end(&made);
}

/* Reads from a pipe for 5 ms, 1 ms of which it waits for a CPU; that thread, or an interrupt, wakes it. */
static void sleep_in_pipe(struct story *story, const char *waker)
{
	const uint64_t now_ns = story->now_ns;

	fprintf(story->to,
		"%ju 0 enter 10 read enter=%ju args=9\n%ju 0 switch 10 0 sleeping\n"
		"%ju 1 waking 10 from %s\n%ju 0 switch 0 10 sleeping\n"
		"%ju 0 exit 10 read ret=8\n%ju 0 stack 10 " AT_WALK "\n",
		(uintmax_t)(now_ns + 1000), (uintmax_t)(now_ns + 1000), (uintmax_t)(now_ns + 1000),
		(uintmax_t)(now_ns + 4 * MS + 1000), waker, (uintmax_t)(now_ns + 5 * MS),
		(uintmax_t)(now_ns + 5 * MS + 1000), (uintmax_t)(now_ns + 5 * MS + 2000));
}

static void the_stack_after_a_slow_call_gets_its_sleep(void **state)
{
	struct story story;
	struct evidence_case made;
	const struct scope_evidence *evidence;

	(void)state;
	begin(&story, "");
	sleep_in_pipe(&story, "- hardirq");
	evidence = end(&story, 6 * MS, &made);
	assert_int_equal(evidence->items, 1);
	assert_int_equal(evidence->item[0].kind, SCOPE_ITEM_WAIT);
	assert_true(evidence->item[0].weight_ns == 4 * MS);
	assert_int_equal(evidence->item[0].class, SCOPE_WAIT_PIPE);
	assert_int_equal(evidence->item[0].nr, 0);
	assert_false(evidence->item[0].propagated);
	assert_true(evidence->item[0].excess_ns == 4 * MS);
	case_end(&made);
}

/* A snapshot of that sleep says the same again if the stack has functions of a runtime. */
static void a_sleep_counts_once(void **state)
{
	static const char made_code[] =
		"sym 0 0x2000000000000000 0x10 sell [jit] program\nsym 0 0x1000000000000000 0x10 sell [jit] program\n";

	(void)state;
	for (int native = 0; native < 2; native++) {
		struct story story;
		struct evidence_case made;
		const struct scope_evidence *evidence;
		double wait_ns = 0;
		uint64_t now_ns;

		begin(&story, made_code);
		now_ns = story.now_ns;
		fprintf(story.to,
			"%ju 0 enter 10 read enter=%ju args=9\n%ju 0 switch 10 0 sleeping\n"
			"%ju 8191 snapshot 10 0x1000000000000000 unwound since=1000000\n"
			"%ju 1 waking 10 from - hardirq\n%ju 0 switch 0 10 sleeping\n"
			"%ju 0 exit 10 read ret=8\n%ju 0 stack 10 0x3010,%s unwound\n",
			(uintmax_t)(now_ns + 1000), (uintmax_t)(now_ns + 1000), (uintmax_t)(now_ns + 1000),
			(uintmax_t)(now_ns + 2 * MS), (uintmax_t)(now_ns + 4 * MS + 1000), (uintmax_t)(now_ns + 5 * MS),
			(uintmax_t)(now_ns + 5 * MS + 1000), (uintmax_t)(now_ns + 5 * MS + 2000),
			native ? "0x2000000000000001" : "0x2011");
		evidence = end(&story, 6 * MS, &made);
		for (size_t i = 0; i < evidence->items; i++)
			wait_ns += evidence->item[i].kind == SCOPE_ITEM_WAIT ? evidence->item[i].weight_ns : 0;
		assert_true(wait_ns == (native ? 4 : 8) * MS);
		case_end(&made);
	}
}

/* Another thread ended it, which left no stack: in a pipe the sleeper's own is taken for it. */
static void a_sleep_that_another_thread_ended_is_marked(void **state)
{
	struct story story;
	struct evidence_case made;
	const struct scope_evidence *evidence;

	(void)state;
	begin(&story, "");
	fprintf(story.to, "%ju 1 switch 0 20 sleeping\n", (uintmax_t)story.now_ns);
	sleep_in_pipe(&story, "20 task");
	evidence = end(&story, 6 * MS, &made);
	assert_int_equal(evidence->items, 1);
	assert_true(evidence->item[0].propagated);
	assert_true(evidence->item[0].excess_ns == 4 * MS);
	case_end(&made);
}

/* The waker ran in that time, and has a stack of it: the sleeper's is no evidence. */
static void the_wakers_stacks_get_the_sleep(void **state)
{
	struct story story;
	struct evidence_case made;
	const struct scope_evidence *evidence;

	(void)state;
	begin(&story, "");
	fprintf(story.to, "%ju 1 switch 0 20 sleeping\n%ju 1 sample 20 " AT_PARSE "\n", (uintmax_t)story.now_ns,
		(uintmax_t)(story.now_ns + 2 * MS));
	sleep_in_pipe(&story, "20 task");
	evidence = end(&story, 6 * MS, &made);
	assert_int_equal(evidence->items, 2);
	for (int i = 0; i < 2; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (item->kind == SCOPE_ITEM_BLAME)
			assert_true(item->excess_ns == MS && !strcmp(case_function(evidence, item), "parse"));
		else
			assert_true(item->excess_ns == 0);
	}
	case_end(&made);
}

/*
 * The same in a futex, where the waker left no stack: who held the lock may have waited for a CPU. So it is where the
 * call returns 0 after a time-out; where the time-out ended it no thread was waited for.
 */
static void a_futex_that_a_thread_ended_says_nothing_of_the_sleeper(void **state)
{
	static const struct {
		const char *by;
		int ret;
		bool stands;
	} way[] = { { "20 task", 0, false }, { "- hardirq", 0, false }, { "- hardirq", -ETIMEDOUT, true } };

	for (unsigned i = 0; i < sizeof(way) / sizeof(*way); i++) {
		struct story story;
		struct evidence_case made;
		const struct scope_evidence *evidence;
		uint64_t now_ns;

		(void)state;
		begin(&story, "");
		now_ns = story.now_ns;
		fprintf(story.to,
			"%ju 1 switch 0 20 sleeping\n"
			"%ju 0 enter 10 futex enter=%ju args=0x8000,0x80,2\n%ju 0 switch 10 0 sleeping\n"
			"%ju 1 waking 10 from %s\n%ju 0 switch 0 10 sleeping\n"
			"%ju 0 exit 10 futex ret=%d\n%ju 0 stack 10 " AT_WALK "\n",
			(uintmax_t)now_ns, (uintmax_t)(now_ns + 1000), (uintmax_t)(now_ns + 1000),
			(uintmax_t)(now_ns + 1000), (uintmax_t)(now_ns + 4 * MS), way[i].by,
			(uintmax_t)(now_ns + 4 * MS + 1000), (uintmax_t)(now_ns + 4 * MS + 2000), way[i].ret,
			(uintmax_t)(now_ns + 4 * MS + 3000));
		evidence = end(&story, 6 * MS, &made);
		assert_int_equal(evidence->items, 1);
		assert_true((evidence->item[0].excess_ns > 0) == way[i].stands);
		case_end(&made);
	}
}

/* It returned into the next unit: what it slept in its loop is idle. */
static void a_stack_after_a_pick_up_is_of_no_unit(void **state)
{
	struct story story;
	struct evidence_case made;
	const struct scope_evidence *evidence;

	(void)state;
	begin(&story, "");
	story.now_ns += 10 * MS;
	fprintf(story.to,
		"%ju 0 enter 10 epoll_wait enter=%ju args=5\n%ju 0 switch 10 0 sleeping\n"
		"%ju 0 waking 10 from - hardirq\n%ju 0 switch 0 10 sleeping\n"
		"%ju 0 exit 10 epoll_wait ret=1\n%ju 0 stack 10 " AT_WALK "\n",
		(uintmax_t)story.now_ns, (uintmax_t)story.now_ns, (uintmax_t)story.now_ns,
		(uintmax_t)(story.now_ns + 3 * MS), (uintmax_t)(story.now_ns + 3 * MS + 1000),
		(uintmax_t)(story.now_ns + 3 * MS + 2000), (uintmax_t)(story.now_ns + 3 * MS + 3000));
	story.now_ns += 4 * MS;
	story_take(&story);
	evidence = end(&story, 100000, &made);
	assert_int_equal(evidence->items, 0);
	case_end(&made);
}

/* 19,999 stacks in the trace, or 20,000: of usual units all are looked at, or every other one. */
static void of_many_usual_stacks_a_regular_part_is_taken(void **state)
{
	for (int more = 0; more < 2; more++) {
		struct story story;
		struct evidence_case made;

		(void)state;
		story_begin(&story, "");
		story_usual(&story, 40, AT_PARSE);
		story_take(&story);
		story.now_ns += 10 * MS;
		story_loop(&story);
		made = case_of(&story);
		made.kept->units->stacks = 19999 + more;
		assert_int_equal(case_collect(&made)->items, more ? 20 : 40);
		case_end(&made);
	}
}

/* One sample of 1 ms in a unit that runs for longer: it counts for all of it, or for 20 ms at most. */
static double scaled(uint64_t length_ns)
{
	struct story story;
	struct evidence_case made;
	double excess_ns;

	begin(&story, "");
	sample(&story, 2 * MS, AT_WALK);
	excess_ns = end(&story, length_ns, &made)->item[0].excess_ns;
	case_end(&made);
	return excess_ns;
}

static void a_stack_weighs_twenty_times_its_own_time_at_most(void **state)
{
	(void)state;
	/* A unit begins as the loop returns, 1 us before it reads. */
	assert_true(scaled(10 * MS) == 10 * MS + 1000);
	assert_true(scaled(20 * MS - 1000) == 20 * MS);
	assert_true(scaled(21 * MS) == 20 * MS);
}

/* 40 usual units of 100 us, with a sample in each; of ten slow ones as many would hold 1 ms in all. */
static void as_many_usual_units_are_taken_off(void **state)
{
	struct story story;
	struct evidence_case made;
	const struct scope_evidence *evidence;
	double usual_ns = 0, slow_ns = 0;

	(void)state;
	story_begin(&story, "");
	story_usual(&story, 40, AT_PARSE);
	for (int i = 0; i < 4; i++) {
		story_take(&story);
		sample(&story, MS, AT_PARSE);
		sample(&story, 2 * MS, AT_WALK);
		story.now_ns += 2100000;
		story_loop(&story);
	}
	made = case_of(&story);
	assert_int_equal(made.kept->slow_units, 4);
	evidence = case_collect(&made);
	for (size_t i = 0; i < evidence->items; i++)
		*(evidence->item[i].abnormal ? &slow_ns : &usual_ns) += evidence->item[i].excess_ns;
	assert_true(fabs(slow_ns - 4 * 2101000.0) < 1);
	assert_true(fabs(usual_ns + 4 * 101000.0) < 4 * 101000.0 / 40);
	assert_true(fabs(evidence->found_ns - (slow_ns + usual_ns)) < 1);
	assert_true(fabs(evidence->excess_ns - 4 * 2000000.0) < 4 * 2000000.0 / 100);
	case_end(&made);
}

/*
 * At the end a second thread sleeps in functions of Python's interpreter alone. It is kept for later if no snapshot has a function of the
 * program for it, which shows only in a trace that has such functions, and if its whole stack is known.
 */
static void a_thread_without_a_function_of_the_language_is_idle(void **state)
{
	static const struct {
		const char *name, *ended;
		bool idle;
	} rows[] = {
		{ "py::sell:/srv/app.py", "unwound", true },
		{ "py::sell:/srv/app.py", "unwound_cut", false },
		{ "sell", "unwound", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct story story;
		struct evidence_case made;
		const struct scope_evidence *evidence;
		bool idle = false;
		char head[400];

		snprintf(
			head, sizeof(head),
			"sym 0 0x5000 0x100 PyEval_EvalFrame python3.11 program\nsym 0 0x1000000000000000 0x10 %s [jit] program\n"
			"standing 20 0x7000 0x3010,0x5010 %s\n",
			rows[i].name, rows[i].ended);
		begin(&story, head);
		fprintf(story.to,
			"%ju 1 state 20 tgid=10 state=sleeping nr=futex since=5000 run=0 comm=kept args=0x77,0,0\n",
			(uintmax_t)story.now_ns);
		sample(&story, MS, AT_WALK);
		story.now_ns += 10 * MS;
		story_loop(&story);
		fprintf(story.to,
			"%ju 1 state 20 tgid=10 state=sleeping nr=futex since=5000 run=0 comm=kept args=0x77,0,0 at_stop "
			"regs=0,0,0,0,0,0,0,0x7000,0,0,0,0,0,0,0,0,0x3010\n",
			(uintmax_t)story.now_ns);
		made = case_of(&story);
		evidence = case_collect(&made);
		for (size_t thread = 0; thread < made.kept->units->threads; thread++)
			idle |= evidence->stopped_stack[thread].idle;
		assert_int_equal(idle, rows[i].idle);
		case_end(&made);
	}
}

/* A baseline has threads of its own, in a trace of which this one knows nothing, and more of them. */
static void threads_of_a_baseline_are_not_those_of_the_trace(void **state)
{
	struct story story, baseline;
	struct evidence_case made, reference;
	struct scope_evidence_source source, other;
	char head[4096] = "";
	size_t used = 0, hangs = 0;

	(void)state;
	begin(&story, "");
	sample(&story, 2 * MS, AT_WALK);
	story.now_ns += 10 * MS;
	story_loop(&story);
	made = case_of(&story);
	/* Its server is the 41st thread. */
	for (unsigned tid = 50; tid < 90; tid++)
		used += (size_t)snprintf(head + used, sizeof(head) - used, "0 0 switch %u %u sleeping\n",
					 tid == 50 ? 0 : tid - 1, tid);
	story_begin(&baseline, head);
	story_usual(&baseline, 40, AT_PARSE);
	reference = case_of(&baseline);
	assert_true(reference.kept->units->threads > made.kept->units->threads + 10);
	source = (struct scope_evidence_source){ made.trace, made.kept, made.symbols, NULL };
	other = (struct scope_evidence_source){ reference.trace, reference.kept, reference.symbols, NULL };
	assert_int_equal(scope_evidence_collect(&source, &other, made.detection, made.pickups, NULL, NULL, &hangs,
						&made.evidence),
			 0);
	assert_true(made.evidence->thread_stacks[0].own);
	assert_int_equal(made.evidence->stacks, 41);
	case_end(&reference);
	case_end(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_counts_for_the_unit_it_falls_into),
		cmocka_unit_test(a_sample_weighs_the_sampling_period_of_its_time),
		cmocka_unit_test(a_sample_that_hit_the_tracer_is_no_evidence),
		cmocka_unit_test(a_stack_of_libraries_alone_names_nobody),
		cmocka_unit_test(the_stack_after_a_slow_call_gets_its_sleep),
		cmocka_unit_test(a_sleep_counts_once),
		cmocka_unit_test(a_sleep_that_another_thread_ended_is_marked),
		cmocka_unit_test(the_wakers_stacks_get_the_sleep),
		cmocka_unit_test(a_futex_that_a_thread_ended_says_nothing_of_the_sleeper),
		cmocka_unit_test(a_stack_after_a_pick_up_is_of_no_unit),
		cmocka_unit_test(of_many_usual_stacks_a_regular_part_is_taken),
		cmocka_unit_test(a_stack_weighs_twenty_times_its_own_time_at_most),
		cmocka_unit_test(as_many_usual_units_are_taken_off),
		cmocka_unit_test(a_thread_without_a_function_of_the_language_is_idle),
		cmocka_unit_test(threads_of_a_baseline_are_not_those_of_the_trace),
	};

	return cmocka_run_group_tests_name("collect", tests, NULL, NULL);
}
