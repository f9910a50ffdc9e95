// SPDX-License-Identifier: GPL-2.0-only
/* The verdict of a ranking: each verdict with just enough for it, and with slightly less. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rank/verdict.h"
#include "rank_case.h"

static double above(double value)
{
	return nextafter(value, HUGE_VAL);
}

/* 20 units of a busy time of 100 ns, and nothing found. */
static const struct scope_ranking quiet = { .units = 20, .busy_ns = 100 };

static struct rank_case *made;

static int setup(void **state)
{
	(void)state;
	made = case_create();
	made->evidence.stacks = 100;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	case_destroy(made);
	return 0;
}

static unsigned int decided[SCOPE_VERDICT_RULES]; /* how often each rule decided in these tests */

static void decide(struct scope_ranking *ranking)
{
	scope_rank_verdict(&made->input, ranking);
	decided[ranking->decided]++;
}

static enum scope_verdict verdict(struct scope_ranking ranking, const char *says)
{
	decide(&ranking);
	if (says && !strstr(ranking.reason, says))
		fail_msg("\"%s\" does not say \"%s\"", ranking.reason, says);
	return ranking.verdict;
}

/* With one finding. */
static enum scope_verdict verdict_on(struct scope_finding finding, struct scope_ranking ranking, const char *says)
{
	ranking.finding = &finding;
	ranking.findings = 1;
	return verdict(ranking, says);
}

static void the_first_finding_decides(void **state)
{
	struct scope_finding both[] = { { .kind = SCOPE_FINDING_HANG }, { .kind = SCOPE_FINDING_TIME } };
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.finding = both;
	ranking.findings = 2;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_HANG);
	both[0].kind = SCOPE_FINDING_SPIN;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_SPIN);
	for (int kind = SCOPE_FINDING_TIME; kind <= SCOPE_FINDING_LATE; kind++)
		assert_int_equal(verdict_on((struct scope_finding){ .kind = kind }, quiet, NULL),
				 SCOPE_VERDICT_SLOWDOWN);
}

/* Half of what slow functions took. */
static void memory_comes_before_functions(void **state)
{
	struct scope_outside outside = { .count = 1 };
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.excess_ns = 100;
	ranking.inside_share = 0.8;
	made->input.outside = &outside;
	outside.cause[0] = (struct scope_outside_cause){ .kind = SCOPE_OUTSIDE_MEMORY, .share = 0.4, .ns = above(40) };
	assert_int_equal(verdict_on((struct scope_finding){ .kind = SCOPE_FINDING_TIME }, ranking, "Memory is short"),
			 SCOPE_VERDICT_OUTSIDE);
	outside.cause[0].ns = 40;
	assert_int_equal(verdict_on((struct scope_finding){ .kind = SCOPE_FINDING_TIME }, ranking, NULL),
			 SCOPE_VERDICT_SLOWDOWN);
}

/* Half of the units of the first function. */
static void stalls_are_freezes(void **state)
{
	struct scope_finding finding = { .kind = SCOPE_FINDING_TIME, .units = 40, .freezes = 20 };

	(void)state;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_FREEZES);
	finding.freezes = 19;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding = (struct scope_finding){ .kind = SCOPE_FINDING_HANG, .units = 1 };
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_HANG);
}

static void threads_that_may_be_idle_are_no_verdict(void **state)
{
	const struct scope_finding unsure = { .kind = SCOPE_FINDING_HANG, .hang.unsure = true };

	(void)state;
	assert_int_equal(verdict_on(unsure, quiet, "Too few stacks"), SCOPE_VERDICT_UNKNOWN);
	made->detection.busy_ns = 0;
	assert_int_equal(verdict_on(unsure, quiet, "No thread did any work"), SCOPE_VERDICT_UNKNOWN);
}

static void nothing_can_be_said_of_no_event(void **state)
{
	(void)state;
	made->timeline->events = 0;
	assert_int_equal(verdict(quiet, "holds no event"), SCOPE_VERDICT_UNKNOWN);
}

static void nineteen_units_are_too_few(void **state)
{
	struct scope_ranking ranking = quiet;

	(void)state;
	assert_int_equal(verdict(ranking, "No function was found"), SCOPE_VERDICT_NOTHING);
	ranking.units = 19;
	assert_int_equal(verdict(ranking, "Only 19 requests or rounds of work"), SCOPE_VERDICT_UNKNOWN);
}

