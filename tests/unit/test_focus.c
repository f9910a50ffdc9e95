// SPDX-License-Identifier: GPL-2.0-only
/* Stacks are switched on after a first period, and stay within their budget; the slowest calls come first. */
#include <stdio.h>
#include <sys/syscall.h>

#include "capture/focus_feed.h"
#include "trace/trace_internal.h"
#include "trace/text_form.h"
#include "trace_fixture.h"

#define S 1000000000ull
#define MS 1000000ull
#define MIN_NS 100000u
#define PERIOD_NS 2000000u

static uint32_t slice_max = 32768;

static struct scope_focus *focus_begin(uint64_t learn_ns, uint32_t per_second, struct scope_focus_choice *ret_choice)
{
	struct scope_focus_limits limits = {
		.learn_ns = learn_ns,
		.min_ns = MIN_NS,
		.per_second = per_second,
		.slice_bytes = 8192,
		.slice_max = slice_max,
		.slice_room = 1000000,
		.period_ns = PERIOD_NS,
		.period_min_ns = PERIOD_NS / 8,
		.samples_per_second = 2000,
	};
	struct scope_focus *focus;

	memset(limits.syscalls, 0xff, sizeof(limits.syscalls));
	limits.syscalls[SYS_epoll_wait / 8] &= (uint8_t) ~(1u << SYS_epoll_wait % 8);
	assert_int_equal(scope_capture_focus_create(&limits, &focus), 0);
	*ret_choice = scope_capture_focus_first(focus);
	scope_capture_focus_begin(focus, 10 * S);
	return focus;
}

static bool has(const struct scope_focus_choice *choice, uint16_t nr)
{
	return choice->syscalls[nr / 8] >> nr % 8 & 1;
}

static void test_learns_first(void **state)
{
	struct scope_focus_choice choice;
	struct scope_focus *focus = focus_begin(S, 100, &choice);

	(void)state;
	assert_false(choice.on);
	assert_false(scope_capture_focus_decide(focus, 10 * S + S / 2, &choice));
	assert_true(scope_capture_focus_decide(focus, 11 * S, &choice));
	assert_true(choice.on);
	assert_int_equal(choice.min_ns, MIN_NS);
	assert_true(has(&choice, SYS_read) && !has(&choice, SYS_epoll_wait));
	/* As long as nothing changes nothing is said. */
	assert_false(scope_capture_focus_decide(focus, 12 * S, &choice));
	scope_capture_focus_destroy(focus);
	focus = focus_begin(0, 100, &choice);
	assert_true(choice.on);
	scope_capture_focus_destroy(focus);
}

/* Calls of one number, from low to high ns, evenly. */
static void calls(struct scope_focus *focus, uint16_t nr, unsigned int count, uint64_t low, uint64_t high)
{
	for (unsigned int i = 0; i < count; i++)
		scope_capture_focus_call(focus, nr, low + (high - low) * i / count);
}

/* Above the budget the slowest keep their stacks, and where it is quiet again all get them. */
static void test_slowest_first(void **state)
{
	struct scope_focus_choice choice;
	struct scope_focus *focus = focus_begin(S, 100, &choice);

	(void)state;
	calls(focus, SYS_read, 1000, MIN_NS, 2 * MIN_NS - 1);
	calls(focus, SYS_futex, 200, 2 * MIN_NS, 4 * MIN_NS - 1);
	calls(focus, SYS_write, 90, 30 * MS, 60 * MS);
	calls(focus, SYS_getppid, 100000, 0, MIN_NS - 1);
	calls(focus, SYS_epoll_wait, 100000, MS, S);
	assert_true(scope_capture_focus_decide(focus, 11 * S, &choice));
	assert_int_equal(choice.min_ns, 4 * MIN_NS);
	assert_true(has(&choice, SYS_write));
	for (unsigned int second = 12; second < 15; second++) {
		calls(focus, SYS_write, 90, 30 * MS, 60 * MS);
		assert_false(scope_capture_focus_decide(focus, second * S, &choice));
	}
	/* 90 of 100 are too many to come down for; 40 are not. */
	for (unsigned int second = 15; second < 25; second++) {
		calls(focus, SYS_write, 40, 30 * MS, 60 * MS);
		scope_capture_focus_decide(focus, second * S, &choice);
	}
	assert_int_equal(choice.min_ns, MIN_NS);
	scope_capture_focus_destroy(focus);
}

