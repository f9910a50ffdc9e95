// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's filter, compiled for user space, against a model and under concurrent changes.
 *
 * FILTER_STEPS (200,000) is the number of random steps, SEED where they begin. The concurrent tests
 * are meant for `make tsan` as well, which builds this file with the thread sanitizer.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../kmod/filter.c"

_Static_assert((SCOPE_FILTER_LINES & (SCOPE_FILTER_LINES - 1)) == 0, "lines are selected by a mask");
_Static_assert(sizeof(struct scope_filter_line) == 64, "a line is a cache line");

#define NUMBERS 2048 /* of the model: several per line, so that lines overflow */

static u32 seed = 1;

static u32 chance(u32 below)
{
	seed = seed * 1664525u + 1013904223u;
	return (u32)((u64)(seed >> 4) * below >> 28);
}

static struct scope_filter *new_filter(void)
{
	struct scope_filter *filter = aligned_alloc(64, sizeof(*filter));

	assert_non_null(filter);
	memset(filter, 0, sizeof(*filter));
	return filter;
}

/* Many of few lines, some of all; processes and threads. */
static u32 key_of(u32 number)
{
	const u32 crowded = number < NUMBERS / 2 ? (number % 8) + number / 8 * SCOPE_FILTER_LINES : number + (1u << 18);

	return (crowded + 1) | (number % 3 ? 0 : SCOPE_FILTER_THREAD);
}

static void check_counts(const struct scope_filter *filter)
{
	u32 i, entry, threads = 0, processes = 0;
	long homes = 0;

	for (i = 0; i < SCOPE_FILTER_SLOTS; i++) {
		entry = scope_filter_at(filter, i);
		if (entry)
			*(entry & SCOPE_FILTER_THREAD ? &threads : &processes) += 1;
	}
	for (i = 0; i < SCOPE_FILTER_LINES; i++)
		homes += filter->line[i].homes.counter & 0xffff;
	assert_int_equal(filter->count.counter, processes);
	assert_int_equal(filter->threads.counter, threads);
	assert_int_equal(homes, processes + threads);
}

static void test_counts_and_finds(void **state)
{
	struct scope_filter *filter = new_filter();
	u32 i;

	(void)state;
	assert_false(scope_filter_has(filter, 0));
	for (i = 1; i <= 3000; i++)
		assert_true(scope_filter_add(filter, i * 7, SCOPE_FILTER_NAMED));
	for (i = 1; i <= 3000; i++) {
		assert_true(scope_filter_has(filter, i * 7));
		assert_false(scope_filter_has(filter, i * 7 | SCOPE_FILTER_THREAD));
	}
	assert_false(scope_filter_has(filter, 8));
	assert_true(scope_filter_add(filter, 7, SCOPE_FILTER_CHILD));
	assert_int_equal(filter->count.counter, 3000);
	assert_false(scope_filter_drop(filter, 7, SCOPE_FILTER_NAMED, false));
	assert_true(scope_filter_has(filter, 7));
	for (i = 1; i <= 3000; i += 2)
		assert_true(scope_filter_remove(filter, i * 7));
	for (i = 1; i <= 3000; i++)
		assert_int_equal(scope_filter_has(filter, i * 7), i % 2 == 0);
	check_counts(filter);
	free(filter);
}

/* However many come and go, an empty line stays one look. */
static void test_churn_leaves_nothing(void **state)
{
	struct scope_filter *filter = new_filter();
	u32 i;

	(void)state;
	for (i = 1; i < 200000; i++) {
		scope_filter_add(filter, i, SCOPE_FILTER_CHILD);
		if (i > 100)
			assert_true(scope_filter_remove(filter, i - 100));
	}
	assert_int_equal(filter->count.counter, 100);
	assert_int_equal(filter->full.counter, 0);
	for (i = 200000 - 100; i < 200000; i++)
		scope_filter_remove(filter, i);
	for (i = 0; i < SCOPE_FILTER_LINES; i++)
		assert_int_equal(filter->line[i].homes.counter, 0);
	free(filter);
}

static void test_overflow_is_counted(void **state)
{
	struct scope_filter *filter = new_filter();
	u32 i;

	(void)state;
	for (i = 1; i <= SCOPE_FILTER_REACH + 5; i++) /* all want the same line */
		assert_int_equal(scope_filter_add(filter, i * SCOPE_FILTER_LINES, SCOPE_FILTER_NAMED),
				 i <= SCOPE_FILTER_REACH);
	assert_int_equal(filter->count.counter, SCOPE_FILTER_REACH);
	assert_int_equal(filter->full.counter, 5);
	check_counts(filter);
	free(filter);
}

