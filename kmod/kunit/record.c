// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: how each event is packed, compared byte by byte with the drawings in include/scope/event.h. */
#include <kunit/test.h>
#include "../record.h"
#include "../session.h"
#include "suites.h"

static int record_init(struct kunit *test)
{
	scope_kunit_make_ring(test, 2, false);
	return 0;
}

static struct scope_ring *ring_of(struct kunit *test)
{
	return &((struct scope_cpu *)test->priv)->ring;
}

/* Returns the record at *at of the first sub-buffer, and checks its type. *at moves to the next record. */
static const void *take(struct kunit *test, u32 *at, u32 type, u32 bytes)
{
	struct scope_ring *ring = ring_of(test);
	const u8 *record = ring->subbufs + sizeof(struct scope_subbuf) + *at;

	KUNIT_EXPECT_EQ(test, scope_record_type(*(const u32 *)record), type);
	*at += bytes;
	return record;
}

static void packs_calls(struct kunit *test)
{
	static const u64 arg[SCOPE_ARG_MAX] = { 11, 12, 13, 14, 15, ~0ull };
	struct scope_ring *ring = ring_of(test);
	const struct scope_record_syscall *call;
	const struct scope_record_enter *enter;
	const struct scope_record_exit *exit;
	u32 at = 0;

	scope_record_put_syscall(ring, 1000, scope_call_of(39, SCOPE_ABI_32, 6), 7, -EINTR, arg);
	scope_record_put_syscall(ring, 1010, scope_call_of(9, SCOPE_ABI_NATIVE, 0), 8, 0x7f0012345000, arg);
	scope_record_put_enter(ring, 1020, scope_call_of(202, SCOPE_ABI_X32, 2), 900, arg);
	scope_record_put_exit(ring, 1030, scope_call_of(202, SCOPE_ABI_X32, 2), -1);

	call = take(test, &at, SCOPE_RECORD_SYSCALL, sizeof(*call) + 6 * 8);
	KUNIT_EXPECT_EQ(test, call->nr, 39);
	KUNIT_EXPECT_EQ(test, call->abi_args, SCOPE_ABI_32 | 6 << 4);
	KUNIT_EXPECT_EQ(test, call->duration_ns, 7u);
	KUNIT_EXPECT_EQ(test, call->ret, -EINTR);
	KUNIT_EXPECT_EQ(test, call->flags, 0);
	KUNIT_EXPECT_EQ(test, memcmp(call + 1, arg, sizeof(arg)), 0);
	call = take(test, &at, SCOPE_RECORD_SYSCALL, sizeof(*call));
	KUNIT_EXPECT_EQ(test, call->flags, SCOPE_SYSCALL_WIDE);
	KUNIT_EXPECT_EQ(test, scope_record_delta(call->word), 10u);
	enter = take(test, &at, SCOPE_RECORD_ENTER, sizeof(*enter) + 2 * 8);
	KUNIT_EXPECT_EQ(test, enter->enter_ns, 900ull);
	KUNIT_EXPECT_EQ(test, memcmp(enter + 1, arg, 16), 0);
	exit = take(test, &at, SCOPE_RECORD_EXIT, sizeof(*exit));
	KUNIT_EXPECT_EQ(test, exit->ret, -1ll);
	KUNIT_EXPECT_EQ(test, exit->abi_args, SCOPE_ABI_X32);
	KUNIT_EXPECT_PTR_EQ(test, ring->at, (u8 *)ring->subbufs + sizeof(struct scope_subbuf) + at);
}

static void packs_scheduling(struct kunit *test)
{
	struct scope_ring *ring = ring_of(test);
	const struct scope_record_waking_from *from;
	const struct scope_record_switch *bits;
	u32 at = 0;

	scope_record_put_switch(ring, 5, 0x3fffffff, 9);
	scope_record_put_waking(ring, 6, 1);
	scope_record_put_waking_from(ring, 7, 2, current);

	KUNIT_EXPECT_EQ(test, ring->tid, 9u);
	bits = take(test, &at, SCOPE_RECORD_SWITCH, sizeof(*bits));
	KUNIT_EXPECT_EQ(test, bits->bits, 0x3fffffffu);
	bits = take(test, &at, SCOPE_RECORD_WAKING, sizeof(*bits));
	KUNIT_EXPECT_EQ(test, bits->bits, 1u);
	from = take(test, &at, SCOPE_RECORD_WAKING_FROM, sizeof(*from));
	KUNIT_EXPECT_EQ(test, from->waker_tid, (u32)current->pid);
	KUNIT_EXPECT_EQ(test, from->waker_tgid, (u32)current->tgid);
}