/* A timer that always takes the same gives way before slow calls do; without need it does not. */
static void test_even_calls_give_way(void **state)
{
	struct scope_focus_choice choice;
	struct scope_focus *focus = focus_begin(S, 500, &choice);

	(void)state;
	calls(focus, SYS_nanosleep, 1000, 10 * MS, 10 * MS + 10000);
	calls(focus, SYS_futex, 300, MIN_NS, 50 * MS);
	assert_true(scope_capture_focus_decide(focus, 11 * S, &choice));
	assert_int_equal(choice.min_ns, MIN_NS);
	assert_false(has(&choice, SYS_nanosleep));
	assert_true(has(&choice, SYS_futex));
	assert_true(has(&choice, SYS_read)); /* not seen: its first slow call shall have a stack */
	for (unsigned int second = 12; second < 16; second++) {
		calls(focus, SYS_nanosleep, 100, 10 * MS, 10 * MS + 10000);
		calls(focus, SYS_futex, 300, MIN_NS, 50 * MS);
		scope_capture_focus_decide(focus, second * S, &choice);
	}
	assert_true(has(&choice, SYS_nanosleep));
	scope_capture_focus_destroy(focus);
}

/* Longer slices where many are full and few bytes come, shorter ones where many do. */
static void test_slices(void **state)
{
	static const struct {
		unsigned int stacks, full, bytes, slice;
	} rows[] = {
		{ 50, 0, 8000, 8192 },	   { 100, 80, 8000, 8192 },  { 110, 1, 4000, 8192 },   { 50, 30, 8000, 16384 },
		{ 50, 20, 12000, 16384 },  { 25, 20, 16000, 32768 }, { 10, 10, 32000, 32768 }, { 40, 20, 32000, 32768 },
		{ 100, 50, 20000, 16384 }, { 200, 50, 8000, 8192 },  { 900, 50, 8000, 8192 },  { 50, 30, 8000, 16384 },
		{ 25, 20, 16000, 32768 },  { 100, 0, 20000, 16384 }, { 200, 0, 8000, 8192 },   { 20, 1, 8000, 32768 },
	};
	struct scope_focus_choice choice;
	struct scope_focus *focus = focus_begin(S, 100, &choice);
	size_t i;

	(void)state;
	assert_int_equal(choice.slice_bytes, 8192);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (unsigned int k = 0; k < rows[i].stacks; k++)
			scope_capture_focus_stack(focus, rows[i].bytes, k < rows[i].full);
		scope_capture_focus_decide(focus, (11 + i) * S, &choice);
		assert_int_equal(choice.slice_bytes, rows[i].slice);
	}
	/* A loss ends it for good. */
	scope_capture_focus_loss(focus);
	for (; i < 30; i++) {
		scope_capture_focus_stack(focus, 8000, true);
		scope_capture_focus_decide(focus, (11 + i) * S, &choice);
		assert_int_equal(choice.slice_bytes, 8192);
	}
	scope_capture_focus_destroy(focus);
}

/* The longest one need not be a power of two. */
static void test_longest_slice(void **state)
{
	static const struct {
		unsigned int stacks, bytes, slice;
	} rows[] = { { 50, 8000, 16384 }, { 25, 16000, 32768 }, { 12, 32000, 49152 }, { 8, 48000, 49152 } };
	struct scope_focus_choice choice;
	struct scope_focus *focus;

	(void)state;
	slice_max = 49152;
	focus = focus_begin(S, 100, &choice);
	slice_max = 32768;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (unsigned int k = 0; k < rows[i].stacks; k++)
			scope_capture_focus_stack(focus, rows[i].bytes, true);
		scope_capture_focus_decide(focus, (11 + i) * S, &choice);
		assert_int_equal(choice.slice_bytes, rows[i].slice);
	}
	scope_capture_focus_destroy(focus);
}

