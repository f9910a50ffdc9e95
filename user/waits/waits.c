// SPDX-License-Identifier: GPL-2.0-only
/* Follows all sleeps inside requests to the threads that ended them, and on to the causes. */
#include "waits/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/locks.h"
#include "waits/pair_table.h"

#define LATE 256	   /* no rule: a sleep is followed this many stretches later, because some come late */
#define STEPS_EACH 2048	   /* steps for one sleep, until … */
#define STEPS_FREE 1000000 /* … all sleeps together took this many: then … */
#define STEPS_FEW 64	   /* … this many for one sleep; and half of the sleeps are followed … */
#define STEPS_MORE 4000000 /* … after this many steps for all, a quarter after twice as many, and so on */

struct pending {
	struct scope_stay sleep;
	uint32_t thread;
	uint64_t lock; /* its address; 0: it does not wait for a lock */
	uint64_t came; /* stays before it */
};

struct follower {
	struct scope_waits *waits;
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
	struct scope_history history;
	struct pending pending[LATE];
	unsigned first, count;
	uint64_t steps, steps_until;
	unsigned steps_each;
	struct scope_part *part; /* of the sleep that is followed now */
	size_t parts, part_capacity;
	double left_ns;			 /* of it, not examined yet */
	uint32_t waiter;		 /* the thread whose sleep is followed now */
	uint64_t lock;			 /* that it waits for; 0: for no lock */
	struct scope_pair_table lockers; /* threads that waited for a lock, and the lock */
	uint64_t stays;
	uint64_t number; /* of sleeps that count */
};

/* A sleep of a thread without requests counts as one with work to do, at any time. */
static bool counts_always(const struct scope_wait *wait)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(wait->nr);

	return wait->lock || wait->futex == SCOPE_FUTEX_RW || wait->futex == SCOPE_FUTEX_HANDED ||
	       wait->class == SCOPE_WAIT_DISK || wait->class == SCOPE_WAIT_FAULT ||
	       (role == SCOPE_CALL_WRITE && wait->nr != SCOPE_NR_NONE) || role == SCOPE_CALL_CONNECT;
}

bool scope_waits_does_count(const struct scope_groups *groups, const struct scope_wait *wait)
{
	if (wait->thread >= groups->threads || wait->queue || wait->outside || wait->idle)
		return false;
	return groups->group[groups->of_thread[wait->thread]].granularity == SCOPE_UNIT_REQUEST || counts_always(wait);
}

static uint32_t follow(void *user, uint32_t node, const struct scope_stay *sleep)
{
	struct follower *follower = user;
	struct scope_waits *waits = follower->waits;

	const uint32_t thread = (uint32_t)sleep->waker;

	return thread < waits->threads
		       ? scope_waits_tree_follow(&waits->tree, node, sleep->class, sleep->nr, waits->of_thread[thread])
		       : node;
}

/* Parts are counted once all of the sleep was examined. */
static int take_part(void *user, const struct scope_part *part)
{
	struct follower *follower = user;

	if (part->end == SCOPE_END_LEFT) {
		follower->left_ns += (double)(part->end_ns - part->begin_ns);
		return 0;
	}
	if (scope_grow(&follower->part, &follower->part_capacity, follower->parts + 1, sizeof(*part)))
		return -ENOMEM;
	follower->part[follower->parts++] = *part;
	return 0;
}

/*
 * True if the thread of the part slept while it had the lock that the waiter waits for. The thread has to have taken
 * this lock itself before, because the same call may also be a wait for work that another thread brings. A thread
 * that waits for work itself does not count. This is known of threads with requests; a sleep for a timer is never
 * such a wait.
 */
static bool has_lock(const struct follower *follower, const struct scope_part *part)
{
	const struct scope_groups *groups = follower->groups;

	if ((part->end != SCOPE_END_OUTSIDE && part->end != SCOPE_END_PROCESS) || part->class == SCOPE_WAIT_FUTEX ||
	    !follower->lock ||
	    scope_waits_pairs_find(&follower->lockers, part->thread, follower->lock) == SCOPE_PAIR_NONE)
		return false;
	return part->class == SCOPE_WAIT_TIMER ||
	       (!part->idle && groups->group[groups->of_thread[follower->waiter]].granularity == SCOPE_UNIT_REQUEST);
}

