// SPDX-License-Identifier: GPL-2.0-only
/* Profiles of servers are compared with the requests from which the traces were made. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/random.h"
#include "server/profile.h"
#include "server/skeleton.h"
#include "units_of.h"

#define REQUESTS 10000

/* A trace with all that is made of it. */
struct made {
	char *text;
	struct run run;
	struct scope_server *server;
	struct scope_profile *profile;
};

static struct made profile_of(char *text)
{
	struct made made = { .text = text, .run = run_of(text) };

	assert_int_equal(scope_server_create(made.run.distributions, made.run.groups, made.run.pickups, made.run.trace,
					     &made.server),
			 0);
	assert_int_equal(scope_server_profile_create(made.run.trace, made.server, made.run.distributions,
						     made.run.groups, made.run.pickups, NULL, &made.profile),
			 0);
	return made;
}

static void end(struct made *made)
{
	scope_server_profile_destroy(made->profile);
	scope_server_destroy(made->server);
	end_run(&made->run);
	free(made->text);
}

static struct scope_skeleton skeleton_of(const struct made *made)
{
	return scope_server_skeleton_of(made->server, made->profile, made->run.distributions->run->timeline->threads);
}

static double uniform(uint64_t *random)
{
	return (double)(scope_random_next(random) >> 11) / (double)(1ull << 53);
}

/* P(size > x) = x^-1.1, up to 1 MB; and requests of two kinds. */
static uint64_t zipf(uint64_t *random)
{
	const double size = pow(1 - uniform(random), -1 / 1.1);

	return size > 1 << 20 ? 1 << 20 : (uint64_t)size;
}

static uint64_t bimodal(uint64_t *random)
{
	return uniform(random) < 0.7 ? 100 : 4096;
}

/*
 * A loop that answers REQUESTS requests, one each 100 µs; each has bytes by `bimodal`, and the answer by `zipf`. Every fourth one is
 * also written to a file. In calls it runs for 6 or 8 µs, and for 20 µs outside of them.
 */
static char *loop_text(uint64_t *asked, uint64_t *answered)
{
	uint64_t random = 25;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nmeta end_ns 1000000000\nfd 10 3 listen -\nfd 10 5 epoll -\nfd 10 7 accepted -\n"
		    "fd 10 8 file -\n1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n");
	for (int i = 0; i < REQUESTS; i++) {
		const int at = 100000 * i;

		asked[i] = bimodal(&random);
		answered[i] = zipf(&random);
		fprintf(to, "%d 0 syscall 10 epoll_wait enter=%d ret=1 args=5\n", at + 60000, at + 1000);
		fprintf(to, "%d 0 syscall 10 read enter=%d ret=%llu args=7\n", at + 62000, at + 61000,
			(unsigned long long)asked[i]);
		if (i % 4 == 0)
			fprintf(to, "%d 0 syscall 10 write enter=%d ret=512 args=8\n", at + 74000, at + 72000);
		fprintf(to, "%d 0 syscall 10 sendto enter=%d ret=%llu args=7\n", at + 86000, at + 81000,
			(unsigned long long)answered[i]);
	}
	/* It ends the last unit. */
	fprintf(to, "%d 0 syscall 10 epoll_wait enter=%d ret=0 args=5\n", 100000 * REQUESTS, 100000 * REQUESTS - 1000);
	assert_int_equal(fclose(to), 0);
	return text;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* Kolmogorov and Smirnov's distance between values, which it sorts, and what is drawn from their rows. */
static double distance(uint64_t *value, size_t n, const struct scope_values *values)
{
	struct scope_values_row *row;
	double most = 0;
	size_t rows;

	assert_int_equal(values->total, n);
	assert_int_equal(scope_values_rows(values, &row, &rows), 0);
	qsort(value, n, sizeof(*value), by_value);
	for (size_t i = 0; i < n; i++) {
		double below = 0;

		if (i + 1 < n && value[i + 1] == value[i])
			continue;
		for (size_t j = 0; j < rows; j++) {
			const double part = value[i] < row[j].low ? 0
								  : (double)(value[i] - row[j].low + 1) /
									    (double)(row[j].high - row[j].low + 1);

			below += (double)row[j].count * (part > 1 ? 1 : part);
		}
		most = fmax(most, fabs(below / (double)n - (double)(i + 1) / (double)n));
	}
	free(row);
	return most;
}

