// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the accounting of virtual speedups, compiled with the kernel's own compiler flags.
 *
 * tests/unit/test_delay_account.c tries the same code in user space on more cases.
 */
#include <kunit/test.h>
#include "../delay_account.h"
#include "suites.h"

#define US 1000ull
#define MS (1000 * US)

/* Two threads are in the code at once. Each gets a credit, and neither makes the other wait. */
static void threads_in_the_code_do_not_add_up(struct kunit *test)
{
	struct scope_account a, b, other;
	u64 required = 0;

	scope_account_join(&a, required);
	scope_account_join(&b, required);
	scope_account_join(&other, required);
	required = scope_account_credit(&a, required, 500 * US);
	KUNIT_EXPECT_EQ(test, scope_account_owed(&b, required), 500 * US);
	required = scope_account_credit(&b, required, 500 * US);
	KUNIT_EXPECT_EQ(test, required, 500 * US);
	KUNIT_EXPECT_EQ(test, scope_account_owed(&a, required), 0ull);
	KUNIT_EXPECT_EQ(test, scope_account_owed(&b, required), 0ull);
	KUNIT_EXPECT_EQ(test, scope_account_owed(&other, required), 500 * US);
}

static void small_debts_wait_but_for_a_wake_up(struct kunit *test)
{
	struct scope_account thread, fast;
	u64 required = 0;

	scope_account_join(&thread, required);
	scope_account_join(&fast, required);
	required = scope_account_credit(&fast, required, SCOPE_ACCOUNT_LEAST_NS - 1);
	KUNIT_EXPECT_EQ(test, scope_account_due(&thread, required, 0), 0ull);
	KUNIT_EXPECT_EQ(test, scope_account_due(&thread, required, 1), SCOPE_ACCOUNT_LEAST_NS - 1);
	required = scope_account_credit(&fast, required, 1);
	KUNIT_EXPECT_EQ(test, scope_account_due(&thread, required, 0), SCOPE_ACCOUNT_LEAST_NS);
}

/* A thread that slept too long has to sleep less the next time. Other threads see only the time that was required. */
static void a_long_sleep_is_made_good(struct kunit *test)
{
	struct scope_account fast, late;
	u64 required = 0;

	scope_account_join(&fast, required);
	scope_account_join(&late, required);
	required = scope_account_credit(&fast, required, MS);
	required = scope_account_pay(&late, required, MS + 70 * US);
	KUNIT_EXPECT_EQ(test, required, MS);
	KUNIT_EXPECT_EQ(test, scope_account_shown(&late, required), MS);
	required = scope_account_credit(&fast, required, 500 * US);
	KUNIT_EXPECT_EQ(test, scope_account_owed(&late, required), 430 * US);
}

/*
 * The waiting of a thread that wakes another one also counts for the woken thread. A device has no waiting that counts.
 */
static void who_is_woken_by_a_thread_is_let_off(struct kunit *test)
{
	struct scope_account fast, peer, waiter, reader;
	u64 required = 0;

	scope_account_join(&fast, required);
	scope_account_join(&peer, required);
	scope_account_join(&waiter, required);
	scope_account_join(&reader, required);
	scope_account_block(&waiter, required);
	scope_account_block(&reader, required);
	required = scope_account_credit(&fast, required, 3 * MS);
	required = scope_account_pay(&peer, required, scope_account_due(&peer, required, 1));
	scope_account_woken(&waiter, scope_account_shown(&peer, required));
	KUNIT_EXPECT_EQ(test, scope_account_owed(&waiter, required), 0ull);
	KUNIT_EXPECT_EQ(test, scope_account_owed(&reader, required), 3 * MS);
}

static void children_inherit(struct kunit *test)
{
	struct scope_account parent, child, fast;
	u64 required = 7 * MS;

	scope_account_join(&parent, required);
	scope_account_join(&fast, required);
	required = scope_account_credit(&fast, required, MS);
	scope_account_fork(&parent, &child);
	KUNIT_EXPECT_EQ(test, scope_account_owed(&child, required), MS);
	KUNIT_EXPECT_EQ(test, scope_account_effective(100 * MS, 7 * MS, required), 99 * MS);
	KUNIT_EXPECT_EQ(test, scope_account_effective(MS / 2, 7 * MS, required), 0ull);
}

/* Two stretches have the same samples as one: none is lost or added where a stretch ends. */
static void samples_of_stretches_add_up(struct kunit *test)
{
	u64 cut;

	for (cut = 0; cut <= 5 * MS; cut += 37 * US) {
		const struct scope_account_samples first = scope_account_off_cpu(MS, 250 * US, cut, cut);
		const struct scope_account_samples second =
			scope_account_off_cpu(MS, first.to_sample_ns, 5 * MS - cut, 5 * MS - cut);

		KUNIT_ASSERT_EQ(test, first.all + second.all, 5ull);
		KUNIT_ASSERT_EQ(test, second.to_sample_ns, 250 * US);
	}
}

static struct kunit_case cases[] = { KUNIT_CASE(threads_in_the_code_do_not_add_up),
				     KUNIT_CASE(small_debts_wait_but_for_a_wake_up),
				     KUNIT_CASE(a_long_sleep_is_made_good),
				     KUNIT_CASE(who_is_woken_by_a_thread_is_let_off),
				     KUNIT_CASE(children_inherit),
				     KUNIT_CASE(samples_of_stretches_add_up),
				     {} };

struct kunit_suite scope_kunit_delay = {
	.name = "scope_delay",
	.test_cases = cases,
};