/* What the waiter waited for in that part; SCOPE_BOTTLENECK_KINDS: nothing that the part's thread did. */
static enum scope_bottleneck_kind kind_of(const struct follower *follower, const struct scope_part *part)
{
	if (part->end == SCOPE_END_RUNS)
		return SCOPE_BOTTLENECK_RUNS;
	/* Its own sleep does not make others wait. */
	if (part->thread == follower->waiter)
		return SCOPE_BOTTLENECK_KINDS;
	if (part->end == SCOPE_END_OUTSIDE && part->class == SCOPE_WAIT_DISK)
		return SCOPE_BOTTLENECK_DISK;
	return has_lock(follower, part) ? SCOPE_BOTTLENECK_HOLDS : SCOPE_BOTTLENECK_KINDS;
}

/*
 * The thread, or the peer or file with a name, that the part's thread waited for, as scope_waits_tree_end() takes it. Descriptors
 * of one peer or file have the same, so that the connections of a pool are one peer.
 */
static uint64_t other_of(const struct follower *follower, const struct scope_part *part)
{
	struct scope_threads *threads = follower->distributions->run->timeline->threads;
	const struct scope_trace_fd *first;

	if (!part->fd)
		return part->tid;
	first = scope_waits_fd_names_first(follower->waits->names,
					   scope_timeline_threads_at(threads, part->thread)->tgid,
					   (int32_t)(part->fd - 1));
	return first ? (uint64_t)first->tgid << 32 | (uint32_t)(first->fd + 1) : 0;
}

/* times: how many ns of waits a ns of the part stands for. */
static int count_part(struct follower *follower, const struct scope_part *part, double times)
{
	struct scope_waits *waits = follower->waits;
	const double ns = (double)(part->end_ns - part->begin_ns) * times;
	const enum scope_bottleneck_kind kind = kind_of(follower, part);
	struct scope_waits_group *group = part->thread < waits->threads ? &waits->group[waits->of_thread[part->thread]]
									: NULL;

	scope_waits_tree_end(&waits->tree, part->node, (enum scope_end)part->end, part->class, other_of(follower, part),
			     ns, waits->every);
	waits->followed_ns += ns;
	if (part->end == SCOPE_END_UNSEEN)
		waits->unseen_ns += ns;
	if (!group || kind == SCOPE_BOTTLENECK_KINDS)
		return 0;
	group->kept[kind].ns += ns;
	if (kind == SCOPE_BOTTLENECK_HOLDS)
		group->held_ns[part->class] += ns;
	return scope_waits_covers_add(&waits->kept[kind], part->thread, part->begin_ns, part->end_ns);
}

/* The examined part of a sleep also represents the rest of it. */
static int count_parts(struct follower *follower, double all_ns)
{
	const double seen_ns = all_ns - follower->left_ns;
	const double times = seen_ns > 0 ? all_ns / seen_ns : 1;
	int err = 0;

	for (size_t i = 0; !err && i < follower->parts; i++)
		err = count_part(follower, &follower->part[i], times * (double)follower->waits->every);
	return err;
}

/* If sleeps took many steps, each is allowed fewer from now on, and later only a part of them is followed. */
static void spend(struct follower *follower, unsigned steps)
{
	follower->steps += 1 + steps;
	if (follower->steps > STEPS_FREE)
		follower->steps_each = STEPS_FEW;
	if (follower->steps > follower->steps_until) {
		follower->waits->every *= 2;
		follower->steps_until += STEPS_MORE;
	}
}

