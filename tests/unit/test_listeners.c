// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners of the pass that cuts units are called as by a timeline of their own: for a file, for a file
 * that is followed while it is written, and if the pass has to begin again. The units are the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "begin_text.h"
#include "stream_feed.h"
#include "trace_of.h"

#define START 200 /* events read in advance */

/* What one listener heard. */
struct heard {
	unsigned begun, finished;
	uint64_t calls, waits, ends, stacks, losses;
	uint64_t sum;	 /* of all but stacks, in their order */
	uint64_t end_ns; /* of the window, as it was finished */
	const struct scope_timeline *timeline;
};

static void add(struct heard *heard, uint64_t what, uint64_t thread, uint64_t time_ns)
{
	heard->sum = (heard->sum ^ what ^ thread << 8 ^ time_ns << 16) * 0x100000001b3ull;
}

static int begin(void *user, const struct scope_timeline *timeline)
{
	struct heard *heard = user;

	*heard = (struct heard){ .begun = heard->begun + 1, .timeline = timeline };
	return 0;
}

static int finish(void *user)
{
	struct heard *heard = user;

	heard->finished++;
	heard->end_ns = heard->timeline->end_ns;
	return 0;
}

static int hear_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		     uint64_t exit_ns)
{
	struct heard *heard = user;

	heard->calls++;
	add(heard, call->nr + (uint64_t)ret, thread->index, exit_ns);
	return 0;
}

static int hear_wait(void *user, const struct scope_wait *wait)
{
	struct heard *heard = user;

	heard->waits++;
	add(heard, wait->class, wait->thread, wait->end_ns - wait->begin_ns);
	return 0;
}

static int hear_stack(void *user, uint32_t thread, const struct scope_event *event)
{
	struct heard *heard = user;

	(void)thread, (void)event;
	heard->stacks++;
	return 0;
}

static int hear_lost(void *user, uint32_t thread, uint64_t now_ns)
{
	struct heard *heard = user;

	heard->losses++;
	add(heard, 1, thread, now_ns);
	return 0;
}

static int hear_end(void *user, uint32_t thread, uint64_t now_ns)
{
	struct heard *heard = user;

	heard->ends++;
	add(heard, 2, thread, now_ns);
	return 0;
}

/* Of each call, its return. */
static const struct scope_timeline_ops all_ops = {
	.exit = hear_exit,
	.wait = hear_wait,
	.stack = hear_stack,
	.lost = hear_lost,
	.end = hear_end,
};

/* It only counts calls, so any of them may be plain; in their order they are not reported. */
static uint32_t any_role(void *user, uint32_t thread)
{
	(void)user, (void)thread;
	return UINT32_MAX;
}

static bool count_plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
			enum scope_timeline_call_role role)
{
	struct heard *heard = user;

	(void)thread, (void)event, (void)role;
	heard->calls++;
	return true;
}

static int count_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		      uint64_t exit_ns)
{
	struct heard *heard = user;

	(void)thread, (void)call, (void)ret, (void)exit_ns;
	heard->calls++;
	return 0;
}

static const struct scope_timeline_ops counting_ops = {
	.plain_roles = any_role,
	.plain = count_plain,
	.exit = count_exit,
};

/* What its own timeline reports. */
static struct heard alone(struct scope_trace *trace)
{
	struct scope_timeline *timeline;
	struct heard heard = { 0 };

	assert_int_equal(scope_timeline_create(trace, &timeline), 0);
	assert_int_equal(scope_timeline_run(timeline, trace, &all_ops, &heard), 0);
	heard.end_ns = timeline->end_ns;
	scope_timeline_destroy(timeline);
	return heard;
}

