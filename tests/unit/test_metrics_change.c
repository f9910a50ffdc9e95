// SPDX-License-Identifier: GPL-2.0-only
/* Changes between two windows: the score and its edges, and the coverage of intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/block_sums.h"
#include "metrics/change.c"

#define STEP_NS 1000000000ull

static uint64_t seed;

static uint64_t dice(uint64_t sides)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % sides;
}

/* One group of four threads over a number of steps: the share that runs, and units a second; the rest sleeps. */
static void make(struct scope_metrics_view *view, size_t steps, double run, uint64_t units, double noise)
{
	static const struct scope_metrics metrics = { .units = true };

	*view = (struct scope_metrics_view){
		.metrics = &metrics,
		.by = SCOPE_METRICS_BY_GROUP,
		.end_ns = steps * STEP_NS,
		.step_ns = STEP_NS,
		.steps = steps,
		.lines = 1,
		.line = calloc(1, sizeof(*view->line)),
	};
	assert_non_null(view->line);
	strcpy(view->line->name, "worker");
	view->line->serves = true;
	view->line->cell = calloc(steps, sizeof(*view->line->cell));
	for (size_t i = 0; i < steps; i++) {
		const double share = run * (1 + noise * ((double)dice(2001) / 1000 - 1));

		view->line->cell[i].value[SCOPE_METRIC_RUN] = (uint64_t)(share * 4 * STEP_NS);
		view->line->cell[i].value[SCOPE_METRIC_SLEEP] =
			4 * STEP_NS - view->line->cell[i].value[SCOPE_METRIC_RUN];
		view->line->cell[i].value[SCOPE_METRIC_UNITS] = units;
	}
}

static void drop(struct scope_metrics_view *view)
{
	free(view->line->cell);
	free(view->line);
}

static struct scope_metric_changes compare(const struct scope_metrics_view *a, const struct scope_metrics_view *b)
{
	struct scope_metric_changes changes;

	assert_int_equal(scope_metrics_change(&(struct scope_metrics_window){ .view = a, .end = a->steps },
					      &(struct scope_metrics_window){ .view = b, .end = b->steps }, &changes),
			 0);
	return changes;
}

static const struct scope_metric_change *change_of(const struct scope_metric_changes *changes, enum scope_metric metric)
{
	for (size_t i = 0; i < changes->group[0].changes; i++)
		if (changes->group[0].change[i].metric == metric)
			return &changes->group[0].change[i];
	fail_msg("%s is not compared", scope_metrics_row[metric].name);
	return NULL;
}

static void close_to(double a, double b)
{
	if (fabs(a - b) > 1e-6 * fmax(1, fabs(b)))
		fail_msg("%.9f, not %.9f", a, b);
}

/* (c - b) / b * c; c itself where b is next to nothing; signs; what is small is nothing. */
static void the_score_is_prisms(void **state)
{
	(void)state;
	close_to(score_of(0.2, 0.4), 0.4);
	close_to(score_of(0.4, 0.2), -0.1);
	close_to(score_of(0.3, 0.3), 0);
	close_to(score_of(0, 0.3), 0.3);
	close_to(score_of(0.0099, 0.02), 0.02);
	close_to(score_of(0.01, 0.02), 0.02); /* 0.01 is the first that counts as there */
	close_to(score_of(0.01, 0.03), 0.06); /* so a score jumps there: 0.03 just below */
	close_to(score_of(0.5, 0.5005), 0);
	close_to(score_of(0.3, 0), 0);
}

