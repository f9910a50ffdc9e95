// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hints follow from properties of a finding, each with its line, and from nothing else; and their effect on the order
 * of findings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "rank/hint.h"
#include "report/source_lines.h"

/* A finding with two lines, of which the inlined one has most. */
static struct scope_model_finding with(const struct scope_finding *finding)
{
	struct scope_model_finding one = { .finding = finding, .lines = 3 };

	one.line[0] = (struct scope_model_line){ .file = "/src/a.c", .number = 7, .share = 0.2, .inlined = "" };
	one.line[1] = (struct scope_model_line){ .file = "/src/a.c", .number = 9, .share = 0.3, .inlined = "" };
	one.line[2] = (struct scope_model_line){ .file = "/src/b.h", .number = 1, .share = 0.5, .inlined = "f" };
	return one;
}

static struct scope_model_finding hinted(const struct scope_finding *finding, const struct scope_function *below)
{
	static struct scope_finding of;
	struct scope_model_finding one;

	of = *finding;
	of.hints = scope_rank_hints(NULL, finding, below);
	one = with(&of);
	one.below = below;
	scope_report_hints_make(&one);
	return one;
}

/* The line of the first screen, where one is known of the place with most. */
static void has_the_line_of_its_place(void **state)
{
	const struct scope_finding finding = { .kind = SCOPE_FINDING_WAIT,
					       .nr = SYS_clock_nanosleep,
					       .hints = 1u << SCOPE_HINT_CONSTANT_SLEEP };
	struct scope_model_finding one = with(&finding);

	(void)state;
	one.places = 1;
	one.place[0].lines = 3;
	one.place[0].line[0] = (struct scope_source_line){ .file = "/usr/include/unistd.h", .line = 30 };
	one.place[0].line[1] = (struct scope_source_line){ .file = "/src/b.h", .line = 4 };
	one.place[0].line[2] = (struct scope_source_line){ .file = "/src/a.c", .line = 9 };
	scope_report_hints_make(&one);
	assert_int_equal(one.hints, 1);
	assert_string_equal(one.hint[0].file, "/src/b.h");
	assert_int_equal(one.hint[0].line, 4);
}

static void expect(const struct scope_finding *finding, const struct scope_function *below, const char *rule)
{
	const struct scope_model_finding one = hinted(finding, below);

	assert_int_equal(one.hints, rule ? 1 : 0);
	if (!rule)
		return;
	assert_string_equal(one.hint[0].rule, rule);
	assert_string_equal(one.hint[0].file, "/src/a.c");
	assert_int_equal(one.hint[0].line, 9);
}

static void sleeps_for_a_set_time(void **state)
{
	struct scope_finding finding = { .kind = SCOPE_FINDING_WAIT, .nr = SYS_clock_nanosleep };

	(void)state;
	finding.wait.class = SCOPE_WAIT_TIMER;
	expect(&finding, NULL, "constant-sleep");
	/* A poll whose time is over waited for something else, too. */
	finding.nr = SYS_ppoll;
	expect(&finding, NULL, NULL);
	finding.nr = SYS_clock_nanosleep;
	finding.wait.class = SCOPE_WAIT_DISK;
	expect(&finding, NULL, NULL);
}

/* What it says depends on the time alone: 5 s, by 5 % more or less, is the resolver's own limit. */
static void asks_a_name_server(void **state)
{
	const struct scope_function asks = { .name = "__GI_getaddrinfo" }, old = { .name = "gethostbyname2_r" };
	const struct scope_function part = { .name = "__res_nsend" }, other = { .name = "getline" };
	struct scope_finding finding = { .kind = SCOPE_FINDING_WAIT, .nr = SYS_poll, .usual_ns = 1e6 };
	struct scope_model_finding one;

	(void)state;
	expect(&finding, &asks, "name-look-up");
	expect(&finding, &old, "name-look-up");
	expect(&finding, &part, "name-look-up");
	expect(&finding, &other, NULL);
	expect(&finding, NULL, NULL);
	for (int i = 0; i < 4; i++) {
		const double seconds[] = { 5.24, 5.26, 10, 0.1 };

		finding.p50_ns = seconds[i] * 1e9;
		one = hinted(&finding, &asks);
		assert_int_equal(!!strstr(one.hint[0].text, "resolv.conf"), !(i % 2));
	}
	finding.kind = SCOPE_FINDING_TIME;
	expect(&finding, &asks, NULL);
}

static void blocks_with_the_lock(void **state)
{
	const struct scope_finding finding = { .kind = SCOPE_FINDING_LOCK, .nr = SYS_futex };
	const struct scope_finding late = { .kind = SCOPE_FINDING_LATE, .nr = SYS_futex };
	const struct scope_function sync = { .name = "__GI___libc_fsync" }, copy = { .name = "memcpy" };

	(void)state;
	expect(&finding, &sync, "lock-over-blocking-call");
	expect(&finding, &copy, NULL);
	expect(&finding, NULL, NULL);
	expect(&late, &sync, NULL);
}