static void packs_lives_of_tasks(struct kunit *test)
{
	struct scope_ring *ring = ring_of(test);
	const struct scope_record_thread_exit *end;
	const struct scope_record_fork *fork;
	const struct scope_record_exec *exec;
	u32 at = 0;

	scope_record_put_fork(ring, 1, current, current);
	scope_record_put_exec(ring, 2, 4711, current);
	scope_record_put_thread_exit(ring, 3, current, true);
	scope_record_put_thread_exit(ring, 4, current, false);

	fork = take(test, &at, SCOPE_RECORD_FORK, sizeof(*fork));
	KUNIT_EXPECT_EQ(test, fork->child_tgid, (u32)current->tgid);
	KUNIT_EXPECT_STREQ(test, fork->comm, current->comm);
	exec = take(test, &at, SCOPE_RECORD_EXEC, sizeof(*exec));
	KUNIT_EXPECT_EQ(test, exec->old_tid, 4711u);
	KUNIT_EXPECT_EQ(test, exec->comm[SCOPE_COMM_BYTES - 1], 0);
	end = take(test, &at, SCOPE_RECORD_THREAD_EXIT, sizeof(*end));
	KUNIT_EXPECT_EQ(test, end->flags, (u32)SCOPE_EXIT_LAST);
	end = take(test, &at, SCOPE_RECORD_THREAD_EXIT, sizeof(*end));
	KUNIT_EXPECT_EQ(test, end->flags, 0u);
}

static void numbers_out_of_range_are_none(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, scope_record_nr(0), 0);
	KUNIT_EXPECT_EQ(test, scope_record_nr(SCOPE_NR_NONE - 1), SCOPE_NR_NONE - 1);
	KUNIT_EXPECT_EQ(test, scope_record_nr(SCOPE_NR_NONE), SCOPE_NR_NONE);
	KUNIT_EXPECT_EQ(test, scope_record_nr(-1), SCOPE_NR_NONE);
	KUNIT_EXPECT_EQ(test, scope_record_nr(LONG_MAX), SCOPE_NR_NONE);
}

/* Puts every kind of record into a full ring: each is counted as lost, and nothing is written. */
static void a_full_ring_takes_none(struct kunit *test)
{
	static const u64 arg[SCOPE_ARG_MAX];
	const struct scope_call call = scope_call_of(1, SCOPE_ABI_NATIVE, 0);
	struct scope_ring *ring = ring_of(test);
	u8 *at;

	while (ring->page->lost[SCOPE_LOST_FULL] == 0)
		scope_record_put_switch(ring, 1, 0, 0);
	at = ring->at;
	scope_record_put_syscall(ring, 2, call, 1, 0, arg);
	scope_record_put_enter(ring, 2, call, 1, arg);
	scope_record_put_exit(ring, 2, call, 0);
	scope_record_put_waking_from(ring, 2, 2, current);
	scope_record_put_fork(ring, 2, current, current);
	scope_record_put_exec(ring, 2, 1, current);
	scope_record_put_thread_exit(ring, 2, current, true);
	KUNIT_EXPECT_EQ(test, ring->page->lost[SCOPE_LOST_FULL], 8ull);
	KUNIT_EXPECT_PTR_EQ(test, ring->at, at);
	KUNIT_EXPECT_EQ(test, ring->writing, 0);
}

static struct kunit_case cases[] = { KUNIT_CASE(packs_calls),
				     KUNIT_CASE(packs_scheduling),
				     KUNIT_CASE(packs_lives_of_tasks),
				     KUNIT_CASE(numbers_out_of_range_are_none),
				     KUNIT_CASE(a_full_ring_takes_none),
				     {} };

struct kunit_suite scope_kunit_record = {
	.name = "scope_record",
	.init = record_init,
	.exit = scope_kunit_destroy_ring,
	.test_cases = cases,
};
