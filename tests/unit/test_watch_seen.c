// SPDX-License-Identifier: GPL-2.0-only
/* Which findings of a watch become incidents, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "watch/seen.h"
#include "watch/sure.h"

#define S 1000000000ull
#define SPAN (60 * S)
#define INTERVAL (30 * S)

static struct scope_watch_seen *seen;

static int begin(void **state)
{
	(void)state;
	return scope_watch_seen_create(SPAN, INTERVAL, &seen);
}

static int end(void **state)
{
	(void)state;
	scope_watch_seen_destroy(seen);
	return 0;
}

static struct scope_watch_finding finding_of(const char *function, bool stuck, bool sure)
{
	struct scope_watch_finding finding = { .module = "server", .kind = "wait", .stuck = stuck, .sure = sure };

	snprintf(finding.function, sizeof(finding.function), "%s", function);
	return finding;
}

static void judge(const char *function, bool stuck, bool sure, uint64_t now_s)
{
	struct scope_watch_judgement judgement = { 0 };

	if (function)
		judgement.finding[judgement.findings++] = finding_of(function, stuck, sure);
	scope_watch_seen_judge(seen, &judgement, now_s * S);
}

static struct scope_watch_next next;

/* The function of the incident at that time; "": none; what has to wait is skipped. */
static const char *next_at(uint64_t now_s)
{
	while (scope_watch_seen_next(seen, now_s * S, false, &next))
		if (!next.wait_ns)
			return next.finding.function;
	return "";
}

/* For how long it has to wait, s; 0: it is not reported. */
static uint64_t held_at(uint64_t now_s)
{
	return scope_watch_seen_next(seen, now_s * S, false, &next) ? next.wait_ns / S : 0;
}

static struct scope_watch_counts counts_now(void)
{
	struct scope_watch_counts counts;

	scope_watch_seen_count(seen, &counts);
	return counts;
}

static void once_while_it_goes_on(void **state)
{
	(void)state;
	judge("parse", false, true, 100);
	assert_string_equal(next_at(100), "parse");
	for (uint64_t now = 110; now < 400; now += 10) {
		judge("parse", false, true, now);
		assert_string_equal(next_at(now), "");
	}
	/* It left the recorder, and comes back. */
	judge(NULL, false, false, 455);
	judge("parse", false, true, 460);
	assert_string_equal(next_at(460), "parse");
}

static void again_if_absent_for_the_span(void **state)
{
	(void)state;
	judge("parse", false, true, 100);
	assert_string_equal(next_at(100), "parse");
	judge("parse", false, true, 150);
	assert_string_equal(next_at(150), "");
	judge(NULL, false, false, 205);
	judge("parse", false, true, 211);
	assert_string_equal(next_at(211), "parse");
}

static void again_if_it_gets_stuck(void **state)
{
	(void)state;
	judge("parse", false, true, 100);
	assert_string_equal(next_at(100), "parse");
	judge("parse", true, true, 140);
	assert_string_equal(next_at(140), "parse");
	judge("parse", false, true, 180);
	assert_string_equal(next_at(180), "");
}

static void twice_in_a_row_where_in_doubt(void **state)
{
	(void)state;
	judge("parse", false, false, 100);
	assert_string_equal(next_at(100), "");
	assert_true(scope_watch_seen_in_doubt(seen));
	judge(NULL, false, false, 102);
	assert_false(scope_watch_seen_in_doubt(seen));
	judge("parse", false, false, 104);
	assert_string_equal(next_at(104), "");
	judge("parse", false, false, 106);
	assert_string_equal(next_at(106), "parse");
	assert_false(scope_watch_seen_in_doubt(seen));
}

static void waits_for_the_interval(void **state)
{
	(void)state;
	judge("parse", false, true, 100);
	assert_string_equal(next_at(100), "parse");
	judge("store", true, true, 110);
	assert_int_equal(held_at(110), 20);
	assert_int_equal(next.since_ns, 0);
	assert_int_equal(held_at(111), 0);
	assert_string_equal(next_at(129), "");
	assert_string_equal(next_at(130), "store");
	assert_int_equal(counts_now().incidents, 2);
	assert_int_equal(counts_now().held, 1);
	assert_int_equal(counts_now().unwritten, 0);
}

/* What ends while it waits is counted, and is no incident of a later time. */
static void counts_what_ended_while_it_waited(void **state)
{
	(void)state;
	scope_watch_seen_destroy(seen);
	assert_int_equal(scope_watch_seen_create(SPAN, 5 * SPAN, &seen), 0);
	judge("parse", false, true, 100);
	assert_string_equal(next_at(100), "parse");
	judge("store", true, true, 110);
	assert_int_equal(held_at(110), 290);
	judge(NULL, false, false, 171);
	assert_int_equal(counts_now().unwritten, 1);
	assert_string_equal(next_at(500), "");
}