static void calls_in_a_loop(void **state)
{
	struct scope_finding finding = { .kind = SCOPE_FINDING_CALLS, .nr = SYS_read, .calls_times = 40 };

	(void)state;
	expect(&finding, NULL, "io-in-a-loop");
	finding.nr = SYS_getpid;
	expect(&finding, NULL, NULL);
	finding.nr = SYS_read;
	finding.kind = SCOPE_FINDING_TIME;
	expect(&finding, NULL, NULL);
	/* Calls that sleep: from four times as often on. */
	finding.kind = SCOPE_FINDING_WAIT;
	finding.wait.class = SCOPE_WAIT_DISK;
	finding.calls_times = 4;
	expect(&finding, NULL, "io-in-a-loop");
	finding.calls_times = 3.9;
	expect(&finding, NULL, NULL);
}

static void place_unknown(void **state)
{
	const struct scope_finding finding = {
		.kind = SCOPE_FINDING_CALLS,
		.nr = SYS_write,
		.calls_times = 3,
		.hints = 1 << SCOPE_HINT_IO_IN_A_LOOP,
	};
	struct scope_model_finding one = { .finding = &finding };

	(void)state;
	scope_report_hints_make(&one);
	assert_int_equal(one.hints, 1);
	assert_null(one.hint[0].file);
	assert_non_null(strstr(one.hint[0].text, "write is called 3 times as often"));
}

/* Classes of findings, as the ranking has them: hangs before the others. */
static int class_of(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_HANG ? 0 : 1;
}

static void order(struct scope_finding *finding, const char *expected)
{
	size_t count = strlen(expected);

	scope_rank_hints_order(finding, count, class_of);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(finding[i].node, expected[i] - '0');
}

/* A finding with that score; with_hint: a hint applies to it. */
static struct scope_finding scores(uint32_t number, double score, bool with_hint)
{
	return (struct scope_finding){
		.kind = SCOPE_FINDING_TIME,
		.node = number,
		.score = score,
		.hints = with_hint,
	};
}

static void a_hint_decides_a_tie(void **state)
{
	(void)state;
	order((struct scope_finding[]){ scores(1, 100, false), scores(2, 90, true) }, "21");
	order((struct scope_finding[]){ scores(1, 100, false), scores(2, 89.9, true) }, "12");
	order((struct scope_finding[]){ scores(1, 100, true), scores(2, 100, true) }, "12");
	order((struct scope_finding[]){ scores(1, 100, false), scores(2, 100, false) }, "12");
	/* It passes each that ties with it, and none beyond one that does not. */
	order((struct scope_finding[]){ scores(1, 100, false), scores(2, 95, false), scores(3, 92, true) }, "312");
	order((struct scope_finding[]){ scores(1, 110, false), scores(2, 95, false), scores(3, 92, true) }, "132");
}

static void a_hint_moves_nothing_to_another_class(void **state)
{
	struct scope_finding finding[] = { scores(1, 100, false), scores(2, 100, true) };

	(void)state;
	finding[0].kind = SCOPE_FINDING_HANG;
	order(finding, "12");
}

/* Stacks for which a caller may be named: those in I/O, in a look-up, in a sleep for a set time. */
static void stacks_in_such_calls(void **state)
{
	const struct scope_function pread_of = { .name = "__pread64" }, copy = { .name = "memcpy" };
	struct scope_item item = { .kind = SCOPE_ITEM_RUN, .below = &pread_of };

	(void)state;
	assert_true(scope_rank_hint_of_item(&item));
	item.below = &copy;
	assert_false(scope_rank_hint_of_item(&item));
	item = (struct scope_item){ .kind = SCOPE_ITEM_WAIT, .nr = SYS_pread64 };
	assert_true(scope_rank_hint_of_item(&item));
	item.nr = SYS_clock_nanosleep;
	assert_false(scope_rank_hint_of_item(&item));
	item.class = SCOPE_WAIT_TIMER;
	assert_true(scope_rank_hint_of_item(&item));
	item.nr = SYS_futex;
	assert_false(scope_rank_hint_of_item(&item));
	item.kind = SCOPE_ITEM_BLAME;
	item.nr = SYS_pread64;
	assert_false(scope_rank_hint_of_item(&item));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_line_of_its_place), cmocka_unit_test(sleeps_for_a_set_time),
		cmocka_unit_test(asks_a_name_server),	     cmocka_unit_test(blocks_with_the_lock),
		cmocka_unit_test(calls_in_a_loop),	     cmocka_unit_test(place_unknown),
		cmocka_unit_test(a_hint_decides_a_tie),	     cmocka_unit_test(a_hint_moves_nothing_to_another_class),
		cmocka_unit_test(stacks_in_such_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
