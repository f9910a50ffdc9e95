// SPDX-License-Identifier: GPL-2.0-only
/* Learning and cutting units in one pass gives the same result as in two passes, for any change of the decisions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/single_pass.h"
#include "begin_text.h"
#include "trace_of.h"
#include "pickups_learned.h"

#define START 200 /* events read in advance */

/* All rows of the unit log, as text. */
static int print_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	fprintf(user, "%u %u %u %ju %ju %ju %ju %u:", unit->thread, unit->group, unit->vector,
		(uintmax_t)unit->begin_ns, (uintmax_t)unit->end_ns, (uintmax_t)unit->run_ns, (uintmax_t)unit->bytes,
		unit->open);
	for (unsigned i = 0; i < unit->calls; i++)
		fprintf(user, " %u×%u", call[i].nr, call[i].count);
	fputc('\n', user);
	return 0;
}

static int print_wait(void *user, const struct scope_wait *wait)
{
	fprintf(user, "%u sleeps %ju %ju\n", wait->thread, (uintmax_t)wait->begin_ns, (uintmax_t)wait->end_ns);
	return 0;
}

static char *text_of(const struct scope_found_units *found)
{
	struct scope_unit_sink sink = { .unit = print_unit, .wait = print_wait };
	char *text = NULL;
	size_t size;

	sink.user = open_memstream(&text, &size);
	assert_non_null(sink.user);
	for (size_t i = 0; i < found->groups->count; i++)
		fprintf(sink.user, "group %s %u %u: %u vectors, %ju units\n", found->groups->group[i].name,
			found->groups->group[i].pickup, found->groups->group[i].threads,
			scope_cluster_vector_set_count(found->groups->group[i].vectors),
			(uintmax_t)found->distributions->group[i].units);
	for (size_t i = 0; i < found->distributions->run->threads; i++)
		fprintf(sink.user, "%s idle %ju%s\n", scope_unit_pickups_comm(found->pickups, i),
			(uintmax_t)found->distributions->run->thread[i].idle_ns,
			scope_unit_pickups_serves(found->pickups, i) ? ", serves" : "");
	assert_int_equal(scope_unit_distributions_replay(found->distributions, found->groups, &sink), 0);
	assert_int_equal(fclose(sink.user), 0);
	return text;
}

static struct scope_single_pass_course compare(FILE *to, char **trace_text)
{
	struct scope_trace *trace;
	struct scope_single_pass_course course;
	struct scope_found_units once, plain;
	char *a, *b;

	assert_int_equal(fclose(to), 0);
	trace = trace_of(*trace_text);
	assert_int_equal(scope_analysis_single_pass_run(trace, START, NULL, &once, &course), 0);
	assert_int_equal(pickups_learned(trace, &plain.pickups), 0);
	assert_int_equal(scope_unit_groups_create(plain.pickups, &plain.groups), 0);
	assert_int_equal(scope_unit_distributions_run(trace, plain.pickups, plain.groups, NULL, &plain.distributions),
			 0);
	a = text_of(&once);
	b = text_of(&plain);
	assert_string_equal(a, b);
	assert_true(plain.distributions->units > 8);
	free(a);
	free(b);
	free(*trace_text);
	scope_analysis_found_units_destroy(&once);
	scope_analysis_found_units_destroy(&plain);
	scope_trace_close(trace);
	return course;
}

static void put_call(FILE *to, unsigned cpu, uint32_t tid, uint64_t enter_ns, uint64_t exit_ns, const char *name,
		     unsigned fd)
{
	fprintf(to, "%ju %u syscall %u %s enter=%ju ret=8 args=%u\n", (uintmax_t)exit_ns, cpu, tid, name,
		(uintmax_t)enter_ns, fd);
}

/* A round of an epoll loop, 10 µs. */
static void put_request(FILE *to, unsigned cpu, uint32_t tid, uint64_t at)
{
	put_call(to, cpu, tid, at, at + 2000, "epoll_wait", 5);
	put_call(to, cpu, tid, at + 3000, at + 3500, "read", 7);
	put_call(to, cpu, tid, at + 6000, at + 7000, "write", 7);
}