static void assert_heard(const struct heard *heard, const struct heard *wanted)
{
	assert_int_equal(heard->calls, wanted->calls);
	assert_int_equal(heard->waits, wanted->waits);
	assert_int_equal(heard->stacks, wanted->stacks);
	assert_int_equal(heard->losses, wanted->losses);
	assert_int_equal(heard->ends, wanted->ends);
	assert_true(heard->sum == wanted->sum);
	assert_int_equal(heard->end_ns, wanted->end_ns);
	assert_int_equal(heard->finished, 1);
}

static void assert_same_units(const struct scope_found_units *a, const struct scope_found_units *b)
{
	assert_true(a->distributions->units > 8);
	assert_int_equal(a->distributions->units, b->distributions->units);
	assert_int_equal(a->distributions->requests, b->distributions->requests);
	assert_true(a->distributions->busy_ns == b->distributions->busy_ns);
	assert_int_equal(a->groups->count, b->groups->count);
}

/* From a file, both kinds at once, then the one that counts alone; how often the pass began. */
static unsigned listen_to(FILE *to, char **text)
{
	struct scope_found_units plain, found;
	struct heard all = { 0 }, counted = { 0 }, wanted;
	struct scope_pass_listener listener[] = {
		{ .ops = &all_ops, .begin = begin, .finish = finish, .user = &all },
		{ .ops = &counting_ops, .begin = begin, .user = &counted },
	};
	struct scope_listeners listeners = { listener, 2 };
	struct scope_trace *trace;
	unsigned begun;

	assert_int_equal(fclose(to), 0);
	trace = trace_of(*text);
	wanted = alone(trace);
	assert_true(wanted.calls > 100);
	assert_int_equal(scope_analysis_single_pass_run(trace, START, NULL, &plain, NULL), 0);
	assert_int_equal(scope_analysis_single_pass_run(trace, START, &listeners, &found, NULL), 0);
	assert_heard(&all, &wanted);
	assert_int_equal(counted.calls, wanted.calls);
	assert_same_units(&found, &plain);
	begun = all.begun;
	assert_int_equal(counted.begun, begun);
	scope_analysis_found_units_destroy(&found);

	listeners = (struct scope_listeners){ &listener[1], 1 };
	counted = (struct heard){ 0 };
	assert_int_equal(scope_analysis_single_pass_run(trace, START, &listeners, &found, NULL), 0);
	assert_int_equal(counted.calls, wanted.calls);
	assert_same_units(&found, &plain);
	scope_analysis_found_units_destroy(&found);
	scope_analysis_found_units_destroy(&plain);
	scope_trace_close(trace);
	free(*text);
	return begun;
}

static void put_call(FILE *to, uint32_t tid, uint64_t enter_ns, uint64_t exit_ns, const char *name, unsigned fd)
{
	fprintf(to, "%ju 0 syscall %u %s enter=%ju ret=8 args=%u\n", (uintmax_t)exit_ns, tid, name, (uintmax_t)enter_ns,
		fd);
}

static void put_request(FILE *to, uint64_t at)
{
	put_call(to, 10, at, at + 2000, "epoll_wait", 5);
	put_call(to, 10, at + 3000, at + 3500, "read", 7);
	put_call(to, 10, at + 4000, at + 4100, "getpid", 0);
	put_call(to, 10, at + 4200, at + 4300, "getpid", 0);
	put_call(to, 10, at + 6000, at + 7000, "write", 7);
	fprintf(to, "%ju 0 sample 10 0x1010\n", (uintmax_t)at + 7500);
}

static void put_job(FILE *to, uint64_t at)
{
	fprintf(to, "%ju 0 enter 10 read enter=%ju args=9\n", (uintmax_t)at + 1000, (uintmax_t)at);
	fprintf(to, "%ju 0 switch 10 0 sleeping\n", (uintmax_t)at + 1001);
	fprintf(to, "%ju 0 switch 0 10 sleeping\n", (uintmax_t)at + 3000);
	fprintf(to, "%ju 0 exit 10 read ret=8\n", (uintmax_t)at + 3100);
	put_call(to, 10, at + 5000, at + 7000, "fsync", 8);
}