static int follow_one(struct follower *follower)
{
	const struct scope_cascade_listener listener = {
		.follow = follow,
		.part = take_part,
		.steps = follower->steps_each,
		.user = follower,
	};
	const struct pending *pending = &follower->pending[follower->first];
	struct scope_waits *waits = follower->waits;
	unsigned steps;
	uint32_t node;
	int err;

	follower->first = (follower->first + 1) % LATE;
	follower->count--;
	if (follower->number++ % waits->every)
		return 0;
	node = scope_waits_tree_group(&waits->tree, waits->of_thread[pending->thread]);
	follower->waiter = pending->thread;
	follower->lock = pending->lock;
	follower->parts = 0;
	follower->left_ns = 0;
	err = scope_waits_cascade_run(&follower->history, pending->thread, &pending->sleep, node, &listener, &steps);
	if (!err)
		err = count_parts(follower, (double)(pending->sleep.end_ns - pending->sleep.begin_ns));
	spend(follower, steps);
	return err;
}

static bool is_for_lock(const struct scope_wait *wait)
{
	return scope_waits_is_lock(wait) && (wait->lock || wait->futex == SCOPE_FUTEX_RW ||
					     wait->futex == SCOPE_FUTEX_CONTENDED || wait->futex == SCOPE_FUTEX_HANDED);
}

static int take_wait(void *user, const struct scope_wait *wait)
{
	struct follower *follower = user;
	struct scope_waits *waits = follower->waits;
	const struct scope_stay stay = scope_waits_history_stay(wait);
	const uint64_t lock = is_for_lock(wait) ? scope_waits_lock_address(wait) : 0;
	struct scope_waits_group *group;
	uint32_t number;
	int err;

	if (wait->thread >= waits->threads || stay.end_ns <= stay.begin_ns)
		return 0;
	err = scope_waits_history_add(&follower->history, wait->thread, &stay);
	follower->stays++;
	if (!err && lock)
		err = scope_waits_pairs_add(&follower->lockers, wait->thread, lock, &number);
	if (wait->queue && wait->end_ns - wait->begin_ns >= SCOPE_DISTRIBUTIONS_LONG_QUEUE_NS) {
		waits->queue_ns += (double)(wait->end_ns - wait->begin_ns);
		waits->queue_own_ns += (double)wait->object;
		if (!err)
			err = scope_waits_takers_add(&waits->takers, wait->waker_tid,
						     (double)(wait->end_ns - wait->wake_ns));
	}
	while (!err && follower->count && follower->pending[follower->first].came + LATE <= follower->stays)
		err = follow_one(follower);
	if (err || !scope_waits_does_count(follower->groups, wait) ||
	    !scope_unit_distributions_counts(follower->distributions, wait->thread))
		return err;
	group = &waits->group[waits->of_thread[wait->thread]];
	group->wait_ns[wait->class] += (double)(stay.end_ns - stay.begin_ns);
	group->waits++;
	waits->waits++;
	follower->pending[(follower->first + follower->count++) % LATE] =
		(struct pending){ stay, wait->thread, lock, follower->stays };
	return 0;
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct follower *follower = user;
	struct scope_waits_group *group = &follower->waits->group[unit->group];

	(void)call;
	if (unit->granularity != SCOPE_UNIT_REQUEST)
		return 0;
	group->unit_ns += (double)scope_unit_wall(unit);
	group->run_ns += (double)unit->run_ns;
	group->queue_ns += (double)unit->queue_ns;
	return 0;
}

static int run(struct follower *follower)
{
	const struct scope_unit_sink sink = { .unit = take_unit, .wait = take_wait, .user = follower };
	int err = scope_waits_history_know_threads(&follower->history, follower->distributions->run->timeline->threads,
						   follower->waits->threads);

	if (!err)
		err = scope_unit_distributions_replay(follower->distributions, follower->groups, &sink);
	while (!err && follower->count)
		err = follow_one(follower);
	return err;
}

static double device_ns(const struct scope_device *device)
{
	return device->queue_ns + device->device_ns;
}

