// SPDX-License-Identifier: GPL-2.0-only
/* Shares of a variance compared with explicit sums; edges of requests in invented traces, and what they wait for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "units_of.h"
#include "variance/edge_table.h"
#include "variance/forest.h"

#define UNITS 6
#define PARTS 3

/* The second stage takes what the first one leaves. */
static const double stage[UNITS][PARTS] = {
	{ 1000, 5000, 200 }, { 2000, 4100, 0 }, { 3500, 2500, 900 },
	{ 1500, 4400, 100 }, { 9000, 700, 0 },	{ 2500, 3600, 300 },
};

static void sum_stages(double shift_ns, size_t from, size_t until, struct scope_spread *spread,
		       struct scope_part_sums *part)
{
	for (size_t i = from; i < until; i++) {
		const double shifted_ns = stage[i][0] + stage[i][1] + stage[i][2] - shift_ns;

		scope_variance_spread_add(spread, shifted_ns, SCOPE_BAND_NONE);
		for (size_t j = 0; j < PARTS; j++)
			if (stage[i][j] > 0)
				scope_variance_part_add(&part[j], stage[i][j], shifted_ns, SCOPE_BAND_NONE);
	}
}

static void expect_stages(double shift_ns, const struct scope_spread *spread, const struct scope_part_sums *part)
{
	/* By exact fractions (Python), of deviations from the means. */
	static const double share[PARTS] = { 2.056672760511883, -1.0212730596642845, -0.03539970084759847 };
	double sum = 0;

	assert_true(fabs(scope_variance_mean(spread, shift_ns) / 6883.333333333333 - 1) < 1e-12);
	assert_true(fabs(scope_variance_of(spread) / 1671388.888888889 - 1) < 1e-9);
	for (size_t j = 0; j < PARTS; j++) {
		assert_true(fabs(scope_variance_share(spread, &part[j]) - share[j]) < 1e-9);
		sum += scope_variance_share(spread, &part[j]);
	}
	assert_true(fabs(sum - 1) < 1e-9);
}

/* One share is above 1 and one is negative, whatever the shift; sums of halves merge. */
static void against_each_other(void **state)
{
	static const double shift[] = { 0, 6850, 1e6 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct scope_spread all = { 0 }, half = { 0 };
		struct scope_part_sums part[PARTS] = { { 0 } }, half_part[PARTS] = { { 0 } };

		sum_stages(shift[i], 0, UNITS, &all, part);
		expect_stages(shift[i], &all, part);
		all = half = (struct scope_spread){ 0 };
		for (size_t j = 0; j < PARTS; j++)
			part[j] = half_part[j] = (struct scope_part_sums){ 0 };
		sum_stages(shift[i], 0, 2, &all, part);
		sum_stages(shift[i], 2, UNITS, &half, half_part);
		scope_variance_spread_merge(&all, &half);
		for (size_t j = 0; j < PARTS; j++)
			scope_variance_part_merge(&part[j], &half_part[j]);
		expect_stages(shift[i], &all, part);
	}
}

/* 99 requests of 1 ms ± 0 and one band of five of 3 ms: the part that grows by 1.5 of 2 ms holds 75 %. */
static void tail(void **state)
{
	struct scope_spread spread = { 0 };
	struct scope_part_sums part = { 0 };

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		scope_variance_spread_add(&spread, 0, SCOPE_BAND_MIDDLE);
		scope_variance_part_add(&part, 0.5e6, 0, SCOPE_BAND_MIDDLE);
	}
	for (unsigned i = 0; i < SCOPE_VARIANCE_HIGH_MIN; i++) {
		assert_true(isnan(scope_variance_tail_share(&spread, &part)));
		scope_variance_spread_add(&spread, 2e6, SCOPE_BAND_HIGH);
		scope_variance_part_add(&part, 2e6, 2e6, SCOPE_BAND_HIGH);
	}
	assert_true(fabs(scope_variance_tail_share(&spread, &part) - 0.75) < 1e-12);
}