/* The fault of the original: both windows divided by the same duration. */
static void each_side_has_its_own_duration(void **state)
{
	struct scope_metrics_view before, after;
	struct scope_metric_changes changes;
	double of_10;

	(void)state;
	make(&before, 10, 0.2, 444, 0);
	make(&after, 40, 0.2, 444, 0);
	changes = compare(&before, &after);
	assert_true(changes.group[0].score == 0);
	close_to(changes.before_units, changes.after_units);
	scope_metrics_changes_free(&changes);
	drop(&after);

	make(&after, 10, 0.4, 16022, 0);
	changes = compare(&before, &after);
	of_10 = changes.group[0].score;
	close_to(change_of(&changes, SCOPE_METRIC_RUN)->score, 0.4);
	close_to(changes.after_units / changes.before_units, 16022.0 / 444);
	scope_metrics_changes_free(&changes);
	drop(&after);
	make(&after, 40, 0.4, 16022, 0);
	changes = compare(&before, &after);
	close_to(changes.group[0].score, of_10);
	close_to(change_of(&changes, SCOPE_METRIC_SLEEP)->score, (0.6 - 0.8) / 0.8 * 0.6);
	close_to(of_10, hypot(0.4, (0.6 - 0.8) / 0.8 * 0.6));
	scope_metrics_changes_free(&changes);
	drop(&before);
	drop(&after);
}

/* A part of a view against the rest is the same as two views. */
static void a_part_is_compared_with_the_rest(void **state)
{
	struct scope_metrics_view view, slow;
	struct scope_metric_changes changes;

	(void)state;
	make(&view, 30, 0.2, 100, 0);
	make(&slow, 30, 0.6, 50, 0);
	memcpy(&view.line->cell[10], &slow.line->cell[10], 5 * sizeof(*view.line->cell));
	assert_int_equal(scope_metrics_change(
				 &(struct scope_metrics_window){
					 .view = &view, .end = view.steps, .skip_first = 10, .skip_end = 15 },
				 &(struct scope_metrics_window){ .view = &view, .first = 10, .end = 15 }, &changes),
			 0);
	close_to(changes.before_s, 25);
	close_to(changes.after_s, 5);
	close_to(changes.before_units, 100);
	close_to(changes.after_units, 50);
	close_to(change_of(&changes, SCOPE_METRIC_RUN)->before, 0.2);
	close_to(change_of(&changes, SCOPE_METRIC_RUN)->after, 0.6);
	assert_true(isnan(change_of(&changes, SCOPE_METRIC_RUN)->low)); /* five steps say nothing of how sure it is */
	scope_metrics_changes_free(&changes);
	drop(&view);
	drop(&slow);
}

/* Of 200 pairs of windows that are alike the interval holds 0 in most, and the true difference where there is one. */
static void intervals_hold_the_difference(void **state)
{
	unsigned alike = 0, grown = 0;

	(void)state;
	seed = 4711;
	for (unsigned i = 0; i < 200; i++) {
		struct scope_metrics_view a, b, c;
		struct scope_metric_changes changes;
		const struct scope_metric_change *run;

		make(&a, 60, 0.3, 100, 0.3);
		make(&b, 60, 0.3, 100, 0.3);
		make(&c, 40, 0.36, 100, 0.3);
		changes = compare(&a, &b);
		run = change_of(&changes, SCOPE_METRIC_RUN);
		alike += run->low <= 0 && run->high >= 0;
		scope_metrics_changes_free(&changes);
		changes = compare(&a, &c);
		run = change_of(&changes, SCOPE_METRIC_RUN);
		grown += run->low <= 0.06 && run->high >= 0.06;
		scope_metrics_changes_free(&changes);
		drop(&a);
		drop(&b);
		drop(&c);
	}
	assert_in_range(alike, 178, 199);
	assert_in_range(grown, 178, 199);
}

/* Noise that lasts: each step is half of the one before. */
static void make_lasting(struct scope_metrics_view *view, double run)
{
	double drift = 0;

	make(view, 90, run, 100, 0.3);
	for (size_t i = 0; i < view->steps; i++) {
		uint64_t *value = view->line->cell[i].value;
		const uint64_t all_ns = value[SCOPE_METRIC_RUN] + value[SCOPE_METRIC_SLEEP];

		drift = drift / 2 + (double)dice(2001) / 1000 - 1;
		value[SCOPE_METRIC_RUN] = (uint64_t)((double)value[SCOPE_METRIC_RUN] * (1 + 0.2 * drift));
		value[SCOPE_METRIC_SLEEP] = all_ns - value[SCOPE_METRIC_RUN];
		for (unsigned j = SCOPE_METRIC_FUTEX_TIME; j < SCOPE_METRIC_UNITS; j++)
			value[j] = dice(scope_metrics_row[j].unit == SCOPE_METRICS_TIME ? all_ns / 4 : 2000);
	}
}