/* A second with samples of that many bytes and ns each, among samples of any thread. */
struct second {
	unsigned int samples, bytes, cost_ns, all;
	uint32_t period_ns; /* that follows */
};

static void sample_seconds(const struct second *second, size_t count)
{
	struct scope_focus_choice choice;
	struct scope_focus *focus = focus_begin(S, 100, &choice);
	uint64_t all = 0;

	assert_int_equal(choice.period_ns, PERIOD_NS);
	for (size_t i = 0; i < count; i++) {
		for (unsigned int k = 0; k < second[i].samples; k++) {
			scope_capture_focus_stack(focus, second[i].bytes, false);
			scope_capture_focus_sample(focus, second[i].bytes, second[i].cost_ns);
		}
		scope_capture_focus_taken(focus, all += second[i].all);
		scope_capture_focus_decide(focus, (11 + i) * S, &choice);
		if (choice.period_ns != second[i].period_ns)
			fail_msg("second %zu: %u ns, not %u", i, choice.period_ns, second[i].period_ns);
	}
	scope_capture_focus_destroy(focus);
}

#define SAMPLE_SECONDS(...)                                                                                            \
	sample_seconds((const struct second[]){ __VA_ARGS__ },                                                         \
		       sizeof((const struct second[]){ __VA_ARGS__ }) / sizeof(struct second))

/* Where few samples come they come more often, as far as each of the limits lets them. */
static void test_period(void **state)
{
	(void)state;
	SAMPLE_SECONDS({ 30, 8000, 3000, 30, 500000 }, { 120, 4000, 3000, 120, 250000 },
		       { 240, 4000, 3000, 240, 250000 });
	SAMPLE_SECONDS({ 30, 1000, 3000, 30, 250000 }, { 2, 1000, 3000, 2, 250000 });
	/* Too few to say what one takes; not known; too dear for a quarter of the period, and for any. */
	SAMPLE_SECONDS({ 4, 1000, 3000, 4, 2000000 }, { 1, 1000, 3000, 1, 250000 });
	SAMPLE_SECONDS({ 30, 1000, 0, 30, 2000000 });
	SAMPLE_SECONDS({ 30, 1000, 30000, 30, 1000000 });
	SAMPLE_SECONDS({ 30, 1000, 90000, 30, 2000000 });
	/* A busy server, a busy host. */
	SAMPLE_SECONDS({ 260, 1000, 3000, 260, 2000000 });
	SAMPLE_SECONDS({ 200, 1000, 3000, 200, 1000000 });
	SAMPLE_SECONDS({ 30, 1000, 3000, 1100, 2000000 });
	SAMPLE_SECONDS({ 30, 1000, 3000, 600, 1000000 });
	/* It becomes busy: back, by as much as it takes, but not at the first sample too many. */
	SAMPLE_SECONDS({ 30, 1000, 3000, 30, 250000 }, { 700, 1000, 3000, 700, 250000 },
		       { 800, 1000, 3000, 800, 500000 }, { 2000, 1000, 3000, 2000, 2000000 },
		       { 500, 1000, 3000, 500, 2000000 });
	SAMPLE_SECONDS({ 30, 1000, 3000, 30, 250000 }, { 30, 1000, 3000, 3100, 500000 });
	SAMPLE_SECONDS({ 30, 1000, 3000, 30, 250000 }, { 200, 16000, 3000, 200, 1000000 });
}