/* Latencies that do not differ have no shares, however large their shift. */
static void no_variance(void **state)
{
	struct scope_spread spread = { 0 };
	struct scope_part_sums part = { 0 };

	(void)state;
	assert_true(scope_variance_of(&spread) == 0 && scope_variance_share(&spread, &part) == 0);
	for (unsigned i = 0; i < 1000; i++) {
		scope_variance_spread_add(&spread, 0.1, SCOPE_BAND_NONE);
		scope_variance_part_add(&part, 7.7, 0.1, SCOPE_BAND_NONE);
	}
	assert_true(scope_variance_of(&spread) == 0 && scope_variance_share(&spread, &part) == 0);
}

/* All that the pass found of one unit. */
struct seen {
	struct scope_unit_edges edges;
	uint64_t wall_ns;
	unsigned units;
};

static int see(void *user, const struct scope_unit *unit, const struct scope_unit_edges *edges,
	       const struct scope_unit_edge_stack *stack, uint32_t stacks, const struct scope_unit_extras *extras)
{
	struct seen *seen = user;
	uint64_t sum_ns = 0;

	(void)stack, (void)stacks, (void)extras;
	for (uint32_t i = 0; i < edges->count; i++)
		for (unsigned part = 0; part < SCOPE_EDGE_PARTS; part++)
			sum_ns += edges->edge[i].ns[part];
	assert_int_equal(sum_ns, scope_unit_wall(unit));
	if (!seen->units++) {
		seen->edges = *edges;
		seen->wall_ns = scope_unit_wall(unit);
	}
	return 0;
}

static uint32_t enter(unsigned nr, unsigned what)
{
	return scope_variance_point(SCOPE_POINT_ENTER, (uint8_t)what, (uint16_t)nr);
}

static uint32_t back(unsigned nr, unsigned what)
{
	return scope_variance_point(SCOPE_POINT_RETURN, (uint8_t)what, (uint16_t)nr);
}

static void expect_edge(const struct seen *seen, uint32_t at, uint32_t from, uint32_t to, uint64_t run_ns,
			uint64_t sleep_ns, uint64_t queue_ns, uint32_t times)
{
	const struct scope_unit_edge *edge = &seen->edges.edge[at];

	assert_true(at < seen->edges.count);
	assert_true(edge->edge == scope_variance_edge(from, to));
	assert_int_equal(edge->ns[SCOPE_EDGE_RUNS], run_ns);
	assert_int_equal(edge->ns[SCOPE_EDGE_SLEEPS], sleep_ns);
	assert_int_equal(edge->ns[SCOPE_EDGE_QUEUES], queue_ns);
	assert_int_equal(edge->times, times);
}

#define HEAD "meta begin_ns 0\nmeta end_ns 100000000\nfd 100 7 accepted -\nfd 100 9 file -\n"
#define BEGIN "10 0 state 100 tgid=100 state=runnable since=0 run=0 comm=w on_cpu\n20 0 switch 0 100 sleeping\n"

/*
 * A loop of read and futex, of which one sleeps; a probe between them. The second read of the client turns out to take
 * the next request as it returns, and the unit ended as it was entered.
 */