static void what_was_met_by_chance_is_reported(void **state)
{
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.chance_share = 0.05;
	assert_int_equal(verdict(ranking, "5 % of the extra time was spent waiting for threads at usual work"),
			 SCOPE_VERDICT_NOTHING);
	ranking.chance_share = nextafter(0.05, 0);
	decide(&ranking);
	assert_null(strstr(ranking.reason, "met by chance"));
}

/* More than half of an excess of more than a 20th of the busy time, and more than is explained. */
static void most_waits_for_clients_that_pause_are_outside(void **state)
{
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.excess_ns = 50;
	ranking.idle_units = 5;
	ranking.idle_share = above(0.5);
	assert_int_equal(verdict(ranking, "their own clients"), SCOPE_VERDICT_OUTSIDE);
	ranking.idle_share = 0.5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.idle_share = 1;
	ranking.excess_ns = 5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.excess_ns = above(5);
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_OUTSIDE);
	ranking.idle_units = 4;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
}

/* The same of threads of a runtime. */
static void most_waits_for_a_runtime_are_outside(void **state)
{
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.excess_ns = above(5);
	ranking.runtime_units = 5;
	ranking.runtime_share = above(0.5);
	assert_int_equal(verdict(ranking, "such threads collect garbage"), SCOPE_VERDICT_OUTSIDE);
	ranking.runtime_units = nextafter(5, 0);
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.runtime_units = 5;
	ranking.runtime_share = 0.5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.runtime_share = 1;
	ranking.excess_ns = 5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
}

/* 60 % of it waits so; functions have half of it, or just less. */
static void clients_that_pause_come_before_lesser_findings(void **state)
{
	const struct scope_finding finding = { .kind = SCOPE_FINDING_WAIT };
	struct scope_finding beside = finding;
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.excess_ns = 50;
	ranking.idle_share = 0.6;
	ranking.idle_units = 5;
	ranking.inside_share = 0.5;
	ranking.finding = &beside;
	ranking.findings = 1;
	decide(&ranking);
	assert_int_equal(ranking.verdict, SCOPE_VERDICT_SLOWDOWN);
	assert_non_null(strstr(ranking.beside, "their own clients"));
	ranking.inside_share = nextafter(0.5, 0);
	assert_int_equal(verdict_on(finding, ranking, "their own clients"), SCOPE_VERDICT_OUTSIDE);
	/* A hang is one, whichever thread pauses. */
	assert_int_equal(verdict_on((struct scope_finding){ .kind = SCOPE_FINDING_HANG }, ranking, NULL),
			 SCOPE_VERDICT_HANG);
}

static void more_than_three_tenths_waiting_long_for_a_cpu_are_outside(void **state)
{
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.long_queue_share = 0.3;
	ranking.long_queue_units = 5;
	ranking.serves = true;
	ranking.queue_share = 1;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.long_queue_share = above(0.3);
	assert_int_equal(verdict(ranking, "waiting for a CPU"), SCOPE_VERDICT_OUTSIDE);
	ranking.long_queue_units = 4;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
}

/* Half of the busy time; a hundredth of the window, or just less and five units of clients. */
static void a_wait_for_a_cpu_is_of_a_length_or_keeps_clients_waiting(void **state)
{
	const double window_ns = CASE_END_NS;
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.long_queue_share = 0.5;
	ranking.long_queue_units = 1;
	ranking.busy_ns = 0.02 * window_ns;
	assert_int_equal(verdict(ranking, "waiting for a CPU"), SCOPE_VERDICT_OUTSIDE);
	ranking.busy_ns = nextafter(ranking.busy_ns, 0);
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.serves = true;
	ranking.long_queue_units = 4;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.long_queue_units = 5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_OUTSIDE);
}

/* Half of that time: another process may have had the CPU. More than half: the program's own threads had it. */
static void a_cpu_that_the_program_has_itself_is_not_outside(void **state)
{
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.long_queue_share = above(0.3);
	ranking.long_queue_units = 5;
	ranking.serves = true;
	made->input.own_cpu_share = 0.5;
	assert_int_equal(verdict(ranking, "what else runs on this machine"), SCOPE_VERDICT_OUTSIDE);
	made->input.own_cpu_share = above(0.5);
	assert_int_equal(verdict(ranking, "that other threads of this program had"), SCOPE_VERDICT_NOTHING);
}

