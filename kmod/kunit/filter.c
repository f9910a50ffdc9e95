// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: the set of traced processes, also when it is full, and when all CPUs use it at once. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include "../filter.h"
#include "suites.h"

static int filter_init(struct kunit *test)
{
	test->priv = kvzalloc(sizeof(struct scope_filter), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void filter_exit(struct kunit *test)
{
	kvfree(test->priv);
}

static void adds_and_removes(struct kunit *test)
{
	struct scope_filter *filter = test->priv;
	u32 i;

	KUNIT_EXPECT_FALSE(test, scope_filter_has(filter, 0));
	for (i = 1; i <= 3000; i++)
		scope_filter_add(filter, i * 7, SCOPE_FILTER_NAMED);
	scope_filter_add(filter, 7, SCOPE_FILTER_NAMED);
	KUNIT_EXPECT_EQ(test, atomic_read(&filter->count), 3000);
	for (i = 1; i <= 3000; i += 2)
		scope_filter_remove(filter, i * 7);
	for (i = 1; i <= 3000; i++)
		KUNIT_ASSERT_EQ(test, scope_filter_has(filter, i * 7), i % 2 == 0);
	KUNIT_EXPECT_FALSE(test, scope_filter_has(filter, 8));
	KUNIT_EXPECT_EQ(test, atomic_read(&filter->count), 1500);
}

/* Processes begin and end all the time. A slot that became empty can be used again. */
static void survives_churn(struct kunit *test)
{
	struct scope_filter *filter = test->priv;
	u32 i;

	for (i = 1; i < 100000; i++) {
		scope_filter_add(filter, i, SCOPE_FILTER_CHILD);
		if (i > 100)
			scope_filter_remove(filter, i - 100);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&filter->count), 100);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->full), 0ull);
}

static void counts_what_finds_no_place(struct kunit *test)
{
	struct scope_filter *filter = test->priv;
	u32 i;

	for (i = 1; i <= SCOPE_FILTER_REACH + 5; i++)
		scope_filter_add(filter, i * SCOPE_FILTER_LINES, SCOPE_FILTER_NAMED); /* all belong to the same line */
	KUNIT_EXPECT_EQ(test, atomic_read(&filter->count), (int)SCOPE_FILTER_REACH);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->full), 5ull);
}

#define CHURNERS 4
#define CHURN_ROUNDS 20000u

struct churner {
	struct scope_filter *filter;
	struct completion done;
	u32 first;
	u32 missed;
};

/* Each thread has separate pids. They belong to the same lines as those of the other threads. */
static int churn(void *data)
{
	struct churner *self = data;
	u32 i;

	for (i = 0; i < CHURN_ROUNDS; i++) {
		u32 tgid = self->first + i % 64 * CHURNERS;

		scope_filter_add(self->filter, tgid, SCOPE_FILTER_CHILD);
		self->missed += !scope_filter_has(self->filter, tgid);
		scope_filter_remove(self->filter, tgid);
		self->missed += scope_filter_has(self->filter, tgid);
		cond_resched();
	}
	complete(&self->done);
	return 0;
}

static void survives_all_cpus_at_once(struct kunit *test)
{
	struct churner churners[CHURNERS] = {};
	struct scope_filter *filter = test->priv;
	struct task_struct *task[CHURNERS];
	u32 i;

	for (i = 0; i < CHURNERS; i++) {
		churners[i].filter = filter;
		churners[i].first = 1 + i;
		init_completion(&churners[i].done);
		task[i] = kthread_create(churn, &churners[i], "scope-churn/%u", i);
		if (!IS_ERR(task[i]))
			get_task_struct(task[i]);
	}
	for (i = 0; i < CHURNERS; i++)
		if (!IS_ERR(task[i]))
			wake_up_process(task[i]);
	for (i = 0; i < CHURNERS; i++) {
		KUNIT_EXPECT_FALSE(test, IS_ERR(task[i]));
		if (IS_ERR(task[i]))
			continue;
		wait_for_completion(&churners[i].done);
		kthread_stop(task[i]); /* the code may be unloaded only after its last instruction */
		put_task_struct(task[i]);
		KUNIT_EXPECT_EQ(test, churners[i].missed, 0u);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&filter->count), 0);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->full), 0ull);
}

static struct kunit_case cases[] = { KUNIT_CASE(adds_and_removes),
				     KUNIT_CASE(survives_churn),
				     KUNIT_CASE(counts_what_finds_no_place),
				     KUNIT_CASE(survives_all_cpus_at_once),
				     {} };

struct kunit_suite scope_kunit_filter = {
	.name = "scope_filter",
	.init = filter_init,
	.exit = filter_exit,
	.test_cases = cases,
};