/* A round that waits for nothing but what comes by the pipe. */
static void put_job(FILE *to, unsigned cpu, uint32_t tid, uint64_t at)
{
	fprintf(to, "%ju %u enter %u read enter=%ju args=9\n", (uintmax_t)at + 1000, cpu, tid, (uintmax_t)at);
	fprintf(to, "%ju %u switch %u 0 sleeping\n", (uintmax_t)at + 1001, cpu, tid);
	fprintf(to, "%ju %u switch 0 %u sleeping\n", (uintmax_t)at + 3000, cpu, tid);
	fprintf(to, "%ju %u exit %u read ret=8\n", (uintmax_t)at + 3100, cpu, tid);
	put_call(to, cpu, tid, at + 5000, at + 7000, "fsync", 8);
}

/* A thread is forked at that time, and waits for what comes. */
static void put_fork(FILE *to, unsigned tid, const char *name, uint64_t at)
{
	fprintf(to,
		"%ju 1 fork %u parent=1 tgid=1 comm=%s\n"
		"%ju 1 switch 0 %u sleeping\n",
		(uintmax_t)at, tid, name, (uintmax_t)at, tid);
}

static void steady_threads_need_one_run(void **state)
{
	char *text;
	FILE *to = begin_text(&text);
	struct scope_single_pass_course course;

	(void)state;
	for (uint64_t at = 1000; at < 10000000; at += 10000)
		put_request(to, 0, 10, at);
	course = compare(to, &text);
	assert_int_equal(course.restarts, 0);
	assert_false(course.twice);
}

static void a_thread_that_comes_late_does_as_those_of_its_name(void **state)
{
	char *text;
	FILE *to = begin_text(&text);
	struct scope_single_pass_course course;

	(void)state;
	for (uint64_t at = 1000; at < 10000000; at += 10000) {
		put_request(to, 0, 10, at);
		if (at == 5001000)
			put_fork(to, 20, "worker", at);
		if (at > 5001000)
			put_request(to, 1, 20, at + 10);
	}
	course = compare(to, &text);
	assert_int_equal(course.restarts, 0);
	assert_false(course.twice);
}

/* It waits at a pipe until it begins to serve. */
static void a_change_early_on_begins_again(void **state)
{
	char *text;
	FILE *to = begin_text(&text);
	struct scope_single_pass_course course;

	(void)state;
	for (uint64_t at = 1000; at < 10000000; at += 10000)
		at < 1000000 ? put_job(to, 0, 10, at) : put_request(to, 0, 10, at);
	course = compare(to, &text);
	assert_int_equal(course.restarts, 1);
	assert_false(course.twice);
}

static void a_change_at_the_end_cuts_units_once_more(void **state)
{
	char *text;
	FILE *to = begin_text(&text);
	struct scope_single_pass_course course;

	(void)state;
	for (uint64_t at = 1000; at < 10000000; at += 10000)
		at < 9900000 ? put_job(to, 0, 10, at) : put_request(to, 0, 10, at);
	course = compare(to, &text);
	assert_true(course.twice);
}

/* The only one of its name. */
static void a_late_thread_unlike_any_other_is_learned(void **state)
{
	char *text;
	FILE *to = begin_text(&text);
	struct scope_single_pass_course course;

	(void)state;
	for (uint64_t at = 1000; at < 10000000; at += 10000) {
		put_request(to, 0, 10, at);
		if (at == 9001000)
			put_fork(to, 30, "cleaner", at);
		if (at > 9001000)
			put_job(to, 1, 30, at + 10);
	}
	course = compare(to, &text);
	assert_true(course.twice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_threads_need_one_run),
		cmocka_unit_test(a_thread_that_comes_late_does_as_those_of_its_name),
		cmocka_unit_test(a_change_early_on_begins_again),
		cmocka_unit_test(a_change_at_the_end_cuts_units_once_more),
		cmocka_unit_test(a_late_thread_unlike_any_other_is_learned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