/* With one finding, and just enough of the slow requests' time spent waiting for a CPU. */
static void decide_short_of_cpu(struct scope_ranking *ranking, struct scope_finding *finding)
{
	ranking->finding = finding;
	ranking->findings = 1;
	ranking->long_queue_share = above(0.3);
	ranking->long_queue_units = 5;
	ranking->serves = true;
	decide(ranking);
}

static void a_short_cpu_is_one_more_word_beside_a_function(void **state)
{
	struct scope_finding finding = { .kind = SCOPE_FINDING_TIME };
	struct scope_ranking ranking = quiet;

	(void)state;
	decide_short_of_cpu(&ranking, &finding);
	assert_int_equal(ranking.verdict, SCOPE_VERDICT_SLOWDOWN);
	assert_non_null(strstr(ranking.beside, "waiting for a CPU"));
	assert_string_equal(ranking.outside, ranking.beside);
	ranking.long_queue_share = 0.3;
	ranking.beside[0] = ranking.outside[0] = 0;
	decide(&ranking);
	assert_string_equal(ranking.beside, "");
	assert_string_equal(ranking.outside, "");
}

/* A watch reports it beside the hang; the report on the hang does not. That other threads of the program have the CPU is inside. */
static void a_short_cpu_is_known_beside_a_hang(void **state)
{
	struct scope_finding finding = { .kind = SCOPE_FINDING_HANG };
	struct scope_ranking ranking = quiet;

	(void)state;
	decide_short_of_cpu(&ranking, &finding);
	assert_int_equal(ranking.verdict, SCOPE_VERDICT_HANG);
	assert_string_equal(ranking.beside, "");
	assert_non_null(strstr(ranking.outside, "waiting for a CPU"));
	ranking.outside[0] = 0;
	made->input.own_cpu_share = above(0.5);
	decide(&ranking);
	assert_string_equal(ranking.outside, "");
}

/* 51 of 100 stacks; the excess is a 20th of the busy time, or just more. */
static void excess_on_stacks_without_names_says_nothing(void **state)
{
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.excess_ns = above(5);
	made->evidence.nameless = 51;
	assert_int_equal(verdict(ranking, "debug symbols"), SCOPE_VERDICT_UNKNOWN);
	made->input.names_need = "it runs Java: jcmd";
	assert_int_equal(verdict(ranking, "it runs Java: jcmd"), SCOPE_VERDICT_UNKNOWN);
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_UNKNOWN);
	made->input.names_need = NULL;
	made->evidence.nameless = 50;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	/* What is in the language's own functions has its names. */
	made->evidence.nameless = 81;
	made->evidence.language = 31;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	made->evidence.language = 30;
	assert_int_equal(verdict(ranking, "51 % of the stacks"), SCOPE_VERDICT_UNKNOWN);
	made->evidence.language = 0;
	made->evidence.nameless = 51;
	ranking.excess_ns = 5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.excess_ns = 10;
	ranking.explained_ns = 5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
}

static void excess_in_code_made_at_run_time_needs_names(void **state)
{
	static const struct scope_function made_code = { .name = "[anonymous]+0x1000", .path = "[anonymous]" };
	static const struct scope_function named_code = { .name = "JS:f", .path = "[jit]", .known = true };
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.excess_ns = above(5);
	ranking.nears = 1;
	ranking.near[0].finding = (struct scope_finding){ .function = &made_code, .share = above(0.5) };
	assert_int_equal(verdict(ranking, "code made at run time"), SCOPE_VERDICT_UNKNOWN);
	ranking.near[0].finding.share = 0.5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.near[0].finding = (struct scope_finding){ .function = &named_code, .share = 1 };
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.near[0].finding = (struct scope_finding){ .function = &made_code, .share = 1 };
	ranking.excess_ns = 5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
}

static void excess_without_stacks_or_signatures_says_nothing(void **state)
{
	struct scope_evidence second = { 0 };
	struct scope_ranking ranking = quiet;

	(void)state;
	made->evidence.stacks = 0;
	ranking.excess_ns = above(5);
	assert_int_equal(verdict(ranking, "there are no stacks"), SCOPE_VERDICT_UNKNOWN);
	made->input.second = &second;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	made->input.second = NULL;
	ranking.excess_ns = 5;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
}