/* Numbers in a row, as those of a server's threads are, and any numbers. */
static void test_holds_as_many_as_promised(void **state)
{
	struct scope_filter *filter = new_filter();
	u32 i, numbers = 0;

	(void)state;
	for (i = 0; i < SCOPE_FILTER_HELD; i++)
		assert_true(scope_filter_add(filter, 1000 + i, SCOPE_FILTER_CHILD));
	for (i = 0; i < SCOPE_FILTER_HELD; i++)
		assert_true(scope_filter_has(filter, 1000 + i));
	assert_false(scope_filter_has(filter, 999));
	check_counts(filter);
	memset(filter, 0, sizeof(*filter));
	for (seed = 25; numbers < SCOPE_FILTER_HELD; numbers = (u32)filter->threads.counter)
		assert_true(scope_filter_add(filter, (1 + chance(SCOPE_FILTER_NUMBER)) | SCOPE_FILTER_THREAD,
					     SCOPE_FILTER_COMM));
	assert_int_equal(filter->full.counter, 0);
	check_counts(filter);
	free(filter);
}

/* Fresh and leaving entries wait for a mark; what comes after the mark waits for the next one. */
static void test_reports_what_was_marked(void **state)
{
	struct scope_filter *filter = new_filter();
	const u32 in = 5, out = 6 | SCOPE_FILTER_THREAD, late = 7;

	(void)state;
	scope_filter_add(filter, in, SCOPE_FILTER_NAMED | SCOPE_FILTER_FRESH);
	scope_filter_add(filter, out, SCOPE_FILTER_COMM);
	assert_true(scope_filter_drop(filter, out, SCOPE_FILTER_COMM, true));
	assert_false(scope_filter_has(filter, out));
	assert_true(scope_filter_entry(filter, out) & SCOPE_FILTER_LEAVING);
	scope_filter_mark(filter);
	scope_filter_add(filter, late, SCOPE_FILTER_NAMED | SCOPE_FILTER_FRESH);
	scope_filter_reported(filter, in);
	scope_filter_reported(filter, out);
	scope_filter_reported(filter, late);
	assert_int_equal(scope_filter_entry(filter, in), in | SCOPE_FILTER_NAMED);
	assert_int_equal(scope_filter_entry(filter, out), 0);
	assert_true(scope_filter_entry(filter, late) & SCOPE_FILTER_FRESH);
	/* One that comes back before it left was never away. */
	scope_filter_drop(filter, in, SCOPE_FILTER_NAMED, true);
	scope_filter_add(filter, in, SCOPE_FILTER_COMM);
	assert_int_equal(scope_filter_entry(filter, in), in | SCOPE_FILTER_COMM);
	check_counts(filter);
	free(filter);
}

/* The reasons the model says each number has. */
static void test_agrees_with_a_model(void **state)
{
	const char *steps = getenv("FILTER_STEPS"), *from = getenv("SEED");
	u32 left = steps ? (u32)strtoul(steps, NULL, 0) : 200000, model[NUMBERS] = { 0 }, i;
	struct scope_filter *filter = new_filter();

	(void)state;
	seed = from ? (u32)strtoul(from, NULL, 0) : 1;
	while (left--) {
		u32 number = chance(NUMBERS), key = key_of(number), why = 1u << (22 + chance(4));
		bool lost = model[number] && !(model[number] & ~why);

		switch (chance(4)) {
		case 0:
			if (scope_filter_add(filter, key, why))
				model[number] |= why;
			else
				assert_int_equal(model[number], 0);
			break;
		case 1:
			assert_int_equal(scope_filter_drop(filter, key, why, false), lost);
			model[number] &= ~why;
			break;
		case 2:
			if (!chance(4)) {
				assert_int_equal(scope_filter_remove(filter, key), !!model[number]);
				model[number] = 0;
			}
			break;
		default:
			assert_int_equal(scope_filter_has(filter, key), !!model[number]);
		}
	}
	for (i = 0; i < NUMBERS; i++)
		assert_int_equal(scope_filter_entry(filter, key_of(i)), model[i] ? key_of(i) | model[i] : 0);
	check_counts(filter);
	free(filter);
}

#define RACERS 4
#define MINE 64 /* numbers of each racer, on lines that all share */
#define ROUNDS 20000

static struct scope_filter *raced;
static int racing;

