// SPDX-License-Identifier: GPL-2.0-only
/* The futexes that threads waited for while they had work to do: for how long, and who had them. */
#include "waits/locks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "waits/pair_table.h"

#define RWLOCK_SHARE 10 /* a tenth of the waits or more are of the form that only glibc's reader-writer locks have */

/* Waits for one futex, added up. */
struct sum {
	double ns;
	uint64_t waits;
	uint32_t number;
};

/* State of the first pass over the log: sums of all futexes. */
struct adder {
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
	struct scope_locks *locks;
	struct scope_pair_table futexes; /* process and address */
	struct sum *sum;		 /* by number */
	size_t sums, capacity;
};

static int add_wait(void *user, const struct scope_wait *wait)
{
	struct adder *adder = user;
	const double ns = (double)(wait->wake_ns - wait->begin_ns);
	uint32_t number;

	if (!scope_waits_is_lock(wait) || !scope_waits_does_count(adder->groups, wait))
		return 0;
	adder->locks->waits++;
	adder->locks->wait_ns += ns;
	if (scope_waits_pairs_add(
		    &adder->futexes,
		    scope_timeline_threads_at(adder->distributions->run->timeline->threads, wait->thread)->tgid,
		    scope_waits_lock_address(wait), &number))
		return -ENOMEM;
	if (number == SCOPE_PAIR_NONE) {
		adder->locks->left_out++;
		return 0;
	}
	if (scope_grow(&adder->sum, &adder->capacity, number + 1ul, sizeof(*adder->sum)))
		return -ENOMEM;
	if (number == adder->sums)
		adder->sum[adder->sums++] = (struct sum){ .number = number };
	adder->sum[number].ns += ns;
	adder->sum[number].waits++;
	return 0;
}

