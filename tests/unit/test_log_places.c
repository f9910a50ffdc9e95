// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of units and sleeps is replayed in parts: each row once, and from a given time all rows that ended then or
 * later.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/group.h"
#include "unit/log.h"

#define ROWS 300000

/* Sums of the sleeps that ended at from_ns or later. */
struct sums {
	uint64_t from_ns, count, ends_ns, objects;
	uint64_t all; /* rows gone through */
};

static int add(void *user, const struct scope_wait *wait)
{
	struct sums *sums = user;

	sums->all++;
	if (wait->end_ns < sums->from_ns)
		return 0;
	sums->count++;
	sums->ends_ns += wait->end_ns;
	sums->objects += wait->object;
	return 0;
}

static struct sums replay(struct scope_unit_log *log, uint64_t from_ns, struct scope_log_place from,
			  struct scope_log_place until)
{
	static const struct scope_groups groups;
	struct sums sums = { .from_ns = from_ns };
	const struct scope_unit_sink sink = { .wait = add, .user = &sums };

	assert_int_equal(scope_unit_log_replay(log, &groups, &from, &until, &sink), 0);
	return sums;
}

/* A row each 1,000 ns. Every tenth is reported up to 0.2 ms after its end, so that rows are not quite in order. */
static void put(struct scope_unit_log *log, uint64_t begin, uint64_t end)
{
	for (uint64_t i = begin; i < end; i++) {
		const uint64_t end_ns = 1000000000 + i * 1000 - (i % 10 ? 0 : random() % 200000);
		const struct scope_wait wait = {
			.object = i, .begin_ns = end_ns - 500, .wake_ns = end_ns - 100, .end_ns = end_ns
		};

		assert_int_equal(scope_unit_log_wait(log, &wait), 0);
	}
}

static void parts_make_the_whole(void **state)
{
	struct scope_log_place place = { 0 };
	struct scope_unit_log *log;
	struct sums whole, parts = { 0 };

	(void)state;
	assert_int_equal(scope_unit_log_create(NULL, &log), 0);
	for (unsigned i = 0; i < 7; i++) {
		struct sums part;

		put(log, ROWS / 7 * i, ROWS / 7 * (i + 1));
		part = replay(log, 0, place, scope_unit_log_end(log));
		parts.count += part.count;
		parts.ends_ns += part.ends_ns;
		parts.objects += part.objects;
		place = scope_unit_log_end(log);
	}
	whole = replay(log, 0, (struct scope_log_place){ 0 }, place);
	assert_int_equal(whole.count, ROWS / 7 * 7);
	assert_int_equal(parts.count, whole.count);
	assert_int_equal(parts.ends_ns, whole.ends_ns);
	assert_int_equal(parts.objects, whole.objects);
	assert_int_equal(replay(log, 0, place, place).count, 0);
	scope_unit_log_destroy(log);
}

static void from_a_time_on_nothing_is_left_out(void **state)
{
	const struct scope_log_place begin = { 0 };
	struct scope_unit_log *log;

	(void)state;
	assert_int_equal(scope_unit_log_create(NULL, &log), 0);
	put(log, 0, ROWS);
	for (uint64_t i = 0; i <= 40; i++) {
		const uint64_t from_ns = 999000000 + i * (ROWS * 1000 + 2000000) / 40;
		const struct scope_log_place end = scope_unit_log_end(log);
		const struct sums all = replay(log, from_ns, begin, end);
		const struct sums some = replay(log, from_ns, scope_unit_log_find(log, from_ns), end);

		assert_int_equal(some.count, all.count);
		assert_int_equal(some.ends_ns, all.ends_ns);
		assert_int_equal(some.objects, all.objects);
		assert_true(some.all <= some.count + 65536 + 400);
	}
	scope_unit_log_destroy(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_make_the_whole),
		cmocka_unit_test(from_a_time_on_nothing_is_left_out),
	};

	srandom(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
