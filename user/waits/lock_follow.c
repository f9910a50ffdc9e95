// SPDX-License-Identifier: GPL-2.0-only
/* Reads all waits for locks, and finds for each since when the thread that ended it had the lock. */
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "waits/locks.h"
#include "waits/pair_table.h"

/* What a thread did with a lock up to the current wait of the log. */
struct use {
	/* When it got the lock after its last wait, and after the wait before; 0: it did not, or it has released it. */
	uint64_t taken_ns, before_ns;
};

struct follower {
	struct scope_locks *locks;
	const struct scope_groups *groups;
	struct scope_threads *threads;
	const struct scope_lock_listener *listener;
	struct scope_pair_table kept;  /* process and address, by index of the lock */
	struct scope_pair_table users; /* lock and thread */
	struct use *use;	       /* by number of users */
	size_t uses, capacity;
};

static uint32_t tgid_of(struct scope_threads *threads, uint32_t thread)
{
	return scope_timeline_threads_at(threads, thread)->tgid;
}

/* Locks are identified by process and address. NULL: it is not kept. */
static struct scope_lock *lock_of(const struct follower *follower, const struct scope_wait *wait)
{
	const uint32_t at = scope_waits_pairs_find(&follower->kept, tgid_of(follower->threads, wait->thread),
						   scope_waits_lock_address(wait));

	return at == SCOPE_PAIR_NONE ? NULL : &follower->locks->lock[at];
}

/* *ret_use is valid until the next call; NULL: there is no room. */
static int use_of(struct follower *follower, const struct scope_lock *lock, uint32_t thread, struct use **ret_use)
{
	uint32_t number;

	*ret_use = NULL;
	if (scope_waits_pairs_add(&follower->users, (uint64_t)(lock - follower->locks->lock), thread, &number))
		return -ENOMEM;
	if (number == SCOPE_PAIR_NONE)
		return 0;
	if (scope_grow(&follower->use, &follower->capacity, number + 1ul, sizeof(*follower->use)))
		return -ENOMEM;
	if (number == follower->uses)
		follower->use[follower->uses++] = (struct use){ 0 };
	*ret_use = &follower->use[number];
	return 0;
}

/*
 * The waker released the lock. If the waiter got a CPU late, the waker may have taken the lock again before the waiter
 * returns. The begin of the hold is known only if the waiter already waited at that time: otherwise the waker may have
 * released and taken the lock without a waiter, which is not in the log.
 */
static int give_back(struct follower *follower, struct scope_lock *lock, const struct scope_wait *wait)
{
	struct use *use;
	uint64_t *taken_ns, from_ns;
	bool whole;
	int err = use_of(follower, lock, (uint32_t)wait->waker, &use);

	if (err || !use)
		return err;
	taken_ns = use->taken_ns && use->taken_ns < wait->wake_ns ? &use->taken_ns : &use->before_ns;
	from_ns = *taken_ns;
	whole = from_ns && from_ns >= wait->begin_ns && from_ns < wait->wake_ns;
	*taken_ns = 0;
	return follower->listener->held(follower->listener->user, lock, wait, whole ? from_ns : wait->begin_ns, whole);
}

static int take_wait(void *user, const struct scope_wait *wait)
{
	struct follower *follower = user;
	struct scope_lock *lock = scope_waits_is_lock(wait) ? lock_of(follower, wait) : NULL;
	const bool passed = wait->waker >= 0 && (uint32_t)wait->waker != wait->thread;
	struct use *use;
	int err;

	if (!lock)
		return 0;
	err = follower->listener->waited(follower->listener->user, lock, wait,
					 scope_waits_does_count(follower->groups, wait));
	if (!err && passed)
		err = give_back(follower, lock, wait);
	if (!err && passed)
		err = use_of(follower, lock, wait->thread, &use);
	if (!err && passed && use) {
		use->before_ns = use->taken_ns;
		use->taken_ns = wait->end_ns;
	}
	return err;
}

int scope_waits_locks_follow(struct scope_locks *locks, const struct scope_distributions *distributions,
			     const struct scope_groups *groups, const struct scope_lock_listener *listener)
{
	struct follower follower = {
		.locks = locks,
		.groups = groups,
		.threads = distributions->run->timeline->threads,
		.listener = listener,
		.kept.most = SCOPE_LOCKS_KEPT,
		.users.most = SCOPE_LOCK_USERS_MAX,
	};
	const struct scope_unit_sink sink = { .wait = take_wait, .user = &follower };
	uint32_t number;
	int err = 0;

	for (size_t i = 0; !err && i < locks->count; i++)
		err = scope_waits_pairs_add(&follower.kept, locks->lock[i].tgid, locks->lock[i].address, &number);
	if (!err && locks->count)
		err = scope_unit_distributions_replay(distributions, groups, &sink);
	scope_waits_pairs_free(&follower.kept);
	scope_waits_pairs_free(&follower.users);
	free(follower.use);
	return err;
}