/* What this thread added and nobody else touches must be found, whatever the others do. */
static void *race(void *data)
{
	const u32 me = (u32)(uintptr_t)data;
	bool in[MINE] = { false };
	u32 state = me + 7, round, i, key;

	for (round = 0; round < ROUNDS; round++) {
		state = state * 1664525u + 1013904223u;
		i = (state >> 8) % MINE;
		key = (1 + i / 4 + (me * MINE + i) * SCOPE_FILTER_LINES) & SCOPE_FILTER_NUMBER;
		if (scope_filter_has(raced, key) != in[i])
			return "a number was lost, or came by itself";
		if (in[i]) {
			if (!scope_filter_remove(raced, key))
				return "a number could not be removed";
			in[i] = false;
		} else {
			in[i] = scope_filter_add(raced, key, SCOPE_FILTER_CHILD);
		}
	}
	for (i = 0; i < MINE; i++) {
		key = (1 + i / 4 + (me * MINE + i) * SCOPE_FILTER_LINES) & SCOPE_FILTER_NUMBER;
		if (scope_filter_has(raced, key) != in[i])
			return "a number was lost at the end";
		if (in[i])
			scope_filter_remove(raced, key);
	}
	return NULL;
}

/* One number that stays must be seen in every search while others come and go around it. */
static void *watch(void *data)
{
	u32 *key = data;

	while (__atomic_load_n(&racing, __ATOMIC_RELAXED))
		if (!scope_filter_has(raced, *key))
			return "a number that stays was not seen";
	return NULL;
}

static void test_races_lose_nothing(void **state)
{
	pthread_t racer[RACERS], watcher;
	u32 key = 3, i;
	void *result;

	(void)state;
	raced = new_filter();
	racing = 1;
	scope_filter_add(raced, key, SCOPE_FILTER_NAMED);
	assert_int_equal(pthread_create(&watcher, NULL, watch, &key), 0);
	for (i = 0; i < RACERS; i++)
		assert_int_equal(pthread_create(&racer[i], NULL, race, (void *)(uintptr_t)i), 0);
	for (i = 0; i < RACERS; i++) {
		pthread_join(racer[i], &result);
		if (result)
			fail_msg("%s", (char *)result);
	}
	__atomic_store_n(&racing, 0, __ATOMIC_RELAXED);
	pthread_join(watcher, &result);
	if (result)
		fail_msg("%s", (char *)result);
	assert_int_equal(raced->count.counter, 1);
	check_counts(raced);
	free(raced);
}

/* Two add and drop reasons of the same numbers: at the end nothing is left over. */
static void *share(void *data)
{
	const u32 why = *(const u32 *)data;
	u32 round;

	for (round = 0; round < ROUNDS; round++) {
		u32 key = 1 + round % 5;

		scope_filter_add(raced, key, why);
		if (!scope_filter_has(raced, key))
			return "a reason was lost";
		scope_filter_drop(raced, key, why, false);
	}
	return NULL;
}

static void test_reasons_are_independent(void **state)
{
	u32 why[RACERS] = { SCOPE_FILTER_NAMED, SCOPE_FILTER_CHILD, SCOPE_FILTER_COMM, SCOPE_FILTER_CGROUP };
	pthread_t sharer[RACERS];
	void *result;
	u32 i;

	(void)state;
	raced = new_filter();
	for (i = 0; i < RACERS; i++)
		assert_int_equal(pthread_create(&sharer[i], NULL, share, &why[i]), 0);
	for (i = 0; i < RACERS; i++) {
		pthread_join(sharer[i], &result);
		if (result)
			fail_msg("%s", (char *)result);
	}
	check_counts(raced);
	assert_int_equal(raced->count.counter, 0);
	free(raced);
}

/* As the kernel has it: SCOPE_COMM_BYTES, and a longer name is cut to fifteen letters. */
static bool matches(const struct scope_comm_rule *rules, u32 count, const char *name)
{
	char comm[SCOPE_COMM_BYTES] = "";

	memcpy(comm, name, strnlen(name, sizeof(comm) - 1));
	return scope_comm_matches(rules, count, comm);
}

static void test_names(void **state)
{
	const struct scope_comm_rule rules[] = {
		{ "worker", 6, false },
		{ "", 0, true },
		{ "io-", 3, true },
		{ "fifteen-letters", 15, false },
	};

	(void)state;
	assert_true(matches(rules, 4, "worker"));
	assert_false(matches(rules, 4, "worker1"));
	assert_false(matches(rules, 4, "worke"));
	assert_true(matches(rules, 4, "io-"));
	assert_true(matches(rules, 4, "io-17"));
	assert_false(matches(rules, 4, "io"));
	assert_false(matches(rules, 4, ""));
	assert_true(matches(rules, 4, "fifteen-letters-and-more"));
	assert_false(matches(rules, 4, "fifteen-letter"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_and_finds),	  cmocka_unit_test(test_churn_leaves_nothing),
		cmocka_unit_test(test_overflow_is_counted),	  cmocka_unit_test(test_reports_what_was_marked),
		cmocka_unit_test(test_agrees_with_a_model),	  cmocka_unit_test(test_races_lose_nothing),
		cmocka_unit_test(test_reasons_are_independent),	  cmocka_unit_test(test_names),
		cmocka_unit_test(test_holds_as_many_as_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
