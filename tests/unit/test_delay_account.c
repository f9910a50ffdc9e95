// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's accounting of virtual speedups, compiled for user space, for cases whose result was calculated
 * separately.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <scope/control.h>

#include "../../kmod/delay_account.h"

#define US 1000ull
#define MS (1000 * US)

/* Two threads in the code at once: each is credited, and neither makes the other wait. */
static void test_threads_in_the_code_do_not_add_up(void **state)
{
	struct scope_account a, b, other;
	__u64 required = 0;

	(void)state;
	scope_account_join(&a, required);
	scope_account_join(&b, required);
	scope_account_join(&other, required);
	required = scope_account_credit(&a, required, 500 * US);
	assert_int_equal(required, 500 * US);
	assert_int_equal(scope_account_owed(&b, required), 500 * US);
	required = scope_account_credit(&b, required, 500 * US);
	assert_int_equal(required, 500 * US);
	assert_int_equal(scope_account_owed(&a, required), 0);
	assert_int_equal(scope_account_owed(&b, required), 0);
	assert_int_equal(scope_account_owed(&other, required), 500 * US);
}

static void test_small_debts_wait_but_for_a_wake_up(void **state)
{
	struct scope_account thread, fast;
	__u64 required = 0;

	(void)state;
	scope_account_join(&thread, required);
	scope_account_join(&fast, required);
	required = scope_account_credit(&fast, required, SCOPE_ACCOUNT_LEAST_NS - 1);
	assert_int_equal(scope_account_due(&thread, required, 0), 0);
	assert_int_equal(scope_account_due(&thread, required, 1), SCOPE_ACCOUNT_LEAST_NS - 1);
	required = scope_account_credit(&fast, required, 1);
	assert_int_equal(scope_account_due(&thread, required, 0), SCOPE_ACCOUNT_LEAST_NS);
}

/* Who slept too long sleeps less the next time, and makes nobody else wait for it. */
static void test_a_long_sleep_is_made_good(void **state)
{
	struct scope_account fast, a, b;
	__u64 required = 0;

	(void)state;
	scope_account_join(&fast, required);
	scope_account_join(&a, required);
	scope_account_join(&b, required);
	required = scope_account_credit(&fast, required, MS);
	required = scope_account_pay(&a, required, MS + 70 * US);
	assert_int_equal(required, MS);
	assert_int_equal(scope_account_owed(&fast, required), 0);
	assert_int_equal(scope_account_owed(&b, required), MS);
	required = scope_account_credit(&fast, required, 500 * US);
	assert_int_equal(required, 1500 * US);
	assert_int_equal(scope_account_owed(&a, required), 430 * US);
	/* In the code itself, it is ahead of nobody by what it slept too long. */
	required = scope_account_pay(&a, required, 500 * US);
	required = scope_account_credit(&a, required, 100 * US);
	assert_int_equal(required, 1600 * US);
	assert_int_equal(scope_account_owed(&fast, required), 100 * US);
}

/*
 * The fast thread F and a waiter W; a third, P, wakes W. W blocks at 0 and owes nothing. F earns 3 ms
 * in that time. P settles them, then wakes W: W waited for P, so it waited these 3 ms, too.
 */
static void test_woken_by_a_peer_or_by_a_device(void **state)
{
	struct scope_account fast, peer, waiter, reader;
	__u64 required = 0;

	(void)state;
	scope_account_join(&fast, required);
	scope_account_join(&peer, required);
	scope_account_join(&waiter, required);
	scope_account_join(&reader, required);
	scope_account_block(&waiter, required);
	scope_account_block(&reader, required);
	required = scope_account_credit(&fast, required, 3 * MS);
	required = scope_account_pay(&peer, required, scope_account_due(&peer, required, 1));
	scope_account_woken(&waiter, scope_account_shown(&peer, required));
	assert_int_equal(scope_account_owed(&waiter, required), 0);
	/* The disk waited for nobody. */
	assert_int_equal(scope_account_owed(&reader, required), 3 * MS);
}