/* Jobs up to change_ns, requests from then on, and the thread's end. */
static FILE *changing(uint64_t change_ns, uint64_t step_ns, char **text)
{
	FILE *to = begin_text(text);
	uint64_t at;

	for (at = 1000; at < 1000 * step_ns; at += step_ns)
		at < change_ns ? put_job(to, at) : put_request(to, at);
	fprintf(to, "%ju 0 thread_exit 10 tgid=1\n", (uintmax_t)at);
	return to;
}

static void they_hear_of_a_file(void **state)
{
	char *text;
	FILE *to = changing(0, 10000, &text);

	(void)state;
	assert_int_equal(listen_to(to, &text), 1);
}

static void they_begin_again_where_decisions_do_not_hold(void **state)
{
	char *text;
	FILE *to = changing(1000000, 10000, &text);

	(void)state;
	assert_true(listen_to(to, &text) > 1);
}

static void they_begin_again_where_units_are_cut_once_more(void **state)
{
	char *text;
	FILE *to = changing(9900000, 10000, &text);

	(void)state;
	assert_true(listen_to(to, &text) > 1);
}

/* The file grows in steps of 0.2 s; the thread changes when the second reader has begun. */
static void follow(uint64_t change_ns, unsigned restarts)
{
	struct heard heard = { 0 }, wanted;
	const struct scope_pass_listener listener = {
		.ops = &all_ops,
		.begin = begin,
		.finish = finish,
		.user = &heard,
	};
	const struct scope_listeners listeners = { &listener, 1 };
	struct feed feed = { .step_events = 300000, .listeners = &listeners };
	struct scope_trace *trace, *whole = NULL;
	struct scope_found_units found;
	char *text;

	assert_int_equal(fclose(changing(change_ns, 10000000, &text)), 0);
	trace = trace_of(text);
	assert_int_equal(feed_run(&feed, trace), 0);
	assert_int_equal(scope_trace_open_fd(fileno(feed.file), "the feed", NULL, &whole), 0);
	wanted = alone(whole);
	assert_int_equal(scope_analysis_stream_finish(feed.stream, UINT64_MAX, &found), 0);
	assert_int_equal(scope_analysis_stream_restarts(feed.stream), restarts);
	assert_int_equal(heard.begun, 1 + restarts);
	assert_heard(&heard, &wanted);
	scope_analysis_found_units_destroy(&found);
	scope_trace_close(whole);
	scope_trace_close(trace);
	feed_free(&feed);
	free(text);
}

static void they_hear_of_a_file_that_grows(void **state)
{
	(void)state;
	follow(0, 0);
}

static void they_begin_again_while_it_grows(void **state)
{
	(void)state;
	follow(4000000000ull, 1);
}

static int refuse(void *user, const struct scope_wait *wait)
{
	(void)user, (void)wait;
	return -77;
}

static void an_error_of_theirs_ends_the_pass(void **state)
{
	static const struct scope_timeline_ops ops = { .wait = refuse };
	struct heard heard = { 0 };
	const struct scope_pass_listener listener = { .ops = &ops, .begin = begin, .user = &heard };
	const struct scope_listeners listeners = { &listener, 1 };
	struct scope_found_units found = { 0 };
	struct scope_trace *trace;
	char *text;

	(void)state;
	assert_int_equal(fclose(changing(9900000, 10000, &text)), 0);
	trace = trace_of(text);
	assert_int_equal(scope_analysis_single_pass_run(trace, START, &listeners, &found, NULL), -77);
	assert_null(found.distributions);
	scope_trace_close(trace);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_hear_of_a_file),
		cmocka_unit_test(they_begin_again_where_decisions_do_not_hold),
		cmocka_unit_test(they_begin_again_where_units_are_cut_once_more),
		cmocka_unit_test(they_hear_of_a_file_that_grows),
		cmocka_unit_test(they_begin_again_while_it_grows),
		cmocka_unit_test(an_error_of_theirs_ends_the_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