static void loop_and_probe(void **state)
{
	struct run run = run_of(HEAD BEGIN "2000 0 syscall 100 read enter=1000 ret=64 args=7\n"
					   "4000 0 syscall 100 read enter=3000 ret=9 args=9\n"
					   "4500 0 probe 100 3 user\n"
					   "5000 0 enter 100 futex enter=5000 args=64,128\n"
					   "5100 0 switch 100 0 sleeping\n"
					   "25100 0 waking 100 from - hardirq\n"
					   "25400 0 switch 0 100 sleeping\n"
					   "25500 0 exit 100 futex ret=0\n"
					   "26500 0 syscall 100 read enter=26000 ret=9 args=9\n"
					   "27000 0 probe 100 3 user\n"
					   "27600 0 syscall 100 futex enter=27500 ret=0 args=64,129\n"
					   "28100 0 syscall 100 write enter=28000 ret=9 args=7\n"
					   "29100 0 syscall 100 read enter=29000 ret=64 args=7\n"
					   "29500 0 syscall 100 write enter=29400 ret=9 args=7\n"
					   "29800 0 syscall 100 read enter=29700 ret=64 args=7\n");
	const uint32_t probe = scope_variance_point(SCOPE_POINT_PROBE, 0, 3);
	struct seen seen = { 0 };
	uint32_t at = 0;

	(void)state;
	assert_int_equal(scope_variance_edge_pass(run.trace, run.groups, run.pickups, NULL, see, &seen), 0);
	assert_int_equal(seen.units, 2);
	assert_int_equal(seen.wall_ns, 27000);
	expect_edge(&seen, at++, back(SYS_read, SCOPE_FD_ACCEPTED), enter(SYS_read, SCOPE_FD_FILE), 1000, 0, 0, 1);
	expect_edge(&seen, at++, enter(SYS_read, SCOPE_FD_FILE), back(SYS_read, SCOPE_FD_FILE), 1500, 0, 0, 2);
	expect_edge(&seen, at++, back(SYS_read, SCOPE_FD_FILE), probe, 1000, 0, 0, 2);
	expect_edge(&seen, at++, probe, enter(SYS_futex, 0), 1000, 0, 0, 2);
	expect_edge(&seen, at++, enter(SYS_futex, 0), back(SYS_futex, 0), 300, 20000, 300, 2);
	expect_edge(&seen, at++, back(SYS_futex, 0), enter(SYS_read, SCOPE_FD_FILE), 500, 0, 0, 1);
	expect_edge(&seen, at++, back(SYS_futex, 0), enter(SYS_write, SCOPE_FD_ACCEPTED), 400, 0, 0, 1);
	expect_edge(&seen, at++, enter(SYS_write, SCOPE_FD_ACCEPTED), back(SYS_write, SCOPE_FD_ACCEPTED), 100, 0, 0, 1);
	expect_edge(&seen, at++, back(SYS_write, SCOPE_FD_ACCEPTED), scope_variance_point(SCOPE_POINT_END, 0, 0), 900,
		    0, 0, 1);
	assert_int_equal(at, seen.edges.count);
	end_run(&run);
}

/* Lines of a trace, written one by one. */
struct lines {
	FILE *to;
	char *text;
	size_t size;
};

static void begin_lines(struct lines *lines)
{
	lines->to = open_memstream(&lines->text, &lines->size);
	assert_non_null(lines->to);
	fputs(HEAD BEGIN, lines->to);
}

/* A call of 100 ns. Returns its end. */
static uint64_t put(struct lines *lines, uint64_t at_ns, unsigned tid, const char *call, int ret, const char *args)
{
	fprintf(lines->to, "%llu %u syscall %u %s enter=%llu ret=%d args=%s\n", (unsigned long long)at_ns + 100,
		tid - 100, tid, call, (unsigned long long)at_ns, ret, args);
	return at_ns + 100;
}

static struct run end_lines(struct lines *lines)
{
	struct run run;

	fclose(lines->to);
	run = run_of(lines->text);
	free(lines->text);
	return run;
}

/* A request of 10,000 calls by turns: what is kept apart of it does not matter. */
static void long_request(void **state)
{
	struct lines lines = { 0 };
	struct seen seen = { 0 };
	struct run run;
	uint64_t now;

	(void)state;
	begin_lines(&lines);
	now = put(&lines, 1000, 100, "read", 64, "7");
	for (unsigned i = 0; i < 5000; i++) {
		now = put(&lines, now + 50, 100, "read", 9, "9");
		now = put(&lines, now + 70, 100, "getpid", 1, "0");
	}
	now = put(&lines, now + 10, 100, "write", 9, "7");
	put(&lines, now + 10, 100, "read", 64, "7");
	run = end_lines(&lines);
	assert_int_equal(scope_variance_edge_pass(run.trace, run.groups, run.pickups, NULL, see, &seen), 0);
	expect_edge(&seen, 0, back(SYS_read, SCOPE_FD_ACCEPTED), enter(SYS_read, SCOPE_FD_FILE), 50, 0, 0, 1);
	expect_edge(&seen, 1, enter(SYS_read, SCOPE_FD_FILE), back(SYS_read, SCOPE_FD_FILE), 500000, 0, 0, 5000);
	expect_edge(&seen, 2, back(SYS_read, SCOPE_FD_FILE), enter(SYS_getpid, 0), 350000, 0, 0, 5000);
	expect_edge(&seen, 4, back(SYS_getpid, 0), enter(SYS_read, SCOPE_FD_FILE), 249950, 0, 0, 4999);
	end_run(&run);
}