static uint64_t all_of(const struct scope_profile *profile, uint32_t stage)
{
	uint64_t units = 0;

	for (size_t i = 0; i < profile->paths; i++)
		units += profile->path[i].stage == stage ? profile->path[i].units : 0;
	return units;
}

static void requests_are_sorted_by_their_calls(void **state)
{
	static uint64_t asked[REQUESTS], answered[REQUESTS], few[REQUESTS];
	struct made made = profile_of(loop_text(asked, answered));
	const struct scope_profile_path *path = made.profile->path;
	size_t plain = 0;

	(void)state;
	assert_int_equal(made.profile->paths, 2);
	assert_int_equal(made.profile->stage[0].left_out, 0);
	assert_int_equal(path[0].units, REQUESTS * 3 / 4);
	assert_int_equal(path[1].units, REQUESTS / 4);
	assert_int_equal(path[0].asked + path[1].asked, REQUESTS);
	assert_int_equal(path[0].steps, 2);
	assert_int_equal(path[0].step[0].nr, SYS_read);
	assert_int_equal(path[0].step[0].kind, SCOPE_FD_ACCEPTED);
	assert_int_equal(path[0].step[1].nr, SYS_sendto);
	assert_int_equal(path[1].steps, 3);
	assert_int_equal(path[1].step[1].nr, SYS_write);
	assert_int_equal(path[1].step[1].kind, SCOPE_FD_FILE);
	assert_int_equal(scope_values_most(&path[1].step[1].bytes), 512);
	for (int i = 0; i < REQUESTS; i++)
		if (i % 4)
			few[plain++] = answered[i];
	assert_true(distance(few, plain, &path[0].step[1].bytes) <= 0.01);
	plain = 0;
	for (int i = 0; i < REQUESTS; i++)
		if (i % 4)
			few[plain++] = asked[i];
	assert_true(distance(few, plain, &path[0].step[0].bytes) <= 0.01);
	/* 1 µs before the read, 19 after it, the rest after the answer: until the next wait, 15 µs later. */
	assert_true(path[0].step[0].before_ns == 1000.0 * (double)path[0].units);
	assert_true(path[0].step[1].before_ns == 19000.0 * (double)path[0].units);
	assert_true(path[0].step[1].run_ns == 5000.0 * (double)path[0].units);
	assert_true(fabs(path[0].after_ns / (double)path[0].units - 15000) < 15);
	assert_true(fabs(path[0].program_sum_ns / (double)path[0].units - 35000) < 15);
	assert_true(fabs(path[1].program_sum_ns / (double)path[1].units - 33000) < 15);
	end(&made);
}

/* The rates are to 0.1 % those that the trace was made with. */
static void rates_are_those_of_the_trace(void **state)
{
	static uint64_t asked[REQUESTS], answered[REQUESTS];
	struct made made = profile_of(loop_text(asked, answered));
	const double window_s = made.server->window_ns / 1e9;

	(void)state;
	assert_int_equal(made.server->stages, 1);
	assert_true(fabs((double)made.server->stage[0].requests / window_s / 10000 - 1) <= 0.001);
	assert_true(fabs((double)made.profile->path[1].units / window_s / 2500 - 1) <= 0.001);
	assert_int_equal(made.profile->lives.count, 1);
	end(&made);
}

/*
 * A process that accepts connections, and serves one request of each. Every second client is late with it: then the thread
 * sleeps in its read, and units end there.
 */
