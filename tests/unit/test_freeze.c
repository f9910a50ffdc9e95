// SPDX-License-Identifier: GPL-2.0-only
/* Long stalls: their minimum length, and the minimum number of requests that they delay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/freeze.h"
#include "units_of.h"

#define MS 1000000ull

/* Clients of one thread ask at even times, and now and then it takes long. */
struct load {
	unsigned requests, clients;
	uint64_t apart_ms, takes_us;
	uint64_t stall_ms;
	unsigned stalls; /* evenly apart */
	unsigned brief;	 /* of them, the last ones: 60 ms */
	unsigned behind; /* requests that it takes right after the stall */
	bool peer;	 /* another thread serves as much, and never stalls */
	bool tasks;	 /* goroutines, which were looked at */
	bool later;	 /* answered in the next turn of the loop */
	bool own;	 /* stalls are work of the thread's own, and of no request */
};

static double kept;

static uint64_t write_requests(FILE *to, const struct load *load, unsigned tid, bool stalls)
{
	uint64_t now = MS;
	unsigned waiting = 0;

	for (unsigned i = 0; i < load->requests; i++) {
		const unsigned fd = 10 * tid + i % load->clients, cpu = tid - 10;
		const unsigned part = load->requests / (load->stalls + 1);
		const bool stall = stalls && i % part == 0 && i / part >= 1 && i / part <= load->stalls;
		bool brief;

		fprintf(to, "%ju %u enter %u epoll_wait enter=%ju args=5\n", (uintmax_t)now, cpu, tid, (uintmax_t)now);
		if (waiting) {
			waiting--;
		} else {
			fprintf(to, "%ju %u switch %u 0 sleeping\n", (uintmax_t)now, cpu, tid);
			now += load->apart_ms * MS;
			fprintf(to, "%ju %u waking %u from - softirq\n%ju %u switch 0 %u sleeping\n", (uintmax_t)now,
				cpu, tid, (uintmax_t)now, cpu, tid);
		}
		fprintf(to, "%ju %u exit %u epoll_wait ret=1\n", (uintmax_t)now, cpu, tid);
		if (!stall || !load->own)
			fprintf(to, "%ju %u syscall %u read enter=%ju ret=64 args=%u\n", (uintmax_t)(now + 200), cpu,
				tid, (uintmax_t)(now + 100), fd);
		brief = stall && i / part > load->stalls - load->brief;
		now += brief ? 60 * MS : stall ? load->stall_ms * MS : load->takes_us * 1000;
		waiting += stall ? load->behind : 0;
		if (load->later) {
			fprintf(to, "%ju %u syscall %u epoll_wait enter=%ju ret=1 args=5\n", (uintmax_t)now, cpu, tid,
				(uintmax_t)(now - 100));
			now += 1000;
		}
		if (!stall || !load->own)
			fprintf(to, "%ju %u syscall %u write enter=%ju ret=64 args=%u\n", (uintmax_t)now, cpu, tid,
				(uintmax_t)(now - 100), fd);
	}
	return now;
}

/* How many freezes; kept: by all. */
static size_t freezes_of(struct load load)
{
	struct scope_freezes freezes;
	struct run run;
	uint64_t end;
	size_t size, count;
	char *text, *lines;
	FILE *to = open_memstream(&lines, &size);

	assert_non_null(to);
	end = write_requests(to, &load, 10, true);
	if (load.peer)
		write_requests(to, &load, 11, false);
	assert_int_equal(fclose(to), 0);
	to = open_memstream(&text, &size);
	fprintf(to, "meta begin_ns 0\nmeta end_ns %ju\nfd 10 5 epoll -\n", (uintmax_t)end);
	for (unsigned fd = 100; fd < 120; fd++)
		fprintf(to, "fd 10 %u accepted -\n", fd);
	for (unsigned tid = 10; tid <= 10u + load.peer; tid++)
		fprintf(to, "0 %u state %u tgid=10 state=runnable since=0 run=0 comm=server on_cpu\n", tid - 10, tid);
	if (load.tasks)
		fputs("1 8191 tasks 10 0x1000 unwound since=1000 count=1\n", to);
	fputs(lines, to);
	assert_int_equal(fclose(to), 0);
	run = run_of(text);
	assert_int_equal(run.distributions->requests, load.requests * (1 + load.peer) - (load.own ? load.stalls : 0));
	assert_true(thread_of(run.units, 10)->account.run_ns > 0);
	assert_int_equal(scope_unit_groups_conclude(run.groups, run.pickups, run.units->timeline->threads), 0);
	assert_int_equal(scope_anomaly_freeze_find(run.distributions, run.groups, &freezes), 0);
	kept = freezes.kept;
	count = freezes.count;
	free(freezes.freeze);
	free(lines);
	free(text);
	end_run(&run);
	return count;
}

static const struct load alone = {
	.requests = 200,
	.clients = 4,
	.apart_ms = 100,
	.takes_us = 1000,
	.stall_ms = 5000,
	.stalls = 1,
};