static bool any_sure(const struct scope_metric_changes *changes)
{
	bool sure = false;

	for (size_t i = 0; i < changes->group[0].changes; i++)
		sure = sure || changes->group[0].change[i].sure;
	return sure;
}

/* Of 100 pairs that are alike at most 2 have a sure change of any metric; one that grew by a third has one in 95. */
static void what_is_alike_has_no_sure_change(void **state)
{
	unsigned alike = 0, grown = 0;

	(void)state;
	seed = 42;
	for (unsigned i = 0; i < 100; i++) {
		struct scope_metrics_view a, b, c;
		struct scope_metric_changes changes;

		make_lasting(&a, 0.3);
		make_lasting(&b, 0.3);
		make_lasting(&c, 0.4);
		changes = compare(&a, &b);
		alike += any_sure(&changes);
		scope_metrics_changes_free(&changes);
		changes = compare(&a, &c);
		grown += change_of(&changes, SCOPE_METRIC_RUN)->sure;
		scope_metrics_changes_free(&changes);
		drop(&a);
		drop(&b);
		drop(&c);
	}
	assert_in_range(alike, 0, 2);
	assert_in_range(grown, 95, 100);
}

/* 300 steps are folded to 100; the difference stays, and its interval is about as wide. */
static void many_steps_are_added_up(void **state)
{
	struct scope_metrics_view many, few;
	struct scope_metric_changes changes;
	const struct scope_metric_change *run;
	double width;

	(void)state;
	seed = 7;
	make(&many, 300, 0.3, 100, 0.3);
	make(&few, 300, 0.36, 100, 0.3);
	changes = compare(&many, &few);
	run = change_of(&changes, SCOPE_METRIC_RUN);
	assert_true(run->sure && run->low < 0.06 && run->high > 0.06);
	width = run->high - run->low;
	close_to(changes.before_s, 300);
	scope_metrics_changes_free(&changes);
	/* 2 * 1.96 standard errors of the mean of 300 uniform values, on both sides. */
	assert_true(width > 0.7 * 3.92 * hypot(0.3, 0.36) * 0.3 / sqrt(3) / sqrt(300));
	assert_true(width < 1.3 * 3.92 * hypot(0.3, 0.36) * 0.3 / sqrt(3) / sqrt(300));
	drop(&many);
	drop(&few);
}

/* Windows of 10 and of 40 s of one server, whose load is noisy, get scores within 5 % of each other. */
static void a_score_is_the_same_for_longer_windows(void **state)
{
	struct scope_metrics_view before[2], after[2];

	(void)state;
	seed = 1040;
	for (unsigned i = 0; i < 100; i++) {
		double score[2];

		for (unsigned j = 0; j < 2; j++) {
			struct scope_metric_changes changes;
			/* Steps of 100 ms. */
			make(&before[j], j ? 400 : 100, 0.2, 444, 0.05);
			make(&after[j], j ? 400 : 100, 0.4, 444, 0.05);
			changes = compare(&before[j], &after[j]);
			score[j] = changes.group[0].score;
			scope_metrics_changes_free(&changes);
			drop(&before[j]);
			drop(&after[j]);
		}
		if (fabs(score[1] - score[0]) > 0.05 * score[0])
			fail_msg("score %.4f of 10 s, %.4f of 40 s", score[0], score[1]);
	}
}

/* Sets a time of all steps, of the threads' time. */
static void set(struct scope_metrics_view *view, enum scope_metric metric, double share)
{
	for (size_t i = 0; i < view->steps; i++)
		view->line->cell[i].value[metric] = (uint64_t)(share * 4 * STEP_NS);
}