/* The interval between findings does not count where the recorder's memory ends; what was not due then is of the process before. */
static void comes_before_the_memory_ends(void **state)
{
	(void)state;
	judge("parse", false, true, 100);
	assert_string_equal(next_at(100), "parse");
	judge("store", true, true, 110);
	judge("count", false, false, 110);
	assert_int_equal(held_at(110), 20);
	assert_true(scope_watch_seen_next(seen, 111 * S, true, &next));
	assert_int_equal(next.wait_ns, 0);
	assert_string_equal(next.finding.function, "store");
	assert_false(scope_watch_seen_next(seen, 111 * S, true, &next));
	judge("wait", true, true, 112);
	scope_watch_seen_restart(seen);
	assert_string_equal(next_at(150), "");
	assert_int_equal(scope_watch_seen_current(seen), 2);
}

/* A finding comes and goes for an hour: its incidents become rare, none of its begins is without a word, and it is new later. */
static void is_rare_if_it_comes_back(void **state)
{
	unsigned incidents = 0, held = 0, begins = 0;
	uint64_t now;

	(void)state;
	for (now = 1000; now < 1000 + 3600; now += 90) {
		judge(NULL, false, false, now - 1);
		judge("parse", false, true, now);
		while (scope_watch_seen_next(seen, now * S, false, &next)) {
			incidents += !next.wait_ns;
			held += next.wait_ns > 0;
			assert_int_equal(next.begins, held ? begins + (next.wait_ns > 0) : 0);
			begins = next.wait_ns ? begins + 1 : 0;
		}
	}
	/* After 0, 30, 60, 120, … s, each at the next begin. */
	assert_int_equal(incidents, 7);
	assert_int_equal(held, 40 - 7);
	assert_int_equal(counts_now().unwritten, 32); /* the last one goes on */
	now += 3601;
	judge(NULL, false, false, now);
	judge("parse", false, true, now + 1);
	assert_string_equal(next_at(now + 1), "parse");
	assert_int_equal(next.since_ns, 0);
}

/* One that was slow is an incident at once if it comes back stuck. */
static void is_at_once_if_it_comes_back_stuck(void **state)
{
	(void)state;
	for (uint64_t now = 100; now < 500; now += 90) {
		judge(NULL, false, false, now - 1);
		judge("parse", false, true, now);
		next_at(now);
	}
	judge(NULL, false, false, 549);
	judge("parse", true, true, 550);
	assert_string_equal(next_at(550), "parse");
	assert_true(next.finding.stuck);
}

/* Patterns are of functions, with or without a module; a bad file leaves those that were read. */
static void known_are_none(void **state)
{
	static const char text[] = "# agreed\n  pars*  # slow by design\nstore@client\n\n";
	struct scope_error error;
	char path[] = "/tmp/scope-known-XXXXXX";
	const int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(scope_watch_seen_read_known(seen, path, &error), 0);
	unlink(path);
	assert_int_not_equal(scope_watch_seen_read_known(seen, path, &error), 0);
	assert_non_null(strstr(error.text, path));
	judge("parse", true, true, 100);
	assert_string_equal(next_at(100), "");
	assert_int_equal(held_at(100), 0);
	judge("store", true, true, 200);
	assert_string_equal(next_at(200), "store");
	assert_int_equal(counts_now().known, 1);
}

/* More functions than there is room for: the one found longest ago gives way. */
static void is_bounded(void **state)
{
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 3 * SCOPE_WATCH_SEEN_MAX; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		judge(name, false, false, 100);
	}
	assert_int_equal(scope_watch_seen_current(seen), SCOPE_WATCH_SEEN_MAX);
	judge("parse", false, true, 100);
	assert_string_equal(next_at(100), "parse");
}

static struct scope_finding found_of(enum scope_finding_kind kind, enum scope_confidence confidence, uint32_t units)
{
	return (struct scope_finding){ .kind = kind, .confidence = confidence, .units = units };
}

/* Of hundreds of analyses in an hour some have a few slow requests by chance. */
static void few_requests_are_in_doubt(void **state)
{
	struct scope_finding found = found_of(SCOPE_FINDING_TIME, SCOPE_CONFIDENCE_MEDIUM, 7);

	(void)state;
	assert_false(scope_watch_is_sure(&found));
	found.freezes = 7;
	assert_true(scope_watch_is_sure(&found));
	found = found_of(SCOPE_FINDING_TIME, SCOPE_CONFIDENCE_MEDIUM, 23);
	assert_true(scope_watch_is_sure(&found));
	found = found_of(SCOPE_FINDING_TIME, SCOPE_CONFIDENCE_LOW, 230);
	assert_false(scope_watch_is_sure(&found));
	found = found_of(SCOPE_FINDING_HANG, SCOPE_CONFIDENCE_HIGH, 0);
	assert_true(scope_watch_is_sure(&found));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(once_while_it_goes_on),
		TEST(again_if_absent_for_the_span),
		TEST(again_if_it_gets_stuck),
		TEST(twice_in_a_row_where_in_doubt),
		TEST(waits_for_the_interval),
		TEST(counts_what_ended_while_it_waited),
		TEST(comes_before_the_memory_ends),
		TEST(is_rare_if_it_comes_back),
		TEST(is_at_once_if_it_comes_back_stuck),
		TEST(few_requests_are_in_doubt),
		TEST(known_are_none),
		TEST(is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