/* More different edges than have room: the rest of the unit is in one, and nothing is lost. */
static void many_edges(void **state)
{
	struct lines lines = { 0 };
	struct seen seen = { 0 };
	struct run run;
	uint64_t now;

	(void)state;
	begin_lines(&lines);
	now = put(&lines, 1000, 100, "read", 64, "7");
	for (unsigned i = 0; i < 60; i++) {
		char nr[16];

		snprintf(nr, sizeof(nr), "%u", 100 + i);
		now = put(&lines, now + 50, 100, nr, 0, "0");
	}
	now = put(&lines, now + 10, 100, "write", 9, "7");
	put(&lines, now + 10, 100, "read", 64, "7");
	run = end_lines(&lines);
	assert_int_equal(scope_variance_edge_pass(run.trace, run.groups, run.pickups, NULL, see, &seen), 0);
	assert_int_equal(seen.edges.count, SCOPE_UNIT_EDGES + 1);
	assert_true(seen.edges.edge[SCOPE_UNIT_EDGES].edge == SCOPE_EDGE_UNSEEN);
	end_run(&run);
}

/* More paths than have room: requests of further ones are one path, and the sums of the kind are the same. */
static void many_paths(void **state)
{
	struct scope_edge_table table = { 0 };
	struct scope_variance_path all = { 0 };
	struct scope_unit unit = { .begin_ns = 0, .end_ns = 1000 };
	double sum = 0;

	(void)state;
	for (uint64_t i = 0; i < SCOPE_VARIANCE_PATHS + 500; i++) {
		struct scope_unit_edges edges = { .count = 2 };

		edges.edge[0] = (struct scope_unit_edge){ .edge = 1, .ns = { 100, 0, 0 }, .times = 1 };
		edges.edge[1] = (struct scope_unit_edge){ .edge = 10 + i, .ns = { 0, 3 * i, 0 }, .times = 1 };
		assert_int_equal(
			scope_variance_table_add(&table, 0, &unit, &edges, (double)(3 * i) - 2000, SCOPE_BAND_NONE), 0);
	}
	assert_int_equal(table.count, SCOPE_VARIANCE_PATHS + 1);
	assert_true(table.path[SCOPE_VARIANCE_PATHS].rest);
	assert_int_equal(table.path[SCOPE_VARIANCE_PATHS].spread.units, 500);
	for (size_t i = 0; i < table.count; i++)
		assert_int_equal(scope_variance_table_merge(&all, &table.path[i]), 0);
	assert_int_equal(all.spread.units, SCOPE_VARIANCE_PATHS + 500);
	assert_true(all.edges <= SCOPE_VARIANCE_KIND_EDGES + 1);
	for (size_t i = 0; i < all.edges; i++)
		sum += scope_variance_share(&all.spread, &all.edge[i].all);
	assert_true(fabs(sum - 1) < 1e-9);
	free(all.edge);
	scope_variance_table_free(&table);
}

/*
 * Thread 100 answers 40 requests and asks thread 101 in each, which takes 1 ms for every fourth and 0.1 ms for the
 * others: the sleep is attributed to 101, which ran.
 */