static void a_baseline_is_asked_for_where_there_is_none(void **state)
{
	struct scope_ranking ranking = quiet;
	const struct scope_kept reference = { 0 };

	(void)state;
	assert_int_equal(verdict(ranking, "--baseline"), SCOPE_VERDICT_NOTHING);
	made->input.reference = &reference;
	decide(&ranking);
	assert_null(strstr(ranking.reason, "--baseline"));
}

/* Its slowest requests take ten times as long as its quickest, or just longer. */
static void requests_that_ask_a_peer_alike_may_always_have_been_so(void **state)
{
	struct scope_finding finding = {
		.kind = SCOPE_FINDING_WAIT,
		.wait = { .asks = true, .outside = true },
		.p05_ns = 100,
		.p95_ns = 1000,
	};
	struct scope_ranking ranking = quiet;
	const struct scope_kept reference = { 0 };

	(void)state;
	ranking.requests = 50;
	ranking.slow_requests = 10;
	assert_int_equal(verdict_on(finding, ranking, "20.0 % of the requests"), SCOPE_VERDICT_NOTHING);
	ranking.slow_requests = 0;
	ranking.slow_units = 5;
	assert_int_equal(verdict_on(finding, ranking, "25.0 % of the rounds of work"), SCOPE_VERDICT_NOTHING);
	finding.p95_ns = above(1000);
	assert_int_equal(verdict_on(finding, ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
	/* In no thread, part of that is the loop's. */
	finding.wait.held = true;
	assert_int_equal(verdict_on(finding, ranking, "25.0 % of the rounds of work"), SCOPE_VERDICT_NOTHING);
	finding.wait.held = false;
	finding.p95_ns = 1000;
	finding.wait.asks = false;
	assert_int_equal(verdict_on(finding, ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.wait.asks = true;
	made->input.reference = &reference;
	assert_int_equal(verdict_on(finding, ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
}

/* The same of the first requests of connections: keys are agreed on, or somebody logs in. */
static void first_requests_alike_may_always_have_been_so(void **state)
{
	struct scope_finding finding = {
		.kind = SCOPE_FINDING_TIME,
		.first_requests = true,
		.p05_ns = 100,
		.p95_ns = 1000,
	};
	const struct scope_ranking ranking = quiet;
	const struct scope_kept reference = { 0 };

	(void)state;
	assert_int_equal(verdict_on(finding, ranking, "first request of each connection"), SCOPE_VERDICT_NOTHING);
	finding.p95_ns = above(1000);
	assert_int_equal(verdict_on(finding, ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.p95_ns = 1000;
	made->input.reference = &reference;
	assert_int_equal(verdict_on(finding, ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
}

/* Ten times the bytes, and ten times as long. */
static void larger_requests_in_proportion_may_always_have_been_so(void **state)
{
	struct scope_finding finding = {
		.kind = SCOPE_FINDING_TIME,
		.asks = true,
		.usual_ns = 100,
		.p50_ns = 1000,
		.bytes_times = 10,
		.bytes_more = 4.5, /* at 100 ns each half of what is longer */
	};
	const struct scope_kept reference = { 0 };

	(void)state;
	assert_int_equal(verdict_on(finding, quiet, "Only larger requests took longer"), SCOPE_VERDICT_NOTHING);
	finding.bytes_times = nextafter(10, 0);
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.bytes_times = 10;
	finding.bytes_more = nextafter(4.5, 0);
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.bytes_more = 4.5;
	finding.kind = SCOPE_FINDING_LOCK;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.kind = SCOPE_FINDING_TIME;
	made->input.reference = &reference;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
}

/* A kind of its own, which takes a round trip longer. */
static void short_requests_may_always_have_been_so(void **state)
{
	struct scope_finding finding = {
		.kind = SCOPE_FINDING_TIME,
		.by_design = SCOPE_BY_DESIGN_NOT_USUAL,
		.asks = true,
		.usual_ns = 40000,
		.p50_ns = nextafter(540000, 0),
		.window_share = nextafter(0.1, 0),
	};

	(void)state;
	assert_int_equal(verdict_on(finding, quiet, "requests of a kind of their own"), SCOPE_VERDICT_NOTHING);
	finding.p50_ns = 540000;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.p50_ns = nextafter(540000, 0);
	finding.window_share = 0.1;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.window_share = nextafter(0.1, 0);
	/* 2.5 floors, if that is not ten times what is usual. */
	finding.usual_ns = 100000;
	finding.p50_ns = nextafter(1000000, 0);
	assert_int_equal(verdict_on(finding, quiet, "requests of a kind of their own"), SCOPE_VERDICT_NOTHING);
	finding.p50_ns = 1000000;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.usual_ns = 1000000;
	finding.p50_ns = 3500000;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.p50_ns = nextafter(3500000, 0);
	assert_int_equal(verdict_on(finding, quiet, "requests of a kind of their own"), SCOPE_VERDICT_NOTHING);
	/* Whatever usual ones run. */
	finding.by_design = SCOPE_BY_DESIGN_SHORT;
	assert_int_equal(verdict_on(finding, quiet, "Only some requests took longer"), SCOPE_VERDICT_NOTHING);
	for (size_t i = 0; i < SCOPE_BY_DESIGNS; i++)
		if (i != SCOPE_BY_DESIGN_NOT_USUAL && i != SCOPE_BY_DESIGN_SHORT) {
			finding.by_design = (enum scope_by_design)i;
			assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
		}
}

/* Whatever usual ones run: nobody waits for a round without a request. */
static void so_may_short_rounds_without_a_request(void **state)
{
	struct scope_finding finding = {
		.kind = SCOPE_FINDING_TIME,
		.usual_ns = 14000,
		.p50_ns = 160000,
		.window_share = nextafter(0.1, 0),
	};
	const struct scope_kept reference = { 0 };

	(void)state;
	assert_int_equal(verdict_on(finding, quiet, "rounds of work without a request"), SCOPE_VERDICT_NOTHING);
	finding.window_share = 0.1;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.window_share = nextafter(0.1, 0);
	finding.p50_ns = 514000;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.p50_ns = nextafter(514000, 0);
	assert_int_equal(verdict_on(finding, quiet, "rounds of work without a request"), SCOPE_VERDICT_NOTHING);
	finding.asks = true;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
	finding.asks = false;
	made->input.reference = &reference;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
}

/* They are no larger, and no longer: nothing is in proportion. */
static void requests_of_usual_size_are_not_larger(void **state)
{
	struct scope_finding finding = { .kind = SCOPE_FINDING_TIME, .asks = true, .usual_ns = 100, .p50_ns = 100 };

	(void)state;
	finding.bytes_times = above(1);
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_NOTHING);
	finding.bytes_times = 1;
	assert_int_equal(verdict_on(finding, quiet, NULL), SCOPE_VERDICT_SLOWDOWN);
}

static void one_other_finding_is_enough_for_a_slowdown(void **state)
{
	struct scope_finding both[] = {
		{ .kind = SCOPE_FINDING_WAIT, .wait.asks = true },
		{ .kind = SCOPE_FINDING_TIME },
	};
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.finding = both;
	ranking.findings = 1;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	ranking.findings = 2;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
}

/* They are listed last, and are none of the requests that took longer. */
static void threads_that_may_be_idle_beside_them_change_nothing(void **state)
{
	struct scope_finding both[] = {
		{ .kind = SCOPE_FINDING_WAIT, .wait.asks = true },
		{ .kind = SCOPE_FINDING_HANG, .hang.unsure = true },
	};
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.finding = both;
	ranking.findings = 2;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
	both[1].hang.unsure = false;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Longer than what slow functions took beyond the usual, by a cause with a name. */
static void a_named_cause_comes_before_functions(void **state)
{
	const struct scope_outside named = {
		.count = 1, .cause = { { .kind = SCOPE_OUTSIDE_TAKEN, .share = 1, .most = 1, .name = "thief" } }
	};
	const struct scope_finding finding = { .kind = SCOPE_FINDING_TIME, .units = 9 };
	struct scope_finding beside = finding;
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.excess_ns = 100;
	ranking.inside_share = 0.4;
	ranking.explained_ns = 40;
	ranking.long_queue_share = above(0.4);
	ranking.serves = true;
	ranking.long_queue_units = made->input.options->units_min;
	assert_int_equal(verdict_on(finding, ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
	made->input.outside = &named;
	assert_int_equal(verdict_on(finding, ranking, "thief (pid 0) during 100 %"), SCOPE_VERDICT_OUTSIDE);
	ranking.long_queue_share = 0.4;
	assert_int_equal(verdict_on(finding, ranking, NULL), SCOPE_VERDICT_SLOWDOWN);
	/* Functions with half of the excess and high confidence are the verdict, however long units waited for a CPU beside them. */
	ranking.long_queue_share = 0.9;
	ranking.inside_share = nextafter(0.5, 0);
	assert_int_equal(verdict_on(finding, ranking, "thief (pid 0) during 100 %"), SCOPE_VERDICT_OUTSIDE);
	ranking.inside_share = 0.5;
	ranking.finding = &beside;
	ranking.findings = 1;
	beside.shown = SCOPE_CONFIDENCE_HIGH;
	decide(&ranking);
	assert_int_equal(ranking.verdict, SCOPE_VERDICT_SLOWDOWN);
	assert_non_null(strstr(ranking.beside, "thief (pid 0) during 100 %"));
	/* Chance makes findings of less confidence where threads are kept off the CPUs. */
	beside.shown = SCOPE_CONFIDENCE_MEDIUM;
	assert_int_equal(verdict_on(beside, ranking, "thief (pid 0) during 100 %"), SCOPE_VERDICT_OUTSIDE);
}

/* A process that had the CPU, interrupts that ran in it, or both. */
static void interrupts_are_said_beside_the_process(void **state)
{
	struct scope_outside outside = {
		.count = 2,
		.cause = { { .kind = SCOPE_OUTSIDE_TAKEN, .share = 1, .most = 1, .name = "thief" },
			   { .kind = SCOPE_OUTSIDE_INTERRUPTS, .share = 0.5, .ns = 1e9, .window_ns = 2000000000 } }
	};
	struct scope_ranking ranking = quiet;

	(void)state;
	ranking.long_queue_share = 0.9;
	ranking.serves = true;
	ranking.long_queue_units = made->input.options->units_min;
	made->input.outside = &outside;
	assert_int_equal(verdict(ranking, "thief (pid 0) during 100 %"), SCOPE_VERDICT_OUTSIDE);
	assert_int_equal(verdict(ranking, "Interrupts: 50 %"), SCOPE_VERDICT_OUTSIDE);
	outside.cause[0] = outside.cause[1];
	outside.count = 1;
	assert_int_equal(verdict(ranking, "90 % of the busy time was spent waiting for a CPU. Interrupts: 50 %"),
			 SCOPE_VERDICT_OUTSIDE);
}

/* All slow functions wait for a disk, or one does not. */
static void a_slow_device_comes_before_waits_for_it(void **state)
{
	const struct scope_outside outside = {
		.count = 1,
		.cause = { { .kind = SCOPE_OUTSIDE_DEVICE, .share = 0.5, .ns = 1e9, .device.requests = 20 } }
	};
	struct scope_finding both[] = { { .kind = SCOPE_FINDING_WAIT, .wait.class = SCOPE_WAIT_DISK },
					{ .kind = SCOPE_FINDING_TIME } };
	struct scope_ranking ranking = quiet;

	(void)state;
	made->input.outside = &outside;
	ranking.finding = both;
	ranking.findings = 1;
	decide(&ranking);
	assert_int_equal(ranking.decided, SCOPE_DECIDED_DEVICE_FIRST);
	assert_int_equal(ranking.verdict, SCOPE_VERDICT_OUTSIDE);
	ranking.findings = 2;
	decide(&ranking);
	assert_int_equal(ranking.decided, SCOPE_DECIDED_FUNCTIONS);
	assert_non_null(strstr(ranking.beside, "device"));
	/* Without a finding it is the verdict, too. */
	ranking.findings = 0;
	decide(&ranking);
	assert_int_equal(ranking.decided, SCOPE_DECIDED_HOST);
	assert_int_equal(ranking.verdict, SCOPE_VERDICT_OUTSIDE);
}

/* The first finding waits for a peer that all requests ask; functions have half of the excess, or just less. */
static void a_slow_peer_comes_before_lesser_functions(void **state)
{
	const struct scope_outside outside = { .peer = { .kind = SCOPE_OUTSIDE_PEER, .share = 0.6, .ns = 1 } };
	struct scope_finding finding = { .kind = SCOPE_FINDING_WAIT,
					 .wait = { .class = SCOPE_WAIT_NETWORK, .outside = true } };
	struct scope_ranking ranking = quiet;

	(void)state;
	made->input.outside = &outside;
	ranking.finding = &finding;
	ranking.findings = 1;
	ranking.inside_share = nextafter(0.5, 0);
	decide(&ranking);
	assert_int_equal(ranking.decided, SCOPE_DECIDED_PEER_FIRST);
	assert_int_equal(ranking.verdict, SCOPE_VERDICT_OUTSIDE);
	ranking.inside_share = 0.5;
	decide(&ranking);
	assert_int_equal(ranking.decided, SCOPE_DECIDED_FUNCTIONS);
	ranking.inside_share = 0;
	finding.wait.asks = true;
	finding.p95_ns = 1;
	decide(&ranking);
	assert_int_equal(ranking.decided, SCOPE_DECIDED_FUNCTIONS);
}

static void a_stall_without_a_function_is_a_freeze(void **state)
{
	struct scope_freezes freezes = { .count = 1 };
	struct scope_ranking ranking = quiet;

	(void)state;
	made->input.freezes = &freezes;
	assert_int_equal(verdict(ranking, "No function of the program stands out in that time"), SCOPE_VERDICT_FREEZES);
	freezes.count = 0;
	assert_int_equal(verdict(ranking, NULL), SCOPE_VERDICT_NOTHING);
}

static void what_slows_all_alike_is_said(void **state)
{
	struct scope_ranking ranking = quiet;

	(void)state;
	made->population[1].slower = true;
	made->population[1].grown = 3;
	decide(&ranking);
	assert_int_equal(ranking.decided, SCOPE_DECIDED_ALL_SLOWER);
	assert_non_null(strstr(ranking.reason, "take 3.0 times as long as in the baseline"));
	made->population[1].background = true;
	decide(&ranking);
	assert_int_equal(ranking.decided, SCOPE_DECIDED_NOTHING);
}

/* Comes last: a rule that no test here lets decide may be wrong unnoticed. */
static void each_rule_decided_and_has_a_name(void **state)
{
	(void)state;
	assert_null(scope_rank_verdict_rule_name(SCOPE_DECIDED_BY_NONE));
	for (enum scope_verdict_rule rule = SCOPE_DECIDED_BY_NONE + 1; rule < SCOPE_VERDICT_RULES; rule++) {
		const char *name = scope_rank_verdict_rule_name(rule);

		assert_non_null(name);
		if (!decided[rule])
			fail_msg("no test lets the rule %s decide", name);
		for (enum scope_verdict_rule other = rule + 1; other < SCOPE_VERDICT_RULES; other++)
			assert_string_not_equal(name, scope_rank_verdict_rule_name(other));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_finding_decides),
		TEST(a_named_cause_comes_before_functions),
		TEST(interrupts_are_said_beside_the_process),
		TEST(memory_comes_before_functions),
		TEST(stalls_are_freezes),
		TEST(threads_that_may_be_idle_are_no_verdict),
		TEST(nothing_can_be_said_of_no_event),
		TEST(nineteen_units_are_too_few),
		TEST(what_was_met_by_chance_is_reported),
		TEST(most_waits_for_clients_that_pause_are_outside),
		TEST(most_waits_for_a_runtime_are_outside),
		TEST(clients_that_pause_come_before_lesser_findings),
		TEST(more_than_three_tenths_waiting_long_for_a_cpu_are_outside),
		TEST(a_wait_for_a_cpu_is_of_a_length_or_keeps_clients_waiting),
		TEST(a_cpu_that_the_program_has_itself_is_not_outside),
		TEST(a_short_cpu_is_one_more_word_beside_a_function),
		TEST(a_short_cpu_is_known_beside_a_hang),
		TEST(excess_on_stacks_without_names_says_nothing),
		TEST(excess_in_code_made_at_run_time_needs_names),
		TEST(excess_without_stacks_or_signatures_says_nothing),
		TEST(a_baseline_is_asked_for_where_there_is_none),
		TEST(requests_that_ask_a_peer_alike_may_always_have_been_so),
		TEST(first_requests_alike_may_always_have_been_so),
		TEST(larger_requests_in_proportion_may_always_have_been_so),
		TEST(short_requests_may_always_have_been_so),
		TEST(so_may_short_rounds_without_a_request),
		TEST(requests_of_usual_size_are_not_larger),
		TEST(one_other_finding_is_enough_for_a_slowdown),
		TEST(threads_that_may_be_idle_beside_them_change_nothing),
		TEST(a_slow_device_comes_before_waits_for_it),
		TEST(a_slow_peer_comes_before_lesser_functions),
		TEST(a_stall_without_a_function_is_a_freeze),
		TEST(what_slows_all_alike_is_said),
		TEST(each_rule_decided_and_has_a_name),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