/* A loss brings the period back that was at first; samples beyond those keep no slice short. */
static void test_period_and_slices(void **state)
{
	struct scope_focus_choice choice;
	struct scope_focus *focus = focus_begin(S, 100, &choice);

	(void)state;
	for (unsigned int i = 0; i < 30; i++)
		scope_capture_focus_sample(focus, 4000, 3000);
	assert_true(scope_capture_focus_decide(focus, 11 * S, &choice));
	assert_int_equal(choice.period_ns, PERIOD_NS / 8);
	for (unsigned int i = 0; i < 120; i++) {
		scope_capture_focus_sample(focus, 8000, 3000);
		scope_capture_focus_stack(focus, 8000, i < 30);
	}
	assert_true(scope_capture_focus_decide(focus, 12 * S, &choice));
	assert_int_equal(choice.slice_bytes, 32768);
	scope_capture_focus_loss(focus);
	assert_true(scope_capture_focus_decide(focus, 13 * S, &choice));
	assert_int_equal(choice.period_ns, PERIOD_NS);
	assert_false(scope_capture_focus_decide(focus, 14 * S, &choice));
	scope_capture_focus_destroy(focus);
}

/* Whatever comes, what the choice lets through of the same again is within the budget. */
static void test_within_budget(void **state)
{
	static const uint16_t nr[] = { SYS_read, SYS_futex, SYS_write, SYS_recvfrom };
	uint32_t random = 1;

	(void)state;
	for (unsigned int round = 0; round < 50; round++) {
		struct scope_focus_choice choice;
		struct scope_focus *focus = focus_begin(S, 100, &choice);
		uint64_t length[3000];
		unsigned int taken = 0;

		for (unsigned int i = 0; i < 3000; i++) {
			random = random * 1103515245 + 12345;
			length[i] = (uint64_t)MIN_NS << (random >> 16) % (1 + round % 15);
			length[i] += length[i] / 2 * (random >> 28) / 16;
			scope_capture_focus_call(focus, nr[random >> 8 & 3], length[i]);
			length[i] |= (uint64_t)(random >> 8 & 3) << 62;
		}
		assert_true(scope_capture_focus_decide(focus, 11 * S, &choice));
		for (unsigned int i = 0; i < 3000; i++)
			taken += has(&choice, nr[length[i] >> 62]) && (length[i] & ~(3ull << 62)) >= choice.min_ns;
		assert_true(taken <= 100);
		scope_capture_focus_destroy(focus);
	}
}

static void take(void *context, const struct scope_subbuf *subbuf)
{
	scope_capture_focus_feed_take(context, subbuf);
}

/* From sub-buffers: calls that did not block, and such as entered and returned on different CPUs. */
static void test_takes_records(void **state)
{
	struct scope_focus_choice choice;
	struct scope_focus *focus = focus_begin(S, 10, &choice);
	struct scope_focus_feed *feed;
	size_t bytes;
	char *text;
	FILE *stream = open_memstream(&text, &bytes);

	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		unsigned long long at = S + i * 10 * MS;

		if (i % 4 == 0)
			fprintf(stream, "%llu 0 syscall 101 write enter=%llu ret=1 args=7,0\n", at, at - 150000);
		fprintf(stream, "%llu 0 enter 101 futex enter=%llu args=1,2\n", at + MS, at + MS);
		fprintf(stream, "%llu 0 exit 101 futex ret=0\n", at + MS + 100000 + (i << i / 2) * 10000);
	}
	fclose(stream);
	assert_int_equal(scope_capture_focus_feed_create(focus, MIN_NS, &feed), 0);
	fixture_feed(text, bytes, take, feed);
	scope_capture_focus_feed_destroy(feed);
	assert_true(scope_capture_focus_decide(focus, 11 * S, &choice));
	/* 5 writes are within the budget, with 20 futexes of up to 100 ms the choice is among these. */
	assert_in_range(choice.min_ns, 2 * MIN_NS, 64 * MIN_NS);
	scope_capture_focus_destroy(focus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learns_first),	    cmocka_unit_test(test_slowest_first),
		cmocka_unit_test(test_even_calls_give_way), cmocka_unit_test(test_within_budget),
		cmocka_unit_test(test_takes_records),	    cmocka_unit_test(test_slices),
		cmocka_unit_test(test_longest_slice),	    cmocka_unit_test(test_period),
		cmocka_unit_test(test_period_and_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