static void sleep_is_attributed_to_the_waker(void **state)
{
	struct lines lines = { 0 };
	struct scope_variance *variance;
	const struct scope_variance_kind *kind;
	struct run run;
	uint64_t now = 1000;

	(void)state;
	begin_lines(&lines);
	fputs("10 1 state 101 tgid=100 state=runnable since=0 run=0 comm=helper on_cpu\n20 1 switch 0 101 sleeping\n",
	      lines.to);
	for (unsigned i = 0; i < 41; i++) {
		const uint64_t ns = i % 4 ? 100000 : 1000000;

		now = put(&lines, now, 100, "read", 64, "7");
		fprintf(lines.to,
			"%llu 0 enter 100 futex enter=%llu args=64,128\n%llu 0 switch 100 0 sleeping\n"
			"%llu 0 waking 100 from 101 task\n%llu 0 switch 0 100 sleeping\n%llu 0 exit 100 futex ret=0\n",
			(unsigned long long)now + 1000, (unsigned long long)now + 1000, (unsigned long long)now + 1000,
			(unsigned long long)(now + 1000 + ns), (unsigned long long)(now + 1000 + ns),
			(unsigned long long)(now + 1000 + ns));
		now = put(&lines, now + 2000 + ns, 100, "write", 9, "7");
	}
	run = end_lines(&lines);
	assert_int_equal(
		scope_variance_create(run.trace, run.distributions, run.groups, run.pickups, NULL, NULL, &variance), 0);
	assert_int_equal(variance->kinds, 1);
	kind = variance->kind;
	assert_int_equal(kind->spread.units, 40);
	/* 10 of 40 take 0.9 ms longer: the deviation is 0.9 √(1/4 · 3/4). */
	assert_true(fabs(scope_variance_of(&kind->spread) / (0.9e6 * 0.9e6 * 3 / 16) - 1) < 1e-9);
	assert_true(kind->edge[0].edge == scope_variance_edge(enter(SYS_futex, 0), back(SYS_futex, 0)));
	assert_true(fabs(kind->edge[0].share - 1) < 1e-9 && kind->edge[0].units == 40);
	assert_true(kind->between == 0 && kind->paths == 1 && fabs(kind->path[0]->share - 1) < 1e-9);
	assert_true(fabs(kind->cv / (sqrt(scope_variance_of(&kind->spread)) / kind->mean_ns) - 1) < 1e-9);
	assert_true(kind->waits && kind->wait[0].end == SCOPE_END_RUNS);
	assert_int_equal(kind->wait[0].nr, SYS_futex);
	assert_int_equal(kind->wait[0].group, run.groups->of_thread[thread_of(run.units, 101)->index]);
	assert_true(fabs(kind->wait[0].share - 1) < 1e-9);
	scope_variance_destroy(variance);
	end_run(&run);
}

/*
 * A kind of 96 requests of 1 ms and 4 of 3 ms, of which the 95th percentile is 1 ms. Paths are judged at the limits: more than
 * 10 %, above the percentile, 4 requests.
 */
static void hypotheses(void **state)
{
	const struct scope_forest_limits *limits = &scope_variance_forest_defaults;
	struct scope_edge_sums edge[2] = {
		{ .edge = 1, .all = { .sum = 9e6, .with_latency = 0 } },
		{ .edge = 2, .all = { .sum = 3e6, .with_latency = 3e12 } },
	};
	struct scope_variance_kind kind = { .shift_ns = 1e6 };
	struct scope_variance_path path = {
		.spread = { .units = 4, .sum = 4e6, .squares = 7e12 },
		.edge = edge,
		.edges = 2,
		.mean_ns = 3e6,
		.cv = 0.1,
	};
	double share = 0;

	(void)state;
	assert_int_equal(scope_sketch_add(&kind.latency, 1000000, 96), 0);
	assert_int_equal(scope_sketch_add(&kind.latency, 3000000, 4), 0);
	assert_true(fabs(scope_variance_slow_ns(&kind, limits) / 1e6 - 1) < 0.002);
	assert_int_equal(scope_variance_judge(&kind, &path, limits), SCOPE_FOREST_SLOW);
	assert_true(scope_variance_suspect(&path, SCOPE_FOREST_SLOW, &share) == &edge[0]);
	assert_true(fabs(share - 0.75) < 1e-12);
	path.cv = 0.1001;
	assert_int_equal(scope_variance_judge(&kind, &path, limits), SCOPE_FOREST_UNPREDICTABLE);
	/* Σ(T−1 ms)² = 7 − 4²/4 = 3 ms², of which the second edge has 3 − 3·4/4 = 0, and the first −9·4/4 = −9. */
	assert_true(scope_variance_suspect(&path, SCOPE_FOREST_UNPREDICTABLE, &share) == &edge[1]);
	assert_true(fabs(share) < 1e-12);
	path.cv = 0.1;
	path.mean_ns = 0.99e6;
	assert_int_equal(scope_variance_judge(&kind, &path, limits), SCOPE_FOREST_EVEN);
	assert_null(scope_variance_suspect(&path, SCOPE_FOREST_EVEN, &share));
	path.spread.units = 3;
	path.cv = 1;
	assert_int_equal(scope_variance_judge(&kind, &path, limits), SCOPE_FOREST_FEW);
	scope_sketch_free(&kind.latency);
}