/* The time that work waits grew most. What is most of that goes first: a wait for a futex, not the time on a CPU. */
static void what_work_waits_for_goes_first(void **state)
{
	struct scope_metrics_view before, after;
	struct scope_metric_changes changes;

	(void)state;
	make(&before, 30, 0.2, 100, 0);
	make(&after, 30, 0.25, 100, 0);
	set(&before, SCOPE_METRIC_WORK_WAIT, 0.02);
	set(&after, SCOPE_METRIC_WORK_WAIT, 0.2);
	set(&after, SCOPE_METRIC_FUTEX_TIME, 0.1);
	changes = compare(&before, &after);
	assert_int_equal(changes.group[0].change[0].metric, SCOPE_METRIC_FUTEX_TIME);
	assert_int_equal(changes.group[0].change[1].metric, SCOPE_METRIC_WORK_WAIT);
	scope_metrics_changes_free(&changes);
	/* A smaller part says less than the sum does. */
	set(&after, SCOPE_METRIC_FUTEX_TIME, 0.08);
	changes = compare(&before, &after);
	assert_int_equal(changes.group[0].change[0].metric, SCOPE_METRIC_WORK_WAIT);
	scope_metrics_changes_free(&changes);
	drop(&before);
	drop(&after);
}

/* A share that is new goes before one that grew by less, whatever the jump of the score; the scores are Prism's. */
static void a_new_share_is_no_smaller_for_it(void **state)
{
	struct scope_metrics_view before, after;
	struct scope_metric_changes changes;

	(void)state;
	make(&before, 30, 0.024, 100, 0);
	make(&after, 30, 0.113, 100, 0);
	set(&after, SCOPE_METRIC_DISK, 0.107);
	changes = compare(&before, &after);
	assert_int_equal(changes.group[0].change[0].metric, SCOPE_METRIC_DISK);
	close_to(changes.group[0].change[0].score, changes.group[0].change[0].after);
	assert_true(change_of(&changes, SCOPE_METRIC_RUN)->score > changes.group[0].change[0].score);
	scope_metrics_changes_free(&changes);
	drop(&before);
	drop(&after);
}

/* A pool has more threads that wait to be needed than before. In a program without any that pick up work it is a change. */
static void sleep_without_work_has_no_score(void **state)
{
	struct scope_metrics_view before, after;
	struct scope_metric_changes changes;

	(void)state;
	for (unsigned others = 0; others < 2; others++) {
		struct scope_metric_line lines[2][2] = { 0 };
		struct scope_metrics_view *view[2] = { &before, &after };

		for (unsigned i = 0; i < 2; i++) {
			make(view[i], 30, 0.001, 0, 0);
			set(view[i], SCOPE_METRIC_FUTEX_TIME, i ? 0.9 : 0.5);
			lines[i][0] = view[i]->line[0];
			lines[i][1] = view[i]->line[0];
			strcpy(lines[i][1].name, "other");
			lines[i][1].pickup = others ? SCOPE_CALL_POLL : SCOPE_CALL_PLAIN;
			free(view[i]->line);
			view[i]->line = lines[i];
			view[i]->lines = 2;
		}
		changes = compare(&before, &after);
		for (size_t i = 0; i < changes.groups; i++) {
			const bool counts = !others || !strcmp(changes.group[i].name, "other");

			assert_true((changes.group[i].score > 0.1) == counts);
			for (size_t j = 0; j < changes.group[i].changes; j++)
				if (changes.group[i].change[j].metric == SCOPE_METRIC_FUTEX_TIME)
					assert_true(changes.group[i].change[j].sure == counts);
		}
		scope_metrics_changes_free(&changes);
		free(lines[0][0].cell);
		free(lines[1][0].cell);
	}
}