static void a_stall_of_the_only_thread_keeps_as_many_as_it_usually_takes(void **state)
{
	(void)state;
	assert_int_equal(freezes_of(alone), 1);
	assert_in_range((uintmax_t)kept, 48, 51);
}

/* Its long part is the first one then. */
static void one_whose_request_is_answered_later_counts(void **state)
{
	struct load load = alone;

	(void)state;
	load.later = true;
	assert_int_equal(freezes_of(load), 1);
	assert_in_range((uintmax_t)kept, 48, 51);
}

static void one_of_less_than_a_second_is_no_freeze(void **state)
{
	struct load load = alone;

	(void)state;
	load.stall_ms = 1001;
	assert_int_equal(freezes_of(load), 1);
	load.stall_ms = 999;
	assert_int_equal(freezes_of(load), 0);
}

static const struct load busy = {
	.requests = 2000,
	.clients = 4,
	.apart_ms = 10,
	.takes_us = 100,
	.stall_ms = 400,
	.stalls = 2,
};

static void several_shorter_ones_count(void **state)
{
	struct load load = busy;

	(void)state;
	for (load.stalls = 1; load.stalls <= 5; load.stalls++)
		assert_int_equal(freezes_of(load), load.stalls == 1 || load.stalls == 5 ? 0 : load.stalls);
	load = busy;
	load.apart_ms = 4;
	load.stall_ms = 51;
	assert_int_equal(freezes_of(load), 2);
	load.stall_ms = 49;
	assert_int_equal(freezes_of(load), 0);
}

/* Nothing else judges those: they are no requests, and all alike. */
static void any_number_counts_that_are_of_no_request(void **state)
{
	struct load load = busy;

	(void)state;
	load.own = true;
	for (load.stalls = 1; load.stalls <= 20; load.stalls++)
		assert_int_equal(freezes_of(load), load.stalls == 1 ? 0 : load.stalls);
}

/* Three that people notice are freezes, however many brief ones there are; two and one of them are three. */
static void brief_ones_count_where_longer_ones_do_not(void **state)
{
	struct load load = busy;

	(void)state;
	load.stalls = 6;
	load.brief = 3;
	assert_int_equal(freezes_of(load), 3);
	load.stalls = 3;
	load.brief = 2;
	assert_int_equal(freezes_of(load), 3);
	load.stalls = 6;
	load.brief = 5;
	assert_int_equal(freezes_of(load), 0);
}

/* About 40 wait for each: a hundredth of all for both. */
static void shorter_ones_have_to_keep_many_waiting(void **state)
{
	struct load load = busy;

	(void)state;
	load.requests = 7500;
	assert_int_equal(freezes_of(load), 2);
	load.requests = 8300;
	assert_int_equal(freezes_of(load), 0);
}

/* Ten times as long as nearly all others. */
static void what_is_usual_is_no_freeze(void **state)
{
	struct load load = alone;

	(void)state;
	load.takes_us = 490000;
	assert_int_equal(freezes_of(load), 1);
	load.takes_us = 510000;
	assert_int_equal(freezes_of(load), 0);
}

static void a_thread_that_serves_one_client_keeps_nobody_else(void **state)
{
	struct load load = alone;

	(void)state;
	load.clients = 1;
	assert_int_equal(freezes_of(load), 0);
}

static void five_have_to_wait(void **state)
{
	struct load load = alone;

	(void)state;
	load.apart_ms = 900;
	assert_int_equal(freezes_of(load), 1);
	load.apart_ms = 1100;
	assert_int_equal(freezes_of(load), 0);
}

/* Its own clients wait for it beside a thread that goes on: those that it then has to take. */
static void beside_others_what_waited_counts(void **state)
{
	struct load load = alone;

	(void)state;
	load.peer = true;
	load.clients = 8;
	load.behind = 5;
	assert_int_equal(freezes_of(load), 1);
	assert_int_equal((int)kept, 5);
	load.behind = 4;
	assert_int_equal(freezes_of(load), 0);
}

static void where_threads_run_tasks_the_others_go_on(void **state)
{
	struct load load = alone;

	(void)state;
	load.tasks = true;
	assert_int_equal(freezes_of(load), 1);
	load.peer = true;
	load.clients = 8;
	load.behind = 5;
	assert_int_equal(freezes_of(load), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stall_of_the_only_thread_keeps_as_many_as_it_usually_takes),
		cmocka_unit_test(one_whose_request_is_answered_later_counts),
		cmocka_unit_test(one_of_less_than_a_second_is_no_freeze),
		cmocka_unit_test(several_shorter_ones_count),
		cmocka_unit_test(brief_ones_count_where_longer_ones_do_not),
		cmocka_unit_test(shorter_ones_have_to_keep_many_waiting),
		cmocka_unit_test(what_is_usual_is_no_freeze),
		cmocka_unit_test(a_thread_that_serves_one_client_keeps_nobody_else),
		cmocka_unit_test(any_number_counts_that_are_of_no_request),
		cmocka_unit_test(five_have_to_wait),
		cmocka_unit_test(beside_others_what_waited_counts),
		cmocka_unit_test(where_threads_run_tasks_the_others_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