/* The request that was asked for keeps its edges, and is found in its path by them. */
static void one_request(void **state)
{
	struct lines lines = { 0 };
	struct scope_variance_request request = { 0 };
	struct scope_variance *variance;
	struct scope_forest_place place;
	struct run run;
	uint64_t now = 1000;

	(void)state;
	begin_lines(&lines);
	for (unsigned i = 0; i < 31; i++) {
		now = put(&lines, now, 100, "read", 64, "7");
		if (i == 17)
			request.begin_ns = now;
		if (i % 5 == 2)
			now = put(&lines, now + 4000, 100, "read", 9, "9");
		now = put(&lines, now + 100 * i, 100, "write", 9, "7") + 50;
	}
	run = end_lines(&lines);
	request.thread = thread_of(run.units, 100)->index;
	assert_int_equal(scope_variance_create(run.trace, run.distributions, run.groups, run.pickups, NULL, &request,
					       &variance),
			 0);
	assert_non_null(variance->request);
	assert_int_equal(variance->request->edges.count, 5);
	assert_int_equal(variance->request->edges.edge[0].ns[SCOPE_EDGE_RUNS], 4000);
	assert_int_equal(variance->request->edges.edge[2].ns[SCOPE_EDGE_RUNS], 1700);
	assert_int_equal(variance->kind->paths, 2);
	assert_true(variance->kind->between > 0.5);
	place = scope_variance_place(variance, variance->request, &scope_variance_forest_defaults);
	assert_true(place.kind == variance->kind && place.path == variance->kind->path[1]);
	assert_int_equal(place.number, 2);
	/* 5 or 6 requests, i of which was 2, 7, … 27: its write was 1,700 ns after the read, and the mean 1,450 ns. */
	assert_true(fabs(scope_variance_excess(place.path, &variance->request->edges.edge[2]) - 250) < 1e-6);
	scope_variance_destroy(variance);
	end_run(&run);
}

/*
 * 400 requests whose latency is in part that of the bytes they write: of two parts of equal scatter one weighs 100 and one 62, so R
 * is 100 / √(100² + 62²), 0.85. How many calls they make and when they come has nothing to do with it.
 */
static void keys(void **state)
{
	struct lines lines = { 0 };
	struct scope_variance *variance;
	const double *key;
	struct run run;
	uint64_t now = 1000, chance = 7;

	(void)state;
	begin_lines(&lines);
	for (unsigned i = 0; i <= 400; i++) {
		const uint64_t enter_ns = now;
		unsigned word[4];

		for (unsigned j = 0; j < 4; j++) {
			chance = chance * 6364136223846793005ull + 1442695040888963407ull;
			word[j] = (unsigned)(chance >> 40) % 1000;
		}
		now += 100 + 50ull * word[3];
		fprintf(lines.to, "%llu 0 syscall 100 read enter=%llu ret=64 args=7\n", (unsigned long long)now,
			(unsigned long long)enter_ns);
		for (unsigned j = 0; j < word[2] % 4; j++)
			now = put(&lines, now, 100, "getpid", 1, "0");
		now += 20000 + 100ull * word[0] + 62ull * word[1] - 100ull * (word[2] % 4);
		now = put(&lines, now, 100, "write", 100 + (int)word[0], "7") + 10;
	}
	run = end_lines(&lines);
	assert_int_equal(
		scope_variance_create(run.trace, run.distributions, run.groups, run.pickups, NULL, NULL, &variance), 0);
	assert_int_equal(variance->kind->spread.units, 400);
	key = variance->kind->key;
	assert_true(fabs(key[SCOPE_KEY_BYTES] - 0.85) < 0.03);
	assert_true(fabs(key[SCOPE_KEY_CALLS]) < 0.15 && fabs(key[SCOPE_KEY_PAUSE]) < 0.15);
	scope_variance_destroy(variance);
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_each_other),
		cmocka_unit_test(tail),
		cmocka_unit_test(no_variance),
		cmocka_unit_test(loop_and_probe),
		cmocka_unit_test(long_request),
		cmocka_unit_test(many_edges),
		cmocka_unit_test(many_paths),
		cmocka_unit_test(sleep_is_attributed_to_the_waker),
		cmocka_unit_test(hypotheses),
		cmocka_unit_test(one_request),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
