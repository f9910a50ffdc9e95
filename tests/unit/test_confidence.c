// SPDX-License-Identifier: GPL-2.0-only
/* The confidence of a finding: by its size, by the losses during it, and by the lower one of the two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rank/by_design.h"
#include "rank/confidence.h"

enum { LOW = SCOPE_CONFIDENCE_LOW, MEDIUM = SCOPE_CONFIDENCE_MEDIUM, HIGH = SCOPE_CONFIDENCE_HIGH };

/* It shows all the time, from 0 to 1,000 ns, in which these numbers of events came and were lost. */
struct losses {
	uint64_t came, lost;
	bool unknown;
};

static struct scope_population population;
static struct scope_group group = { .reads = true };

/* Of one trace; usual units show what the function costs, unless a test has another number of their stacks. */
static struct scope_finding rate(struct scope_finding finding, struct losses losses)
{
	struct scope_timeline *timeline = calloc(1, sizeof(*timeline));
	struct scope_groups groups = { .group = &group, .count = 1 };
	const struct scope_units units = { .timeline = timeline, .groups = &groups };
	struct scope_detection detection = { .population = &population, .populations = 1 };
	const struct scope_rank_input input = {
		.units = &units,
		.detection = &detection,
		.options = &scope_rank_defaults,
	};

	assert_non_null(timeline);
	scope_timeline_losses_mark(&timeline->losses, 0, 0);
	scope_timeline_losses_end(&timeline->losses, 1000, losses.came);
	if (losses.lost || losses.unknown)
		scope_timeline_losses_add(&timeline->losses, &(struct scope_loss){
								     .from_ns = 400,
								     .until_ns = 500,
								     .count = losses.lost,
								     .unknown = losses.unknown,
							     });
	finding.last_ns = finding.last_ns ? finding.last_ns : 1000;
	finding.usual_stacks = finding.usual_stacks ? finding.usual_stacks : 5;
	scope_rank_confidence(&input, &finding);
	free(timeline);
	return finding;
}

static enum scope_confidence of_size(uint32_t units, uint32_t samples, uint32_t sleeps)
{
	return rate(
		       (struct scope_finding){
			       .kind = SCOPE_FINDING_TIME,
			       .units = units,
			       .samples = samples,
			       .sleeps = sleeps,
		       },
		       (struct losses){ .came = 1000 })
		.confidence;
}

static void fewer_than_ten_units_are_of_low_confidence(void **state)
{
	(void)state;
	assert_int_equal(of_size(10, 1000, 0), MEDIUM);
	assert_int_equal(of_size(9, 1000, 0), LOW);
}

static void fewer_than_ten_stacks_are_of_low_confidence(void **state)
{
	(void)state;
	assert_int_equal(of_size(1000, 4, 6), HIGH);
	assert_int_equal(of_size(1000, 4, 5), LOW);
	assert_int_equal(of_size(1000, 9, 0), LOW);
}

static void fewer_than_thirty_units_are_of_medium_confidence(void **state)
{
	(void)state;
	assert_int_equal(of_size(30, 1000, 0), HIGH);
	assert_int_equal(of_size(29, 1000, 0), MEDIUM);
}

static void what_may_be_asked_for_is_of_medium_confidence(void **state)
{
	struct scope_finding pauses = { .kind = SCOPE_FINDING_WAIT, .units = 1000, .sleeps = 1000 };

	(void)state;
	assert_int_equal(rate(pauses, (struct losses){ .came = 1000 }).confidence, HIGH);
	pauses.wait.pauses = true;
	assert_int_equal(rate(pauses, (struct losses){ .came = 1000 }).confidence, MEDIUM);
}

/* What works for usual requests as well is not what lets some of them wait, unless the peer is slow. */
static void waits_of_a_function_common_to_all_are_of_low_confidence(void **state)
{
	const struct losses none = { .came = 1000 };
	struct scope_finding held = {
		.kind = SCOPE_FINDING_WAIT,
		.units = 1000,
		.samples = 1000,
		.of_usual = 0.25,
		.wait.held = true,
	};

	(void)state;
	assert_int_equal(rate(held, none).confidence, LOW);
	held.of_usual = 0.24;
	assert_int_equal(rate(held, none).confidence, HIGH);
	held.of_usual = 0.9;
	held.wait.outside = true;
	assert_int_equal(rate(held, none).confidence, HIGH);
	held.wait.outside = held.wait.held = false;
	assert_int_equal(rate(held, none).confidence, HIGH);
}

/* 10,000 bytes at 100 ns each are half of 2 ms; of one byte less they are not. */
static void a_larger_answer_is_of_medium_confidence(void **state)
{
	const struct losses none = { .came = 1000 };
	struct scope_finding larger = {
		.kind = SCOPE_FINDING_TIME,
		.units = 1000,
		.samples = 1000,
		.p50_ns = 2100000,
		.usual_ns = 100000,
		.bytes_more = 10000,
	};

	(void)state;
	assert_int_equal(rate(larger, none).confidence, MEDIUM);
	larger.bytes_more = 9999;
	assert_int_equal(rate(larger, none).confidence, HIGH);
	larger.bytes_more = 10000;
	larger.kind = SCOPE_FINDING_LOCK;
	assert_int_equal(rate(larger, none).confidence, HIGH);
	larger.kind = SCOPE_FINDING_TIME;
	population.size = (const struct scope_size_baseline *)&population; /* not looked into */
	assert_int_equal(rate(larger, none).confidence, HIGH);
	population.size = NULL;
}