static char *accept_text(void)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nmeta end_ns 41000000\nfd 10 3 listen -\n"
		    "1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n");
	for (int i = 0; i < 40; i++) {
		const int at = 1000000 * i;

		fprintf(to, "%d 0 enter 10 accept enter=%d args=3\n%d 0 switch 10 0 sleeping\n", at + 2000, at + 1000,
			at + 2000);
		fprintf(to, "%d 0 waking 10 from - softirq\n%d 0 switch 0 10 sleeping\n", at + 500000, at + 500000);
		fprintf(to, "%d 0 exit 10 accept ret=7\n", at + 501000);
		if (i % 2) {
			fprintf(to, "%d 0 enter 10 read enter=%d args=7\n%d 0 switch 10 0 sleeping\n", at + 504000,
				at + 503000, at + 504000);
			fprintf(to, "%d 0 waking 10 from - softirq\n%d 0 switch 0 10 sleeping\n", at + 600000,
				at + 600000);
			fprintf(to, "%d 0 exit 10 read ret=64\n", at + 601000);
		} else {
			fprintf(to, "%d 0 syscall 10 read enter=%d ret=64 args=7\n", at + 601000, at + 600000);
		}
		fprintf(to, "%d 0 syscall 10 write enter=%d ret=9 args=7\n", at + 650000, at + 640000);
		fprintf(to, "%d 0 syscall 10 close enter=%d ret=0 args=7\n", at + 652000, at + 651000);
	}
	assert_int_equal(fclose(to), 0);
	return text;
}

static void first_requests_belong_to_their_connections(void **state)
{
	struct made made = profile_of(accept_text());
	const struct scope_profile_path *path = made.profile->path;
	const struct scope_skeleton skeleton = skeleton_of(&made);

	(void)state;
	/* That the last one has ended is not seen. */
	assert_int_equal(path[0].units, 39);
	assert_int_equal(path[0].asked, 39);
	assert_int_equal(all_of(made.profile, 0), 39);
	assert_int_equal(path[0].steps, 4);
	assert_int_equal(path[0].step[0].nr, SYS_accept);
	assert_int_equal(path[0].step[1].nr, SYS_read);
	assert_int_equal(path[0].step[2].nr, SYS_write);
	assert_int_equal(path[0].step[3].nr, SYS_close);
	/* How long clients took to ask is in none of it. */
	assert_int_equal(path[0].step[1].slept_ns.total, 0);
	assert_int_equal(made.profile->accepts, 40);
	assert_int_equal(made.profile->lives.count, 40);
	assert_int_equal(skeleton.form, SCOPE_SKELETON_PRETHREAD);
	end(&made);
}

static void several_answers_are_several_units(void **state)
{
	const struct scope_profile_call call[] = {
		{ SYS_futex, SCOPE_CALL_FUTEX, SCOPE_FD_UNKNOWN, false, -1, 0, 100, 0, 2, 98, 0 },
		{ SYS_pread64, SCOPE_CALL_READ, SCOPE_FD_FILE, false, 9, 110, 120, 12, 22, 0, 4096 },
		{ SYS_write, SCOPE_CALL_WRITE, SCOPE_FD_ACCEPTED, true, 7, 130, 135, 32, 37, 0, 10 },
		{ SYS_write, SCOPE_CALL_WRITE, SCOPE_FD_ACCEPTED, false, 7, 140, 145, 42, 47, 0, 20 },
	};
	const struct scope_profile_unit unit = { .picked = true, .run_ns = 50, .wall_ns = 50, .call = call, .calls = 4 };
	struct scope_profile profile = { .stage = calloc(1, sizeof(struct scope_profile_stage)), .stages = 1 };
	struct scope_profile *made = malloc(sizeof(*made));

	(void)state;
	assert_non_null(made);
	*made = profile;
	for (int i = 0; i < 3; i++)
		assert_int_equal(scope_server_profile_add(made, &unit), 0);
	assert_int_equal(made->paths, 1);
	assert_int_equal(made->path[0].units, 3);
	assert_int_equal(made->path[0].steps, 2);
	assert_int_equal(made->path[0].step[1].calls, 6);
	assert_true(made->path[0].step[1].times.total == 3 && scope_values_most(&made->path[0].step[1].times) == 2);
	/* With the call that picked it up; without calls: 50 - 10 - 5 - 5. */
	assert_true(made->path[0].cpu_sum_ns == 3 * 52 && made->path[0].program_sum_ns == 3 * 30);
	assert_true(made->path[0].step[0].before_ns == 3 * 10 && made->path[0].step[1].before_ns == 3 * 15);
	assert_true(made->path[0].after_ns == 3 * 5);
	scope_server_profile_destroy(made);
}