/* What a thread owed before it blocked it owes still; a waker that has not settled passes on less. */
static void test_old_debts_stay(void **state)
{
	struct scope_account fast, peer, waiter;
	__u64 required = 0;

	(void)state;
	scope_account_join(&fast, required);
	scope_account_join(&peer, required);
	scope_account_join(&waiter, required);
	required = scope_account_credit(&fast, required, 50 * US);
	scope_account_block(&waiter, required);
	required = scope_account_credit(&fast, required, MS);
	required = scope_account_pay(&peer, required, 50 * US + MS);
	required = scope_account_credit(&fast, required, 200 * US);
	scope_account_woken(&waiter, scope_account_shown(&peer, required));
	assert_int_equal(scope_account_owed(&waiter, required), 50 * US + 200 * US);
	assert_int_equal(scope_account_owed(&peer, required), 200 * US);
	/* A waker that has paid less than was required as the sleeper blocked brings nothing. */
	scope_account_block(&waiter, required);
	scope_account_woken(&waiter, scope_account_shown(&peer, required));
	assert_int_equal(scope_account_owed(&waiter, required), 250 * US);
}

/* Two that wake each other do not make more and more of what one of them slept too long. */
static void test_sleeping_too_long_does_not_spread(void **state)
{
	struct scope_account fast, a, b;
	__u64 required = 0;

	(void)state;
	scope_account_join(&fast, required);
	scope_account_join(&a, required);
	scope_account_join(&b, required);
	required = scope_account_credit(&fast, required, MS);
	required = scope_account_pay(&a, required, MS + 80 * US);
	required = scope_account_pay(&b, required, MS + 80 * US);
	for (int i = 0; i < 10; i++) {
		scope_account_block(&b, required);
		scope_account_woken(&b, scope_account_shown(&a, required));
		scope_account_block(&a, required);
		scope_account_woken(&a, scope_account_shown(&b, required));
	}
	assert_int_equal(a.paid_ns, MS + 80 * US);
	assert_int_equal(b.paid_ns, MS + 80 * US);
}

static void test_children_inherit(void **state)
{
	struct scope_account parent, child, fast;
	__u64 required = 7 * MS;

	(void)state;
	scope_account_join(&parent, required);
	scope_account_join(&fast, required);
	required = scope_account_credit(&fast, required, MS);
	scope_account_fork(&parent, &child);
	assert_int_equal(scope_account_owed(&child, required), MS);
	assert_int_equal(scope_account_effective(100 * MS, 7 * MS, required), 99 * MS);
	assert_int_equal(scope_account_effective(MS / 2, 7 * MS, required), 0);
}

static void expect_samples(__u64 to_sample_ns, __u64 off_ns, __u64 blocked_ns, __u64 all, __u64 blocked, __u64 next_ns)
{
	const struct scope_account_samples samples = scope_account_off_cpu(MS, to_sample_ns, off_ns, blocked_ns);

	assert_int_equal(samples.all, all);
	assert_int_equal(samples.blocked, blocked);
	assert_int_equal(samples.to_sample_ns, next_ns);
}

static void test_samples_off_the_cpu(void **state)
{
	(void)state;
	expect_samples(400 * US, 2500 * US, 1200 * US, 3, 1, 900 * US);
	expect_samples(900 * US, 899 * US, 899 * US, 0, 0, 1 * US);
	expect_samples(1 * US, 1 * US, 0, 1, 0, MS);
	expect_samples(0, 2 * MS, 2 * MS, 2, 2, MS);
	expect_samples(0, 0, 0, 0, 0, MS);
}

/* In two stretches as in one: samples are neither lost nor made where a stretch ends. */
static void test_stretches_add_up(void **state)
{
	(void)state;
	for (__u64 cut = 0; cut <= 5 * MS; cut += 37 * US) {
		const struct scope_account_samples first = scope_account_off_cpu(MS, 250 * US, cut, cut);
		const struct scope_account_samples second =
			scope_account_off_cpu(MS, first.to_sample_ns, 5 * MS - cut, 5 * MS - cut);

		assert_int_equal(first.all + second.all, 5);
		assert_int_equal(second.to_sample_ns, 250 * US);
	}
}