static struct scope_finding five_stacks(enum scope_finding_kind kind, uint32_t usual_stacks)
{
	return rate(
		(struct scope_finding){
			.kind = kind,
			.units = 1000,
			.samples = 1000,
			.usual_stacks = usual_stacks,
		},
		(struct losses){ .came = 1000 });
}

/* Requests that are slow by design look like a bug that only some requests meet; what others wait for does not. */
static void what_usual_units_do_not_show_is_of_medium_confidence(void **state)
{
	struct scope_finding finding = five_stacks(SCOPE_FINDING_TIME, 4);

	(void)state;
	assert_int_equal(finding.confidence, MEDIUM);
	assert_int_equal(finding.shown, HIGH);
	assert_int_equal(finding.by_design, SCOPE_BY_DESIGN_NOT_USUAL);
	assert_non_null(scope_rank_by_design_text(finding.by_design));
	finding = five_stacks(SCOPE_FINDING_TIME, 5);
	assert_int_equal(finding.confidence, HIGH);
	assert_int_equal(finding.by_design, SCOPE_BY_DESIGN_NO);
	assert_int_equal(five_stacks(SCOPE_FINDING_CALLS, 4).confidence, MEDIUM);
	assert_int_equal(five_stacks(SCOPE_FINDING_WAIT, 4).confidence, MEDIUM);
	assert_int_equal(five_stacks(SCOPE_FINDING_LOCK, 4).confidence, HIGH);
	assert_int_equal(five_stacks(SCOPE_FINDING_LATE, 4).confidence, HIGH);
}

static void freezes_and_slow_peers_are_not_by_design(void **state)
{
	struct scope_finding finding = five_stacks(SCOPE_FINDING_WAIT, 4);

	(void)state;
	finding.wait.outside = true;
	assert_int_equal(rate(finding, (struct losses){ .came = 1000 }).by_design, SCOPE_BY_DESIGN_NO);
	finding = five_stacks(SCOPE_FINDING_TIME, 4);
	finding.freezes = 500;
	assert_int_equal(rate(finding, (struct losses){ .came = 1000 }).by_design, SCOPE_BY_DESIGN_NO);
	finding.freezes = 499;
	assert_int_equal(rate(finding, (struct losses){ .came = 1000 }).by_design, SCOPE_BY_DESIGN_NOT_USUAL);
}

/* Threads that get requests from others do not show how much was asked for. */
static void requests_of_unknown_size_are_of_medium_confidence(void **state)
{
	const struct losses none = { .came = 1000 };
	struct scope_finding finding = { .kind = SCOPE_FINDING_TIME, .units = 1000, .samples = 1000, .serves = true };

	(void)state;
	assert_int_equal(rate(finding, none).confidence, HIGH);
	group.reads = false;
	assert_int_equal(rate(finding, none).confidence, MEDIUM);
	assert_int_equal(rate(finding, none).by_design, SCOPE_BY_DESIGN_UNSIZED);
	finding.serves = false;
	assert_int_equal(rate(finding, none).confidence, HIGH);
	group.reads = true;
}

/* Usual ones run it as well, and take 2.5 ms less; or a tenth. */
static void kinds_of_requests_differ_by_as_little(void **state)
{
	const struct losses none = { .came = 1000 };
	struct scope_finding finding = { .kind = SCOPE_FINDING_TIME,
					 .units = 1000,
					 .samples = 1000,
					 .usual_stacks = 5,
					 .usual_ns = 1e6,
					 .p50_ns = 3.5e6 };

	(void)state;
	assert_int_equal(rate(finding, none).confidence, HIGH);
	finding.p50_ns = nextafter(3.5e6, 0);
	assert_int_equal(rate(finding, none).confidence, MEDIUM);
	assert_int_equal(rate(finding, none).by_design, SCOPE_BY_DESIGN_SHORT);
	finding.usual_ns = 2e5;
	finding.p50_ns = 2e6;
	assert_int_equal(rate(finding, none).confidence, HIGH);
	finding.p50_ns = nextafter(2e6, 0);
	assert_int_equal(rate(finding, none).confidence, MEDIUM);
	finding.kind = SCOPE_FINDING_LOCK;
	assert_int_equal(rate(finding, none).confidence, HIGH);
}

static struct scope_finding lossy(struct losses losses)
{
	return rate((struct scope_finding){ .kind = SCOPE_FINDING_TIME, .units = 1000, .samples = 1000 }, losses);
}