/* Most first; of equals the one that was waited for first. */
static int compare_sums(const void *left, const void *right)
{
	const struct sum *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Keeps the futexes that threads waited for longest. */
static int keep_most(struct adder *adder)
{
	struct scope_locks *locks = adder->locks;
	const size_t count = adder->sums < SCOPE_LOCKS_KEPT ? adder->sums : SCOPE_LOCKS_KEPT;

	locks->futexes = adder->sums;
	locks->lock = calloc(count + 1, sizeof(*locks->lock));
	if (!locks->lock)
		return -ENOMEM;
	if (adder->sums)
		qsort(adder->sum, adder->sums, sizeof(*adder->sum), compare_sums);
	for (size_t i = 0; i < count; i++) {
		const struct scope_pair *pair = &adder->futexes.pair[adder->sum[i].number];

		locks->lock[locks->count++] = (struct scope_lock){
			.tgid = (uint32_t)pair->a,
			.address = pair->b,
			.most_waits = UINT32_MAX,
			.most_has = UINT32_MAX,
		};
	}
	return 0;
}

/* What a thread waited for a lock, and what others waited for that thread to release it. */
struct part {
	double wait_ns, kept_ns;
};

/* State of the second pass: all about the locks that are kept. */
struct meter {
	struct scope_locks *locks;
	const struct scope_groups *groups;
	struct scope_pair_table users; /* lock and thread */
	struct part *part;	       /* by number of users */
	size_t parts, capacity;
	uint64_t (*of_kind)[SCOPE_FUTEXES]; /* waits, by lock */
};

/* *ret_part is valid until the next call; NULL: there is no room. */
static int part_of(struct meter *meter, const struct scope_lock *lock, uint32_t thread, struct part **ret_part)
{
	uint32_t number;

	*ret_part = NULL;
	if (scope_waits_pairs_add(&meter->users, (uint64_t)(lock - meter->locks->lock), thread, &number))
		return -ENOMEM;
	if (number == SCOPE_PAIR_NONE) {
		meter->locks->users_left_out++;
		return 0;
	}
	if (scope_grow(&meter->part, &meter->capacity, number + 1ul, sizeof(*meter->part)))
		return -ENOMEM;
	if (number == meter->parts)
		meter->part[meter->parts++] = (struct part){ 0 };
	*ret_part = &meter->part[number];
	return 0;
}

static int measure_wait(void *user, struct scope_lock *lock, const struct scope_wait *wait, bool counts)
{
	struct meter *meter = user;
	const uint64_t ns = wait->wake_ns - wait->begin_ns;
	struct part *part;
	int err;

	if (!counts)
		return 0;
	err = part_of(meter, lock, wait->thread, &part);
	if (err)
		return err;
	if (part)
		part->wait_ns += (double)ns;
	lock->waits++;
	lock->wait_ns += (double)ns;
	meter->of_kind[lock - meter->locks->lock][wait->futex]++;
	return scope_sketch_count(&lock->wait, ns);
}

static int measure_hold(void *user, struct scope_lock *lock, const struct scope_wait *wait, uint64_t from_ns,
			bool whole)
{
	struct meter *meter = user;
	struct part *part;
	int err = part_of(meter, lock, (uint32_t)wait->waker, &part);

	if (err)
		return err;
	if (part)
		part->kept_ns += (double)(wait->wake_ns - wait->begin_ns);
	return whole ? scope_sketch_count(&lock->hold, wait->wake_ns - from_ns) : 0;
}

static enum scope_lock_kind kind_of(const uint64_t *waits)
{
	const uint64_t contended = waits[SCOPE_FUTEX_CONTENDED] + waits[SCOPE_FUTEX_HANDED];
	const uint64_t bitset = waits[SCOPE_FUTEX_RW] + contended + waits[SCOPE_FUTEX_WORD] + waits[SCOPE_FUTEX_EVENT];

	if (waits[SCOPE_FUTEX_PI])
		return SCOPE_LOCK_PI_MUTEX;
	if (waits[SCOPE_FUTEX_PI_CONDITION])
		return SCOPE_LOCK_PI_CONDITION;
	if (waits[SCOPE_FUTEX_MUTEX])
		return SCOPE_LOCK_MUTEX;
	if (waits[SCOPE_FUTEX_RW] && waits[SCOPE_FUTEX_RW] * RWLOCK_SHARE >= bitset)
		return SCOPE_LOCK_RWLOCK;
	if (contended && 2 * contended >= bitset)
		return SCOPE_LOCK_MUTEX;
	return 2 * waits[SCOPE_FUTEX_EVENT] >= bitset ? SCOPE_LOCK_CONDITION : SCOPE_LOCK_FUTEX;
}

/* True if both threads are of one group. */
static bool is_alike(const struct scope_groups *groups, uint64_t a, uint32_t b)
{
	return a < groups->threads && b < groups->threads && groups->of_thread[a] == groups->of_thread[b];
}

/* Counts the threads that waited for each lock and those that had it, and finds the one with most of each. */
static void sum_up(struct meter *meter)
{
	struct scope_locks *locks = meter->locks;
	double most_ns[SCOPE_LOCKS_KEPT][2] = { { 0 } };

	for (size_t i = 0; i < meter->parts; i++) {
		const struct scope_pair *pair = &meter->users.pair[i];
		const struct part *part = &meter->part[i];
		struct scope_lock *lock = &locks->lock[pair->a];

		lock->waiters += part->wait_ns > 0;
		lock->holders += part->kept_ns > 0;
		if (part->wait_ns > most_ns[pair->a][0]) {
			most_ns[pair->a][0] = part->wait_ns;
			lock->most_waits = (uint32_t)pair->b;
		}
		if (part->kept_ns > most_ns[pair->a][1]) {
			most_ns[pair->a][1] = part->kept_ns;
			lock->most_has = (uint32_t)pair->b;
		}
	}
	for (size_t i = 0; i < meter->parts; i++) {
		const struct scope_pair *pair = &meter->users.pair[i];
		struct scope_lock *lock = &locks->lock[pair->a];

		lock->waiters_alike += meter->part[i].wait_ns > 0 && is_alike(meter->groups, pair->b, lock->most_waits);
		lock->holders_alike += meter->part[i].kept_ns > 0 && is_alike(meter->groups, pair->b, lock->most_has);
	}
	for (size_t i = 0; i < locks->count; i++)
		locks->lock[i].kind = kind_of(meter->of_kind[i]);
}

static int measure(struct scope_locks *locks, const struct scope_distributions *distributions,
		   const struct scope_groups *groups)
{
	struct meter meter = { .locks = locks, .groups = groups, .users.most = SCOPE_LOCK_USERS_MAX };
	const struct scope_lock_listener listener = { .waited = measure_wait, .held = measure_hold, .user = &meter };
	int err;

	meter.of_kind = calloc(locks->count + 1, sizeof(*meter.of_kind));
	err = meter.of_kind ? scope_waits_locks_follow(locks, distributions, groups, &listener) : -ENOMEM;
	if (!err)
		sum_up(&meter);
	scope_waits_pairs_free(&meter.users);
	free(meter.part);
	free(meter.of_kind);
	return err;
}

/* The first pass over the log. */
static int choose(struct scope_locks *locks, const struct scope_distributions *distributions,
		  const struct scope_groups *groups)
{
	struct adder adder = {
		.distributions = distributions, .groups = groups, .locks = locks, .futexes.most = SCOPE_LOCKS_MAX
	};
	const struct scope_unit_sink sink = { .wait = add_wait, .user = &adder };
	int err = scope_unit_distributions_replay(distributions, groups, &sink);

	if (!err)
		err = keep_most(&adder);
	scope_waits_pairs_free(&adder.futexes);
	free(adder.sum);
	return err;
}

int scope_waits_locks_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
			     struct scope_locks **ret_locks)
{
	struct scope_locks *locks = calloc(1, sizeof(*locks));
	int err = locks ? choose(locks, distributions, groups) : -ENOMEM;

	if (!err)
		err = measure(locks, distributions, groups);
	if (err)
		scope_waits_locks_destroy(locks);
	else
		*ret_locks = locks;
	return err;
}

void scope_waits_locks_destroy(struct scope_locks *locks)
{
	if (!locks)
		return;
	for (size_t i = 0; i < locks->count; i++) {
		scope_sketch_free(&locks->lock[i].wait);
		scope_sketch_free(&locks->lock[i].hold);
		free(locks->lock[i].waits_in.site);
		free(locks->lock[i].held_in.site);
	}
	free(locks->lock);
	free(locks);
}