/* For a group without requests it is not known whether its other time is work, so the window is used instead. */
static void sum_up_disks(struct scope_waits *waits, const struct scope_timeline *timeline)
{
	const struct scope_devices *devices = &timeline->devices;
	double all_ns = 0;

	for (size_t i = 0; i < SCOPE_STALL_KINDS; i++)
		waits->stall_ns[i] = timeline->stall_ns[i];
	for (size_t i = 0; i < devices->count; i++) {
		all_ns += device_ns(&devices->device[i]);
		if (device_ns(&devices->device[i]) > device_ns(&waits->device))
			waits->device = devices->device[i];
	}
	waits->device_most = all_ns > 0 ? device_ns(&waits->device) / all_ns : 0;
	for (size_t i = 0; i < waits->groups; i++) {
		const struct scope_waits_group *group = &waits->group[i];
		const double disk_ns = group->wait_ns[SCOPE_WAIT_DISK];

		waits->disk_ns += disk_ns;
		waits->work_ns += group->unit_ns > 0 ? group->unit_ns : disk_ns > 0 ? waits->window_ns : 0;
	}
}

static int sum_up(struct scope_waits *waits)
{
	int err = 0;

	scope_waits_takers_sort(&waits->takers);
	for (size_t i = 0; !err && i < waits->groups; i++) {
		for (int kind = 0; !err && kind < SCOPE_BOTTLENECK_KINDS; kind++) {
			struct scope_waits_kept *kept = &waits->group[i].kept[kind];

			if (kept->ns > 0)
				err = scope_waits_covers_sum(&waits->kept[kind], waits->of_thread, waits->threads,
							     (uint32_t)i, &kept->cover_ns);
		}
	}
	return err;
}

/* Fills in what the distributions have about groups and threads; no sleep was followed yet. */
static int create(const struct scope_distributions *distributions, const struct scope_groups *groups,
		  struct scope_waits **ret_waits)
{
	const struct scope_timeline *timeline = distributions->run->timeline;
	struct scope_waits *waits = calloc(1, sizeof(*waits));

	if (!waits)
		return -ENOMEM;
	*ret_waits = waits;
	waits->window_ns = timeline->end_ns > timeline->begin_ns ? (double)(timeline->end_ns - timeline->begin_ns) : 0;
	waits->every = 1;
	for (int kind = 0; kind < SCOPE_BOTTLENECK_KINDS; kind++)
		waits->kept[kind].every = 1;
	waits->groups = groups->count;
	waits->threads = groups->threads;
	if (waits->threads > scope_timeline_threads_count(timeline->threads))
		waits->threads = scope_timeline_threads_count(timeline->threads);
	waits->group = calloc(waits->groups + 1, sizeof(*waits->group));
	waits->of_thread = calloc(waits->threads + 1, sizeof(*waits->of_thread));
	if (!waits->group || !waits->of_thread)
		return -ENOMEM;
	if (waits->threads)
		memcpy(waits->of_thread, groups->of_thread, waits->threads * sizeof(*waits->of_thread));
	if (scope_waits_fd_names_create(timeline->trace, timeline->fds, &waits->names))
		return -ENOMEM;
	return scope_waits_tree_init(&waits->tree);
}

int scope_waits_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
		       struct scope_waits **ret_waits)
{
	struct follower follower = {
		.distributions = distributions,
		.groups = groups,
		.steps_each = STEPS_EACH,
		.steps_until = STEPS_MORE,
		.lockers.most = SCOPE_LOCK_USERS_MAX,
	};
	int err = create(distributions, groups, &follower.waits);

	if (!err)
		err = run(&follower);
	if (!err)
		err = sum_up(follower.waits);
	if (!err)
		sum_up_disks(follower.waits, distributions->run->timeline);
	scope_waits_history_free(&follower.history);
	scope_waits_pairs_free(&follower.lockers);
	free(follower.part);
	if (err)
		scope_waits_destroy(follower.waits);
	else
		*ret_waits = follower.waits;
	return err;
}

void scope_waits_destroy(struct scope_waits *waits)
{
	if (!waits)
		return;
	scope_waits_tree_free(&waits->tree);
	scope_waits_takers_free(&waits->takers);
	for (int kind = 0; kind < SCOPE_BOTTLENECK_KINDS; kind++)
		scope_waits_covers_free(&waits->kept[kind]);
	free(waits->group);
	free(waits->function);
	free(waits->bottleneck);
	free(waits->of_thread);
	scope_waits_fd_names_destroy(waits->names);
	free(waits);
}