/* A worker that finds more work in its queue makes no call to get it: four answers to two clients, in turns. */
static char *worker_text(void)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nmeta end_ns 50000000\nfd 10 3 listen -\nfd 10 5 epoll -\nfd 10 7 accepted -\n"
		    "fd 10 8 accepted -\n1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=loop on_cpu\n"
		    "1 1 state 20 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n");
	for (int i = 0; i < 40; i++) {
		const int at = 1000000 * i;

		fprintf(to, "%d 1 enter 20 futex enter=%d args=0x7e00,0x89,0\n%d 1 switch 20 0 sleeping\n", at + 2000,
			at + 1000, at + 2000);
		for (int j = 0; j < 4; j++) {
			fprintf(to, "%d 0 syscall 10 epoll_wait enter=%d ret=1 args=5\n", at + 100000 + 9000 * j,
				at + 99000 + 9000 * j);
			fprintf(to, "%d 0 syscall 10 read enter=%d ret=64 args=%d\n", at + 102000 + 9000 * j,
				at + 101000 + 9000 * j, 7 + j % 2);
		}
		fprintf(to, "%d 0 waking 20 from 10 task\n", at + 140000);
		fprintf(to, "%d 0 syscall 10 futex enter=%d ret=1 args=0x7e00,0x81\n", at + 141000, at + 139000);
		fprintf(to, "%d 1 switch 0 20 sleeping\n%d 1 exit 20 futex ret=0\n", at + 150000, at + 151000);
		for (int j = 0; j < 4; j++)
			fprintf(to, "%d 1 syscall 20 write enter=%d ret=100 args=%d\n", at + 200000 + 50000 * j,
				at + 190000 + 50000 * j, 7 + j % 2);
	}
	assert_int_equal(fclose(to), 0);
	return text;
}

static void workers_have_a_unit_for_each_answer(void **state)
{
	struct made made = profile_of(worker_text());
	const struct scope_stage *worker = scope_server_find(made.server, SCOPE_ROLE_WORKER);
	const struct scope_skeleton skeleton = skeleton_of(&made);
	double cpu_ns = 0;
	uint64_t answers = 0;

	(void)state;
	assert_non_null(worker);
	for (size_t i = 0; i < made.profile->paths; i++) {
		const struct scope_profile_path *path = &made.profile->path[i];

		if (path->stage != worker - made.server->stage)
			continue;
		assert_int_equal(path->steps, 1);
		assert_int_equal(path->step[0].nr, SYS_write);
		assert_int_equal(path->step[0].calls, path->units);
		answers += path->units;
		cpu_ns += path->cpu_sum_ns;
	}
	/* Of the last round only the first answer has ended. */
	assert_int_equal(answers, 39 * 4 + 1);
	/* From 0.15 ms on, until it sleeps for the next round. */
	assert_true(cpu_ns >= 39 * 200000 && cpu_ns <= 39 * 860000);
	assert_int_equal(skeleton.form, SCOPE_SKELETON_EVENT_LOOP);
	assert_true(skeleton.work_dispatch && !skeleton.network_dispatch);
	assert_string_equal(scope_server_skeleton_model(&skeleton), "epoll");
	end(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_sorted_by_their_calls),
		cmocka_unit_test(rates_are_those_of_the_trace),
		cmocka_unit_test(first_requests_belong_to_their_connections),
		cmocka_unit_test(several_answers_are_several_units),
		cmocka_unit_test(workers_have_a_unit_for_each_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