/* A server that polls is idle for longer: it lacks nothing. For less: what took its time has the same share. */
static void more_idle_time_has_no_score(void **state)
{
	struct scope_metrics_view before, after;
	struct scope_metric_changes changes;

	(void)state;
	make(&before, 30, 0.4, 100, 0);
	make(&after, 30, 0.2, 100, 0);
	set(&before, SCOPE_METRIC_POLL_TIME, 0.6);
	set(&after, SCOPE_METRIC_POLL_TIME, 0.8);
	before.line->pickup = after.line->pickup = SCOPE_CALL_POLL;
	changes = compare(&before, &after);
	assert_true(change_of(&changes, SCOPE_METRIC_POLL_TIME)->score == 0);
	assert_true(change_of(&changes, SCOPE_METRIC_SLEEP)->score == 0);
	close_to(change_of(&changes, SCOPE_METRIC_RUN)->score, -0.1);
	scope_metrics_changes_free(&changes);
	changes = compare(&after, &before);
	close_to(change_of(&changes, SCOPE_METRIC_POLL_TIME)->score, (0.6 - 0.8) / 0.8 * 0.6);
	scope_metrics_changes_free(&changes);
	drop(&before);
	drop(&after);
}

/* Threads that keep house suffer more from what makes clients wait, too: those that serve clients go first. */
static void what_clients_wait_for_goes_first(void **state)
{
	struct scope_metrics_view view[2];
	struct scope_metric_line lines[2][2];
	struct scope_metric_changes changes;

	(void)state;
	for (unsigned grows = 0; grows < 2; grows++) {
		for (unsigned i = 0; i < 2; i++) {
			for (unsigned j = 0; j < 2; j++) {
				make(&view[i], 30, 0.1, 100, 0);
				lines[i][j] = *view[i].line;
				free(view[i].line);
			}
			strcpy(lines[i][1].name, "keeper");
			lines[i][1].serves = false;
			view[i].line = &lines[i][0];
			set(&view[i], SCOPE_METRIC_DISK, i && grows ? 0.1 : 0);
			view[i].line = &lines[i][1];
			set(&view[i], SCOPE_METRIC_DISK, i ? 0.4 : 0);
			view[i].line = lines[i];
			view[i].lines = 2;
		}
		changes = compare(&view[0], &view[1]);
		assert_string_equal(changes.group[0].name, grows ? "worker" : "keeper");
		assert_true(changes.group[0].clients == !!grows);
		scope_metrics_changes_free(&changes);
		for (unsigned i = 0; i < 4; i++)
			free(lines[i / 2][i % 2].cell);
	}
}

static void groups_come_and_go(void **state)
{
	struct scope_metrics_view before, after;
	struct scope_metric_changes changes;

	(void)state;
	make(&before, 10, 0.2, 444, 0);
	make(&after, 10, 0.2, 444, 0);
	strcpy(after.line->name, "another");
	changes = compare(&before, &after);
	assert_int_equal(changes.groups, 2);
	assert_string_equal(changes.group[0].name, "another");
	assert_true(changes.group[0].new);
	assert_true(changes.group[1].gone);
	scope_metrics_changes_free(&changes);
	/* What the host counts goes after groups of threads. */
	after.line->host = true;
	changes = compare(&before, &after);
	assert_string_equal(changes.group[1].name, "another");
	assert_true(changes.group[1].host);
	scope_metrics_changes_free(&changes);
	drop(&before);
	drop(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_score_is_prisms),
		cmocka_unit_test(each_side_has_its_own_duration),
		cmocka_unit_test(a_part_is_compared_with_the_rest),
		cmocka_unit_test(intervals_hold_the_difference),
		cmocka_unit_test(what_is_alike_has_no_sure_change),
		cmocka_unit_test(many_steps_are_added_up),
		cmocka_unit_test(a_score_is_the_same_for_longer_windows),
		cmocka_unit_test(what_work_waits_for_goes_first),
		cmocka_unit_test(a_new_share_is_no_smaller_for_it),
		cmocka_unit_test(sleep_without_work_has_no_score),
		cmocka_unit_test(more_idle_time_has_no_score),
		cmocka_unit_test(what_clients_wait_for_goes_first),
		cmocka_unit_test(groups_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