static void any_loss_in_its_time_is_of_medium_confidence(void **state)
{
	struct scope_finding finding = lossy((struct losses){ .came = 999999, .lost = 1 });

	(void)state;
	assert_int_equal(finding.confidence, MEDIUM);
	assert_int_equal(finding.lost, 1);
	assert_true(finding.events == 999999);
	assert_true(finding.lost_share == 1e-6);
	assert_int_equal(lossy((struct losses){ .came = 1000 }).confidence, HIGH);
}

/* One of a hundred; then one of ninety-nine. */
static void more_than_a_hundredth_lost_is_of_low_confidence(void **state)
{
	(void)state;
	assert_int_equal(lossy((struct losses){ .came = 99, .lost = 1 }).confidence, MEDIUM);
	assert_int_equal(lossy((struct losses){ .came = 98, .lost = 1 }).confidence, LOW);
}

static void an_unknown_loss_is_of_low_confidence(void **state)
{
	struct scope_finding finding = lossy((struct losses){ .came = 1000, .unknown = true });

	(void)state;
	assert_int_equal(finding.confidence, LOW);
	assert_true(finding.lost_unknown);
	assert_int_equal(finding.lost, 0);
}

/* It shows until 399, or 400, and the loss begins then. */
static void a_loss_at_another_time_changes_nothing(void **state)
{
	struct scope_finding finding = {
		.kind = SCOPE_FINDING_TIME,
		.units = 1000,
		.samples = 1000,
		.last_ns = 399,
	};

	(void)state;
	assert_int_equal(rate(finding, (struct losses){ .came = 10, .lost = 9 }).confidence, HIGH);
	finding.last_ns = 400;
	assert_int_equal(rate(finding, (struct losses){ .came = 10, .lost = 9 }).confidence, LOW);
}

static enum scope_confidence of_hang(bool by_stacks, bool unsure, bool never_ran, struct losses losses)
{
	return rate(
		       (struct scope_finding){
			       .kind = SCOPE_FINDING_HANG,
			       .units = 1,
			       .by_stacks = by_stacks,
			       .hang = { .unsure = unsure, .never_ran = never_ran },
		       },
		       losses)
		.confidence;
}

static void a_hang_needs_no_number_but_a_stack(void **state)
{
	const struct losses none = { .came = 1000 };

	(void)state;
	assert_int_equal(of_hang(true, false, false, none), HIGH);
	assert_int_equal(of_hang(false, false, false, none), LOW);
	assert_int_equal(of_hang(true, true, false, none), LOW);
	assert_int_equal(rate(
				 (struct scope_finding){
					 .kind = SCOPE_FINDING_SPIN,
					 .units = 1,
					 .by_stacks = true,
				 },
				 none)
				 .confidence,
			 HIGH);
}

static void losses_say_nothing_against_what_the_kernel_says_stood_still(void **state)
{
	const struct losses much = { .came = 10, .lost = 1000, .unknown = true };

	(void)state;
	assert_int_equal(of_hang(true, false, true, much), HIGH);
	assert_int_equal(of_hang(true, false, false, much), LOW);
	assert_int_equal(of_hang(true, false, false, (struct losses){ .came = 1000, .lost = 1 }), MEDIUM);
	assert_int_equal(of_hang(false, false, true, much), LOW);
}

/* Medium by size and low by losses, or the other way round. */
static void the_lesser_of_both_counts(void **state)
{
	const struct losses little = { .came = 100000, .lost = 1 }, much = { .came = 10, .lost = 10 };
	struct scope_finding finding = { .kind = SCOPE_FINDING_WAIT, .units = 29, .sleeps = 29 };

	(void)state;
	assert_int_equal(rate(finding, much).confidence, LOW);
	assert_int_equal(rate(finding, little).confidence, MEDIUM);
	finding.units = 9;
	assert_int_equal(rate(finding, little).confidence, LOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fewer_than_ten_units_are_of_low_confidence),
		cmocka_unit_test(fewer_than_ten_stacks_are_of_low_confidence),
		cmocka_unit_test(fewer_than_thirty_units_are_of_medium_confidence),
		cmocka_unit_test(what_may_be_asked_for_is_of_medium_confidence),
		cmocka_unit_test(waits_of_a_function_common_to_all_are_of_low_confidence),
		cmocka_unit_test(a_larger_answer_is_of_medium_confidence),
		cmocka_unit_test(what_usual_units_do_not_show_is_of_medium_confidence),
		cmocka_unit_test(freezes_and_slow_peers_are_not_by_design),
		cmocka_unit_test(requests_of_unknown_size_are_of_medium_confidence),
		cmocka_unit_test(kinds_of_requests_differ_by_as_little),
		cmocka_unit_test(any_loss_in_its_time_is_of_medium_confidence),
		cmocka_unit_test(more_than_a_hundredth_lost_is_of_low_confidence),
		cmocka_unit_test(an_unknown_loss_is_of_low_confidence),
		cmocka_unit_test(a_loss_at_another_time_changes_nothing),
		cmocka_unit_test(a_hang_needs_no_number_but_a_stack),
		cmocka_unit_test(losses_say_nothing_against_what_the_kernel_says_stood_still),
		cmocka_unit_test(the_lesser_of_both_counts),
	};

	return cmocka_run_group_tests_name("confidence", tests, NULL, NULL);
}