/* What the periods of a sleep are worth is credited at once: the same as one credit after the other. */
static void test_one_credit_of_the_sum(void **state)
{
	const __u64 paid[] = { 0, 3 * MS, 10 * MS, 17 * MS };

	(void)state;
	for (size_t i = 0; i < sizeof(paid) / sizeof(paid[0]); i++) {
		struct scope_account each = { .paid_ns = paid[i] }, sum = each;
		__u64 required_each = 10 * MS, required_sum = required_each, count = 23, n;

		for (n = 0; n < count; n++)
			required_each = scope_account_credit(&each, required_each, 700 * US);
		required_sum = scope_account_credit(&sum, required_sum, count * 700 * US);
		assert_int_equal(required_each, required_sum);
		assert_int_equal(each.paid_ns, sum.paid_ns);
	}
}

static __u64 choose_by_loop(__u64 seed, __u64 visit, __u64 count, __u32 probability)
{
	__u64 chosen = 0;

	for (__u64 i = 0; i < count; i++)
		chosen += (__u64)scope_delay_chosen(seed, visit + i, probability);
	return chosen;
}

/* Of n visits at once as many are chosen as by a loop: exactly up to n = 64, or if all are chosen. */
static void test_choice_of_few_or_of_all_is_exact(void **state)
{
	const __u32 probabilities[] = { 0, 1, 1u << 30, 3u << 30, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(probabilities) / sizeof(probabilities[0]); i++)
		for (__u64 count = 0; count <= SCOPE_DELAY_DRAWS; count++)
			assert_int_equal(scope_delay_chosen_of(7, 11 * count, count, probabilities[i]),
					 choose_by_loop(7, 11 * count, count, probabilities[i]));
	assert_int_equal(scope_delay_chosen_of(7, 5, 1ull << 50, 0), 1ull << 50);
}

/* Of more: within what chance leaves of the loop's each time (5 standard deviations), and no bias in the mean. */
static void test_choice_of_many_is_expected(void **state)
{
	const __u32 quarter = 1u << 30;
	__u64 at_once = 0, by_loop = 0;

	(void)state;
	for (__u64 seed = 0; seed < 3000; seed++) {
		const __u64 count = 65 + seed % 997;
		const __u64 chosen = scope_delay_chosen_of(seed, seed, count, quarter);
		const __u64 loop = choose_by_loop(seed, seed, count, quarter);
		const double off = (double)chosen - (double)loop;

		assert_true(off * off <= 25 * (double)count * 3 / 16);
		at_once += chosen;
		by_loop += loop;
	}
	/* Some 1.7 million visits: their sums differ by less than 1 in 200. */
	assert_true(at_once > by_loop - by_loop / 200 && at_once < by_loop + by_loop / 200);
	/* Single visits beyond the draws are chosen by their fraction, not rounded away. */
	at_once = 0;
	for (__u64 seed = 0; seed < 4000; seed++)
		at_once += scope_delay_chosen_of(seed, 0, 65, 1u << 22) - choose_by_loop(seed, 0, 64, 1u << 22);
	assert_in_range(at_once, 1, 15);
}

/* A loop would take hours: a year of 0.2 ms, and the most that 64 bits count. */
static void test_choice_takes_no_longer_for_more(void **state)
{
	const __u64 year = 365ull * 86400 * 5000;

	(void)state;
	assert_in_range(scope_delay_chosen_of(1, 0, year, 1u << 31), year / 2 - 32, year / 2 + 32);
	assert_in_range(scope_delay_chosen_of(1, 0, UINT64_MAX, 1u << 31), UINT64_MAX / 2 - 32, UINT64_MAX / 2 + 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_in_the_code_do_not_add_up),
		cmocka_unit_test(test_small_debts_wait_but_for_a_wake_up),
		cmocka_unit_test(test_a_long_sleep_is_made_good),
		cmocka_unit_test(test_woken_by_a_peer_or_by_a_device),
		cmocka_unit_test(test_old_debts_stay),
		cmocka_unit_test(test_sleeping_too_long_does_not_spread),
		cmocka_unit_test(test_children_inherit),
		cmocka_unit_test(test_samples_off_the_cpu),
		cmocka_unit_test(test_stretches_add_up),
		cmocka_unit_test(test_one_credit_of_the_sum),
		cmocka_unit_test(test_choice_of_few_or_of_all_is_exact),
		cmocka_unit_test(test_choice_of_many_is_expected),
		cmocka_unit_test(test_choice_takes_no_longer_for_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
